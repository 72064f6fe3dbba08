/*
 * Copyright 2026 the GE Redis authors
 * SPDX-License-Identifier: Apache-2.0
 */

package io.ge.redis.core.bus;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;

import io.ge.redis.test.OnRedis;
import io.ge.redis.test.RedisFixture;
import io.ge.redis.test.RedisTarget;
import io.ge.redis.test.RedisServers;
import io.ge.redis.test.StandaloneRedis;
import io.ge.redis.test.Stopwatch;
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
				.atMost(Duration.ofSeconds(60))
				.until(() -> one.get().bus().liveInstances() == 2);
			redis.primary().resume();
		}
	}

	@Test
	void allAreAskedWhetherTheyWantTheBusConfirmed() {
		try (StandaloneRedis redis = RedisServers.standalone(); TestBackend one = TestBackend.on(redis, "one")) {
			AtomicInteger asked = new AtomicInteger();
			one.get().bus().confirmWhile(() -> true);
			one.get().bus().confirmWhile(() -> asked.incrementAndGet() < 0);
			one.get().bus().confirmWhile(() -> true);
			Awaitility.await().until(() -> asked.get() > 1);
		}
	}

	@Test
	void whoeverReliesOnMessagesIsToldWhenTheBusStops() {
		try (StandaloneRedis redis = RedisServers.standalone(); TestBackend one = TestBackend.on(redis, "one")) {
			AtomicInteger lost = new AtomicInteger();
			InstanceBus bus = one.get().bus();
			bus.onLost(lost::incrementAndGet);
			Awaitility.await().until(bus::isSubscribed);
			bus.stop();
			assertThat(lost).hasValue(1);
			bus.stop();
			assertThat(lost).hasValue(1);
		}
	}

	@Test
	void whoDoesNotAnswerIsNamedAfterTheTimeout() {
		try (StandaloneRedis redis = RedisServers.standalone();
				TestBackend one = TestBackend.on(redis, "one");
				TestBackend two = TestBackend.on(redis, "two")) {
			one.get().bus().onQuestion("lock", (text) -> "one");
			CountDownLatch latch = new CountDownLatch(1);
			two.get().bus().onQuestion("lock", (text) -> {
				awaitUninterruptibly(latch);
				return "late";
			});
			Awaitility.await().untilAsserted(() -> assertThat(one.get().bus().liveInstances()).isEqualTo(2));
			long asked = System.nanoTime();
			Answers answers = one.get().bus().ask("lock", "who?").join();
			assertThat(System.nanoTime() - asked).isGreaterThanOrEqualTo(Questions.LONGEST.toNanos());
			assertThat(answers.texts()).containsExactly(Map.entry("one", "one"));
			assertThat(answers.silent()).containsExactly("two");
			latch.countDown();
		}
	}

	@Test
	void whoHasGoneIsNotWaitedFor() {
		try (StandaloneRedis redis = RedisServers.standalone();
				TestBackend one = TestBackend.on(redis, "one");
				TestBackend two = TestBackend.on(redis, "two")) {
			one.get().bus().onQuestion("lock", (text) -> "one");
			Awaitility.await().untilAsserted(() -> assertThat(one.get().bus().liveInstances()).isEqualTo(2));
			two.get().connection().close(); // without a word, like one that was killed
			Awaitility.await().untilAsserted(() -> {
				Stopwatch stopwatch = Stopwatch.start();
				Answers answers = one.get().bus().ask("lock", "who?").join();
				assertThat(answers.texts()).containsExactly(Map.entry("one", "one"));
				assertThat(answers.silent()).containsExactly("two");
				assertThat(stopwatch.elapsed()).isLessThan(Questions.LONGEST.dividedBy(2));
			});
		}
	}

	@Test
	void asksNobodyElseWhileRedisIsAway() {
		try (StandaloneRedis redis = RedisServers.standalone();
				TestBackend one = TestBackend.on(redis, "one");
				TestBackend two = TestBackend.on(redis, "two")) {
			one.get().bus().onQuestion("lock", (text) -> "one " + text);
			Awaitility.await().untilAsserted(() -> assertThat(one.get().bus().liveInstances()).isEqualTo(2));
			redis.primary().kill();
			Answers answers = one.get().bus().ask("lock", "who?").join();
			assertThat(answers.texts()).containsExactly(Map.entry("one", "one who?"));
			assertThat(answers.silent()).containsExactly("two");
			Awaitility.await().until(() -> !one.get().bus().isSubscribed());
			Stopwatch stopwatch = Stopwatch.start();
			assertThat(one.get().bus().ask("lock", "").join().texts()).containsOnlyKeys("one");
			assertThat(stopwatch.elapsed()).isLessThan(Questions.LONGEST.dividedBy(2));
		}
	}

	@Test
	void subscriptionThatIsLostIsReplacedAtOnce() {
		int times = 12;
		try (StandaloneRedis redis = RedisServers.standalone(); TestBackend one = TestBackend.on(redis, "one")) {
			AtomicInteger subscribed = countSubscriptions(one);
			List<Duration> gone = new ArrayList<>();
			for (int i = 0; i < times; i++) {
				int before = subscribed.get();
				Stopwatch watch = Stopwatch.start();
				redis.primary().command("CLIENT", "KILL", "TYPE", "pubsub");
				Awaitility.await()
					.pollDelay(Duration.ZERO)
					.pollInterval(Duration.ofMillis(2))
					.until(() -> subscribed.get() > before);
				gone.add(watch.elapsed());
			}
			// A pause before each would be in all of them, a server that stands still is
			// in
			// some
			gone.sort(null);
			assertThat(gone.get(times / 2)).isLessThan(Duration.ofMillis(250));
		}
	}

	@Test
	void subscriptionThatIsLostAgainAndAgainIsReplacedTwentyTimesASecondAtMost() {
		try (StandaloneRedis redis = RedisServers.standalone(); TestBackend one = TestBackend.on(redis, "one")) {
			AtomicInteger subscribed = countSubscriptions(one);
			int before = subscribed.get();
			long started = System.nanoTime();
			while (System.nanoTime() - started < SECOND || subscribed.get() == before) {
				redis.primary().command("CLIENT", "KILL", "TYPE", "pubsub");
			}
			long elapsed = System.nanoTime() - started;
			assertThat((long) subscribed.get() - before).isBetween(1L, elapsed * 20 / SECOND + 2);
		}
	}

	private static AtomicInteger countSubscriptions(TestBackend backend) {
		AtomicInteger subscribed = new AtomicInteger();
		backend.get().bus().onSubscribed(subscribed::incrementAndGet);
		Awaitility.await().until(() -> backend.get().bus().isSubscribed());
		return subscribed;
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

	private static void awaitUninterruptibly(CountDownLatch latch) {
		try {
			latch.await();
		}
		catch (InterruptedException ex) {
			Thread.currentThread().interrupt();
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
		void everyInstanceAnswersWhatIsAsked(RedisFixture redis) {
			try (TestBackend one = TestBackend.on(redis, "one");
					TestBackend two = TestBackend.on(redis, "two");
					TestBackend three = TestBackend.on(redis, "three")) {
				one.get().bus().onQuestion("lock", (text) -> "1 " + text);
				two.get().bus().onQuestion("lock", (text) -> "2 " + text);
				Awaitility.await()
					.untilAsserted(() -> assertThat(one.get().bus().ask("lock", "how many?").join()).isEqualTo(
							new Answers(Map.of("one", "1 how many?", "two", "2 how many?", "three", ""), Set.of())));
				Awaitility.await()
					.untilAsserted(() -> assertThat(three.get().bus().ask("lock", "").join())
						.isEqualTo(new Answers(Map.of("one", "1 ", "two", "2 ", "three", ""), Set.of())));
			}
		}

		@Test
		void answersAreNotMadeOnTheThreadThatTakesMessages(RedisFixture redis) {
			CountDownLatch latch = new CountDownLatch(1);
			try (TestBackend one = TestBackend.on(redis, "one"); TestBackend two = TestBackend.on(redis, "two")) {
				AtomicInteger asked = new AtomicInteger();
				two.get().bus().onQuestion("lock", (text) -> {
					asked.incrementAndGet();
					awaitUninterruptibly(latch);
					return "late";
				});
				List<String> received = new CopyOnWriteArrayList<>();
				two.get().bus().handle("other", received::add);
				Awaitility.await().untilAsserted(() -> assertThat(one.get().bus().liveInstances()).isEqualTo(2));
				one.get().bus().ask("lock", "");
				Awaitility.await().untilAsserted(() -> assertThat(asked).hasPositiveValue());
				redis.endpoints().get(0).command("PUBLISH", two.get().bus().channel(), "other news");
				try {
					Awaitility.await().untilAsserted(() -> assertThat(received).containsExactly("news"));
				}
				finally {
					latch.countDown();
				}
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
				AtomicInteger lost = new AtomicInteger();
				one.get().bus().onLost(lost::incrementAndGet);
				Awaitility.await().until(() -> one.get().bus().isSubscribed());
				List<String> received = new CopyOnWriteArrayList<>();
				one.get().bus().handle("lock", received::add);
				redis.endpoints().forEach((node) -> node.command("CLIENT", "KILL", "TYPE", "pubsub"));
				Awaitility.await().untilAsserted(() -> assertThat(lost).hasPositiveValue());
				Awaitility.await().untilAsserted(() -> {
					redis.endpoints().get(0).command("PUBLISH", one.get().bus().channel(), "lock again");
					assertThat(received).isNotEmpty();
				});
				assertThat(received).containsOnly("again");
			}
		}

	}

}
