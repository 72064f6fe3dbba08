// SPDX-License-Identifier: Apache-2.0

package io.ge.redis.benchmark;

import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.TreeMap;

import io.ge.redis.test.RedisNode;

/**
 * What one call of a contender costs the server.
 *
 * @param sent commands that the client sends, for each its count per call
 * @param executed commands that the server counts, those inside scripts included
 */
record CommandCount(Map<String, Double> sent, double executed) {

	private static final int CALLS = 40;

	/** Looks, and what drivers and guards send every now and then. */
	private static final List<String> NOISE = List.of("INFO", "CONFIG", "ECHO", "MONITOR", "HELLO", "CLIENT");

	static CommandCount of(RedisNode node, Contender contender, Keys keys, int count) throws Exception {
		// What is done once per key or connection is no part of a call
		contender.action().call(keys.next(0, 1, count));
		contender.action().call(keys.next(0, 1, count));
		List<String> texts = new ArrayList<>();
		node.command("CONFIG", "RESETSTAT");
		List<Monitor.Command> commands = new Monitor(node).during(() -> {
			for (int i = 0; i < CALLS; i++) {
				String key = keys.next(0, 1, count);
				texts.add(key);
				contender.action().call(key);
			}
		});
		double executed = executed(String.valueOf(node.command("INFO", "commandstats")));
		Map<String, Double> sent = new TreeMap<>();
		for (Monitor.Command command : commands) {
			if (!command.inside() && !isNoise(command)) {
				sent.merge(command.name(), 1.0 / texts.size(), Double::sum);
			}
		}
		return new CommandCount(sent, executed / texts.size());
	}

	// What is sent on the bus is sent every so often, however many calls there are
	static boolean isNoise(Monitor.Command command) {
		return NOISE.contains(command.name())
				|| (command.name().equals("PUBLISH") && command.parts().get(1).contains(":bus:"));
	}

	private static double executed(String statistics) {
		double executed = 0;
		for (String line : statistics.split("\r\n")) {
			if (line.startsWith("cmdstat_")) {
				String name = line.substring("cmdstat_".length(), line.indexOf(':')).toUpperCase(Locale.ROOT);
				boolean noise = NOISE.stream().anyMatch((other) -> name.equals(other) || name.startsWith(other + "|"));
				if (!noise) {
					executed += Long.parseLong(line.substring(line.indexOf('=') + 1, line.indexOf(',')));
				}
			}
		}
		return executed;
	}

	double sentInAll() {
		return this.sent.values().stream().mapToDouble(Double::doubleValue).sum();
	}

	String describe() {
		StringBuilder text = new StringBuilder();
		this.sent.forEach((name, count) -> {
			text.append(text.isEmpty() ? "" : " + ");
			text.append((Math.abs(count - 1) < 0.001) ? "" : String.format(Locale.ROOT, "%.3g ", count)).append(name);
		});
		return text.isEmpty() ? "-" : text.toString();
	}

}
