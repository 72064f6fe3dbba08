// SPDX-License-Identifier: Apache-2.0

package io.ge.redis.stream;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.BiConsumer;
import java.util.stream.IntStream;

import io.ge.redis.Acknowledgment;
import io.ge.redis.DeliveryAttempt;
import io.ge.redis.NotRetryableException;
import io.ge.redis.core.invocation.NotConfiguredException;
import io.ge.redis.stream.StreamEvent.Kind;
import io.ge.redis.test.RedisFixture;
import io.ge.redis.test.Stopwatch;
import io.ge.redis.test.Wide;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

import org.springframework.beans.factory.DisposableBean;
import org.springframework.data.domain.Range;
import org.springframework.data.redis.connection.RedisConnectionFactory;
import org.springframework.data.redis.core.StringRedisTemplate;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;
import static org.awaitility.Awaitility.await;

/**
 * The promises of streams.
 */
abstract class StreamsContract {

	private static final String[] WORK = { "work.key", "work.done", "work.max-length", "1000",
			"work.groups.crew.concurrency", "4", "work.groups.crew.min-idle", "500ms",
			"work.groups.crew.max-deliveries", "3", "work.groups.crew.backoff.initial", "20ms",
			"work.groups.crew.backoff.max", "100ms" };

	private final List<StreamInstance> instances = new ArrayList<>();

	private RedisFixture redis;

	private RedisConnectionFactory factory;

	private StringRedisTemplate template;

	@BeforeEach
	void connect(RedisFixture redis) {
		this.redis = redis;
		this.factory = redis.connectionFactory();
		this.template = new StringRedisTemplate(this.factory);
	}

	@AfterEach
	void close() throws Exception {
		this.instances.forEach(StreamInstance::close);
		((DisposableBean) this.factory).destroy();
	}

	private StreamInstance start(String... more) {
		List<String> all = new ArrayList<>(List.of(WORK));
		all.addAll(List.of(more));
		StreamInstance instance = new StreamInstance(this.redis, all.toArray(String[]::new));
		this.instances.add(instance);
		return instance;
	}

	private long pending() {
		return this.template.opsForStream().pending("work.done", "crew").getTotalPendingMessages();
	}

	@Test
	void deliversWhatWasPublished() {
		Envelopes seen = new Envelopes();
		StreamInstance instance = start().listen(seen);
		Published published = instance.publisher()
			.publish("work",
					StreamMessage.of(new Job("wash", 3))
						.workItem("w1")
						.context(Map.of("project", "p1"))
						.triggeredBy("alice", "because"));
		await().until(() -> seen.envelopes.size() == 1);
		StreamEnvelope<Job> envelope = seen.envelopes.get(0);
		assertThat(envelope.payload()).isEqualTo(new Job("wash", 3));
		assertThat(envelope.messageId()).isEqualTo(published.messageId());
		assertThat(envelope.triggerId()).isEqualTo(published.triggerId());
		assertThat(envelope.workItem()).isEqualTo("w1");
		assertThat(envelope.context()).containsEntry("project", "p1");
		assertThat(envelope.triggeredBy()).isEqualTo("alice");
		assertThat(envelope.attempt()).isEqualTo(1);
		assertThat(seen.headers.get(0)).containsEntry("reason", "because");
		await().until(() -> pending() == 0);
	}

	@Test
	void deliversWhatWasPublishedBeforeAnybodyListened() {
		StreamInstance instance = start();
		instance.publisher().publish("work", StreamMessage.of(new Job("early", 1)));
		Envelopes seen = new Envelopes();
		instance.listen(seen);
		await().until(() -> seen.envelopes.size() == 1);
	}

	@Test
	void publishesOnceWithinTheWindow() {
		StreamInstance instance = start("work.dedup-window", "5m", "work.dedup-key", "{context.project}:{workItem}");
		StreamMessage message = StreamMessage.of(new Job("a", 1)).workItem("w1").context(Map.of("project", "p1"));
		Published first = instance.publisher().publish("work", message);
		Published second = instance.publisher().publish("work", message);
		assertThat(second).isEqualTo(new Published(Published.Outcome.DUPLICATE, first.messageId(), first.triggerId()));
		assertThat(instance.publisher().publish("work", message.context(Map.of("project", "p2"))).isDuplicate())
			.isFalse();
		assertThat(this.template.opsForStream().size("work.done")).isEqualTo(2);
	}

	@Test
	void refusesKeysThatWouldHaveNoEffect() {
		StreamInstance instance = start();
		assertThatExceptionOfType(IllegalArgumentException.class)
			.isThrownBy(() -> instance.publisher().publish("work", StreamMessage.of(null).dedupKey("a")))
			.withMessageContaining("ge.redis.stream.definitions.work.dedup-window");
		assertThatExceptionOfType(IllegalArgumentException.class)
			.isThrownBy(() -> instance.publisher().publish("work", StreamMessage.of(null).orderKey("a")))
			.withMessageContaining("ge.redis.stream.definitions.work.partitions");
	}

	@Test
	void sendsAReplayedMessageToTheGroupThatGaveItUp() {
		StreamInstance instance = start("work.groups.audit.concurrency", "1");
		AtomicInteger calls = new AtomicInteger();
		List<String> audited = new CopyOnWriteArrayList<>();
		instance.listen(new Object() {

			@RedisStreamListener(stream = "work", group = "crew")
			void handle(Job job) {
				if (calls.incrementAndGet() == 1) {
					throw new NotRetryableException("not yet", null);
				}
			}

			@RedisStreamListener(stream = "work", group = "audit")
			void audit(Job job) {
				audited.add(job.name());
			}

		});
		instance.publisher().publish("work", StreamMessage.of(new Job("w", 1)));
		await().until(() -> instance.deadLetters().list("work", 10).size() == 1 && audited.size() == 1);
		assertThat(instance.deadLetters().replay("work", instance.deadLetters().list("work", 10).get(0).id())).isTrue();
		await().until(() -> calls.get() == 2);
		instance.publisher().publish("work", StreamMessage.of(new Job("next", 1)));
		await().until(() -> audited.contains("next"));
		assertThat(audited).containsExactly("w", "next");
	}

	@Test
	void looksAtStreams() {
		StreamInstance instance = start("work.max-length", "2");
		instance.publisher().publish("work", StreamMessage.of(new Job("w", 1)));
		assertThat(instance.pattern().views().viewAsync("work")).succeedsWithin(Duration.ofSeconds(5))
			.satisfies((view) -> {
				assertThat(view.length()).isEqualTo(1);
				assertThat(view.lengthLimit()).isEqualTo(2);
				assertThat(view.full()).isZero();
				assertThat(view.groups().get(0).lag()).isEqualTo(1);
				assertThat(view.groups().get(0).oldestUnread()).isNotNull();
			});
		instance.publisher().publish("work", StreamMessage.of(new Job("w", 2)));
		assertThat(instance.pattern().views().viewAsync("work").join().full()).isEqualTo(1);
		instance.listen(new Envelopes());
		await().untilAsserted(() -> {
			StreamView view = instance.pattern().views().viewAsync("work").join();
			assertThat(view.full()).isZero();
			assertThat(view.length()).isEqualTo(2);
			assertThat(view.groups().get(0).pending()).isZero();
			assertThat(view.groups().get(0).consumers()).isEqualTo(1);
			assertThat(view.groups().get(0).oldestUnread()).isNull();
		});
	}

	@Test
	void publishesARepetitionOfTheSameTriggerOnce() {
		StreamInstance instance = start("work.dedup-window", "5m");
		StreamMessage message = StreamMessage.of(new Job("a", 1)).triggerId("t1");
		Published first = instance.publisher().publish("work", message);
		assertThat(instance.publisher().publish("work", message)).isEqualTo(first);
		assertThat(this.template.opsForStream().size("work.done")).isEqualTo(1);
	}

	@Test
	void rejectsWhatWouldPushOutWorkUntilItIsDone() {
		StreamInstance instance = start("work.max-length", "3");
		Gate gate = new Gate();
		for (int i = 0; i < 3; i++) {
			instance.publisher().publish("work", StreamMessage.of(new Job("w" + i, i)));
		}
		assertThatExceptionOfType(StreamFullException.class)
			.isThrownBy(() -> instance.publisher().publish("work", StreamMessage.of(new Job("w3", 3))))
			.satisfies((ex) -> assertThat(ex.retryAfter()).isGreaterThanOrEqualTo(Duration.ofSeconds(1)));
		instance.listen(gate);
		gate.open.countDown();
		await().untilAsserted(() -> assertThat(instance.publisher()
			.publishAll("work", Map.of(), List.of(StreamMessage.of(new Job("w3", 3))))
			.get(0)
			.outcome()).isEqualTo(Published.Outcome.PUBLISHED));
		await().until(() -> gate.done.size() == 4);
		assertThat(this.template.opsForStream().size("work.done")).isEqualTo(3);
	}

	@Test
	void waitsForRoom() {
		StreamInstance instance = start("work.max-length", "1", "work.overflow", "block", "work.block-timeout", "10s");
		Envelopes seen = new Envelopes();
		instance.publisher().publish("work", StreamMessage.of(new Job("w1", 1)));
		CompletableFuture<Published> second = instance.publisher()
			.publishAsync("work", Map.of(), StreamMessage.of(new Job("w2", 2)));
		assertThat(second).isNotDone();
		instance.listen(seen);
		assertThat(second).succeedsWithin(Duration.ofSeconds(10));
		await().until(() -> seen.envelopes.size() == 2);
	}

	@Test
	void countsWhatItDrops() {
		StreamInstance instance = start("work.max-length", "3", "work.overflow", "drop-oldest");
		for (int i = 0; i < 8; i++) {
			instance.publisher().publish("work", StreamMessage.of(new Job("w" + i, i)));
		}
		assertThat(instance.events(Kind.UNREAD)).isEqualTo(5);
		Envelopes seen = new Envelopes();
		instance.listen(seen);
		await().untilAsserted(() -> assertThat(seen.envelopes).extracting((envelope) -> envelope.payload().name())
			.containsExactlyInAnyOrder("w5", "w6", "w7"));
	}

	@Test
	@Wide
	void countsWhatItDropsWhileADeadInstanceHasIt() {
		String[] dropping = { "work.max-length", "4", "work.overflow", "drop-oldest" };
		StreamInstance dead = start(dropping);
		Gate gate = new Gate();
		dead.listen(gate);
		for (int i = 0; i < 4; i++) {
			dead.publisher().publish("work", StreamMessage.of(new Job("w" + i, i)));
		}
		await().until(() -> gate.begun.size() == 4);
		dead.crash();
		StreamInstance other = start(dropping);
		for (int i = 4; i < 12; i++) {
			other.publisher().publish("work", StreamMessage.of(new Job("w" + i, i)));
		}
		Envelopes seen = new Envelopes();
		other.listen(seen);
		await().until(() -> other.events(Kind.PENDING) == 4 && seen.envelopes.size() == 4);
		assertThat(other.events(Kind.UNREAD)).isEqualTo(4);
		await().until(() -> pending() == 0);
	}

	@Test
	void endsChainsThatAreTooDeep() {
		StreamInstance instance = start("work.max-chain-depth", "2");
		List<Integer> depths = new CopyOnWriteArrayList<>();
		List<Throwable> refused = new CopyOnWriteArrayList<>();
		instance.listen(new Handler((envelope, attempt) -> {
			depths.add(envelope.depth());
			try {
				instance.publisher().publish("work", StreamMessage.of(envelope.payload()));
			}
			catch (ChainDepthException ex) {
				refused.add(ex);
			}
		}));
		instance.publisher().publish("work", StreamMessage.of(new Job("loop", 0)));
		await().until(() -> refused.size() == 1);
		assertThat(depths).containsExactly(0, 1, 2);
	}

	@Test
	void keepsLargePayloadsApart() {
		StreamInstance instance = start("work.claim-check.threshold", "100B");
		String large = "x".repeat(1000);
		instance.publisher().publish("work", StreamMessage.of(new Job(large, 1)));
		Map<Object, Object> fields = this.template.<Object, Object>opsForStream()
			.range("work.done", Range.unbounded())
			.get(0)
			.getValue();
		assertThat(fields).doesNotContainKey("payload").containsKey("body");
		String body = "ge:stream:{work.done}:b:" + fields.get("body");
		assertThat(this.template.getExpire(body)).isPositive();
		Envelopes seen = new Envelopes();
		instance.listen(seen);
		await().until(() -> seen.envelopes.size() == 1);
		assertThat(seen.envelopes.get(0).payload().name()).isEqualTo(large);
		await().until(() -> !this.template.hasKey(body));
		assertThat(instance.events(Kind.SPILLED)).isGreaterThan(1000);
	}

	@Test
	void refusesLargePayloadsThatAreNotKeptApart() {
		StreamMessage large = StreamMessage.of(new Job("x".repeat(1000), 1));
		StreamInstance instance = start("work.max-payload-size", "1000B");
		assertThatIllegalArgumentException().isThrownBy(() -> instance.publisher().publish("work", large))
			.withMessage(
					"The payload for stream 'work' has 1022 bytes as JSON, more than 1000. Send a reference to what"
							+ " is stored elsewhere, set ge.redis.stream.definitions.work.claim-check.threshold, or raise"
							+ " ge.redis.stream.definitions.work.max-payload-size");
		assertThatIllegalArgumentException().isThrownBy(() -> instance.publisher()
			.publish("work", StreamMessage.of(new Job("x", 1)).triggeredBy("reader", "y".repeat(1000))));
		start("work.max-payload-size", "1000B", "work.claim-check.threshold", "100B").publisher()
			.publish("work", large);
		assertThat(this.template.opsForStream().size("work.done")).isEqualTo(1);
	}

	@Test
	void givesUpAMessageWhoseBodyHasExpired() {
		StreamInstance instance = start("work.claim-check.threshold", "100B", "work.claim-check.ttl", "1ms");
		instance.publisher().publish("work", StreamMessage.of(new Job("x".repeat(1000), 1)));
		instance.listen(new Envelopes());
		await().until(() -> instance.deadLetters().list("work", 10).size() == 1);
		assertThat(instance.deadLetters().list("work", 10).get(0).reason()).isEqualTo("body-expired");
	}

	@Test
	void repeatsWhatHasFailedAndGivesItUpAfterTheLastAttempt() {
		StreamInstance instance = start();
		List<Integer> attempts = new CopyOnWriteArrayList<>();
		instance.listen(new Handler((envelope, attempt) -> {
			attempts.add(attempt);
			throw new IllegalStateException("no water");
		}));
		Published published = instance.publisher().publish("work", StreamMessage.of(new Job("wash", 1)).workItem("w1"));
		await().until(() -> instance.deadLetters().list("work", 10).size() == 1);
		assertThat(attempts).containsExactly(1, 2, 3);
		DeadLetter letter = instance.deadLetters().list("work", 10).get(0);
		assertThat(letter.messageId()).isEqualTo(published.messageId());
		assertThat(letter.deliveries()).isEqualTo(3);
		assertThat(letter.reason()).isEqualTo("attempts");
		assertThat(letter.exception()).isEqualTo(IllegalStateException.class.getName());
		assertThat(letter.failure()).isEqualTo("no water");
		assertThat(letter.workItem()).isEqualTo("w1");
		assertThat(letter.group()).isEqualTo("crew");
		assertThat(letter.fields()).containsEntry("kafka_dlt-original-topic", "work.done");
		assertThat(pending()).isZero();
		await().until(() -> instance.events(Kind.ATTEMPTS) == 1);
		assertThat(instance.events(Kind.REDELIVERED)).isEqualTo(2);
	}

	@Test
	void replaysADeadLetterOnce() {
		StreamInstance instance = start();
		AtomicInteger calls = new AtomicInteger();
		List<StreamEnvelope<Job>> seen = new CopyOnWriteArrayList<>();
		instance.listen(new Handler((envelope, attempt) -> {
			if (calls.incrementAndGet() == 1) {
				throw new NotRetryableException("not yet", null);
			}
			seen.add(envelope);
		}));
		Published published = instance.publisher().publish("work", StreamMessage.of(new Job("wash", 1)).workItem("w1"));
		await().until(() -> instance.deadLetters().list("work", 10).size() == 1);
		DeadLetter letter = instance.deadLetters().list("work", 10).get(0);
		assertThat(letter.reason()).isEqualTo("rejected");
		assertThat(instance.deadLetters().replay("work", letter.id())).isTrue();
		assertThat(instance.deadLetters().replay("work", letter.id())).isFalse();
		await().until(() -> seen.size() == 1);
		assertThat(seen.get(0).workItem()).isEqualTo("w1");
		assertThat(seen.get(0).triggerId()).isEqualTo(published.triggerId());
		assertThat(seen.get(0).time().toEpochMilli())
			.isEqualTo(Long.parseLong(published.messageId().substring(0, published.messageId().indexOf('-'))));
		assertThat(instance.deadLetters().list("work", 10)).isEmpty();
	}

	@Test
	void givesUpWhatCannotBeRead() {
		StreamInstance instance = start();
		Envelopes seen = new Envelopes();
		instance.listen(seen);
		this.template.opsForStream().add("work.done", new TreeMap<>(Map.of("ge_v", "7", "payload", "{}")));
		this.template.opsForStream().add("work.done", new TreeMap<>(Map.of("ge_v", "1", "payload", "{broken")));
		this.template.opsForStream().add("work.done", Map.of("name", "foreign", "number", "5"));
		await().until(() -> instance.deadLetters().list("work", 10).size() == 2);
		assertThat(instance.deadLetters().list("work", 10)).allMatch((letter) -> letter.reason().equals("unreadable"))
			.anyMatch((letter) -> String.valueOf(letter.failure()).contains("version '7'"))
			.anyMatch((letter) -> String.valueOf(letter.failure()).contains("no JSON"));
		await().untilAsserted(() -> assertThat(seen.envelopes).extracting(StreamEnvelope::payload)
			.containsExactly(new Job("foreign", 5)));
	}

	@Test
	void anotherInstanceTakesOverWhatADeadOneHad() throws Exception {
		StreamInstance dead = start();
		Gate gate = new Gate();
		dead.listen(gate);
		dead.publisher().publish("work", StreamMessage.of(new Job("w1", 1)));
		await().until(() -> gate.begun.size() == 1);
		dead.crash();
		Envelopes seen = new Envelopes();
		StreamInstance other = start().listen(seen);
		await().until(() -> seen.envelopes.size() == 1);
		assertThat(seen.envelopes.get(0).attempt()).isEqualTo(2);
		await().until(() -> pending() == 0);
		assertThat(other.events(Kind.DONE)).isEqualTo(1);
	}

	@Test
	void keepsWhatAHandlerWorksOnForLong() {
		StreamInstance instance = start();
		StreamInstance other = start();
		Gate gate = new Gate();
		Gate second = new Gate();
		instance.listen(gate);
		other.listen(second);
		instance.publisher().publish("work", StreamMessage.of(new Job("w1", 1)));
		await().until(() -> gate.begun.size() + second.begun.size() == 1);
		// Three leases
		await().pollDelay(Duration.ofMillis(1500)).until(() -> true);
		assertThat(gate.begun.size() + second.begun.size()).isEqualTo(1);
		gate.open.countDown();
		second.open.countDown();
		await().until(() -> pending() == 0);
	}

	@Test
	void handsBackAtOnceWhatHasNotBegun() {
		String[] patient = { "work.groups.crew.min-idle", "1h" };
		StreamInstance instance = start(patient);
		instance.useOneThread();
		Gate gate = new Gate();
		instance.listen(gate);
		for (int i = 0; i < 4; i++) {
			instance.publisher().publish("work", StreamMessage.of(new Job("w" + i, i)));
		}
		await().until(() -> gate.begun.size() == 1 && pending() == 4);
		Envelopes seen = new Envelopes();
		start(patient).listen(seen);
		CompletableFuture<Void> stopped = new CompletableFuture<>();
		instance.consumers().stop(() -> stopped.complete(null));
		await().until(() -> seen.envelopes.size() == 3);
		assertThat(seen.envelopes).allMatch((envelope) -> envelope.attempt() == 1);
		gate.open.countDown();
		assertThat(stopped).succeedsWithin(Duration.ofSeconds(10));
		await().until(() -> pending() == 0);
		assertThat(gate.done).hasSize(1);
	}

	@Test
	void acknowledgesByHand() {
		StreamInstance instance = start();
		List<Integer> attempts = new CopyOnWriteArrayList<>();
		instance.listen(new Object() {

			@RedisStreamListener(stream = "work", manual = true)
			void handle(Job job, @DeliveryAttempt int attempt, Acknowledgment acknowledgment) {
				attempts.add(attempt);
				if (attempt == 1) {
					acknowledgment.retry();
				}
				else if (attempt == 2) {
					return;
				}
				acknowledgment.acknowledge();
			}

		});
		instance.publisher().publish("work", StreamMessage.of(new Job("w", 1)));
		await().until(() -> attempts.size() == 3);
		await().until(() -> pending() == 0);
		assertThat(attempts).containsExactly(1, 2, 3);
	}

	@Test
	void deliversBatches() {
		StreamInstance instance = start("work.groups.crew.batch-size", "10", "work.groups.crew.concurrency", "1");
		instance.publisher()
			.publishAll("work", Map.of(),
					IntStream.range(0, 25).mapToObj((i) -> StreamMessage.of(new Job("w" + i, i))).toList());
		List<Integer> sizes = new CopyOnWriteArrayList<>();
		List<Integer> numbers = new CopyOnWriteArrayList<>();
		instance.listen(new Object() {

			@RedisStreamListener(stream = "work", batch = true)
			void handle(List<Job> jobs) {
				sizes.add(jobs.size());
				jobs.forEach((job) -> numbers.add(job.number()));
			}

		});
		await().until(() -> numbers.size() == 25);
		assertThat(numbers).containsExactlyElementsOf(IntStream.range(0, 25).boxed().toList());
		assertThat(sizes).containsExactly(10, 10, 5);
	}

	@Test
	void keepsTheOrderOfAKeyAlsoWhenOneFails() {
		String[] ordered = { "work.partitions", "3" };
		StreamInstance instance = start(ordered);
		Map<String, List<Integer>> seen = new ConcurrentHashMap<>();
		BiConsumer<StreamEnvelope<Job>, Integer> handler = (envelope, attempt) -> {
			Job job = envelope.payload();
			if (job.number() % 5 == 0 && attempt == 1) {
				throw new IllegalStateException("again");
			}
			seen.computeIfAbsent(job.name(), (key) -> new CopyOnWriteArrayList<>()).add(job.number());
		};
		instance.listen(new Handler(handler));
		start(ordered).listen(new Handler(handler));
		List<StreamMessage> messages = new ArrayList<>();
		for (int i = 0; i < 15; i++) {
			for (String key : List.of("a", "b", "c", "d")) {
				messages.add(StreamMessage.of(new Job(key, i)).orderKey(key));
			}
		}
		instance.publisher().publishAll("work", Map.of(), messages);
		await().atMost(Duration.ofSeconds(30)).untilAsserted(() -> {
			assertThat(seen).hasSize(4);
			assertThat(seen.values()).allSatisfy((numbers) -> assertThat(numbers).hasSize(15));
		});
		assertThat(seen.values()).allSatisfy((numbers) -> assertThat(numbers).isSorted());
	}

	@Test
	void servesAFamily() {
		String[] family = { "triggers.key", "triggers.{team}.{agent}", "triggers.variables.team", "core,web",
				"triggers.variables.agent", "planner,coder", "triggers.max-length", "100",
				"triggers.groups.executor.concurrency", "2" };
		StreamInstance instance = start(family);
		List<String> keys = new CopyOnWriteArrayList<>();
		instance.listen(new Object() {

			@RedisStreamListener(stream = "triggers", group = "executor")
			void handle(StreamEnvelope<Job> trigger) {
				keys.add(trigger.key());
			}

		});
		for (String team : List.of("core", "web")) {
			for (String agent : List.of("planner", "coder")) {
				instance.publisher()
					.publish("triggers", Map.of("team", team, "agent", agent), StreamMessage.of(new Job("x", 1)));
			}
		}
		await().untilAsserted(() -> assertThat(keys).containsExactlyInAnyOrder("triggers.core.planner",
				"triggers.core.coder", "triggers.web.planner", "triggers.web.coder"));
		assertThatExceptionOfType(NotConfiguredException.class)
			.isThrownBy(() -> instance.publisher()
				.publish("triggers", Map.of("team", "core", "agent", "nobody"), StreamMessage.of(null)))
			.withMessageContaining("ge.redis.stream.definitions.triggers.variables");
		assertThatExceptionOfType(NotConfiguredException.class)
			.isThrownBy(() -> instance.publisher().publish("nothing", StreamMessage.of(null)))
			.withMessageContaining("ge.redis.stream.definitions.nothing.key");
	}

	@Test
	void tellsAListenerOfDeadLetters() {
		StreamInstance instance = start();
		List<DeadLetter> letters = new CopyOnWriteArrayList<>();
		instance.listen(new Handler((envelope, attempt) -> {
			throw new NotRetryableException("never", null);
		}));
		instance.listen(new Object() {

			@RedisStreamListener(stream = "work", group = "alarm", deadLetters = true)
			void handle(DeadLetter letter) {
				letters.add(letter);
			}

		});
		instance.publisher().publish("work", StreamMessage.of(new Job("w", 1)).workItem("w1"));
		await().until(() -> letters.size() == 1);
		assertThat(letters.get(0).workItem()).isEqualTo("w1");
		assertThat(instance.deadLetters().list("work", 10)).hasSize(1);
	}

	@Test
	void makesALostGroupAgain() {
		StreamInstance instance = start();
		Envelopes seen = new Envelopes();
		instance.listen(seen);
		instance.publisher().publish("work", StreamMessage.of(new Job("w1", 1)));
		await().until(() -> seen.envelopes.size() == 1 && pending() == 0);
		this.template.delete("work.done");
		instance.publisher().publish("work", StreamMessage.of(new Job("w2", 2)));
		await().until(() -> seen.envelopes.size() == 2);
		assertThat(instance.events(Kind.GROUP_RECREATED)).isEqualTo(1);
	}

	@Test
	void stopsFastAndLeaves() {
		StreamInstance instance = start();
		instance.listen(new Envelopes());
		instance.publisher().publish("work", StreamMessage.of(new Job("w1", 1)));
		await().until(() -> instance.events(Kind.DONE) == 1);
		Stopwatch watch = Stopwatch.start();
		instance.close();
		assertThat(watch.elapsed()).isLessThan(Duration.ofSeconds(1));
		assertThat(
				this.template.opsForStream().consumers("work.done", "crew").stream().map((each) -> each.consumerName()))
			.doesNotContain("~retry")
			.isEmpty();
	}

	@Test
	void asksRedisAsSeldomAsPromised() {
		StreamInstance instance = start("work.max-length", "100000", "work.groups.crew.batch-size", "100",
				"work.groups.crew.min-idle", "1h");
		List<StreamMessage> messages = IntStream.range(0, 200)
			.mapToObj((i) -> StreamMessage.of(new Job("w", i)))
			.toList();
		for (int i = 0; i < 10; i++) {
			instance.publisher().publishAll("work", Map.of(), messages);
		}
		assertThat(instance.scripts("publish")).isEqualTo(10);
		AtomicInteger handled = new AtomicInteger();
		instance.listen(new Object() {

			@RedisStreamListener(stream = "work", batch = true)
			void handle(List<Job> jobs) {
				handled.addAndGet(jobs.size());
			}

		});
		await().until(() -> instance.events(Kind.DONE) == 2000);
		assertThat(handled).hasValue(2000);
		assertThat(instance.scripts("take") + instance.scripts("read")).isLessThanOrEqualTo(22);
		// One of them may be a heartbeat
		assertThat(instance.scripts("settle") + instance.scripts("acknowledge")).isLessThanOrEqualTo(21);
	}

	record Job(String name, int number) {
	}

	static class Envelopes {

		private final List<StreamEnvelope<Job>> envelopes = new CopyOnWriteArrayList<>();

		private final List<Map<String, String>> headers = new CopyOnWriteArrayList<>();

		@RedisStreamListener(stream = "work")
		void handle(StreamEnvelope<Job> envelope, Map<String, String> headers) {
			this.headers.add(headers);
			this.envelopes.add(envelope);
		}

	}

	static class Handler {

		private final BiConsumer<StreamEnvelope<Job>, Integer> handler;

		Handler(BiConsumer<StreamEnvelope<Job>, Integer> handler) {
			this.handler = handler;
		}

		@RedisStreamListener(stream = "work", group = "crew")
		void handle(StreamEnvelope<Job> envelope, @DeliveryAttempt int attempt) {
			this.handler.accept(envelope, attempt);
		}

	}

	static class Gate {

		private final CountDownLatch open = new CountDownLatch(1);

		private final List<String> begun = new CopyOnWriteArrayList<>();

		private final List<String> done = new CopyOnWriteArrayList<>();

		@RedisStreamListener(stream = "work")
		void handle(Job job) throws InterruptedException {
			this.begun.add(job.name());
			this.open.await();
			this.done.add(job.name());
		}

	}

}
