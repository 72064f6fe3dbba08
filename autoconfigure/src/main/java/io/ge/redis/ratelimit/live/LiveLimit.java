/*
 * Copyright 2026 the GE Redis authors
 * SPDX-License-Identifier: Apache-2.0
 */

package io.ge.redis.ratelimit.live;

import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.function.LongSupplier;

import io.ge.redis.ratelimit.RateLimit;
import org.jspecify.annotations.Nullable;

/**
 * All that differs from the definition of one limit, at one moment.
 *
 * @param change what the endpoint changed for all keys
 * @param overrides what properties say for single keys
 * @param keyChanges what the endpoint changed for single keys
 * @param blocks the end of each key's block, by {@link System#nanoTime()}
 */
public record LiveLimit(@Nullable AppliedChange change, Map<String, AppliedChange> overrides,
		Map<String, AppliedChange> keyChanges, Map<String, Long> blocks) {

	static final LiveLimit NONE = new LiveLimit(null, Map.of(), Map.of(), Map.of());

	RateLimit forAll(RateLimit base) {
		return (this.change != null) ? this.change.applyTo(base) : base;
	}

	RateLimit forKey(RateLimit limit, List<String> key) {
		if (this.overrides.isEmpty() && this.keyChanges.isEmpty()) {
			return limit;
		}
		String text = text(key);
		AppliedChange override = this.overrides.get(text);
		RateLimit result = (override != null) ? override.applyTo(limit) : limit;
		AppliedChange keyChange = this.keyChanges.get(text);
		return (keyChange != null) ? keyChange.applyTo(result) : result;
	}

	Duration blockedFor(List<String> key, LongSupplier nanoTime) {
		if (this.blocks.isEmpty()) {
			return Duration.ZERO;
		}
		Long end = this.blocks.get(text(key));
		return (end != null) ? remaining(end, nanoTime.getAsLong()) : Duration.ZERO;
	}

	/**
	 * Returns the keys that are blocked, and how long.
	 */
	public Map<String, Duration> blocked(LongSupplier nanoTime) {
		long now = nanoTime.getAsLong();
		Map<String, Duration> blocked = new TreeMap<>();
		this.blocks.forEach((key, end) -> {
			Duration remaining = remaining(end, now);
			if (!remaining.isZero()) {
				blocked.put(key, remaining);
			}
		});
		return blocked;
	}

	private static Duration remaining(long end, long now) {
		return (end - now > 0) ? Duration.ofNanos(end - now) : Duration.ZERO;
	}

	/**
	 * Returns a key as it is written in properties and at the endpoint: its parts joined
	 * with colons.
	 */
	public static String text(List<String> key) {
		return (key.size() == 1) ? key.get(0) : String.join(":", key);
	}

}
