// SPDX-License-Identifier: Apache-2.0

package io.ge.redis.broadcast;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.stream.Stream;

import io.ge.redis.DeliveryAttempt;
import io.ge.redis.broadcast.BroadcastEvent.Outcome;
import io.ge.redis.core.consume.UnwritableException;
import io.ge.redis.test.RedisFixture;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import reactor.core.publisher.Mono;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;
import static org.awaitility.Awaitility.await;

/**
 * The promises of broadcasts.
 */
abstract class BroadcasterContract {

	private static final String[] CHANNELS = { "news.retention", "1000", "news.max-attempts", "3",
			"news.backoff.initial", "20ms", "halt.retention", "1", "halt.sticky", "true", "short.retention", "2",
			"latest.retention", "2", "latest.on-gap", "latest", "flash.mode", "ephemeral" };

	private final List<BroadcastInstance> instances = new ArrayList<>();

	private RedisFixture redis;

	@BeforeEach
	void connect(RedisFixture redis) {
		this.redis = redis;
	}

	@AfterEach
	void close() {
		this.instances.forEach(BroadcastInstance::close);
	}

	private BroadcastInstance start(String... more) {
		BroadcastInstance instance = new BroadcastInstance(this.redis,
				Stream.of(CHANNELS, more).flatMap(Stream::of).toArray(String[]::new));
		this.instances.add(instance);
		return instance;
	}

	/**
	 * Returns a listener that has begun, so that it gets what is published from now on.
	 */
	private static <T extends Listener> T begun(BroadcastInstance instance, T listener) {
		int read = instance.scripts("read");
		instance.listen(listener);
		await().until(() -> instance.scripts("read") > read);
		return listener;
	}

	@Test
	void reachesEveryInstanceInOrder() {
		News one = begun(start(), new News());
		News two = begun(start(), new News());
		BroadcastInstance publisher = start();
		List<String> sent = new ArrayList<>();
		for (int i = 1; i <= 250; i++) {
			assertThat(publisher.broadcaster().publish("news", "message " + i)).isEqualTo(i);
			sent.add(i + " message " + i);
		}
		await().untilAsserted(() -> assertThat(one.seen).isEqualTo(sent));
		await().untilAsserted(() -> assertThat(two.seen).isEqualTo(sent));
		assertThat(publisher.scripts("publish")).isEqualTo(250);
		assertThat(publisher.events(Outcome.PUBLISHED)).isEqualTo(250);
	}

	@Test
	void skipsAMessageWhoseFailureCannotBeWritten() {
		BroadcastInstance instance = start();
		Listener listener = begun(instance, new Listener() {

			@RedisBroadcastListener(channel = "news")
			void listen(String message) {
				if ("bad".equals(message)) {
					throw new UnwritableException();
				}
				this.seen.add(message);
			}

		});
		instance.broadcaster().publish("news", "bad");
		instance.broadcaster().publish("news", "good");
		await().untilAsserted(() -> assertThat(listener.seen).containsExactly("good"));
	}

	@Test
	void beginsAtTheEnd() {
		BroadcastInstance instance = start();
		instance.broadcaster().publish("news", "old");
		News late = begun(instance, new News());
		instance.broadcaster().publish("news", "new");
		await().untilAsserted(() -> assertThat(late.seen).containsExactly("2 new"));
	}

	@Test
	void lateJoinersGetTheLastMessageOfAStickyChannel() {
		BroadcastInstance instance = start();
		Halt early = begun(instance, new Halt());
		instance.broadcaster().publish("halt", true);
		instance.broadcaster().publish("halt", false);
		instance.broadcaster().publish("halt", true);
		await().until(() -> early.halted);
		Halt late = begun(start(), new Halt());
		await().until(() -> late.halted);
		instance.broadcaster().publish("halt", false);
		await().until(() -> !early.halted && !late.halted);
	}

	@Test
	void stickyIsTheLastMessageThatIsKeptAndTheSettingOfTheInstanceThatStarts() {
		BroadcastInstance publisher = start();
		publisher.broadcaster().publish("news", "a");
		publisher.broadcaster().publish("halt", true);
		News sticky = begun(start("news.sticky", "true"), new News());
		await().untilAsserted(() -> assertThat(sticky.seen).containsExactly("1 a"));
		start("halt.sticky", "false").broadcaster().publish("halt", false);
		Halt late = new Halt();
		late.halted = true;
		begun(start(), late);
		await().until(() -> !late.halted);
		publisher.broadcaster().publish("halt", true);
		BroadcastInstance withdrawn = start("halt.sticky", "false");
		Halt fresh = begun(withdrawn, new Halt());
		publisher.broadcaster().publish("halt", false);
		await().until(() -> withdrawn.events(Outcome.OK) == 1);
		assertThat(fresh.halted).isFalse();
	}

	@Test
	void refusesMessagesThatAreTooLarge() {
		BroadcastInstance instance = start("news.max-payload-size", "1000B");
		assertThatIllegalArgumentException().isThrownBy(() -> instance.broadcaster().publish("news", "x".repeat(1000)))
			.withMessage("The payload for channel 'news' has 1002 bytes as JSON, more than 1000. Send a reference to"
					+ " what is stored elsewhere, or raise ge.redis.broadcast.channels.news.max-payload-size");
	}

	@Test
	void replaysWhatWasPublishedMeanwhile() {
		BroadcastInstance instance = start();
		News news = begun(instance, new News());
		instance.consumers().pause("news");
		BroadcastInstance publisher = start();
		for (int i = 1; i <= 5; i++) {
			publisher.broadcaster().publish("news", "m");
		}
		this.redis.endpoints().forEach((server) -> server.killClients("normal"));
		instance.consumers().resume("news");
		await().untilAsserted(() -> assertThat(news.seen).containsExactly("1 m", "2 m", "3 m", "4 m", "5 m"));
		assertThat(news.gaps).isEmpty();
	}

	@Test
	void tellsOfMessagesThatAreNotKeptAnyMore() {
		BroadcastInstance instance = start();
		Short listener = begun(instance, new Short());
		Latest latest = begun(instance, new Latest());
		List.of("short", "latest").forEach((channel) -> {
			instance.broadcaster().publish(channel, "first");
			await().until(() -> ("short".equals(channel) ? listener : latest).seen.size() == 1);
			instance.consumers().pause(channel);
			for (int i = 2; i <= 20; i++) {
				instance.broadcaster().publish(channel, "m");
			}
			instance.consumers().resume(channel);
		});
		await().untilAsserted(() -> assertThat(listener.seen).endsWith("19 m", "20 m"));
		await().untilAsserted(() -> assertThat(latest.seen).endsWith("20 m"));
		// A look that was under way when they were paused may have found some more
		long missed = missed(listener);
		long found = listener.seen.stream().filter((seen) -> !seen.startsWith("gap ")).count();
		assertThat(missed).isPositive().isEqualTo(20 - found);
		assertThat(listener.seen.get(listener.seen.size() - 3)).startsWith("gap ");
		assertThat(missed(latest)).isPositive();
		assertThat(latest.seen.get(latest.seen.size() - 2)).startsWith("gap ");
		assertThat(instance.events(Outcome.GAP)).isEqualTo(missed + missed(latest));
	}

	private static long missed(Listener listener) {
		return listener.seen.stream()
			.filter((seen) -> seen.startsWith("gap "))
			.mapToLong((seen) -> Long.parseLong(seen.substring(4)))
			.sum();
	}

	@Test
	void tellsThatRedisHasLostItsData() {
		BroadcastInstance instance = start();
		Short listener = begun(instance, new Short());
		instance.broadcaster().publish("short", "one");
		instance.broadcaster().publish("short", "two");
		await().until(() -> listener.seen.size() == 2);
		this.redis.flushAll();
		await().untilAsserted(() -> assertThat(listener.seen).containsExactly("1 one", "2 two", "gap -1"));
		instance.broadcaster().publish("short", "three");
		await().untilAsserted(() -> assertThat(listener.seen).containsExactly("1 one", "2 two", "gap -1", "1 three"));
	}

	@Test
	void callsAListenerAgainAndSkipsInTheEnd() {
		BroadcastInstance instance = start();
		News news = begun(instance, new News());
		instance.broadcaster().publish("news", "fails once");
		instance.broadcaster().publish("news", "fails");
		instance.broadcaster().publish("news", "m");
		await().until(() -> news.seen.contains("3 m"));
		assertThat(news.seen).containsExactly("1 fails once", "3 m");
		assertThat(news.attempts).containsExactly(1, 2, 1, 2, 3, 1);
		await().until(() -> instance.events(Outcome.OK) == 2);
		assertThat(instance.events(Outcome.SKIPPED)).isEqualTo(1);
		assertThat(instance.events(Outcome.RETRY)).isEqualTo(3);
	}

	@Test
	void sendsEphemeralMessagesToWhoIsConnected() {
		BroadcastInstance instance = start();
		Flash flash = new Flash();
		instance.listen(flash);
		await().until(() -> {
			instance.broadcaster().publish("flash", "m");
			return !flash.seen.isEmpty();
		});
		assertThat(flash.seen.get(0)).isEqualTo("0 m");
	}

	@Test
	void dropsEphemeralMessagesThatComeTooFast() {
		BroadcastInstance instance = start();
		Flash flash = new Flash();
		instance.listen(flash);
		await().until(() -> {
			instance.broadcaster().publish("flash", "wait");
			return !flash.attempts.isEmpty();
		});
		for (int i = 0; i < RedisBroadcastSource.MOST_WAITING + 10; i++) {
			instance.broadcaster().publish("flash", "m");
		}
		await().until(() -> instance.events(Outcome.DROPPED) >= 10);
		flash.freed.countDown();
		await().until(() -> flash.seen.size() >= RedisBroadcastSource.MOST_WAITING);
	}

	@Test
	void isSilentWhileNothingIsPublished() {
		BroadcastInstance instance = start();
		begun(instance, new News());
		await().pollDelay(Duration.ofMillis(300)).until(() -> true);
		int read = instance.scripts("read");
		await().pollDelay(Duration.ofSeconds(2)).until(() -> true);
		assertThat(instance.scripts("read") - read).isLessThan(30);
	}

	static class Listener {

		final List<String> seen = new CopyOnWriteArrayList<>();

		final List<Integer> attempts = new CopyOnWriteArrayList<>();

		final List<Long> gaps = new CopyOnWriteArrayList<>();

		final CountDownLatch freed = new CountDownLatch(1);

		void add(BroadcastMessage<String> message, int attempt) {
			this.attempts.add(attempt);
			boolean fails = message.payload().equals("fails")
					|| (message.payload().equals("fails once") && attempt == 1);
			if (fails) {
				throw new IllegalStateException("test");
			}
			this.seen.add(message.number() + " " + message.payload());
		}

		// Nothing happens before it is subscribed
		Mono<Void> missed(long messages) {
			return Mono.fromRunnable(() -> {
				this.gaps.add(messages);
				this.seen.add("gap " + messages);
			});
		}

	}

	static class News extends Listener {

		@RedisBroadcastListener(channel = "news", onGap = "missed")
		void listen(BroadcastMessage<String> message, @DeliveryAttempt int attempt) {
			add(message, attempt);
		}

	}

	static class Short extends Listener {

		@RedisBroadcastListener(channel = "short", onGap = "missed")
		void listen(BroadcastMessage<String> message) {
			add(message, 1);
		}

	}

	static class Latest extends Listener {

		@RedisBroadcastListener(channel = "latest", onGap = "missed")
		void listen(BroadcastMessage<String> message) {
			add(message, 1);
		}

	}

	static class Halt extends Listener {

		volatile boolean halted;

		@RedisBroadcastListener(channel = "halt")
		void halt(boolean halted) {
			this.halted = halted;
		}

	}

	static class Flash extends Listener {

		@RedisBroadcastListener(channel = "flash")
		void listen(BroadcastMessage<String> message) throws InterruptedException {
			this.attempts.add(1);
			if (message.payload().equals("wait")) {
				this.freed.await();
			}
			add(message, 1);
		}

	}

}
