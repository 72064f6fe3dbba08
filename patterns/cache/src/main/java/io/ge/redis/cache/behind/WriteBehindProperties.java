/*
 * Copyright 2026 the GE Redis authors
 * SPDX-License-Identifier: Apache-2.0
 */

package io.ge.redis.cache.behind;

import java.time.Duration;

import org.springframework.boot.context.properties.ConfigurationProperties;
import org.springframework.boot.context.properties.bind.DefaultValue;
import org.springframework.util.Assert;

/**
 * How changes of caches that are written behind reach their stores. All instances of an
 * application should agree.
 *
 * @param batchSize largest number of changes that a store is given at once, from 1 to
 * 1,000; fewer when they have about a megabyte together
 * @param linger time for which changes are gathered before they are written
 * @param leaseTime time after which another instance takes over the changes of one that
 * has died or stands still; at least 100 ms
 * @param maxAttempts how often the writing of a change may fail before it is given up and
 * kept as a dead letter; failures of the store as a whole do not count
 * @param retryDelay time before the first repetition of a failed writing, doubled for
 * each further one
 * @param maxRetryDelay longest time between two repetitions
 * @param maxPending how many keys of a cache may wait for the store; each of the 16
 * partitions has its share
 * @param threads how many threads of this instance write at the same time
 * @param drainTimeout longest time that the shutdown waits until what this instance can
 * write is written; the rest is left to other instances
 * @param deadLetterTtl time for which a dead letter is kept; it goes when the next one of
 * its partition comes after that, at the latest when none has come for as long
 */
@ConfigurationProperties("ge.redis.cache.write-behind")
public record WriteBehindProperties(@DefaultValue("100") int batchSize, @DefaultValue("200ms") Duration linger,
		@DefaultValue("10s") Duration leaseTime, @DefaultValue("10") int maxAttempts,
		@DefaultValue("1s") Duration retryDelay, @DefaultValue("1m") Duration maxRetryDelay,
		@DefaultValue("100000") int maxPending, @DefaultValue("4") int threads,
		@DefaultValue("10s") Duration drainTimeout, @DefaultValue("30d") Duration deadLetterTtl) {

	private static final String PREFIX = "ge.redis.cache.write-behind.";

	private static final int LARGEST_BATCH = 1000;

	private static final Duration SHORTEST_LEASE = Duration.ofMillis(100);

	public WriteBehindProperties {
		check(batchSize >= 1 && batchSize <= LARGEST_BATCH, "batch-size must be from 1 to 1000, was " + batchSize);
		check(!linger.isNegative(), "linger must not be negative, was " + linger);
		check(leaseTime.compareTo(SHORTEST_LEASE) >= 0, "lease-time must be at least 100ms, was " + leaseTime);
		check(maxAttempts >= 1, "max-attempts must be at least 1, was " + maxAttempts);
		check(retryDelay.toMillis() > 0, "retry-delay must be at least 1ms, was " + retryDelay);
		check(maxRetryDelay.compareTo(retryDelay) >= 0,
				"max-retry-delay must not be below retry-delay, was " + maxRetryDelay);
		check(maxPending >= RedisWriteBehind.PARTITIONS, "max-pending must be at least 16, was " + maxPending);
		check(threads >= 1, "threads must be at least 1, was " + threads);
		check(!drainTimeout.isNegative(), "drain-timeout must not be negative, was " + drainTimeout);
		check(deadLetterTtl.toMillis() > 0, "dead-letter-ttl must be at least 1ms, was " + deadLetterTtl);
	}

	private static void check(boolean holds, String problem) {
		Assert.isTrue(holds, () -> PREFIX + problem);
	}

	/**
	 * Returns how long to wait after a number of failures.
	 */
	Duration delay(int failures) {
		int doublings = Math.min(failures - 1, 30);
		Duration delay = this.retryDelay.multipliedBy(1L << doublings);
		return (delay.compareTo(this.maxRetryDelay) < 0) ? delay : this.maxRetryDelay;
	}

}
