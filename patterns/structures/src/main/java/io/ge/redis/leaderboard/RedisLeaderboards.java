/*
 * Copyright 2026 the GE Redis authors
 * SPDX-License-Identifier: Apache-2.0
 */

package io.ge.redis.leaderboard;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;

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
public final class RedisLeaderboards implements Leaderboards {

	private static final LuaScript SUBMIT = load("submit.lua");

	private static final LuaScript REMOVE = load("remove.lua");

	private static final LuaScript LOOK = load("look.lua");

	private final LeaderboardProperties properties;

	private final StructureCalls calls;

	public RedisLeaderboards(LeaderboardProperties properties, RedisBackend backend) {
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
		return this.calls.run(SUBMIT, this.calls.key(name), (reply) -> {
			if (reply.text(0).equals("infinite")) {
				throw new IllegalArgumentException(
						"The score of '" + member + "' on leaderboard '" + name + "' would become infinite");
			}
			return new RankedMember(member, reply.decimal(3), reply.number(2), reply.number(1));
		}, arguments(board, mode, member, String.valueOf(number), board.ties().name(), board.timeToLive()));
	}

	@Override
	public CompletableFuture<Boolean> removeAsync(String name, String member) {
		Board board = this.properties.board(name);
		Arguments.member("member", member);
		return this.calls.run(REMOVE, this.calls.key(name), (reply) -> reply.number(0) == 1,
				arguments(board, member, board.ties().name()));
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
		return this.calls.run(LOOK, this.calls.key(name),
				(reply) -> (reply.size() > 0) ? members(board, reply) : List.of(), window.argument(),
				board.ties().name(), member, count);
	}

	private static List<RankedMember> members(Board board, ScriptReply reply) {
		int end = reply.size() - 3;
		List<RankedMember> members = new ArrayList<>(end / 2);
		long position = reply.number(end + 1);
		long rank = reply.number(end + 2);
		double before = Double.NaN;
		for (int i = 0; i < end; i += 2) {
			position++;
			double score = reply.decimal(i + 1);
			if (board.ties() == Ties.FIRST || (i > 0 && score != before)) {
				rank = position;
			}
			before = score;
			members.add(new RankedMember(reply.text(i), score, rank, reply.number(end)));
		}
		return members;
	}

	private static Object[] arguments(Board board, Object... arguments) {
		List<Object> all = new ArrayList<>(List.of(arguments));
		board.windows().forEach((window) -> all.add(window.argument()));
		return all.toArray();
	}

}
