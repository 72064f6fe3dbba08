/*
 * Copyright 2026 the GE Redis authors
 * SPDX-License-Identifier: Apache-2.0
 */

package io.ge.redis.lock;

import java.time.Duration;

import io.ge.redis.core.outage.OutagePolicy;

import org.jspecify.annotations.Nullable;

import org.springframework.util.Assert;

/**
 * The effective settings of a lock.
 *
 * @param name the name; part of the key in Redis
 * @param waitTime longest wait, zero to ask once
 * @param leaseTime the lease
 * @param renew whether the lease is extended
 * @param onOutage {@code DENY} or {@code ALLOW}
 * @param maxHold for how long the lease is extended at most, or {@code null} if for ever
 * @param atLeastFor for how long the lock stays taken at least
 * @param onLost what happens to a holder that loses it
 */
record LockSettings(String name, Duration waitTime, Duration leaseTime, boolean renew, OutagePolicy onOutage,
		@Nullable Duration maxHold, Duration atLeastFor, OnLost onLost) {

	static final Duration SHORTEST_LEASE = Duration.ofMillis(100);

	private static final Duration LONGEST = Duration.ofDays(365);

	LockSettings {
		Assert.hasText(name, "the name must not be blank.");
		Assert.isTrue(!waitTime.isNegative() && waitTime.compareTo(LONGEST) <= 0,
				() -> "the wait time must be between 0s and 365 days, but is " + waitTime + ".");
		Assert.isTrue(leaseTime.compareTo(SHORTEST_LEASE) >= 0 && leaseTime.compareTo(LONGEST) <= 0,
				() -> "the lease time must be between 100ms and 365 days, but is " + leaseTime + ".");
		Assert.isTrue(onOutage == OutagePolicy.DENY || onOutage == OutagePolicy.ALLOW,
				() -> "the outage policy of a lock must be DENY or ALLOW, but is " + onOutage
						+ ": instances cannot exclude each other without Redis.");
		Assert.isTrue(maxHold == null || maxHold.compareTo(leaseTime) >= 0,
				() -> "the longest hold must not be below the lease time, " + leaseTime + ", but is " + maxHold + ".");
		Assert.isTrue(!atLeastFor.isNegative() && atLeastFor.compareTo(LONGEST) <= 0,
				() -> "the shortest hold must be between 0s and 365 days, but is " + atLeastFor + ".");
		Assert.isTrue(maxHold == null || maxHold.compareTo(atLeastFor) >= 0,
				() -> "the longest hold must not be below the shortest, " + atLeastFor + ", but is " + maxHold + ".");
	}

	/**
	 * Returns the same with another wait.
	 */
	LockSettings waiting(Duration rest) {
		return new LockSettings(this.name, rest, this.leaseTime, this.renew, this.onOutage, this.maxHold,
				this.atLeastFor, this.onLost);
	}

}
