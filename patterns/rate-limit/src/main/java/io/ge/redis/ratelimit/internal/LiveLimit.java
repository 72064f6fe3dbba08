// SPDX-License-Identifier: Apache-2.0

package io.ge.redis.ratelimit.internal;

import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.function.LongSupplier;

import io.ge.redis.core.invocation.Setting;
import io.ge.redis.ratelimit.RateLimit;
import io.ge.redis.ratelimit.RateLimitChange;
import org.jspecify.annotations.Nullable;

/**
 * All that differs from the definition of one limit, at one moment. Not changed any more
 * once it is in use.
 */
final class LiveLimit {

	static final LiveLimit NONE = new LiveLimit();

	private @Nullable LiveChange change;

	/** For each key the weakest change first. */
	private final Map<String, List<LiveChange>> keyChanges = new HashMap<>();

	/** The end of each key's block, by {@link System#nanoTime()}. */
	private final Map<String, Long> blocks = new HashMap<>();

	void add(LiveChange added) {
		String key = added.key();
		if (key == null) {
			this.change = added;
		}
		else if (added.blockedUntil() != null) {
			this.blocks.put(key, added.blockedUntil());
		}
		else {
			this.keyChanges.computeIfAbsent(key, (same) -> new ArrayList<>(2)).add(added);
		}
	}

	RateLimit forAll(RateLimit base) {
		return (this.change != null) ? this.change.applyTo(base) : base;
	}

	RateLimit forKey(RateLimit limit, List<String> key) {
		RateLimit result = limit;
		for (LiveChange change : changes(key)) {
			result = change.applyTo(result);
		}
		return result;
	}

	public @Nullable LiveChange change() {
		return this.change;
	}

	/**
	 * Returns the changes for one key, the weakest first.
	 */
	List<LiveChange> changes(List<String> key) {
		return this.keyChanges.isEmpty() ? List.of() : this.keyChanges.getOrDefault(text(key), List.of());
	}

	public Map<String, RateLimitChange> keyChanges(Setting.Origin origin) {
		Map<String, RateLimitChange> changes = new TreeMap<>();
		this.keyChanges.forEach((key, all) -> all.stream()
			.filter((each) -> each.origin() == origin)
			.forEach((each) -> changes.put(key, each.change())));
		return changes;
	}

	Duration blockedFor(List<String> key, LongSupplier nanoTime) {
		Long end = this.blocks.isEmpty() ? null : this.blocks.get(text(key));
		return (end != null) ? remaining(end, nanoTime.getAsLong()) : Duration.ZERO;
	}

	public Map<String, Duration> blocked(LongSupplier nanoTime) {
		long now = nanoTime.getAsLong();
		Map<String, Duration> blocked = new TreeMap<>();
		this.blocks.forEach((key, end) -> blocked.put(key, remaining(end, now)));
		blocked.values().removeIf(Duration::isZero);
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
