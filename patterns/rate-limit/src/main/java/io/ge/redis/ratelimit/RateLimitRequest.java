// SPDX-License-Identifier: Apache-2.0

package io.ge.redis.ratelimit;

import java.util.ArrayList;
import java.util.List;

/**
 * A call by several limits, perhaps of different entities, that is decided as one: all
 * limits are charged or none. <pre class="code">
 * RateLimitRequest.of("user", userId).and("tenant", tenantId).withCost(rows)
 * </pre>
 *
 * @param entries the limits and whom they limit
 * @param cost permits taken of each, zero to take none
 */
public record RateLimitRequest(List<Entry> entries, long cost) {

	public RateLimitRequest {
		entries = List.copyOf(entries);
		if (entries.isEmpty()) {
			throw new IllegalArgumentException("A request needs at least one limit");
		}
		if (cost < 0) {
			throw new IllegalArgumentException("The cost must not be negative, but is " + cost);
		}
	}

	/**
	 * Begins a request of one permit.
	 * @param name the name of a limit that properties or an annotation define
	 * @param key whom or what is limited: text, a number, or a list of those
	 */
	public static RateLimitRequest of(String name, Object key) {
		return new RateLimitRequest(List.of(new Entry(name, key)), 1);
	}

	/**
	 * Adds a limit.
	 * @param name the name of a limit that properties or an annotation define
	 * @param key whom or what is limited: text, a number, or a list of those
	 */
	public RateLimitRequest and(String name, Object key) {
		List<Entry> more = new ArrayList<>(this.entries);
		more.add(new Entry(name, key));
		return new RateLimitRequest(more, this.cost);
	}

	/**
	 * Sets the number of permits.
	 * @param cost permits taken of each limit, zero to take none
	 */
	public RateLimitRequest withCost(long cost) {
		return new RateLimitRequest(this.entries, cost);
	}

	/**
	 * A limit and whom it limits.
	 *
	 * @param name the name of the limit
	 * @param key whom or what is limited
	 */
	public record Entry(String name, Object key) {
	}

}
