// SPDX-License-Identifier: Apache-2.0

package io.ge.redis.benchmark;

import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.TimeUnit;

import io.ge.redis.benchmark.report.Chart;
import io.ge.redis.benchmark.report.Table;
import io.ge.redis.ratelimit.RateLimit;
import io.ge.redis.ratelimit.RateLimitAlgorithm;
import io.ge.redis.ratelimit.RateLimiter;
import io.ge.redis.test.RedisNode;

/**
 * How long the server itself is busy with the scripts of rate limits, beside a script
 * that does nothing: its own count ({@code commandstats}), free of network and driver.
 */
final class ScriptCost {

	private static final String TRIVIAL = "return 1";

	private static final int PAUSE_MILLIS = 20;

	private final Size size;

	private final RedisNode node;

	private final Instance instance;

	private final Monitor monitor;

	ScriptCost(Size size, RedisNode node, Instance instance, Monitor monitor) {
		this.size = size;
		this.node = node;
		this.instance = instance;
		this.monitor = monitor;
	}

	Table run() throws Exception {
		List<Subject> subjects = subjects();
		Map<Subject, List<Cost>> costs = new LinkedHashMap<>();
		subjects.forEach((subject) -> costs.put(subject, new ArrayList<>()));
		for (int round = -this.size.warmupRounds(); round < this.size.rounds(); round++) {
			for (int i = 0; i < subjects.size(); i++) {
				Subject subject = subjects.get(Math.floorMod(round + i, subjects.size()));
				Cost cost = turn(subject);
				if (round >= 0) {
					Objects.requireNonNull(costs.get(subject)).add(cost);
				}
			}
		}
		return table(costs, Objects.requireNonNull(costs.get(subjects.get(0))));
	}

	private static Table table(Map<Subject, List<Cost>> costs, List<Cost> trivial) {
		List<List<String>> rows = new ArrayList<>();
		List<Map<String, Object>> data = new ArrayList<>();
		List<Chart.Bar> bars = new ArrayList<>();
		costs.forEach((subject, own) -> {
			double[] ratios = new double[own.size()];
			for (int round = 0; round < ratios.length; round++) {
				ratios[round] = own.get(round).micros() / trivial.get(round).micros();
			}
			Spread ratio = Spread.of(ratios);
			rows.add(List.of(subject.name(), Comparison.format(Spread.of(own, Cost::micros)), Comparison.format(ratio),
					Comparison.format("%.1f", Spread.of(own, Cost::commands).median())));
			Map<String, Object> entry = new LinkedHashMap<>();
			entry.put("script", subject.name());
			entry.put("ratio", ratio);
			entry.put("rounds", own);
			data.add(entry);
			bars.add(new Chart.Bar(subject.name(), ratio.low(), ratio.median(), ratio.high(), true));
		});
		String title = "Rate limit, scripts on the server";
		return new Table("ratelimit-script", title,
				"Time that the server counts for an `EVALSHA` (`usec_per_call` of `commandstats`), in turns beside a script "
						+ "that only returns 1. One caller.",
				List.of("", "µs per call", "x `return 1`", "commands inside"), rows,
				new Chart(title, "time on the server, as a multiple of a script that returns 1 (dashed)", 1,
						List.of(new Chart.Group("1 caller", bars))),
				data);
	}

	private Cost turn(Subject subject) throws Exception {
		// What was counted before has left its windows of 10 ms
		TimeUnit.MILLISECONDS.sleep(PAUSE_MILLIS);
		this.node.command("CONFIG", "RESETSTAT");
		for (int i = 0; i < this.size.scriptCalls(); i++) {
			subject.call().run();
		}
		double micros = 0;
		double calls = 0;
		double inside = 0;
		for (String line : String.valueOf(this.node.command("INFO", "commandstats")).split("\r\n")) {
			if (line.startsWith("cmdstat_evalsha:")) {
				micros = number(line, "usec");
				calls = number(line, "calls");
			}
			else if (line.startsWith("cmdstat_") && !line.matches("cmdstat_(config|info|publish|client).*")) {
				inside += number(line, "calls");
			}
		}
		return new Cost(micros / calls, inside / calls);
	}

	private static double number(String line, String field) {
		return Double.parseDouble(line.replaceAll(".*[:,]" + field + "=([0-9.]+).*", "$1"));
	}

	private List<Subject> subjects() throws Exception {
		List<Subject> subjects = new ArrayList<>();
		String sha = String.valueOf(this.node.command("SCRIPT", "LOAD", TRIVIAL));
		RawRedis raw = this.instance.raw();
		subjects.add(new Subject(TRIVIAL, () -> raw.evalSha(sha, new byte[0][], new byte[0][])));
		for (RateLimitAlgorithm algorithm : RateLimitAlgorithm.values()) {
			RateLimit often = limit("often", 2000, Duration.ofMillis(10), algorithm);
			subjects.add(subject(algorithm + ", allowed, one hot key", Keys.HOT, true, often));
			RateLimit fresh = limit("fresh", 100, Duration.ofMinutes(1), algorithm);
			subjects.add(subject(algorithm + ", allowed, new keys", Keys.FRESH, true, fresh));
			// So long that no permit comes back while it is measured
			RateLimit spent = limit("spent", 100, Duration.ofDays(365), algorithm);
			Subject denied = subject(algorithm + ", denied", Keys.HOT, false, spent);
			subjects.add(denied);
		}
		subjects.add(subject("three limits, allowed, one hot key", Keys.HOT, true,
				limit("three", 2000, Duration.ofMillis(10), RateLimitAlgorithm.SLIDING_WINDOW),
				limit("three", 1_000_000, Duration.ofSeconds(1), RateLimitAlgorithm.SLIDING_WINDOW_COUNTER),
				limit("three", 60_000_000, Duration.ofMinutes(1), RateLimitAlgorithm.TOKEN_BUCKET)));
		return subjects;
	}

	private static RateLimit limit(String name, long permits, Duration window, RateLimitAlgorithm algorithm) {
		return RateLimit.of("cost-" + name + "-" + algorithm.ordinal(), permits, window).withAlgorithm(algorithm);
	}

	private Subject subject(String name, Keys keys, boolean allowed, RateLimit... limits) throws Exception {
		RateLimiter limiter = this.instance.get(RateLimiter.class);
		// The server learns the script first
		limiter.tryAcquire(List.of(limits), Keys.text(1));
		String key = Keys.text(0);
		RecordedCall call = RecordedCall.of(this.monitor, key, () -> limiter.tryAcquire(List.of(limits), key)).get(0);
		for (long used = 1; !allowed && used < limits[0].limit(); used++) {
			call.send(this.instance.raw(), key);
		}
		long expected = allowed ? 1 : 0;
		return new Subject(name, () -> Scenarios
			.require(Scenarios.number(call.send(this.instance.raw(), keys.next(0, 1, 1)), 0) == expected));
	}

	private record Subject(String name, Monitor.Work call) {
	}

	/**
	 * What a script costs.
	 *
	 * @param micros time that the server takes for a call
	 * @param commands commands that the script calls
	 */
	private record Cost(double micros, double commands) {
	}

}
