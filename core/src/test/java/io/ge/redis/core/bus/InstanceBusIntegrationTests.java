// SPDX-License-Identifier: Apache-2.0

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
import io.ge.redis.test.Wide;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;
import org.springframework.data.redis.connection.lettuce.LettuceConnectionFactory;

import static org.assertj.core.api.Assertions.assertThat;

@ExtendWith(OutputCaptureExtension.class)
class InstanceBusIntegrationTests {

	private static final long SECOND = 1_000_000_000;

	@Nested
	@OnRedis(RedisTarget.STANDALONE)
	class OnStandalone extends Contract {

	}

	@Nested
	@Wide
	@OnRedis(RedisTarget.CLUSTER)
	class OnCluster extends Contract {

	}

	@Test
	@Wide
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
	void databasesOfOneServerDoNotHearEachOther() {
		try (StandaloneRedis redis = RedisServers.standalone();
				TestBackend zero = onDatabase(redis, 0, "zero");
				TestBackend three = onDatabase(redis, 3, "three");
				TestBackend also = onDatabase(redis, 3, "also")) {
			List<String> received = new CopyOnWriteArrayList<>();
			for (TestBackend one : List.of(zero, three, also)) {
				InstanceBus bus = one.get().bus();
				bus.handle("lock", (payload) -> received.add(bus.instanceId() + " " + payload));
				bus.onQuestion("lock", (text) -> "mine");
			}
			Awaitility.await()
				.until(() -> three.get().bus().liveInstances() == 2 && also.get().bus().liveInstances() == 2
						&& zero.get().bus().isSubscribed());
			assertThat(zero.get().bus().liveInstances()).isEqualTo(1);
			assertThat(zero.get().bus().ask("lock", "who?").join().texts()).containsOnlyKeys("zero");
			assertThat(three.get().bus().ask("lock", "who?").join().texts()).containsOnlyKeys("three", "also");
			redis.primary().command("PUBLISH", three.get().bus().notificationChannel(), "lock of three");
			redis.primary().command("PUBLISH", zero.get().bus().notificationChannel(), "lock of zero");
			Awaitility.await()
				.untilAsserted(() -> assertThat(received).containsExactlyInAnyOrder("three of three", "also of three",
						"zero of zero"));
			assertThat(zero.get().bus().channelPattern()).isEqualTo("ge:bus:*");
		}
	}

	private static TestBackend onDatabase(StandaloneRedis redis, int database, String instanceId) {
		LettuceConnectionFactory factory = redis.connectionFactory();
		factory.setDatabase(database);
		return TestBackend.on(factory, instanceId);
	}

	@Test
	@ExtendWith(OutputCaptureExtension.class)
	void missingRightIsToldOnceAndNotAskedForAgainAndAgain(CapturedOutput output) {
		try (StandaloneRedis redis = RedisServers.standalone()) {
			redis.primary().command("ACL", "SETUSER", "default", "resetchannels");
			try (TestBackend one = TestBackend.on(redis, "one")) {
				Awaitility.await().until(() -> refusals(redis) > 2);
				assertThat(one.get().problems()).singleElement().asString().contains("&ge:bus:*", "+subscribe");
				assertThat(output).containsOnlyOnce("WARN").containsOnlyOnce("&ge:bus:*");
				redis.primary().command("ACL", "SETUSER", "default", "&ge:bus:*", "-publish");
				Awaitility.await().until(() -> one.get().bus().isSubscribed());
				assertThat(one.get().problems()).hasSize(1);
				redis.primary().command("ACL", "SETUSER", "default", "+publish");
				Awaitility.await().until(() -> one.get().problems().isEmpty());
				assertThat(output).containsOnlyOnce("WARN");
			}
		}
	}

	private static long refusals(StandaloneRedis redis) {
		return ((List<?>) redis.primary().command("ACL", "LOG")).stream()
			.map((entry) -> (List<?>) entry)
			.mapToLong((entry) -> (Long) entry.get(1))
			.sum();
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
	void strangersDoNotFloodTheLog(CapturedOutput output) {
		try (StandaloneRedis redis = RedisServers.standalone(); TestBackend one = TestBackend.on(redis, "one")) {
			AtomicInteger received = new AtomicInteger();
			one.get().bus().handle("lock", (payload) -> {
				received.incrementAndGet();
				throw new IllegalArgumentException(payload);
			});
			Awaitility.await().until(() -> one.get().bus().isSubscribed());
			for (int i = 0; i < 3; i++) {
				redis.primary().command("PUBLISH", one.get().bus().channel(), "lock " + "x".repeat(1000));
			}
			Awaitility.await().until(() -> received.get() == 3);
		}
		assertThat(output).containsOnlyOnce("could not be handled").doesNotContain("x".repeat(201));
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
			Questions.Answers answers = one.get().bus().ask("lock", "who?").join();
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
				Questions.Answers answers = one.get().bus().ask("lock", "who?").join();
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
			Questions.Answers answers = one.get().bus().ask("lock", "who?").join();
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
	@Wide
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
				assertThat(one.get().bus().notificationChannel()).isEqualTo(two.get().bus().notificationChannel());
				redis.endpoints().get(0).command("PUBLISH", one.get().bus().notificationChannel(), "lock some payload");
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
							new Questions.Answers(Map.of("one", "1 how many?", "two", "2 how many?", "three", ""),
									Set.of())));
				Awaitility.await()
					.untilAsserted(() -> assertThat(three.get().bus().ask("lock", "").join())
						.isEqualTo(new Questions.Answers(Map.of("one", "1 ", "two", "2 ", "three", ""), Set.of())));
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
		@Wide
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
					assertThat(List.of(one, two)).extracting((each) -> each.get().bus().position())
						.containsExactly(1, 2);
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
