/*
 * Copyright 2026 the GE Redis authors
 * SPDX-License-Identifier: Apache-2.0
 */

package io.ge.redis.core.bus;

import java.time.Duration;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.AtomicBoolean;
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

	private static final long SECOND = 1_000_000_000;

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

	@Test
	void confirmationStopsWhileNothingComesBack() {
		try (StandaloneRedis redis = RedisServers.standalone(); TestBackend one = TestBackend.on(redis, "one")) {
			InstanceBus bus = one.get().bus();
			bus.confirmWhile(() -> true);
			Awaitility.await().until(() -> System.nanoTime() - bus.confirmedAt() < SECOND);
			redis.primary().pause();
			Awaitility.await().until(() -> System.nanoTime() - bus.confirmedAt() > 2 * SECOND);
			redis.primary().resume();
			Awaitility.await().until(() -> System.nanoTime() - bus.confirmedAt() < SECOND);
			redis.primary().kill();
			Awaitility.await().until(() -> System.nanoTime() - bus.confirmedAt() > 3600 * SECOND);
		}
	}

	abstract static class Contract {

		@Test
		void newsReachesEveryHandlerOfEveryInstance(RedisFixture redis) {
			try (TestBackend one = TestBackend.on(redis, "one"); TestBackend two = TestBackend.on(redis, "two")) {
				List<String> received = new CopyOnWriteArrayList<>();
				one.get().bus().handle("lock", (payload) -> received.add("one " + payload));
				one.get().bus().handle("lock", (payload) -> received.add("one also " + payload));
				two.get().bus().handle("lock", (payload) -> received.add("two " + payload));
				Awaitility.await().until(() -> one.get().bus().isSubscribed() && two.get().bus().isSubscribed());
				assertThat(one.get().bus().newsChannel()).isEqualTo(two.get().bus().newsChannel());
				redis.endpoints().get(0).command("PUBLISH", one.get().bus().newsChannel(), "lock some payload");
				Awaitility.await()
					.untilAsserted(() -> assertThat(received).containsExactlyInAnyOrder("one some payload",
							"one also some payload", "two some payload"));
			}
		}

		@Test
		void isConfirmedOnlyWhileSomebodyWantsIt(RedisFixture redis) {
			try (TestBackend one = TestBackend.on(redis, "one")) {
				InstanceBus bus = one.get().bus();
				AtomicBoolean wanted = new AtomicBoolean();
				bus.confirmWhile(wanted::get);
				Awaitility.await().until(bus::isSubscribed);
				Awaitility.await()
					.during(Duration.ofSeconds(1))
					.until(() -> System.nanoTime() - bus.confirmedAt() > 3600 * SECOND);
				wanted.set(true);
				Awaitility.await().until(() -> System.nanoTime() - bus.confirmedAt() < SECOND);
				Awaitility.await()
					.during(Duration.ofSeconds(2))
					.until(() -> System.nanoTime() - bus.confirmedAt() < SECOND);
				wanted.set(false);
				Awaitility.await().until(() -> System.nanoTime() - bus.confirmedAt() > SECOND);
			}
		}

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
