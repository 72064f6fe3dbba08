// SPDX-License-Identifier: Apache-2.0

package io.ge.redis.core.event;

import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.LongAdder;
import java.util.stream.Collectors;

/**
 * Counts what each guard decided on this instance since it started. Actions of operators,
 * which have no meter, are not counted.
 */
public class GuardFigures implements GuardListener {

	private final Map<Guard, Map<String, LongAdder>> figures = new ConcurrentHashMap<>();

	@Override
	public void onEvent(GuardEvent event) {
		if (event.meter() == null) {
			return;
		}
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
	 * Returns the counts of this instance since it started, by result.
	 */
	public Map<String, Long> of(String pattern, String name) {
		Map<String, Long> counts = new TreeMap<>();
		this.figures.getOrDefault(new Guard(pattern, name), Map.of())
			.forEach((result, count) -> counts.put(result, count.sum()));
		return counts;
	}

	/** Returns the names of a pattern of which something was counted. */
	public Set<String> names(String pattern) {
		return this.figures.keySet()
			.stream()
			.filter((guard) -> guard.pattern().equals(pattern))
			.map(Guard::name)
			.collect(Collectors.toCollection(TreeSet::new));
	}

	private record Guard(String pattern, String name) {
	}

}
