// SPDX-License-Identifier: Apache-2.0

package io.ge.redis.benchmark;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ThreadLocalRandom;
import java.util.stream.IntStream;

import io.ge.redis.Window;
import io.ge.redis.benchmark.report.Chart;
import io.ge.redis.benchmark.report.Table;
import io.ge.redis.bloom.BloomFilters;
import io.ge.redis.counter.UniqueCounters;
import io.ge.redis.leaderboard.Leaderboards;
import io.ge.redis.test.RedisNode;

/**
 * Structures with a million members: how fast they answer, and how exact.
 */
final class StructureAtScale {

	static final String ID = "structures-million";

	static final int MEMBERS = 1_000_000;

	static final double ERROR_RATE = 0.01;

	private static final String NAME = "million";

	private static final String BOARD_KEY = "ge:leaderboard:{" + NAME + "}";

	private static final int AT_ONCE = 1_000;

	private static final double MOST_MILLIS = 2;

	private static final double MOST_DEVIATION = 0.02;

	private static final double MOST_FALSE_POSITIVES = 1.2;

	private final Size size;

	private final RedisNode node;

	private final Instance instance;

	private final List<List<String>> rows = new ArrayList<>();

	private final List<Map<String, Object>> data = new ArrayList<>();

	private final List<Chart.Bar> bars = new ArrayList<>();

	StructureAtScale(Size size, RedisNode node, Instance instance) {
		this.size = size;
		this.node = node;
		this.instance = instance;
	}

	Table run() {
		around();
		unique();
		bloom();
		String title = "Structures of a million";
		return new Table(ID, title,
				"Around is two members on each side of one at random, and the PING beside it says how much of its p99 "
						+ "is the machine's. False positives are counted over a million values "
						+ "that were not added, when as many were added as the filter has capacity for, and false "
						+ "negatives over all that were. The filter is one of bits: this server has no BF.ADD.",
				List.of("", "figure", "at most", "reached"), this.rows, new Chart(title,
						"as a share of the most that it may be (dashed)", 1, List.of(new Chart.Group("", this.bars))),
				this.data);
	}

	// Written past the library, a million calls of which would take long
	private void around() {
		for (int first = 0; first < MEMBERS; first += AT_ONCE) {
			List<String> command = new ArrayList<>(List.of("ZADD", BOARD_KEY));
			for (int i = first; i < first + AT_ONCE; i++) {
				command.add(String.valueOf(ThreadLocalRandom.current().nextInt(MEMBERS)));
				command.add(Keys.text(i));
			}
			this.node.command(command.toArray(String[]::new));
		}
		Leaderboards leaderboards = this.instance.get(Leaderboards.class);
		Contender around = Contender.of("around", "around", (key) -> {
			String member = Keys.text(ThreadLocalRandom.current().nextInt(MEMBERS));
			return Scenarios.require(leaderboards.around(NAME, Window.NONE, member, 2).size() >= 3);
		});
		for (int threads : this.size.threads()) {
			new Rotation(this.size)
				.run(List.of(around, Contender.ping(this.instance.raw(), Contender.PING)), Keys.HOT, threads)
				.forEach((contender, samples) -> {
					double most = (threads == 1 && contender.equals(around)) ? MOST_MILLIS : Double.NaN;
					add("leaderboard, callers: " + threads + ", p99 ms of " + contender.name(),
							Spread.of(samples, Sample::p99Nanos).median() / 1e6, most);
				});
		}
	}

	private void unique() {
		UniqueCounters counters = this.instance.get(UniqueCounters.class);
		for (int first = 0; first < MEMBERS; first += AT_ONCE) {
			counters.addAsync(NAME, values("added", first)).join();
		}
		add("unique counter, deviation", Math.abs(counters.count(NAME) - MEMBERS) / (double) MEMBERS, MOST_DEVIATION);
	}

	private void bloom() {
		BloomFilters filters = this.instance.get(BloomFilters.class);
		for (int first = 0; first < MEMBERS; first += AT_ONCE) {
			filters.addAll(NAME, values("added", first));
		}
		long falseNegatives = MEMBERS - found(filters, "added");
		double falsePositives = found(filters, "other") / (double) MEMBERS / ERROR_RATE;
		add("Bloom filter, false positives, x configured", falsePositives, MOST_FALSE_POSITIVES);
		add("Bloom filter, false negatives", falseNegatives, 0);
	}

	private static long found(BloomFilters filters, String kind) {
		long found = 0;
		for (int first = 0; first < MEMBERS; first += AT_ONCE) {
			found += filters.mightContainAll(NAME, values(kind, first)).stream().filter(Boolean::booleanValue).count();
		}
		return found;
	}

	private static List<String> values(String kind, int first) {
		return IntStream.range(first, first + AT_ONCE).mapToObj((i) -> kind + "-" + i).toList();
	}

	private void add(String name, double figure, double most) {
		boolean wanted = !Double.isNaN(most);
		String reached = (figure <= most) ? "yes" : "no";
		this.rows.add(List.of(name, Comparison.format("%.4g", figure), wanted ? Comparison.format("%.3g", most) : "-",
				wanted ? reached : "-"));
		this.data.add(Map.of("name", name, "figure", figure, "most", wanted ? most : "-"));
		if (most > 0) {
			this.bars.add(new Chart.Bar(name, figure / most, figure / most, figure / most, true));
		}
	}

}
