/*
 * Copyright 2026 the GE Redis authors
 * SPDX-License-Identifier: Apache-2.0
 */

package io.ge.redis.core.bus;

import java.time.Duration;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.AtomicInteger;

import io.ge.redis.test.OnRedis;
import io.ge.redis.test.RedisFixture;
import io.ge.redis.test.RedisTarget;
import io.ge.redis.test.RedisServers;
import io.ge.redis.test.StandaloneRedis;
import io.ge.redis.test.TestBackend;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

class InstanceBusIntegrationTests {

	@Nested
	@OnRedis(RedisTarget.STANDALONE)
	class OnStandalone extends Contract {

	}

	@Nested
	@OnRedis(RedisTarget.CLUSTER)
	class OnCluster extends Contract {

	}

	@Nested
	@OnRedis(RedisTarget.JEDIS)
	class OnJedis extends Contract {

	}

	@Test
	void lastKnownNumberIsKeptWhileRedisHangs() {
		try (StandaloneRedis redis = RedisServers.standalone();
				TestBackend one = TestBackend.on(redis, "one");
				TestBackend two = TestBackend.on(redis, "two")) {
			Awaitility.await().untilAsserted(() -> assertThat(one.get().bus().liveInstances()).isEqualTo(2));
			redis.primary().pause();
			Awaitility.await()
				.during(Duration.ofSeconds(8))
				.atMost(Duration.ofSeconds(9))
				.until(() -> one.get().bus().liveInstances() == 2);
			redis.primary().resume();
		}
	}

	abstract static class Contract {

		@Test
		void instancesKnowOfEachOther(RedisFixture redis) {
			try (TestBackend one = TestBackend.on(redis, "one")) {
				try (TestBackend two = TestBackend.on(redis, "two")) {
					Awaitility.await().untilAsserted(() -> assertThat(one.get().bus().liveInstances()).isEqualTo(2));
					Awaitility.await().untilAsserted(() -> assertThat(two.get().bus().liveInstances()).isEqualTo(2));
				}
				Awaitility.await().untilAsserted(() -> assertThat(one.get().bus().liveInstances()).isEqualTo(1));
			}
		}

		@Test
		void messageReachesItsInstanceAndTopic(RedisFixture redis) {
			try (TestBackend one = TestBackend.on(redis, "one"); TestBackend two = TestBackend.on(redis, "two")) {
				List<String> received = new CopyOnWriteArrayList<>();
				one.get().bus().handle("lock", received::add);
				two.get().bus().handle("lock", (payload) -> received.add("stray " + payload));
				Awaitility.await().until(() -> one.get().bus().isSubscribed() && two.get().bus().isSubscribed());
				redis.endpoints().get(0).command("PUBLISH", one.get().bus().channel(), "other nothing");
				redis.endpoints().get(0).command("PUBLISH", one.get().bus().channel(), "lock some payload");
				Awaitility.await().untilAsserted(() -> assertThat(received).containsExactly("some payload"));
			}
		}

		@Test
		void subscriptionIsRenewedWhenItsConnectionIsKilled(RedisFixture redis) {
			try (TestBackend one = TestBackend.on(redis, "one")) {
				AtomicInteger subscribed = new AtomicInteger();
				Awaitility.await().until(() -> one.get().bus().isSubscribed());
				one.get().bus().onSubscribed(subscribed::incrementAndGet);
				List<String> received = new CopyOnWriteArrayList<>();
				one.get().bus().handle("lock", received::add);
				redis.endpoints().forEach((node) -> node.command("CLIENT", "KILL", "TYPE", "pubsub"));
				Awaitility.await().untilAsserted(() -> assertThat(subscribed).hasPositiveValue());
				redis.endpoints().get(0).command("PUBLISH", one.get().bus().channel(), "lock again");
				Awaitility.await().untilAsserted(() -> assertThat(received).containsExactly("again"));
			}
		}

	}

}
