// SPDX-License-Identifier: Apache-2.0

package io.ge.redis.cache;

import java.time.Duration;

import io.ge.redis.core.consume.Backoff;

import org.springframework.boot.context.properties.ConfigurationProperties;
import org.springframework.boot.context.properties.bind.DefaultValue;
import org.springframework.util.Assert;

/**
 * Writes of caches that are written behind to their stores. All instances of an
 * application should agree.
 *
 * @param batchSize largest number of changes in one call of a store, from 1 to 1,000;
 * fewer if they exceed about a megabyte together
 * @param linger time for which changes are collected before they are written
 * @param leaseTime time after which another instance takes over the changes of one that
 * has died or is paused; at least 100 ms
 * @param maxAttempts number of attempts to write a change before it becomes a dead
 * letter; an outage of the store does not count
 * @param retryDelay time before the first retry, doubled for each further one
 * @param maxRetryDelay longest time between two retries
 * @param maxPending largest number of keys of a cache that wait for the store; each of
 * the 16 partitions has its share
 * @param threads number of threads of this instance that write at the same time
 * @param drainTimeout longest time that the shutdown waits until the changes of this
 * instance are written; other instances write the rest
 * @param deadLetterTtl time for which a dead letter is kept at least; it is removed with
 * the next dead letter of its partition, or when the partition has had none for this time
 */
@ConfigurationProperties("ge.redis.cache.write-behind")
public record WriteBehindProperties(@DefaultValue("100") int batchSize, @DefaultValue("200ms") Duration linger,
		@DefaultValue("10s") Duration leaseTime, @DefaultValue("10") int maxAttempts,
		@DefaultValue("1s") Duration retryDelay, @DefaultValue("1m") Duration maxRetryDelay,
		@DefaultValue("100000") int maxPending, @DefaultValue("4") int threads,
		@DefaultValue("10s") Duration drainTimeout, @DefaultValue("30d") Duration deadLetterTtl) {

	private static final String PREFIX = "ge.redis.cache.write-behind.";

	private static final int LARGEST_BATCH = 1000;

	/** One for each partition of a cache. */
	private static final int LEAST_PENDING = 16;

	private static final Duration SHORTEST_LEASE = Duration.ofMillis(100);

	public WriteBehindProperties {
		check(batchSize >= 1 && batchSize <= LARGEST_BATCH, "batch-size must be from 1 to 1000, was " + batchSize);
		check(!linger.isNegative(), "linger must not be negative, was " + linger);
		check(leaseTime.compareTo(SHORTEST_LEASE) >= 0, "lease-time must be at least 100ms, was " + leaseTime);
		check(maxAttempts >= 1, "max-attempts must be at least 1, was " + maxAttempts);
		check(retryDelay.toMillis() > 0, "retry-delay must be at least 1ms, was " + retryDelay);
		check(maxRetryDelay.compareTo(retryDelay) >= 0,
				"max-retry-delay must not be below retry-delay, was " + maxRetryDelay);
		check(maxPending >= LEAST_PENDING, "max-pending must be at least 16, was " + maxPending);
		check(threads >= 1, "threads must be at least 1, was " + threads);
		check(!drainTimeout.isNegative(), "drain-timeout must not be negative, was " + drainTimeout);
		check(deadLetterTtl.toMillis() > 0, "dead-letter-ttl must be at least 1ms, was " + deadLetterTtl);
	}

	private static void check(boolean holds, String problem) {
		Assert.isTrue(holds, () -> PREFIX + problem);
	}

	/**
	 * Returns the wait after a number of failures.
	 */
	public Duration delay(int failures) {
		return new Backoff(this.retryDelay, this.maxRetryDelay).after(failures);
	}

}
