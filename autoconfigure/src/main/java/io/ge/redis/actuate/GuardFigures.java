// SPDX-License-Identifier: Apache-2.0

package io.ge.redis.actuate;

import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.LongAdder;

import io.ge.redis.core.event.GuardEvent;
import io.ge.redis.core.event.GuardListener;

/**
 * Counts what each guard decided on this instance since it started.
 */
public class GuardFigures implements GuardListener {

	private final Map<Guard, Map<String, LongAdder>> figures = new ConcurrentHashMap<>();

	@Override
	public void onEvent(GuardEvent event) {
		// Looks first, since a map locks where it may have to create
		Guard guard = new Guard(event.pattern(), event.name());
		Map<String, LongAdder> counts = this.figures.get(guard);
		if (counts == null) {
			counts = this.figures.computeIfAbsent(guard, (key) -> new ConcurrentHashMap<>());
		}
		LongAdder count = counts.get(event.result());
		if (count == null) {
			count = counts.computeIfAbsent(event.result(), (result) -> new LongAdder());
		}
		count.increment();
	}

	/**
	 * Returns what was counted on this instance since it started, by result.
	 */
	public Map<String, Long> of(String pattern, String name) {
		Map<String, Long> counts = new TreeMap<>();
		this.figures.getOrDefault(new Guard(pattern, name), Map.of())
			.forEach((result, count) -> counts.put(result, count.sum()));
		return counts;
	}

	private record Guard(String pattern, String name) {
	}

}
