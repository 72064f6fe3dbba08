// SPDX-License-Identifier: Apache-2.0

package io.ge.redis.core.outage;

import java.time.Duration;

import org.springframework.boot.context.properties.ConfigurationProperties;
import org.springframework.boot.context.properties.bind.DefaultValue;
import org.springframework.util.Assert;

/**
 * Settings of all guards for a Redis that is slow or unavailable.
 *
 * @param commandTimeout longest time that one guarded call waits for Redis, over all its
 * commands; until Redis has answered for the first time after a start, at least 2 s
 * @param failureThreshold number of consecutive failures after which calls do not ask
 * Redis any more
 * @param probeInterval time between two attempts to reach Redis on a new connection
 * during an outage; at most 500 ms
 * @param failoverRepair time before a failover by Sentinel whose revocations are written
 * again on the new primary, as are the locks that are held; 0 for neither
 */
@ConfigurationProperties("ge.redis.outage")
public record OutageSettings(@DefaultValue("200ms") Duration commandTimeout, @DefaultValue("3") int failureThreshold,
		@DefaultValue("250ms") Duration probeInterval, @DefaultValue("30s") Duration failoverRepair) {

	private static final Duration LONGEST_PROBE_INTERVAL = Duration.ofMillis(500);

	public OutageSettings {
		Assert.isTrue(commandTimeout.toMillis() > 0,
				() -> "ge.redis.outage.command-timeout must be at least 1ms, was " + commandTimeout);
		Assert.isTrue(failureThreshold > 0,
				() -> "ge.redis.outage.failure-threshold must be at least 1, was " + failureThreshold);
		Assert.isTrue(probeInterval.toMillis() > 0 && probeInterval.compareTo(LONGEST_PROBE_INTERVAL) <= 0,
				() -> "ge.redis.outage.probe-interval must be between 1ms and 500ms, was " + probeInterval);
		Assert.isTrue(!failoverRepair.isNegative(),
				() -> "ge.redis.outage.failover-repair must not be negative, was " + failoverRepair);
	}

}
