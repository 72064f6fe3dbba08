// SPDX-License-Identifier: Apache-2.0

package io.ge.redis.lock.internal;

import java.time.Duration;

import io.ge.redis.core.invocation.Times;
import io.ge.redis.core.outage.OutagePolicy;
import io.ge.redis.lock.LockMode;
import io.ge.redis.lock.LockProperties;
import io.ge.redis.lock.OnLost;
import org.jspecify.annotations.Nullable;

import org.springframework.util.Assert;

/**
 * The effective settings of a lock, as {@link LockProperties.Lock} describes them.
 *
 * @param maxHold the longest time for which the lease is extended, or {@code null} if for
 * ever
 */
record LockSettings(String name, Duration waitTime, Duration leaseTime, boolean renew, OutagePolicy onOutage,
		@Nullable Duration maxHold, Duration atLeastFor, OnLost onLost, int replicas, Duration syncTimeout,
		LockMode mode, int permits) {

	private static final Duration LONGEST = Duration.ofDays(365);

	public LockSettings {
		Assert.hasText(name, "the name must not be blank.");
		Assert.isTrue(!waitTime.isNegative() && waitTime.compareTo(LONGEST) <= 0,
				() -> "the wait time must be between 0s and 365 days, but is " + waitTime + ".");
		Assert.isTrue(leaseTime.compareTo(LockProperties.SHORTEST_LEASE) >= 0 && leaseTime.compareTo(LONGEST) <= 0,
				() -> "the lease time must be between 100ms and 365 days, but is " + leaseTime + ".");
		Assert.isTrue(onOutage == OutagePolicy.DENY || onOutage == OutagePolicy.ALLOW,
				() -> "the outage policy of a lock must be DENY or ALLOW, but is " + onOutage
						+ ": instances cannot exclude each other without Redis.");
		Assert.isTrue(maxHold == null || maxHold.compareTo(leaseTime) >= 0,
				() -> "the longest hold must not be below the lease time, " + leaseTime + ", but is " + maxHold + ".");
		Assert.isTrue(!atLeastFor.isNegative() && atLeastFor.compareTo(LONGEST) <= 0,
				() -> "the shortest hold must be between 0s and 365 days, but is " + atLeastFor + ".");
		Assert.isTrue(!Times.isTooLong(maxHold),
				() -> "the longest hold must be at most " + Times.LONGEST.toDays() + " days, but is " + maxHold + ".");
		Assert.isTrue(maxHold == null || maxHold.compareTo(atLeastFor) >= 0,
				() -> "the longest hold must not be below the shortest, " + atLeastFor + ", but is " + maxHold + ".");
		Assert.isTrue(replicas >= 0, () -> "the number of replicas must not be negative, but is " + replicas + ".");
		Times.millis("the sync timeout", syncTimeout, 1);
		Assert.isTrue(replicas == 0 || syncTimeout.compareTo(leaseTime) < 0,
				() -> "the sync timeout must be below the lease time, " + leaseTime + ", but is " + syncTimeout + ".");
		Assert.isTrue(permits >= 1 && permits <= LockProperties.MOST_PERMITS, () -> "the permits must be between 1 and "
				+ LockProperties.MOST_PERMITS + ", but are " + permits + ".");
		Assert.isTrue(permits == 1 || mode == LockMode.EXCLUSIVE,
				() -> "a lock is either for reading and writing or has permits, but has mode " + mode + " and "
						+ permits + " permits.");
	}

	public LockSettings waiting(Duration rest) {
		return new LockSettings(this.name, rest, this.leaseTime, this.renew, this.onOutage, this.maxHold,
				this.atLeastFor, this.onLost, this.replicas, this.syncTimeout, this.mode, this.permits);
	}

	/**
	 * Returns whether replicas that are too few, or too slow, for the other are so for
	 * this one as well.
	 */
	boolean isAsDurableAs(LockSettings other) {
		return this.replicas >= other.replicas && this.syncTimeout.compareTo(other.syncTimeout) <= 0;
	}

	public LockSettings in(LockMode mode) {
		return new LockSettings(this.name, this.waitTime, this.leaseTime, this.renew, this.onOutage, this.maxHold,
				this.atLeastFor, this.onLost, this.replicas, this.syncTimeout, mode, this.permits);
	}

	public boolean isShared() {
		return this.permits > 1 || isReadWrite();
	}

	public boolean isReadWrite() {
		return this.mode != LockMode.EXCLUSIVE;
	}

	/**
	 * Returns the number of holders that one tolerates, itself included.
	 */
	public int limit() {
		return (this.mode == LockMode.READ) ? Integer.MAX_VALUE : this.permits;
	}

	/**
	 * Returns whether the lock is of the same kind in both, so that waiters of both share
	 * a queue.
	 */
	public boolean isOfOneKindWith(LockSettings other) {
		return isReadWrite() == other.isReadWrite() && isShared() == other.isShared();
	}

	boolean includes(LockSettings other) {
		return isOfOneKindWith(other) && (this.mode == other.mode || this.mode == LockMode.WRITE);
	}

	public String displayName() {
		return "lock '" + this.name + "'";
	}

	public String manner() {
		return (this.permits > 1) ? "with " + this.permits + " permits" : "in mode " + this.mode;
	}

}
