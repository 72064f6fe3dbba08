// SPDX-License-Identifier: Apache-2.0

package io.ge.redis.leaderboard;

import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.function.Function;

import io.ge.redis.Window;
import io.ge.redis.core.RedisBackend;
import io.ge.redis.core.script.LuaScript;
import io.ge.redis.core.script.ScriptReply;
import io.ge.redis.core.structure.Arguments;
import io.ge.redis.core.structure.StructureCalls;
import io.ge.redis.leaderboard.LeaderboardProperties.Board;
import io.ge.redis.leaderboard.LeaderboardProperties.Ties;

import org.springframework.util.Assert;

/**
 * Leaderboards in Redis: {@code prefix:leaderboard:{name}} and its windows;
 * {@code submit.lua} says what each is.
 */
public final class RedisLeaderboards implements Leaderboards {

	private static final LuaScript SUBMIT = load("submit.lua");

	private static final LuaScript REMOVE = load("remove.lua");

	private static final LuaScript LOOK = load("look.lua");

	private static final LuaScript RANK = load("rank.lua");

	private static final LuaScript SUBMIT_EACH = SUBMIT.forEach();

	private static final LuaScript RANK_EACH = RANK.forEach();

	private static final LuaScript TOP = LuaScript.command(RedisLeaderboards.class, "look", "ZREVRANGE");

	/** The index of the member in an element of a board with {@link Ties#FIRST}. */
	private static final int FIRST_MEMBER = 17;

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
	public CompletableFuture<Double> addAsync(String name, String member, double points) {
		return submit(name, "add", member, Arguments.finite("points", points));
	}

	@Override
	public CompletableFuture<Map<String, Double>> addAllAsync(String name, Map<String, Double> points) {
		Board board = this.properties.board(name);
		Assert.notNull(points, "points must not be null");
		return this.calls.runEach(SUBMIT_EACH, points.keySet(), (member) -> this.calls.key(name), (member) -> {
			Double number = points.get(member);
			Assert.notNull(number, () -> "points must not be null, are for '" + member + "'");
			return submission(board, "add", member, Arguments.finite("points", number));
		}, (member, reply) -> score(name, member, reply));
	}

	@Override
	public CompletableFuture<Double> submitBestAsync(String name, String member, double score) {
		return submit(name, "best", member, Arguments.finite("score", score));
	}

	private CompletableFuture<Double> submit(String name, String mode, String member, double number) {
		Board board = this.properties.board(name);
		return this.calls.run(SUBMIT, this.calls.key(name), (reply) -> score(name, member, reply),
				submission(board, mode, Arguments.member("member", member), number));
	}

	private static double score(String name, String member, ScriptReply reply) {
		Assert.isTrue(reply.has(0),
				() -> "The score of '" + member + "' on leaderboard '" + name + "' would become infinite");
		return reply.decimal(0);
	}

	private static Object[] submission(Board board, String mode, String member, double number) {
		return arguments(board, mode, member, String.valueOf(number), board.ties().name(), board.timeToLive());
	}

	@Override
	public CompletableFuture<Boolean> removeAsync(String name, String member) {
		Board board = this.properties.board(name);
		Arguments.member("member", member);
		return this.calls.run(REMOVE, this.calls.key(name), (reply) -> reply.number(0) == 1,
				arguments(board, member, board.ties().name(), board.timeToLive()));
	}

	@Override
	public CompletableFuture<List<RankedMember>> topAsync(String name, Window window, int count) {
		Board board = this.properties.board(name, window);
		Arguments.count("count", count, 1);
		return (window != Window.NONE) ? look(name, window, "", count) : this.calls.run(TOP, this.calls.key(name),
				(reply) -> members(board, reply, reply.size(), 0, 1), 0, count - 1, "WITHSCORES");
	}

	@Override
	public CompletableFuture<List<RankedMember>> aroundAsync(String name, Window window, String member, int count) {
		return look(name, window, Arguments.member("member", member), Arguments.count("count", count, 0));
	}

	private CompletableFuture<List<RankedMember>> look(String name, Window window, String member, int count) {
		Board board = this.properties.board(name, window);
		return this.calls.run(LOOK, this.calls.key(name), (reply) -> {
			int end = reply.size() - 2;
			return (end < 0) ? List.of() : members(board, reply, end, reply.number(end), reply.number(end + 1));
		}, window.argument(), board.ties().name(), member, count);
	}

	/** Reads elements and their scores; the first one is at a position, from 0. */
	private static List<RankedMember> members(Board board, ScriptReply reply, int end, long position, long firstRank) {
		boolean first = board.ties() == Ties.FIRST;
		List<RankedMember> members = new ArrayList<>(end / 2);
		long rank = firstRank;
		double before = Double.NaN;
		for (int i = 0; i < end; i += 2) {
			double score = reply.decimal(i + 1);
			if (first || (i > 0 && score != before)) {
				rank = position + i / 2 + 1;
			}
			before = score;
			String element = reply.text(i);
			members.add(new RankedMember(first ? element.substring(FIRST_MEMBER) : element, score, rank));
		}
		return members;
	}

	@Override
	public CompletableFuture<Optional<RankedMember>> rankAsync(String name, Window window, String member) {
		return rank(name, window, member, (reply) -> ranked(member, reply));
	}

	@Override
	public CompletableFuture<Map<String, RankedMember>> ranksAsync(String name, Window window,
			Collection<String> members) {
		Board board = this.properties.board(name, window);
		return this.calls.runEach(RANK_EACH, members, (member) -> this.calls.key(name),
				(member) -> new Object[] { window.argument(), board.ties().name(), member },
				(member, reply) -> reply.has(0) ? ranked(member, reply) : null);
	}

	private static RankedMember ranked(String member, ScriptReply reply) {
		return new RankedMember(member, reply.decimal(0), reply.number(1));
	}

	@Override
	public CompletableFuture<Optional<Double>> percentileAsync(String name, Window window, String member) {
		return rank(name, window, member, (reply) -> {
			double others = reply.number(2) - 1;
			return (others > 0) ? 100 * (reply.number(2) - reply.number(1)) / others : 100;
		});
	}

	private <T> CompletableFuture<Optional<T>> rank(String name, Window window, String member,
			Function<ScriptReply, T> reader) {
		Board board = this.properties.board(name, window);
		return this.calls.run(RANK, this.calls.key(name),
				(reply) -> reply.has(0) ? Optional.of(reader.apply(reply)) : Optional.empty(), window.argument(),
				board.ties().name(), Arguments.member("member", member));
	}

	private static Object[] arguments(Board board, Object... arguments) {
		List<Object> all = new ArrayList<>(List.of(arguments));
		board.windows().forEach((window) -> all.add(window.argument()));
		return all.toArray();
	}

}
