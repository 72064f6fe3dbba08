// SPDX-License-Identifier: Apache-2.0

package io.ge.redis.leaderboard;

import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.stream.IntStream;

import io.ge.redis.Window;
import io.ge.redis.core.RedisBackend;
import io.ge.redis.core.structure.Bound;
import io.ge.redis.core.structure.StructureContract;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.entry;
import static org.assertj.core.api.Assertions.within;

/**
 * The promises of leaderboards.
 */
abstract class LeaderboardsContract extends StructureContract {

	private Leaderboards boards;

	@BeforeEach
	void assemble() {
		this.boards = leaderboards(backend());
	}

	private static Leaderboards leaderboards(RedisBackend backend) {
		LeaderboardProperties properties = Bound.of(LeaderboardProperties.class, "ge.redis.leaderboard.boards",
				"agents.windows", "none,day", "agents.ttl", "2d", "agents.ties", "first", "shared.ttl", "1h",
				"permanent.windows", "none,day", "permanent.ties", "first", "permanent.permanent", "true",
				"permanent-plain.permanent", "true");
		return new RedisLeaderboards(properties, backend);
	}

	@Override
	protected List<Operation> operations(RedisBackend backend) {
		return operations(backend, "agents");
	}

	@Override
	protected List<Operation> operations(RedisBackend backend, String name) {
		Leaderboards boards = leaderboards(backend);
		return List.of(new Operation("add", () -> boards.addAsync(name, "a", 2), () -> boards.add(name, "a", 2)),
				new Operation("add another", () -> boards.addAsync(name, "b", 2), () -> boards.add(name, "b", 2)),
				new Operation("addAll", () -> boards.addAllAsync(name, Map.of("a", 1.0)),
						() -> boards.addAll(name, Map.of("a", 1.0))),
				new Operation("submitBest", () -> boards.submitBestAsync(name, "c", 1.5),
						() -> boards.submitBest(name, "c", 1.5)),
				new Operation("top", () -> boards.topAsync(name, Window.NONE, 10),
						() -> boards.top(name, Window.NONE, 10)),
				new Operation("around", () -> boards.aroundAsync(name, Window.DAY, "b", 1),
						() -> boards.around(name, Window.DAY, "b", 1)),
				new Operation("rank", () -> boards.rankAsync(name, Window.NONE, "c"),
						() -> boards.rank(name, Window.NONE, "c")),
				new Operation("ranks", () -> boards.ranksAsync(name, Window.NONE, List.of("c", "z", "c")),
						() -> boards.ranks(name, Window.NONE, List.of("c", "z", "c"))),
				new Operation("percentile", () -> boards.percentileAsync(name, Window.DAY, "b"),
						() -> boards.percentile(name, Window.DAY, "b")),
				new Operation("top of today", () -> boards.topAsync(name, Window.DAY, 10),
						() -> boards.top(name, Window.DAY, 10)),
				new Operation("remove", () -> boards.removeAsync(name, "a"), () -> boards.remove(name, "a")));
	}

	@Override
	protected List<Operation> writes(RedisBackend backend, String property, String value) {
		LeaderboardProperties properties = Bound.of(LeaderboardProperties.class, "ge.redis.leaderboard.boards",
				"permanent.windows", "none,day", "permanent.ties", "first", "permanent." + property, value,
				"permanent-plain." + property, value);
		Leaderboards boards = new RedisLeaderboards(properties, backend);
		return List.of(write("add", () -> boards.add("permanent", "a", 1) + boards.add("permanent-plain", "a", 1)),
				write("addAll",
						() -> boards.addAll("permanent", Map.of("a", 1.0))
							.equals(boards.addAll("permanent-plain", Map.of("a", 1.0)))),
				write("submitBest",
						() -> boards.submitBest("permanent", "b", 2) + boards.submitBest("permanent-plain", "b", 2)),
				write("remove", () -> boards.remove("permanent", "a") & boards.remove("permanent-plain", "a")));
	}

	@Override
	protected String key() {
		return "ge:leaderboard:{agents}";
	}

	@Override
	protected Set<String> elsewhere() {
		return Set.of("around", "percentile", "top of today");
	}

	private static List<String> text(List<RankedMember> members) {
		return members.stream().map((each) -> each.rank() + " " + each.member() + " " + each.score()).toList();
	}

	@Test
	void addsAndRanksManyMembersWithOneCommand() {
		Map<String, Double> points = new LinkedHashMap<>();
		IntStream.range(0, 100).forEach((i) -> points.put("m" + i, (double) i));
		for (String board : List.of("agents", "shared")) {
			assertThat(scriptsOf(() -> this.boards.addAll(board, points))).isOne();
			assertThat(this.boards.addAll(board, Map.of("m7", 1.0, "new", -1.0)))
				.isEqualTo(Map.of("m7", 15.0, "new", -1.0));
			assertThat(scriptsOf(() -> this.boards.ranks(board, Window.NONE, points.keySet()))).isOne();
			Map<String, RankedMember> ranks = this.boards.ranks(board, Window.NONE, List.of("new", "m99", "z", "new"));
			assertThat(ranks).containsExactly(entry("new", new RankedMember("new", -1, 101)),
					entry("m99", new RankedMember("m99", 198, 1)));
		}
		assertThat(this.boards.ranks("agents", Window.DAY, List.of("m99"))).hasSize(1);
		assertThat(redis().keysWithoutTtl()).isEmpty();
	}

	@Test
	void aBulkLeavesWhatOneMemberThatFailsDoesNotTouch() {
		this.boards.add("shared", "a", Double.MAX_VALUE);
		assertThatExceptionOfType(IllegalArgumentException.class)
			.isThrownBy(() -> this.boards.addAll("shared", Map.of("a", Double.MAX_VALUE, "b", 2.0)))
			.withMessageContaining("The score of 'a' on leaderboard 'shared' would become infinite");
		assertThat(this.boards.rank("shared", Window.NONE, "b")).contains(new RankedMember("b", 2, 2));
	}

	@Test
	void refusesBadBulks() {
		refusesBadBulks((members) -> {
			Map<String, Double> points = new LinkedHashMap<>();
			members.forEach((member) -> points.put(member, 1.0));
			this.boards.addAll("agents", points);
		});
		refusesBadBulks((members) -> this.boards.ranks("agents", Window.NONE, members));
		refuses("points must be finite", () -> this.boards.addAll("agents", Map.of("a", 1.0, "b", Double.NaN)));
		refuses("points must not be null, are for 'a'",
				() -> this.boards.addAll("agents", Collections.singletonMap("a", null)));
		refuses("points must not be null", () -> this.boards.addAll("agents", null));
		assertThat(keys()).isEmpty();
	}

	@Test
	void equalScoresShareARank() {
		this.boards.add("shared", "a", 1);
		this.boards.add("shared", "b", 3);
		this.boards.add("shared", "c", 2);
		this.boards.add("shared", "d", 2);
		assertThat(this.boards.rank("shared", Window.NONE, "d")).contains(new RankedMember("d", 2, 2));
		assertThat(text(this.boards.top("shared", Window.NONE, 10))).containsExactly("1 b 3.0", "2 d 2.0", "2 c 2.0",
				"4 a 1.0");
		assertThat(text(this.boards.around("shared", Window.NONE, "c", 1))).containsExactly("2 d 2.0", "2 c 2.0",
				"4 a 1.0");
		assertThat(text(this.boards.around("shared", Window.NONE, "c", 0))).containsExactly("2 c 2.0");
	}

	@Test
	void whoReachesAScoreFirstIsAhead() {
		for (String member : List.of("c", "a", "b")) {
			this.boards.add("agents", member, 1);
		}
		this.boards.add("agents", "d", 2);
		// Neither changes its score, so neither moves
		this.boards.add("agents", "c", 0);
		this.boards.submitBest("agents", "c", 0.5);
		assertThat(text(this.boards.top("agents", Window.NONE, 10))).containsExactly("1 d 2.0", "2 c 1.0", "3 a 1.0",
				"4 b 1.0");
		this.boards.add("agents", "a", 1);
		for (Window window : List.of(Window.NONE, Window.DAY)) {
			assertThat(text(this.boards.top("agents", window, 2))).containsExactly("1 d 2.0", "2 a 2.0");
			assertThat(this.boards.percentile("agents", window, "c"))
				.hasValueSatisfying((percent) -> assertThat(percent).isCloseTo(100.0 / 3, within(1e-9)));
		}
	}

	@Test
	void keepsTheBestScore() {
		assertThat(this.boards.submitBest("shared", "a", 5)).isEqualTo(5);
		assertThat(this.boards.submitBest("shared", "a", 3)).isEqualTo(5);
		assertThat(this.boards.submitBest("shared", "a", 7.25)).isEqualTo(7.25);
		prolongs(() -> assertThat(this.boards.add("shared", "a", -8)).isEqualTo(-0.75));
	}

	@Test
	void keepsScoresExactly() {
		this.boards.add("agents", "a", 0.1);
		assertThat(this.boards.add("agents", "a", 0.2)).isEqualTo(0.1 + 0.2);
		prolongs(() -> assertThat(this.boards.submitBest("agents", "a", 0.3)).isEqualTo(0.1 + 0.2));
		assertThat(this.boards.rank("agents", Window.DAY, "a").orElseThrow().score()).isEqualTo(0.1 + 0.2);
	}

	@Test
	void writesAllWindowsOrNone() throws Exception {
		List<Operation> operations = operations(backend());
		operations.get(0).blocking().get();
		String day = keys().stream().filter((key) -> key.matches(".*:day:\\d{8}")).findFirst().orElseThrow();
		redis().flushAll();
		refusesAnotherType(day,
				operations.stream().filter((call) -> !Set.of("top", "rank", "ranks").contains(call.name())).toList());
		redis().flushAll();
		this.boards.add("agents", "a", Double.MAX_VALUE);
		direct((template) -> {
			Set<String> elements = Objects.requireNonNull(template.opsForZSet().range(key(), 0, 0));
			template.opsForZSet().add(key(), elements.iterator().next(), 0);
		});
		assertThatExceptionOfType(IllegalArgumentException.class)
			.isThrownBy(() -> this.boards.add("agents", "a", Double.MAX_VALUE));
		assertThat(this.boards.rank("agents", Window.NONE, "a").orElseThrow().score()).isZero();
	}

	@Test
	void countsInEachWindow() {
		this.boards.add("agents", "a", 1);
		assertThat(keys()).hasSize(4).anyMatch((key) -> key.matches("ge:leaderboard:\\{agents}:day:\\d{8}"));
		assertThat(this.boards.rank("agents", Window.DAY, "a")).contains(new RankedMember("a", 1, 1));
		assertThat(this.boards.percentile("agents", Window.DAY, "a")).contains(100.0);
		assertThat(this.boards.remove("agents", "a")).isTrue();
		assertThat(this.boards.remove("agents", "a")).isFalse();
		assertThat(keys()).isEmpty();
	}

	@Test
	void looksAtTheWindowThatIsAskedFor() throws Exception {
		this.boards.add("agents", "a", 1);
		List<String> day = keys().stream().filter((key) -> key.contains(":day:")).toList();
		direct((template) -> template.delete(day));
		assertThat(text(this.boards.top("agents", Window.NONE, 3))).containsExactly("1 a 1.0");
		assertThat(this.boards.top("agents", Window.DAY, 3)).isEmpty();
		assertThat(this.boards.around("agents", Window.DAY, "a", 3)).isEmpty();
		assertThat(this.boards.percentile("agents", Window.DAY, "a")).isEmpty();
	}

	@Test
	void placesAMemberAmongTheOthers() {
		IntStream.range(0, 11).forEach((i) -> this.boards.add("shared", "m" + i, i));
		assertThat(this.boards.percentile("shared", Window.NONE, "m10")).contains(100.0);
		assertThat(this.boards.percentile("shared", Window.NONE, "m4")).contains(40.0);
		assertThat(this.boards.percentile("shared", Window.NONE, "m0")).contains(0.0);
		assertThat(this.boards.percentile("shared", Window.NONE, "unknown")).isEmpty();
		assertThat(text(this.boards.around("shared", Window.NONE, "m10", 1))).containsExactly("1 m10 10.0", "2 m9 9.0");
		assertThat(text(this.boards.around("shared", Window.NONE, "m0", 1))).containsExactly("10 m1 1.0", "11 m0 0.0");
		assertThat(this.boards.rank("shared", Window.NONE, "unknown")).isEmpty();
		assertThat(this.boards.around("shared", Window.NONE, "unknown", 3)).isEmpty();
		assertThat(this.boards.top("agents", Window.DAY, 3)).isEmpty();
	}

	@Test
	void keepsAnyTextAsMember() {
		for (String member : List.of("a:{b}", "\u00e4\n", " ")) {
			this.boards.add("agents", member, 1);
			assertThat(this.boards.rank("agents", Window.NONE, member).orElseThrow().member()).isEqualTo(member);
		}
	}

	@Test
	void refusesWhatCannotWork() {
		refuses("points must be finite, was NaN", () -> this.boards.add("agents", "a", Double.NaN));
		refuses("score must be finite, was Infinity",
				() -> this.boards.submitBest("agents", "a", Double.POSITIVE_INFINITY));
		refuses("member must have from 1 to 200 bytes", () -> this.boards.add("agents", "", 1));
		refuses("member must have from 1 to 200 bytes", () -> this.boards.remove("agents", "m".repeat(201)));
		refuses("count must be from 1 to 1000", () -> this.boards.top("agents", Window.NONE, 0));
		refuses("count must be from 0 to 1000", () -> this.boards.around("agents", Window.NONE, "a", -1));
		refuses("member must have from 1 to 200 bytes", () -> this.boards.around("agents", Window.NONE, "", 1));
		refuses("member must have from 1 to 200 bytes", () -> this.boards.percentile("agents", Window.NONE, ""));
		refuses("has no window WEEK", () -> this.boards.top("agents", Window.WEEK, 1));
		assertThat(keys()).isEmpty();
	}

	@Test
	void addsWithAllDigits() {
		assertThat(this.boards.add("permanent-plain", "a", 0.1)).isEqualTo(0.1);
		assertThat(this.boards.add("permanent-plain", "a", 0.2)).isEqualTo(0.1 + 0.2);
		assertThat(this.boards.add("permanent-plain", "a", -1e200)).isEqualTo(-1e200);
		forgetPermanent();
	}

	@Test
	void refusesScoresThatWouldBecomeInfinite() {
		for (String board : List.of("shared", "permanent-plain")) {
			this.boards.add(board, "a", Double.MAX_VALUE);
			assertThatExceptionOfType(IllegalArgumentException.class)
				.isThrownBy(() -> this.boards.add(board, "a", Double.MAX_VALUE))
				.withMessageContaining("'a' on leaderboard '" + board + "' would become infinite");
			assertThat(this.boards.rank(board, Window.NONE, "a").orElseThrow().score()).isEqualTo(Double.MAX_VALUE);
		}
		forgetPermanent();
	}

}
