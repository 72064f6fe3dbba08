// SPDX-License-Identifier: Apache-2.0

package io.ge.redis.idempotency;

import java.time.Duration;

import io.ge.redis.core.invocation.Times;
import io.ge.redis.core.outage.OutagePolicy;

import org.springframework.util.Assert;

/**
 * The settings of one operation.
 *
 * @param name the name; part of the key in Redis
 * @param ttl how long a result is kept, counted from the end of the call; not below the
 * lease
 * @param lease how long a claim outlives the process that made it, at least 100
 * milliseconds
 * @param scope which callers share the keys
 * @param required whether a call without a key is refused
 * @param onDuplicate behaviour of a repetition while the first call runs
 * @param waitTimeout the longest wait of a repetition that waits
 * @param onFailureWithoutTransaction state of the key after a failed call without a
 * transaction
 * @param onUnknownOutcome state of the key if the effect of a failed call is unknown
 * @param onOutage policy while Redis is unavailable, ALLOW or DENY
 */
public record IdempotencySettings(String name, Duration ttl, Duration lease, IdempotencyScope scope, boolean required,
		OnDuplicate onDuplicate, Duration waitTimeout, FailureWithoutTransaction onFailureWithoutTransaction,
		UnknownOutcome onUnknownOutcome, OutagePolicy onOutage) {

	private static final Duration SHORTEST_LEASE = Duration.ofMillis(100);

	private static final Duration LONGEST_TTL = Duration.ofDays(10 * 366);

	public IdempotencySettings {
		Assert.hasText(name, "the name must not be blank.");
		Assert.isTrue(lease.compareTo(SHORTEST_LEASE) >= 0,
				() -> "the lease must be at least " + SHORTEST_LEASE.toMillis() + "ms, but is " + lease + ".");
		Assert.isTrue(ttl.compareTo(lease) >= 0,
				() -> "the ttl (" + ttl + ") must not be below the lease (" + lease + ").");
		Assert.isTrue(ttl.compareTo(LONGEST_TTL) <= 0,
				() -> "the ttl must be at most " + LONGEST_TTL.toDays() + " days, but is " + ttl + ".");
		Times.millis("the wait timeout", waitTimeout, 1);
		Assert.isTrue(onOutage == OutagePolicy.ALLOW || onOutage == OutagePolicy.DENY,
				() -> "the outage policy must be ALLOW or DENY, but is " + onOutage
						+ ": one instance alone cannot know the keys of the others.");
	}

	/**
	 * Creates settings with the defaults: results kept for 24 hours, a lease of 30
	 * seconds, keys by principal and required; a repetition refused while the first call
	 * runs; the key closed after a failure without transaction; calls denied while Redis
	 * is unavailable.
	 * @param name the name
	 * @return the settings
	 */
	public static IdempotencySettings of(String name) {
		return new IdempotencySettings(name, Duration.ofHours(24), Duration.ofSeconds(30), IdempotencyScope.PRINCIPAL,
				true, OnDuplicate.CONFLICT, Duration.ofSeconds(5), FailureWithoutTransaction.UNKNOWN,
				UnknownOutcome.BLOCK, OutagePolicy.DENY);
	}

}
