/*
 * Copyright 2026 the GE Redis authors
 * SPDX-License-Identifier: Apache-2.0
 */

package io.ge.redis.leaderboard;

import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.concurrent.CompletableFuture;
import java.util.stream.Stream;

import io.ge.redis.core.RedisBackend;
import io.ge.redis.core.script.LuaScript;
import io.ge.redis.core.script.ScriptReply;
import io.ge.redis.core.structure.Arguments;
import io.ge.redis.core.structure.StructureCalls;
import io.ge.redis.core.structure.Window;
import io.ge.redis.leaderboard.LeaderboardProperties.Board;
import io.ge.redis.leaderboard.LeaderboardProperties.Ties;

/**
 * Leaderboards in Redis: {@code prefix:leaderboard:{name}} and its windows;
 * {@code submit.lua} says what each is.
 */
final class RedisLeaderboards implements Leaderboards {

	private static final LuaScript SUBMIT = load("submit.lua");

	private static final LuaScript REMOVE = load("remove.lua");

	private static final LuaScript LOOK = load("look.lua");

	private final LeaderboardProperties properties;

	private final StructureCalls calls;

	RedisLeaderboards(LeaderboardProperties properties, RedisBackend backend) {
		this.properties = properties;
		this.calls = new StructureCalls("leaderboard", backend);
	}

	private static LuaScript load(String file) {
		return LuaScript.load(RedisLeaderboards.class, file, StructureCalls.WINDOWS);
	}

	@Override
	public CompletableFuture<RankedMember> addAsync(String board, String member, double points) {
		return submit(board, "add", member, Arguments.finite("points", points));
	}

	@Override
	public CompletableFuture<RankedMember> submitBestAsync(String board, String member, double score) {
		return submit(board, "best", member, Arguments.finite("score", score));
	}

	private CompletableFuture<RankedMember> submit(String name, String mode, String member, double number) {
		Board board = this.properties.board(name);
		Arguments.member("member", member);
		return this.calls
			.run(SUBMIT, this.calls.key(name),
					arguments(board, mode, member, String.valueOf(number), ties(board), board.timeToLive()))
			.thenApply((reply) -> {
				if (reply.text(0).equals("infinite")) {
					throw new IllegalArgumentException(
							"The score of '" + member + "' on leaderboard '" + name + "' would become infinite");
				}
				return new RankedMember(member, Double.parseDouble(reply.text(3)), reply.number(2), reply.number(1));
			});
	}

	@Override
	public CompletableFuture<Boolean> removeAsync(String name, String member) {
		Board board = this.properties.board(name);
		Arguments.member("member", member);
		return this.calls.run(REMOVE, this.calls.key(name), arguments(board, member, ties(board)))
			.thenApply((reply) -> reply.number(0) == 1);
	}

	@Override
	public CompletableFuture<List<RankedMember>> topAsync(String board, Window window, int count) {
		return look(board, window, "", Arguments.count("count", count, 1));
	}

	@Override
	public CompletableFuture<List<RankedMember>> aroundAsync(String board, Window window, String member, int count) {
		return look(board, window, Arguments.member("member", member), Arguments.count("count", count, 0));
	}

	private CompletableFuture<List<RankedMember>> look(String name, Window window, String member, int count) {
		Board board = this.properties.board(name, window);
		return this.calls.run(LOOK, this.calls.key(name), window.argument(), ties(board), member, count)
			.thenApply((reply) -> (reply.size() > 0) ? members(board, reply) : List.of());
	}

	private static List<RankedMember> members(Board board, ScriptReply reply) {
		List<RankedMember> members = new ArrayList<>();
		long position = reply.number(1);
		long rank = reply.number(2);
		double before = Double.NaN;
		for (int i = 3; i < reply.size(); i += 2) {
			position++;
			double score = Double.parseDouble(reply.text(i + 1));
			if (board.ties() == Ties.FIRST || (i > 3 && score != before)) {
				rank = position;
			}
			before = score;
			members.add(new RankedMember(reply.text(i), score, rank, reply.number(0)));
		}
		return members;
	}

	private static String ties(Board board) {
		return board.ties().name().toLowerCase(Locale.ROOT);
	}

	private static Object[] arguments(Board board, Object... arguments) {
		return Stream.concat(Stream.of(arguments), board.windows().stream().map(Window::argument)).toArray();
	}

}
