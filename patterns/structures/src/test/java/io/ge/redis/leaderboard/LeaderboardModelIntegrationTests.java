// SPDX-License-Identifier: Apache-2.0

package io.ge.redis.leaderboard;

import java.time.DayOfWeek;
import java.time.Instant;
import java.time.LocalDateTime;
import java.time.ZoneOffset;
import java.time.format.DateTimeFormatter;
import java.time.temporal.ChronoUnit;
import java.time.temporal.TemporalAdjusters;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;

import io.ge.redis.Window;
import io.ge.redis.core.script.LuaScript;
import io.ge.redis.core.structure.StructureCalls;
import io.ge.redis.core.structure.TimedScripts;
import io.ge.redis.test.RedisServers;
import io.ge.redis.test.Sized;
import io.ge.redis.test.StandaloneRedis;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.ShrinkingMode;
import net.jqwik.api.lifecycle.AfterContainer;
import net.jqwik.api.lifecycle.BeforeContainer;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * The scripts of a leaderboard against a model in memory, in random traces at random
 * times: windows, ties and ranks are those that the model expects.
 */
@Sized
class LeaderboardModelIntegrationTests {

	private static final int STEPS = 60;

	private static final String KEY = "ge:leaderboard:{m}";

	private static StandaloneRedis redis;

	/** Microseconds. */
	private long now;

	private String ties;

	private List<Window> windows = List.of();

	/** By window and its begin. */
	private final Map<String, Map<String, Score>> boards = new HashMap<>();

	@BeforeContainer
	static void start() {
		redis = RedisServers.standalone();
	}

	@AfterContainer
	static void stop() {
		redis.close();
	}

	@Property(shrinking = ShrinkingMode.OFF)
	void repliesAreThoseOfTheModel(@ForAll long seed) {
		Random random = new Random(seed);
		redis.flushAll();
		this.boards.clear();
		// Up to 195 years after 2023, to pass leap years, those that are none, and ends
		// of
		// months
		this.now = 1_700_000_000_000_000L + random.nextInt(195 * 365) * 86_400_000_000L;
		this.ties = random.nextBoolean() ? "FIRST" : "SHARED";
		this.windows = List.of(List.of(Window.NONE), List.of(Window.DAY), List.of(Window.values()))
			.get(random.nextInt(3));
		for (int step = 0; step < STEPS; step++) {
			this.now += List.of(1L, 1000L, 1_800_000_000L, 43_200_000_000L, 864_000_000_000L)
				.get((random.nextInt(4) > 0) ? random.nextInt(2) : random.nextInt(5));
			String member = "m" + random.nextInt(8);
			switch (random.nextInt(9)) {
				case 0, 1, 2 -> submit("add", member, random.nextInt(7) / 2.0 - 1);
				case 3, 4 -> submit("best", member, random.nextInt(7) / 2.0 - 1);
				case 5 -> remove(member);
				case 6 -> look(random, "", 1 + random.nextInt(10));
				case 7 -> rank(random, member);
				default -> look(random, member, random.nextInt(4));
			}
		}
	}

	private void submit(String mode, String member, double number) {
		for (Window window : this.windows) {
			Map<String, Score> board = board(window);
			Score old = board.get(member);
			double score = mode.equals("add") ? number + ((old != null) ? old.value : 0)
					: (old != null) ? Math.max(old.value, number) : number;
			if (old == null || old.value != score) {
				board.put(member, new Score(score, this.now));
			}
		}
		List<String> reply = run("submit", mode, member, number, this.ties, 0, windows());
		this.windows.forEach((window) -> assertThat(redis.primary().command("EXISTS", key(window))).isEqualTo(1L));
		assertThat(reply).hasSize(1);
		assertThat(Double.parseDouble(reply.get(0))).isEqualTo(board(this.windows.get(0)).get(member).value);
	}

	private void remove(String member) {
		boolean removed = false;
		for (Window window : this.windows) {
			removed |= board(window).remove(member) != null;
		}
		assertThat(run("remove", member, this.ties, 0, windows())).containsExactly(removed ? "1" : "0");
	}

	private void look(Random random, String member, int count) {
		Window window = this.windows.get(random.nextInt(this.windows.size()));
		Map<String, Score> board = board(window);
		List<String> order = order(board);
		List<String> reply = run("look", window.argument(), this.ties, member, count);
		if (!member.isEmpty() && !board.containsKey(member)) {
			assertThat(reply).isEmpty();
			return;
		}
		int at = order.indexOf(member);
		int from = member.isEmpty() ? 0 : Math.max(0, at - count);
		int to = Math.min(order.size(), member.isEmpty() ? count : at + count + 1);
		List<String> expected = new ArrayList<>();
		order.subList(from, to).forEach((each) -> {
			Score score = board.get(each);
			expected.add(this.ties.equals("FIRST") ? 8_999_999_999_999_999L - score.since + ":" + each : each);
			expected.add(number(score.value));
		});
		expected
			.addAll(List.of(String.valueOf(from), (from < to) ? String.valueOf(rank(board, order.get(from))) : "1"));
		assertThat(reply).isEqualTo(expected);
	}

	private void rank(Random random, String member) {
		Window window = this.windows.get(random.nextInt(this.windows.size()));
		Map<String, Score> board = board(window);
		List<String> reply = run("rank", window.argument(), this.ties, member);
		if (!board.containsKey(member)) {
			assertThat(reply).isEmpty();
			return;
		}
		assertThat(reply).containsExactly(number(board.get(member).value), String.valueOf(rank(board, member)),
				String.valueOf(board.size()));
	}

	private List<String> order(Map<String, Score> board) {
		Comparator<String> byScore = Comparator.comparingDouble((each) -> -board.get(each).value);
		Comparator<String> byTie = this.ties.equals("FIRST") ? Comparator.comparingLong((each) -> board.get(each).since)
				: Comparator.reverseOrder();
		return board.keySet().stream().sorted(byScore.thenComparing(byTie)).toList();
	}

	private long rank(Map<String, Score> board, String member) {
		return 1 + (this.ties.equals("FIRST") ? order(board).indexOf(member)
				: board.values().stream().filter((each) -> each.value > board.get(member).value).count());
	}

	private Map<String, Score> board(Window window) {
		return this.boards.computeIfAbsent(window + " " + begin(window), (key) -> new HashMap<>());
	}

	private String key(Window window) {
		String pattern = switch (window) {
			case NONE -> "";
			case HOUR -> "':hour:'yyyyMMddHH";
			case DAY -> "':day:'yyyyMMdd";
			case WEEK -> "':week:'yyyyMMdd";
			case MONTH -> "':month:'yyyyMM";
		};
		return KEY + DateTimeFormatter.ofPattern(pattern).format(begin(window));
	}

	private LocalDateTime begin(Window window) {
		LocalDateTime time = LocalDateTime.ofInstant(Instant.ofEpochSecond(this.now / 1_000_000), ZoneOffset.UTC);
		return switch (window) {
			case NONE -> LocalDateTime.MIN;
			case HOUR -> time.truncatedTo(ChronoUnit.HOURS);
			case DAY -> time.truncatedTo(ChronoUnit.DAYS);
			case WEEK -> time.truncatedTo(ChronoUnit.DAYS).with(TemporalAdjusters.previousOrSame(DayOfWeek.MONDAY));
			case MONTH -> time.truncatedTo(ChronoUnit.DAYS).withDayOfMonth(1);
		};
	}

	private Object[] windows() {
		return this.windows.stream().map(Window::argument).toArray();
	}

	// As Redis writes scores that halves suffice for
	private static String number(double score) {
		return (score == Math.rint(score)) ? String.valueOf((long) score) : String.valueOf(score);
	}

	private List<String> run(String script, Object... arguments) {
		LuaScript loaded = LuaScript.load(RedisLeaderboards.class, script + ".lua", StructureCalls.WINDOWS);
		return TimedScripts.run(redis, loaded, this.now, KEY, arguments);
	}

	private record Score(double value, long since) {
	}

}
