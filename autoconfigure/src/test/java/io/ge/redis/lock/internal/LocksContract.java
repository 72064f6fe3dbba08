// SPDX-License-Identifier: Apache-2.0

package io.ge.redis.lock.internal;

import java.time.Duration;
import java.util.List;
import java.util.stream.Stream;

import io.ge.redis.lock.DistributedLocks;
import io.ge.redis.test.RedisEndpoint;
import io.ge.redis.test.RedisErrorReplyException;
import io.ge.redis.test.RedisFixture;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;

/**
 * Two instances of an application, which have used locks before, and what stands in
 * Redis.
 */
abstract class LocksContract {

	/** A busy machine is no outage. */
	static final String[] PATIENT = { "ge.redis.outage.command-timeout=5s" };

	/** The sorted set of those that wait for a lock. */
	private final String queue;

	RedisFixture redis;

	List<? extends RedisEndpoint> primaries;

	LockApplication first;

	LockApplication second;

	LocksContract(String queue) {
		this.queue = queue;
	}

	@BeforeEach
	void start(RedisFixture fixture) {
		this.redis = fixture;
		this.primaries = fixture.endpoints().stream().filter(RedisEndpoint::isPrimary).toList();
		this.first = LockApplication.start(fixture.properties(), PATIENT);
		this.second = LockApplication.start(fixture.properties(), PATIENT);
		warmUp(this.first.locks());
	}

	abstract void warmUp(DistributedLocks locks);

	@AfterEach
	void stop() {
		this.first.close();
		this.second.close();
	}

	final void awaitQueued(String entity, int number) {
		Awaitility.await("queue of " + entity)
			.pollInterval(Duration.ofMillis(5))
			.until(() -> (Long) command("ZCARD", "ge:lock:" + entity + this.queue) == number);
	}

	final Object command(String name, String key, String... arguments) {
		String[] parts = Stream.concat(Stream.of(name, key), Stream.of(arguments)).toArray(String[]::new);
		for (RedisEndpoint endpoint : this.primaries) {
			try {
				return endpoint.command(parts);
			}
			catch (RedisErrorReplyException ex) {
				// another node of the cluster has the slot
			}
		}
		throw new IllegalStateException("No node has " + key);
	}

}
