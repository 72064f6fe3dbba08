// SPDX-License-Identifier: Apache-2.0

package io.ge.redis.leaderboard;

import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;

import io.ge.redis.Window;
import io.ge.redis.core.StandIn;
import io.ge.redis.core.structure.BlockingCalls;

/**
 * The leaderboards that are configured below {@code ge.redis.leaderboard.boards}. The
 * highest score is the first.
 * <p>
 * A board has one or several windows, such as {@link Window#DAY} and {@link Window#NONE}.
 * Additions count in all of them, and each is queried separately. A window ends by the
 * clock of Redis, and its keys go with the TTL of the board, counted from the last
 * addition.
 * <p>
 * Redis: one script call each. It is one command for the first members of all time. It is
 * also one for {@link #add} where a board is permanent, shares ranks and has no other
 * window. All are O(log n) and the number of members that are returned. All keys of a
 * board are in one slot. If the outcome of a call stays unknown
 * ({@link io.ge.redis.RedisUnavailableException}), {@link #submitBest} and
 * {@link #remove} may be repeated; an {@link #add} that is repeated may count twice. A
 * method without {@code Async} in its name waits for the answer.
 * <p>
 * All methods throw {@link io.ge.redis.core.invocation.NotConfiguredException} for boards
 * that are not configured, and
 * {@link io.ge.redis.core.structure.StructureMismatchException} if the key of a board
 * holds something else. They throw {@link IllegalArgumentException} for empty members or
 * members of more than 200 bytes, for NaN and infinite numbers, and for windows that the
 * board lacks.
 */
public interface Leaderboards {

	/**
	 * Adds to the score of a member, which is 0 for a new one.
	 * @param points may be negative
	 * @return completes with the score in the first window of the board; exceptionally
	 * with {@link IllegalArgumentException}, without a change, if the score would become
	 * infinite
	 */
	CompletableFuture<Double> addAsync(String board, String member, double points);

	/**
	 * Adds to the scores of several members, as {@link #addAsync} does to each of them:
	 * one that fails leaves the others added.
	 * @param points from 1 to 1000 members with what is added
	 * @return completes with the scores in the first window, in the order of the members
	 */
	CompletableFuture<Map<String, Double>> addAllAsync(String board, Map<String, Double> points);

	/**
	 * Keeps the best score of a member: a lower one changes nothing.
	 * @return completes with the best score in the first window of the board
	 */
	CompletableFuture<Double> submitBestAsync(String board, String member, double score);

	/**
	 * Removes a member from the current windows of a board.
	 * @return completes with whether it was in any of them
	 */
	CompletableFuture<Boolean> removeAsync(String board, String member);

	/**
	 * Returns the first members.
	 * @param count how many at most, from 1 to 1000
	 */
	CompletableFuture<List<RankedMember>> topAsync(String board, Window window, int count);

	/**
	 * Returns a member with those before and behind it.
	 * @param count how many on each side at most, from 0 to 1000
	 * @return completes with the members in their order, with none if the member has no
	 * score
	 */
	CompletableFuture<List<RankedMember>> aroundAsync(String board, Window window, String member, int count);

	/**
	 * Returns a member with its score and rank.
	 * @return completes with the member, or with nothing if it has no score
	 */
	CompletableFuture<Optional<RankedMember>> rankAsync(String board, Window window, String member);

	/**
	 * Returns several members with their scores and ranks.
	 * @param members from 1 to 1000; each counts once
	 * @return completes with the members that have a score by name, in the given order
	 */
	CompletableFuture<Map<String, RankedMember>> ranksAsync(String board, Window window, Collection<String> members);

	/**
	 * Returns how many of the other members are not ahead of a member, in percent.
	 * @return completes with 0 to 100, which is the first one's, or with nothing if the
	 * member has no score
	 */
	CompletableFuture<Optional<Double>> percentileAsync(String board, Window window, String member);

	default double add(String board, String member, double points) {
		return BlockingCalls.await("Leaderboards.add", () -> addAsync(board, member, points));
	}

	default Map<String, Double> addAll(String board, Map<String, Double> points) {
		return BlockingCalls.await("Leaderboards.addAll", () -> addAllAsync(board, points));
	}

	default double submitBest(String board, String member, double score) {
		return BlockingCalls.await("Leaderboards.submitBest", () -> submitBestAsync(board, member, score));
	}

	default boolean remove(String board, String member) {
		return BlockingCalls.await("Leaderboards.remove", () -> removeAsync(board, member));
	}

	default List<RankedMember> top(String board, Window window, int count) {
		return BlockingCalls.await("Leaderboards.top", () -> topAsync(board, window, count));
	}

	default List<RankedMember> around(String board, Window window, String member, int count) {
		return BlockingCalls.await("Leaderboards.around", () -> aroundAsync(board, window, member, count));
	}

	default Optional<RankedMember> rank(String board, Window window, String member) {
		return BlockingCalls.await("Leaderboards.rank", () -> rankAsync(board, window, member));
	}

	default Map<String, RankedMember> ranks(String board, Window window, Collection<String> members) {
		return BlockingCalls.await("Leaderboards.ranks", () -> ranksAsync(board, window, members));
	}

	default Optional<Double> percentile(String board, Window window, String member) {
		return BlockingCalls.await("Leaderboards.percentile", () -> percentileAsync(board, window, member));
	}

	/** Returns leaderboards that keep nothing, for where they are switched off. */
	static Leaderboards unguarded() {
		return StandIn.of(Leaderboards.class, Map.of("addAll", (call) -> call[1]));
	}

}
