/*
 * Copyright 2026 the GE Redis authors
 * SPDX-License-Identifier: Apache-2.0
 */

package io.ge.redis.lock;

import java.time.Duration;
import java.util.Map;

import io.ge.redis.core.outage.OutagePolicy;
import org.jspecify.annotations.Nullable;

import org.springframework.boot.context.properties.ConfigurationProperties;
import org.springframework.boot.context.properties.bind.DefaultValue;
import org.springframework.util.Assert;

/**
 * Locks in the environment.
 *
 * @param enabled whether methods with {@code @DistributedLock} are guarded
 * @param connectionFactory name of the connection factory bean to use, if not the
 * application's only or primary one
 * @param waitTime longest time that a call waits for a lock, zero to ask once
 * @param leaseTime how long a lock stays with an instance that died
 * @param onOutage what happens while Redis is away: deny or allow
 * @param onLost what happens to a holder that loses its lock: event, veto-commit or
 * interrupt
 * @param httpStatus status of the answer to a request that did not get a lock: 409 or 423
 * @param locks locks by name, which win over the annotations
 */
@ConfigurationProperties("ge.redis.lock")
public record LockProperties(@DefaultValue("true") boolean enabled, @Nullable String connectionFactory,
		@DefaultValue("0s") Duration waitTime, @DefaultValue("30s") Duration leaseTime,
		@DefaultValue("deny") OutagePolicy onOutage, @DefaultValue("veto-commit") OnLost onLost,
		@DefaultValue("409") int httpStatus, @DefaultValue Map<String, Lock> locks) {

	private static final int CONFLICT = 409;

	private static final int LOCKED = 423;

	public LockProperties {
		Assert.isTrue(httpStatus == CONFLICT || httpStatus == LOCKED,
				() -> "ge.redis.lock.http-status must be 409 or 423, was " + httpStatus);
	}

	/**
	 * One lock. What is not set is taken from the annotation.
	 *
	 * @param waitTime longest time that a call waits for the lock, zero to ask once
	 * @param leaseTime how long the lock stays with an instance that died
	 * @param renew whether the lease is extended while the lock is held
	 * @param onOutage what happens while Redis is away: deny or allow
	 * @param maxHold for how long the lease is extended at most
	 * @param atLeastFor for how long the lock stays taken at least, also if its holder
	 * has finished
	 * @param onLost what happens to a holder that loses the lock: event, veto-commit or
	 * interrupt
	 */
	public record Lock(@Nullable Duration waitTime, @Nullable Duration leaseTime, @Nullable Boolean renew,
			@Nullable OutagePolicy onOutage, @Nullable Duration maxHold, @Nullable Duration atLeastFor,
			@Nullable OnLost onLost) {

		static final Lock UNSET = new Lock(null, null, null, null, null, null, null);

	}

	Lock lock(String name) {
		return this.locks.getOrDefault(name, Lock.UNSET);
	}

}
