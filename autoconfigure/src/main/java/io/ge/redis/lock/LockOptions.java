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
 */
public record LockOptions(@Nullable Duration waitTime, @Nullable Duration leaseTime, @Nullable Boolean renew) {

	private static final LockOptions DEFAULTS = new LockOptions(null, null, null);

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
		return new LockOptions(waitTime, this.leaseTime, this.renew);
	}

	/**
	 * Returns these options with a lease.
	 * @param leaseTime the lease, at least 100 ms
	 * @return the options
	 */
	public LockOptions leaseTime(Duration leaseTime) {
		return new LockOptions(this.waitTime, leaseTime, this.renew);
	}

	/**
	 * Returns these options with or without extension of the lease.
	 * @param renew whether the lease is extended while the lock is held
	 * @return the options
	 */
	public LockOptions renew(boolean renew) {
		return new LockOptions(this.waitTime, this.leaseTime, renew);
	}

}
