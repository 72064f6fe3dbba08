// SPDX-License-Identifier: Apache-2.0

package io.ge.redis.lock;

import java.time.Duration;
import java.util.Map;

import io.ge.redis.core.invocation.PropertyChecks;
import io.ge.redis.core.outage.OutagePolicy;
import org.jspecify.annotations.Nullable;

import org.springframework.boot.context.properties.ConfigurationProperties;
import org.springframework.boot.context.properties.bind.DefaultValue;

/**
 * Locks in the environment.
 *
 * @param enabled whether methods with `@DistributedLock` are guarded
 * @param connectionFactory name of the connection factory bean to use, if not the
 * application's only or primary one
 * @param waitTime longest time that a call waits for a lock; zero to try once
 * @param leaseTime time after which a lock is free again if the instance that holds it
 * has died
 * @param onOutage what happens while Redis is unavailable: deny or allow
 * @param onLost what happens to a holder that loses its lock: event, veto-commit or
 * interrupt
 * @param replicas number of replicas that must have acknowledged a lock before its holder
 * begins; 0 for none
 * @param syncTimeout longest time to wait for the acknowledgements of replicas; after it
 * the lock is released
 * @param httpStatus status of the response to a request that did not get a lock: 409 or
 * 423
 * @param propagateContext whether Micrometer's context propagation propagates held locks
 * to other threads
 * @param locks locks by name; their settings take precedence over the annotations
 */
@ConfigurationProperties("ge.redis.lock")
public record LockProperties(@DefaultValue("true") boolean enabled, @Nullable String connectionFactory,
		@DefaultValue("0s") Duration waitTime, @DefaultValue("30s") Duration leaseTime,
		@DefaultValue("deny") OutagePolicy onOutage, @DefaultValue("veto-commit") OnLost onLost,
		@DefaultValue("0") int replicas, @DefaultValue("50ms") Duration syncTimeout,
		@DefaultValue("409") int httpStatus, @DefaultValue("false") boolean propagateContext,
		@DefaultValue Map<String, Lock> locks) {

	/** The shortest lease. */
	public static final Duration SHORTEST_LEASE = Duration.ofMillis(100);

	/** The largest number of permits. */
	public static final int MOST_PERMITS = 1_000_000;

	private static final int CONFLICT = 409;

	private static final int LOCKED = 423;

	public LockProperties {
		new Lock(waitTime, leaseTime, null, null, null, null, null, replicas, syncTimeout, null)
			.validate("ge.redis.lock");
		locks.forEach((name, lock) -> lock.validate("ge.redis.lock.locks." + name));
		PropertyChecks.require(httpStatus == CONFLICT || httpStatus == LOCKED, "ge.redis.lock.http-status",
				"409 or 423", httpStatus);
	}

	/**
	 * One lock. Settings that are not set come from the annotation.
	 *
	 * @param waitTime longest time that a call waits for the lock; zero to try once
	 * @param leaseTime time after which the lock is free again if the instance that holds
	 * it has died
	 * @param renew whether the lease is extended while the lock is held
	 * @param onOutage what happens while Redis is unavailable: deny or allow
	 * @param maxHold longest time for which the lease is extended
	 * @param atLeastFor shortest time for which the lock stays taken, even if its holder
	 * has finished
	 * @param onLost what happens to a holder that loses the lock: event, veto-commit or
	 * interrupt
	 * @param replicas number of replicas that must have acknowledged the lock before its
	 * holder begins; 0 for none
	 * @param syncTimeout longest time to wait for the acknowledgements of replicas; after
	 * it the lock is released
	 * @param permits number of calls that may hold the lock at the same time; not for
	 * read and write locks
	 */
	public record Lock(@Nullable Duration waitTime, @Nullable Duration leaseTime, @Nullable Boolean renew,
			@Nullable OutagePolicy onOutage, @Nullable Duration maxHold, @Nullable Duration atLeastFor,
			@Nullable OnLost onLost, @Nullable Integer replicas, @Nullable Duration syncTimeout,
			@Nullable Integer permits) {

		private void validate(String place) {
			PropertyChecks.atLeastMillis(place + ".wait-time", 0, this.waitTime);
			PropertyChecks.atLeastMillis(place + ".lease-time", SHORTEST_LEASE.toMillis(), this.leaseTime);
			PropertyChecks.atLeastMillis(place + ".at-least-for", 0, this.atLeastFor);
			PropertyChecks.atLeast(place + ".replicas", 0, this.replicas);
			PropertyChecks.atLeastMillis(place + ".sync-timeout", 1, this.syncTimeout);
			PropertyChecks.require(this.permits == null || (this.permits > 0 && this.permits <= MOST_PERMITS),
					place + ".permits", "between 1 and " + MOST_PERMITS, this.permits);
		}

	}

}
