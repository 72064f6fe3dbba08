/*
 * Copyright 2026 the GE Redis authors
 * SPDX-License-Identifier: Apache-2.0
 */

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
		this.figures.computeIfAbsent(new Guard(event.pattern(), event.name()), (guard) -> new ConcurrentHashMap<>())
			.computeIfAbsent(event.result(), (result) -> new LongAdder())
			.increment();
	}

	Map<String, Long> of(String pattern, String name) {
		Map<String, Long> counts = new TreeMap<>();
		this.figures.getOrDefault(new Guard(pattern, name), Map.of())
			.forEach((result, count) -> counts.put(result, count.sum()));
		return counts;
	}

	private record Guard(String pattern, String name) {
	}

}
