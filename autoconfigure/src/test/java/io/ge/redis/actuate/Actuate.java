// SPDX-License-Identifier: Apache-2.0

package io.ge.redis.actuate;

import java.util.List;
import java.util.function.Supplier;

import io.ge.redis.broadcast.BroadcastPattern;
import io.ge.redis.core.RedisBackends;
import io.ge.redis.core.endpoint.GuardResource;
import io.ge.redis.queue.QueuePattern;

import org.springframework.aot.hint.RuntimeHintsRegistrar;
import org.springframework.boot.health.contributor.HealthIndicator;

/**
 * The parts of this package for tests of others, without an endpoint around them.
 */
public final class Actuate {

	private Actuate() {
	}

	public static HealthIndicator health(RedisBackends backends) {
		return new GeRedisHealthIndicator(backends, List::of);
	}

	public static GuardResource queues(Supplier<QueuePattern> pattern) {
		return new QueuesResource(pattern);
	}

	public static GuardResource broadcasts(Supplier<BroadcastPattern> pattern) {
		return new BroadcastsResource(pattern);
	}

	public static RuntimeHintsRegistrar hintsOfConsole() {
		return new ConsolePage.Hints();
	}

}
