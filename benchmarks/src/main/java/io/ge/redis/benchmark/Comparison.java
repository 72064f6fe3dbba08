// SPDX-License-Identifier: Apache-2.0

package io.ge.redis.benchmark;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Objects;
import java.util.function.ToDoubleFunction;

import io.ge.redis.benchmark.report.Chart;
import io.ge.redis.benchmark.report.Table;
import io.ge.redis.test.RedisNode;

/**
 * Measures scenarios and lays out their tables.
 */
final class Comparison {

	private static final List<String> COLUMNS = List.of("", "callers", "keys", "calls/s, x raw", "p50, x raw",
			"p50 in PINGs", "calls/s", "p50 µs", "p99 µs", "B/call", "sent per call", "executed per call");

	private final RedisNode node;

	private final Size size;

	private final Rotation rotation;

	Comparison(RedisNode node, Size size) {
		this.node = node;
		this.size = size;
		this.rotation = new Rotation(size);
	}

	/**
	 * Measures a scenario.
	 * @return its table, and a second one if there is something to reach
	 */
	List<Table> run(Scenario scenario) throws Exception {
		scenario.preparation().prepare(this.size.keys());
		List<List<String>> rows = new ArrayList<>();
		List<Chart.Group> groups = new ArrayList<>();
		List<Map<String, Object>> data = new ArrayList<>();
		Map<Contender, List<Sample>> last = Map.of();
		for (Keys keys : scenario.keys()) {
			Map<String, CommandCount> commands = new LinkedHashMap<>();
			for (Contender contender : scenario.contenders()) {
				commands.put(contender.name(), CommandCount.of(this.node, contender, keys, this.size.keys()));
			}
			for (int threads : this.size.threads()) {
				Map<Contender, List<Sample>> samples = this.rotation.run(scenario.contenders(), keys, threads);
				List<Chart.Bar> bars = new ArrayList<>();
				samples.forEach((contender, own) -> {
					List<Sample> reference = of(samples, contender.reference());
					Spread ratio = Spread.ofRatios(own, reference, Sample::callsPerSecond);
					Ratios ratios = new Ratios(ratio, Spread.ofRatios(own, reference, Sample::medianNanos),
							Spread.ofRatios(own, of(samples, Contender.PING), Sample::medianNanos));
					CommandCount counted = Objects.requireNonNull(commands.get(contender.name()));
					rows.add(row(contender, threads, keys, ratios, own, counted));
					data.add(entry(contender, threads, keys, ratios, own, counted));
					if (!contender.name().equals(Contender.PING) && !contender.raw()) {
						bars.add(new Chart.Bar(contender.name(), ratio.low(), ratio.median(), ratio.high(),
								contender.name().startsWith("@") && !contender.name().contains("Spring Data")));
					}
				});
				groups.add(new Chart.Group(callers(threads) + ", " + keys.describe(this.size.keys())
						+ ((keys == Keys.HOT) ? " key" : " keys"), bars));
				last = samples;
			}
		}
		String reference = scenario.contenders().get(0).reference();
		Chart chart = new Chart(scenario.title(), "calls per second, as a multiple of " + reference + " (dashed)", 1,
				groups);
		Table table = new Table(scenario.id(), scenario.title(), scenario.note(), COLUMNS, rows, chart, data);
		return scenario.goals().isEmpty() ? List.of(table) : List.of(table, goals(scenario, last));
	}

	private static Table goals(Scenario scenario, Map<Contender, List<Sample>> samples) {
		List<List<String>> rows = new ArrayList<>();
		List<Map<String, Object>> data = new ArrayList<>();
		Map<String, List<Chart.Bar>> bars = new LinkedHashMap<>();
		int threads = samples.values().iterator().next().get(0).threads();
		for (Goal goal : scenario.goals()) {
			Spread calls = Spread.ofRatios(of(samples, goal.own()), of(samples, goal.beside()), Sample::callsPerSecond);
			Spread p99 = Spread.ofRatios(of(samples, goal.own()), of(samples, goal.beside()), Sample::p99Nanos);
			rows.add(List.of(goal.own(), goal.beside(), format(calls), format("%.3g", goal.calls()), format(p99),
					Double.isNaN(goal.p99()) ? "-" : format("%.3g", goal.p99()),
					goal.isReachedBy(calls.median(), p99.median()) ? "yes" : "no"));
			Map<String, Object> entry = new LinkedHashMap<>();
			entry.put("contender", goal.own());
			entry.put("beside", goal.beside());
			entry.put("callers", threads);
			entry.put("calls", calls);
			entry.put("p99", p99);
			entry.put("callsGoal", goal.calls());
			entry.put("p99Goal", Double.isNaN(goal.p99()) ? null : goal.p99());
			data.add(entry);
			bars.computeIfAbsent(goal.beside(), (name) -> new ArrayList<>())
				.add(new Chart.Bar(goal.own(), calls.low() / goal.calls(), calls.median() / goal.calls(),
						calls.high() / goal.calls(), true));
		}
		List<Chart.Group> groups = new ArrayList<>();
		bars.forEach((beside, group) -> groups.add(new Chart.Group("beside " + beside, group)));
		String title = scenario.title() + ": what is to be reached";
		return new Table(scenario.id() + "-goals", title,
				"From the same rounds as the table before, " + callers(threads)
						+ ". Every call was admitted, so calls are admitted calls.",
				List.of("", "beside", "calls/s, x beside", "at least", "p99, x beside", "at most", "reached"), rows,
				new Chart(title, "calls per second beside the other, as a multiple of the goal (dashed)", 1, groups),
				data);
	}

	private static String callers(int threads) {
		return (threads == 1) ? "1 caller" : threads + " callers";
	}

	private static List<Sample> of(Map<Contender, List<Sample>> samples, String name) {
		for (Map.Entry<Contender, List<Sample>> entry : samples.entrySet()) {
			if (entry.getKey().name().equals(name)) {
				return entry.getValue();
			}
		}
		throw new IllegalArgumentException("There is no contender '" + name + "'");
	}

	private List<String> row(Contender contender, int threads, Keys keys, Ratios ratios, List<Sample> samples,
			CommandCount commands) {
		return List.of(contender.name(), String.valueOf(threads), keys.describe(this.size.keys()),
				format(ratios.calls()), format(ratios.median()), format("%.2f", ratios.pings().median()),
				format("%,.0f", Spread.of(samples, Sample::callsPerSecond).median()),
				micros(samples, Sample::medianNanos), micros(samples, Sample::p99Nanos),
				format("%,.0f", Spread.of(samples, Sample::bytes).median()), commands.describe(),
				format("%.1f", commands.executed()));
	}

	private Map<String, Object> entry(Contender contender, int threads, Keys keys, Ratios ratios, List<Sample> samples,
			CommandCount commands) {
		Map<String, Object> entry = new LinkedHashMap<>();
		entry.put("contender", contender.name());
		entry.put("reference", contender.reference());
		entry.put("callers", threads);
		entry.put("keys", keys.describe(this.size.keys()));
		entry.put("ratios", ratios);
		entry.put("commands", commands);
		entry.put("rounds", samples);
		return entry;
	}

	private static String micros(List<Sample> samples, ToDoubleFunction<Sample> nanos) {
		double micros = Spread.of(samples, nanos).median() / 1000;
		return format((micros < 10) ? "%.2f" : "%,.0f", micros);
	}

	static String format(Spread spread) {
		String number = (spread.median() < 0.1) ? "%.4f" : (spread.median() < 100) ? "%.2f" : "%,.0f";
		return format(number + " (" + number + "-" + number + ")", spread.median(), spread.low(), spread.high());
	}

	static String format(String format, Object... arguments) {
		return String.format(Locale.ROOT, format, arguments);
	}

	/**
	 * How a contender compares.
	 *
	 * @param calls calls per second, by those of its reference
	 * @param median median time of a call, by that of its reference
	 * @param pings median time of a call, by that of a PING
	 */
	private record Ratios(Spread calls, Spread median, Spread pings) {
	}

}
