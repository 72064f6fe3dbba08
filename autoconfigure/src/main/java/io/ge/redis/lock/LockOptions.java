/*
 * Copyright 2026 the GE Redis authors
 * SPDX-License-Identifier: Apache-2.0
 */

package io.ge.redis.lock;

import java.time.Duration;

import org.jspecify.annotations.Nullable;

/**
 * Settings of one lock taken in code. What is {@code null} comes from
 * {@code ge.redis.lock}; what is set under {@code ge.redis.lock.locks.<name>} wins.
 *
 * @param waitTime longest time to wait for the lock, zero to ask once
 * @param leaseTime how long the lock stays with an instance that died
 * @param renew whether the lease is extended while the lock is held
 * @param maxHold for how long the lease is extended at most
 * @param atLeastFor for how long the lock stays taken at least, also if its holder has
 * finished
 * @param onLost what happens to a holder that loses the lock
 */
public record LockOptions(@Nullable Duration waitTime, @Nullable Duration leaseTime, @Nullable Boolean renew,
		@Nullable Duration maxHold, @Nullable Duration atLeastFor, @Nullable OnLost onLost) {

	private static final LockOptions DEFAULTS = new LockOptions(null, null, null, null, null, null);

	/**
	 * Returns options that leave everything to the properties.
	 * @return the options
	 */
	public static LockOptions defaults() {
		return DEFAULTS;
	}

	/**
	 * Returns these options with a longest wait.
	 * @param waitTime the longest wait, zero to ask once
	 * @return the options
	 */
	public LockOptions waitTime(Duration waitTime) {
		return new LockOptions(waitTime, this.leaseTime, this.renew, this.maxHold, this.atLeastFor, this.onLost);
	}

	/**
	 * Returns these options with a lease.
	 * @param leaseTime the lease, at least 100 ms
	 * @return the options
	 */
	public LockOptions leaseTime(Duration leaseTime) {
		return new LockOptions(this.waitTime, leaseTime, this.renew, this.maxHold, this.atLeastFor, this.onLost);
	}

	/**
	 * Returns these options with or without extension of the lease.
	 * @param renew whether the lease is extended while the lock is held
	 * @return the options
	 */
	public LockOptions renew(boolean renew) {
		return new LockOptions(this.waitTime, this.leaseTime, renew, this.maxHold, this.atLeastFor, this.onLost);
	}

	/**
	 * Returns these options with a longest hold.
	 * @param maxHold for how long the lease is extended at most, not below the lease
	 * @return the options
	 */
	public LockOptions maxHold(Duration maxHold) {
		return new LockOptions(this.waitTime, this.leaseTime, this.renew, maxHold, this.atLeastFor, this.onLost);
	}

	/**
	 * Returns these options with a shortest hold.
	 * @param atLeastFor for how long the lock stays taken at least
	 * @return the options
	 */
	public LockOptions atLeastFor(Duration atLeastFor) {
		return new LockOptions(this.waitTime, this.leaseTime, this.renew, this.maxHold, atLeastFor, this.onLost);
	}

	/**
	 * Returns these options with what happens to a holder that loses the lock.
	 * @param onLost the policy
	 * @return the options
	 */
	public LockOptions onLost(OnLost onLost) {
		return new LockOptions(this.waitTime, this.leaseTime, this.renew, this.maxHold, this.atLeastFor, onLost);
	}

}
