// SPDX-License-Identifier: Apache-2.0

package io.ge.redis.core.bus;

import java.time.Duration;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.ConcurrentHashMap;

/**
 * The instances that send heartbeats. An instance counts as missing only while this one
 * receives its own: otherwise Redis hangs for all.
 */
final class LiveInstances {

	static final Duration HEARTBEAT = Duration.ofSeconds(2);

	private static final long ALIVE_NANOS = HEARTBEAT.toNanos() * 3;

	private static final String GONE = "-";

	private final String own;

	private final Map<String, Long> others = new ConcurrentHashMap<>();

	private volatile int lastKnown = 1;

	private volatile long heardAt;

	LiveInstances(String own) {
		this.own = own;
	}

	String heartbeat() {
		return this.own;
	}

	String goodbye() {
		return GONE + this.own;
	}

	/**
	 * Processes a message of an instance.
	 */
	boolean heard(String message) {
		if (message.startsWith(GONE)) {
			this.others.remove(message.substring(GONE.length()));
			return false;
		}
		if (message.equals(this.own)) {
			heardItself();
			return false;
		}
		return this.others.put(message, System.nanoTime()) == null;
	}

	private void heardItself() {
		long now = System.nanoTime();
		if (now - this.heardAt > ALIVE_NANOS) {
			// After a silence the others get time for their heartbeats as well
			this.others.replaceAll((instance, at) -> now);
		}
		this.heardAt = now;
	}

	/**
	 * Begins to listen: no heartbeat can have arrived before.
	 */
	void listening() {
		long now = System.nanoTime();
		this.heardAt = now;
		this.others.replaceAll((instance, at) -> now);
	}

	/**
	 * Removes instances without a recent heartbeat. Must not be called while no heartbeat
	 * can arrive.
	 */
	void forgetSilent() {
		long heard = this.heardAt;
		this.others.values().removeIf((at) -> heard - at > ALIVE_NANOS);
		this.lastKnown = this.others.size() + 1;
	}

	int lastKnown() {
		return this.lastKnown;
	}

	/**
	 * Returns the ids of all known instances, including this one.
	 */
	Set<String> ids() {
		Set<String> ids = new TreeSet<>(this.others.keySet());
		ids.add(this.own);
		return ids;
	}

	/**
	 * Returns the position of this instance in the order of all ids, from 1.
	 */
	int position() {
		return 1 + (int) this.others.keySet().stream().filter((other) -> other.compareTo(this.own) < 0).count();
	}

	long heardAt() {
		return this.heardAt;
	}

}
