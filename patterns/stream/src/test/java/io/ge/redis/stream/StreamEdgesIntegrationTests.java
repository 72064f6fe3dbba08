// SPDX-License-Identifier: Apache-2.0

package io.ge.redis.stream;

import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.IntStream;
import java.util.stream.Stream;

import io.ge.redis.DeliveryAttempt;
import io.ge.redis.GuardConfigurationException;
import io.ge.redis.NotRetryableException;
import io.ge.redis.core.consume.ConsumerReport;
import io.ge.redis.core.consume.UnwritableException;
import io.ge.redis.stream.StreamEvent.Kind;
import io.ge.redis.test.ClusterRedis;
import io.ge.redis.test.RedisNode;
import io.ge.redis.test.RedisServers;
import io.ge.redis.test.StandaloneRedis;
import io.ge.redis.test.TcpProxy;
import io.ge.redis.test.Wide;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;
import org.springframework.data.redis.connection.lettuce.LettuceConnectionFactory;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.awaitility.Awaitility.await;

/**
 * Streams where replies come too late, and where there are many of them.
 */
class StreamEdgesIntegrationTests {

	private static final String[] WORK = { "work.key", "work.done", "work.max-length", "1000",
			"work.groups.crew.concurrency", "4", "work.groups.crew.min-idle", "500ms",
			"work.groups.crew.max-deliveries", "1" };

	@Test
	void repliesThatComeTooLateMakeNoDeadLetters() {
		try (StandaloneRedis redis = RedisServers.standalone();
				TcpProxy network = new TcpProxy(redis.primary());
				StreamInstance publisher = new StreamInstance(redis, WORK);
				StreamInstance slow = new StreamInstance(through(network), Duration.ofMillis(200), WORK)) {
			List<Integer> attempts = new CopyOnWriteArrayList<>();
			slow.listen(new Object() {

				@RedisStreamListener(stream = "work")
				void handle(String payload, @DeliveryAttempt int attempt) {
					attempts.add(attempt);
				}

			});
			publisher.publisher().publish("work", StreamMessage.of("first"));
			await().until(() -> attempts.size() == 1);
			network.latency(Duration.ofMillis(300));
			publisher.publisher()
				.publishAll("work", Map.of(),
						IntStream.range(0, 20).mapToObj((i) -> StreamMessage.of("m" + i)).toList());
			// Four leases
			await().pollDelay(Duration.ofSeconds(2)).until(() -> true);
			network.latency(Duration.ZERO);
			await().atMost(Duration.ofSeconds(30)).until(() -> attempts.size() >= 21);
			assertThat(attempts).containsOnly(1).hasSize(21);
			assertThat(publisher.deadLetters().list("work", 10)).isEmpty();
		}
	}

	@Test
	void largeMessagesAreHandledAndHoldUpNoOtherCall() {
		String[] large = { "large.key", "large", "large.max-length", "100", "large.groups.crew.concurrency", "64" };
		try (StandaloneRedis redis = RedisServers.standalone();
				TcpProxy network = new TcpProxy(redis.primary());
				StreamInstance publisher = new StreamInstance(redis, large);
				StreamInstance slow = new StreamInstance(through(network), Duration.ofSeconds(2), large)) {
			publisher.publisher()
				.publishAll("large", Map.of(),
						IntStream.range(0, 64).mapToObj((i) -> StreamMessage.of("x".repeat(1_000_000))).toList());
			// All together would take longer than a command may
			network.bandwidth(TcpProxy.Direction.REPLIES, 25_000_000);
			AtomicInteger handled = new AtomicInteger();
			slow.listen(new Object() {

				@RedisStreamListener(stream = "large")
				void handle(String payload) {
					handled.incrementAndGet();
				}

			});
			// A call of guards, on the same server
			await().pollInterval(Duration.ofMillis(20)).atMost(Duration.ofSeconds(30)).until(() -> {
				assertThat(slow.deadLetters().list("large", 1)).isEmpty();
				return handled.get() >= 64;
			});
			assertThat(handled).hasValue(64);
		}
	}

	@Test
	void newMessagesOfOneStreamNeedNoScript() {
		try (StandaloneRedis redis = RedisServers.standalone();
				StreamInstance instance = new StreamInstance(redis, WORK)) {
			List<Integer> attempts = new CopyOnWriteArrayList<>();
			instance.listen(new Object() {

				@RedisStreamListener(stream = "work")
				void handle(String payload, @DeliveryAttempt int attempt) {
					attempts.add(attempt);
				}

			});
			for (int i = 1; i <= 10; i++) {
				instance.publisher().publish("work", StreamMessage.of("m" + i));
				int handled = i;
				await().until(() -> attempts.size() == handled && instance.events(Kind.DONE) == handled);
			}
			assertThat(instance.scripts("read")).isGreaterThanOrEqualTo(8);
			assertThat(instance.scripts("acknowledge")).isGreaterThanOrEqualTo(8);
			// The group is lost, with what nobody has read
			redis.flushAll();
			instance.publisher().publish("work", StreamMessage.of("after the flush"));
			await().until(() -> attempts.size() == 11 && instance.events(Kind.GROUP_RECREATED) == 1);
			redis.primary().command("XGROUP", "DESTROY", "work.done", "crew");
			instance.publisher().publish("work", StreamMessage.of("after the group"));
			await().until(() -> attempts.size() >= 13 && instance.events(Kind.GROUP_RECREATED) == 2);
			// What was written by an instance that keeps payloads apart is read with
			// these
			redis.primary().command("SET", "ge:stream:{work.done}:b:1", "\"apart\"");
			redis.primary().command("XADD", "work.done", "*", "ge_v", "1", "trigger", "t", "body", "1");
			await().until(() -> attempts.size() >= 14);
			assertThat(attempts).containsOnly(1);
			assertThat(redis.primary().command("XLEN", "ge:stream:{work.done}:dead")).isEqualTo(0L);
		}
	}

	@Test
	void partitionsAreNotLeftOutBeforeTheyAreFinished() {
		Map<String, Map<String, List<String>>> refused = Map.of("5",
				Map.of("3", List.of("'work.key.", "Set it to 5 until they are handled, or delete that stream."), "",
						List.of("'work.key.", "Set it to 5 until they are handled"), "5", List.of()),
				"",
				Map.of("2",
						List.of("'work.key' is none of them any more, and has 0 pending and 40 unread messages of group"
								+ " 'crew'.", "Leave it out until they are handled"),
						"", List.of()));
		refused.forEach((before, table) -> {
			try (StandaloneRedis redis = RedisServers.standalone();
					StreamInstance first = new StreamInstance(redis, partitions(before))) {
				first.resume();
				for (int i = 0; i < 40; i++) {
					StreamMessage message = StreamMessage.of("m");
					first.publisher().publish("work", before.isEmpty() ? message : message.orderKey("k" + i));
				}
				table.forEach((after, texts) -> {
					try (StreamInstance next = new StreamInstance(redis, partitions(after))) {
						if (texts.isEmpty()) {
							next.resume();
						}
						else {
							assertThatExceptionOfType(GuardConfigurationException.class).isThrownBy(next::resume)
								.withMessageContaining("ge.redis.stream.definitions.work.partitions")
								.withMessageContainingAll(texts.toArray(CharSequence[]::new));
						}
					}
				});
				first.listen(new Object() {

					@RedisStreamListener(stream = "work")
					void handle(String payload) {
					}

				});
				await().until(() -> first.events(Kind.DONE) == 40);
				table.keySet().forEach((after) -> {
					try (StreamInstance next = new StreamInstance(redis, partitions(after))) {
						next.resume();
					}
				});
			}
		});
	}

	private static String[] partitions(String number) {
		List<String> properties = new ArrayList<>(
				List.of("work.key", "work.key", "work.max-length", "1000", "work.groups.crew.concurrency", "4"));
		if (!number.isEmpty()) {
			properties.addAll(List.of("work.partitions", number));
		}
		return properties.toArray(String[]::new);
	}

	@Test
	void newGroupBeginsWhereItIsToldAndALostOneAtTheBeginning() {
		String[] properties = Stream
			.concat(Stream.of(WORK),
					Stream.of("work.groups.early.start", "earliest", "work.groups.none.start", "latest"))
			.toArray(String[]::new);
		Map<String, List<String>> handled = new ConcurrentHashMap<>();
		try (StandaloneRedis redis = RedisServers.standalone();
				StreamInstance instance = new StreamInstance(redis, properties)) {
			instance.publisher().publish("work", StreamMessage.of("old"));
			instance.listen(new Object() {

				@RedisStreamListener(stream = "work", group = "crew", start = RedisStreamListener.Start.LATEST)
				void crew(String payload) {
					handled.computeIfAbsent("crew", (group) -> new CopyOnWriteArrayList<>()).add(payload);
				}

				@RedisStreamListener(stream = "work", group = "early", start = RedisStreamListener.Start.LATEST)
				void early(String payload) {
					handled.computeIfAbsent("early", (group) -> new CopyOnWriteArrayList<>()).add(payload);
				}

			});
			await().until(() -> instance.consumers().reports().stream().allMatch((each) -> each.sinceTaken() != null));
			instance.publisher().publish("work", StreamMessage.of("new"));
			await().until(() -> handled.size() == 2 && handled.get("early").size() == 2);
			assertThat(handled).containsEntry("crew", List.of("new")).containsEntry("early", List.of("old", "new"));
			await().until(() -> instance.events(Kind.DONE) == 3);
			redis.flushAll();
			instance.publisher().publish("work", StreamMessage.of("after the flush"));
			await().until(() -> handled.values().stream().allMatch((each) -> each.contains("after the flush")));
			// The first message makes no difference where the listener has begun before
			redis.flushAll();
			instance.listen(new Object() {

				@RedisStreamListener(stream = "work", group = "none")
				void handle(String payload) {
					handled.computeIfAbsent("none", (group) -> new CopyOnWriteArrayList<>()).add(payload);
				}

			});
			await().until(() -> instance.consumers().reports().stream().allMatch((each) -> each.sinceTaken() != null));
			instance.publisher().publish("work", StreamMessage.of("first"));
			await().until(() -> handled.containsKey("none"));
			assertThat(handled).containsEntry("none", List.of("first"));
		}
	}

	/**
	 * Beginnings of entries of other programs, which none of them means for the library.
	 */
	@Test
	void entriesOfOtherProgramsStayAsTheyAre() {
		List<List<String>> foreign = List.of(List.of("name", "plain"), List.of("v", "1", "context", "no JSON"),
				List.of("v", "2", "body", "b"), List.of("ge_to", "somebody", "depth", "7", "trigger", "t"),
				List.of("kafka_deliveryAttempt", "99999999999", "ge_dlt-reason", "theirs"),
				List.of("kafka_dlt-original-topic", "theirs", "kafka_dlt-original-consumer-group", "theirs"),
				List.of("time", "1", "time", "2", "traceparent", "\u00e9\n"),
				List.of("x", "", "ge_v", "1", "body", "b"));
		String[] properties = Stream.concat(Stream.of(WORK), Stream.of("work.groups.others.concurrency", "1"))
			.toArray(String[]::new);
		try (StandaloneRedis redis = RedisServers.standalone();
				StreamInstance instance = new StreamInstance(redis, properties)) {
			List<StreamEnvelope<Map<String, String>>> handled = new CopyOnWriteArrayList<>();
			AtomicInteger calls = new AtomicInteger();
			instance.listen(new Object() {

				@RedisStreamListener(stream = "work", group = "crew", concurrency = "1")
				void handle(StreamEnvelope<Map<String, String>> envelope) {
					handled.add(envelope);
					if (calls.incrementAndGet() <= foreign.size()) {
						throw new IllegalStateException("not yet");
					}
				}

			});
			for (List<String> fields : foreign) {
				List<String> command = new ArrayList<>(List.of("XADD", "work.done", "*"));
				command.addAll(fields);
				redis.primary().command(command.toArray(String[]::new));
			}
			await().until(() -> instance.deadLetters().list("work", 20).size() == foreign.size());
			redis.primary()
				.command("XADD", "ge:stream:{work.done}:dead", "*", "ge_v", "1 dead 1", "kafka_deliveryAttempt", "x");
			redis.primary().command("XADD", "ge:stream:{work.done}:dead", "*", "kafka_deliveryAttempt", "99999999999");
			List<DeadLetter> letters = new ArrayList<>(instance.deadLetters().list("work", 20));
			Collections.reverse(letters);
			assertThat(letters).hasSize(foreign.size() + 2);
			assertThat(letters.subList(0, foreign.size())).allSatisfy((letter) -> {
				assertThat(letter.key()).isEqualTo("work.done");
				assertThat(letter.group()).isEqualTo("crew");
				assertThat(letter.deliveries()).isEqualTo(1);
				assertThat(letter.reason()).isEqualTo("attempts");
				assertThat(letter.fields()).containsEntry("ge_dlt-reason", "attempts");
			});
			for (DeadLetter letter : letters.subList(0, foreign.size())) {
				assertThat(instance.deadLetters().replay("work", letter.id())).isTrue();
			}
			await().until(() -> handled.size() == 2 * foreign.size());
			List<?> entries = (List<?>) redis.primary().command("XRANGE", "work.done", "-", "+");
			for (int i = 0; i < foreign.size(); i++) {
				StreamEnvelope<Map<String, String>> first = handled.get(i);
				StreamEnvelope<Map<String, String>> again = handled.get(i + foreign.size());
				List<?> replayed = (List<?>) ((List<?>) entries.get(i + foreign.size())).get(1);
				assertThat(replayed.subList(2, replayed.size())).isEqualTo(foreign.get(i));
				assertThat(again.payload()).isEqualTo(first.payload()).containsKey(foreign.get(i).get(0));
				assertThat(again.time()).isEqualTo(first.time());
				assertThat(List.of(first, again)).allSatisfy((each) -> {
					assertThat(each.triggerId()).isEmpty();
					assertThat(each.depth()).isZero();
					assertThat(each.context()).isEmpty();
					assertThat(each.traceparent()).isNull();
				});
			}
			letters.subList(foreign.size(), letters.size()).forEach((letter) -> {
				assertThat(letter.deliveries()).isZero();
				assertThat(instance.deadLetters().replay("work", letter.id())).isTrue();
			});
			assertThat(instance.deadLetters().list("work", 20)).isEmpty();
		}
	}

	@Test
	void allThatIsDueIsTakenByWhoHasOnePermit() {
		String[] slow = { "work.key", "work.due", "work.max-length", "1000", "work.groups.crew.min-idle", "10m",
				"work.groups.crew.max-deliveries", "2", "work.groups.crew.backoff.initial", "100ms" };
		try (StandaloneRedis redis = RedisServers.standalone();
				StreamInstance instance = new StreamInstance(redis, slow)) {
			Set<String> done = ConcurrentHashMap.newKeySet();
			instance.publisher()
				.publishAll("work", Map.of(),
						IntStream.range(0, 20).mapToObj((i) -> StreamMessage.of("m" + i)).toList());
			// What a namesake of a dead instance had for long
			redis.primary().command("XGROUP", "CREATE", "work.due", "crew", "0");
			redis.primary().command("XREADGROUP", "GROUP", "crew", "dead", "COUNT", "10", "STREAMS", "work.due", ">");
			for (String id : ids(redis)) {
				redis.primary().command("XCLAIM", "work.due", "crew", "dead", "0", id, "IDLE", "900000", "JUSTID");
			}
			instance.listen(new Object() {

				@RedisStreamListener(stream = "work")
				void handle(String payload, @DeliveryAttempt int attempt) {
					if (attempt == 1) {
						throw new IllegalStateException("the database is away");
					}
					done.add(payload);
				}

			});
			await().atMost(Duration.ofSeconds(20)).until(() -> done.size() == 20);
		}
	}

	/**
	 * Its first take fails, as Redis is slow: what it takes then is what it may have
	 * missed, not what killed it before.
	 */
	@Test
	void messageThatKillsItsInstanceIsNotGivenToTheNextOneOfThatNameAtOnce() {
		try (StandaloneRedis redis = RedisServers.standalone();
				TcpProxy network = new TcpProxy(redis.primary());
				StreamInstance reborn = new StreamInstance(through(network), Duration.ofMillis(200), "work.key",
						"work.due", "work.max-length", "10", "work.groups.crew.min-idle", "10m")) {
			reborn.publisher().publish("work", StreamMessage.of("poison"));
			redis.primary().command("XGROUP", "CREATE", "work.due", "crew", "0");
			redis.primary().command("XREADGROUP", "GROUP", "crew", reborn.name(), "STREAMS", "work.due", ">");
			redis.primary()
				.command("XCLAIM", "work.due", "crew", reborn.name(), "0", ids(redis).get(0), "IDLE", "3000", "JUSTID");
			List<String> handled = new CopyOnWriteArrayList<>();
			reborn.backend().awaitConsumers();
			network.latency(Duration.ofMillis(400));
			reborn.listen(new Object() {

				@RedisStreamListener(stream = "work")
				void handle(String payload) {
					handled.add(payload);
				}

			});
			await().until(() -> reborn.consumers().reports().get(0).problem() != null);
			network.latency(Duration.ZERO);
			await().until(() -> reborn.consumers().reports().get(0).problem() == null);
			reborn.publisher().publish("work", StreamMessage.of("next"));
			await().until(() -> !handled.isEmpty());
			assertThat(handled).containsExactly("next");
		}
	}

	@Test
	void partitionOfAnInstanceThatStopsIsTakenAtOnce() throws Exception {
		String[] ordered = { "work.key", "work.due", "work.max-length", "100", "work.partitions", "1",
				"work.groups.crew.min-idle", "10m" };
		CountDownLatch atWork = new CountDownLatch(1);
		CountDownLatch freed = new CountDownLatch(1);
		List<String> handled = new CopyOnWriteArrayList<>();
		try (StandaloneRedis redis = RedisServers.standalone();
				StreamInstance stopping = new StreamInstance(redis, ordered);
				StreamInstance other = new StreamInstance(redis, ordered)) {
			stopping.listen(new Object() {

				@RedisStreamListener(stream = "work")
				void handle(String payload) throws InterruptedException {
					handled.add(payload);
					atWork.countDown();
					freed.await();
				}

			});
			for (String payload : List.of("first", "second")) {
				stopping.publisher().publish("work", StreamMessage.of(payload).orderKey("key"));
			}
			atWork.await();
			other.listen(new Object() {

				@RedisStreamListener(stream = "work")
				void handle(String payload) {
					handled.add("other " + payload);
				}

			});
			await().until(() -> other.consumers().reports().get(0).sinceTaken() != null);
			CompletableFuture<Void> stopped = CompletableFuture.runAsync(stopping::close);
			await().until(() -> stopping.consumers().reports().get(0).state() == ConsumerReport.State.STOPPING);
			freed.countDown();
			stopped.get(30, TimeUnit.SECONDS);
			await().atMost(Duration.ofSeconds(10)).until(() -> handled.size() == 2);
			assertThat(handled).containsExactly("first", "other second");
		}
	}

	@Test
	void instanceKeepsWhatItHasInAnOutageThatIsLongerThanItsLease() throws Exception {
		CountDownLatch freed = new CountDownLatch(1);
		try (StandaloneRedis redis = RedisServers.standalone();
				TcpProxy network = new TcpProxy(redis.primary());
				StreamInstance instance = new StreamInstance(through(network), Duration.ofMillis(200), WORK)) {
			AtomicInteger calls = new AtomicInteger();
			instance.listen(new Object() {

				@RedisStreamListener(stream = "work")
				void handle(String payload) throws InterruptedException {
					calls.incrementAndGet();
					freed.await();
				}

			});
			instance.publisher().publish("work", StreamMessage.of("first"));
			await().until(() -> calls.get() == 1);
			network.latency(Duration.ofMillis(400));
			await().until(() -> instance.consumers().reports().get(0).problem() != null);
			// As if nothing had come through, for long
			String id = ((List<?>) ((List<?>) redis.primary().command("XPENDING", "work.done", "crew", "-", "+", "10"))
				.get(0)).get(0).toString();
			redis.primary().command("XCLAIM", "work.done", "crew", instance.name(), "0", id, "IDLE", "60000", "JUSTID");
			network.latency(Duration.ZERO);
			await().until(() -> instance.consumers().reports().get(0).problem() == null);
			freed.countDown();
			await().until(() -> instance.consumers().reports().get(0).inFlight() == 0);
			assertThat(instance.deadLetters().list("work", 10)).isEmpty();
			assertThat(calls).hasValue(1);
		}
	}

	@Test
	void deadLettersOfPartitionsAreReplayedIntoTheirStream() {
		String[] ordered = { "work.key", "work.due", "work.max-length", "100", "work.partitions", "2",
				"work.dead-letter.key", "work.dead", "work.groups.crew.concurrency", "2" };
		Map<String, Set<String>> keys = new ConcurrentHashMap<>();
		try (StandaloneRedis redis = RedisServers.standalone();
				StreamInstance instance = new StreamInstance(redis, ordered)) {
			AtomicInteger handled = new AtomicInteger();
			instance.listen(new Object() {

				@RedisStreamListener(stream = "work")
				void handle(StreamEnvelope<String> envelope) {
					keys.computeIfAbsent(envelope.payload(), (payload) -> ConcurrentHashMap.newKeySet())
						.add(envelope.key());
					if (handled.incrementAndGet() <= 4) {
						throw new NotRetryableException("is broken", null);
					}
				}

			});
			for (String payload : List.of("a", "b", "c", "d")) {
				instance.publisher().publish("work", StreamMessage.of(payload).orderKey(payload));
			}
			await().until(() -> instance.deadLetters().list("work", 10).size() >= 4);
			List<DeadLetter> letters = instance.deadLetters().list("work", 10);
			assertThat(letters).hasSize(4);
			letters.forEach((letter) -> assertThat(instance.deadLetters().replay("work", letter.id())).isTrue());
			await().until(() -> handled.get() == 8);
			assertThat(keys.values()).hasSize(4).allSatisfy((each) -> assertThat(each).hasSize(1));
			assertThat(keys.values().stream().flatMap(Set::stream)).contains("work.due.0", "work.due.1");
			assertThat(instance.deadLetters().list("work", 10)).isEmpty();
		}
	}

	@Test
	@ExtendWith(OutputCaptureExtension.class)
	void streamThatRedisRefusesKeepsNothingOfTheOthersBack(CapturedOutput output) {
		String[] family = { "work.key", "work.{team}", "work.variables.team", "a,b,c", "work.max-length", "100",
				"work.groups.crew.min-idle", "300ms" };
		List<String> handled = new CopyOnWriteArrayList<>();
		try (StandaloneRedis redis = RedisServers.standalone();
				StreamInstance instance = new StreamInstance(redis, family)) {
			redis.primary().command("SET", "work.b", "not a stream");
			instance.listen(new Object() {

				@RedisStreamListener(stream = "work")
				void handle(String payload) {
					handled.add(payload);
				}

			});
			for (int i = 0; i < 5; i++) {
				int number = i;
				for (String team : List.of("a", "c")) {
					instance.publisher().publish("work", Map.of("team", team), StreamMessage.of(team + i));
				}
				await().until(() -> handled.containsAll(List.of("a" + number, "c" + number)));
			}
			assertThat(handled).hasSize(10);
			assertThat(instance.consumers().reports().get(0).problem()).isNull();
			assertThat(output).containsOnlyOnce("Messages of 'work/crew' wait, as Redis refuses the stream 'work.b'");
			redis.primary().command("DEL", "work.b");
			instance.publisher().publish("work", Map.of("team", "b"), StreamMessage.of("b"));
			await().until(() -> handled.contains("b"));
		}
	}

	@Test
	@Wide
	void serverThatDoesNotAnswerKeepsNothingOfTheOthersBack() {
		List<String> teams = List.of("a", "b", "c", "d", "e", "f");
		String[] family = { "work.key", "work.{team}", "work.variables.team", String.join(",", teams),
				"work.max-length", "100", "work.groups.crew.concurrency", "20" };
		Set<String> handled = ConcurrentHashMap.newKeySet();
		try (ClusterRedis redis = RedisServers.cluster("cluster-require-full-coverage no");
				StreamInstance instance = new StreamInstance(redis, family)) {
			RedisNode silent = redis.primaryFor("work.a");
			List<String> others = teams.stream().filter((team) -> redis.primaryFor("work." + team) != silent).toList();
			instance.listen(new Object() {

				@RedisStreamListener(stream = "work")
				void handle(String payload) {
					handled.add(payload);
				}

			});
			publish(instance, teams, "before");
			await().until(() -> handled.size() == 6);
			silent.pause();
			for (int i = 0; i < 3; i++) {
				String number = String.valueOf(i);
				publish(instance, others, number);
				await().atMost(Duration.ofSeconds(30))
					.until(() -> others.stream().allMatch((team) -> handled.contains(team + number)));
			}
			silent.resume();
			redis.awaitOk();
			await().ignoreExceptions().until(() -> {
				publish(instance, teams, "after");
				return true;
			});
			await().atMost(Duration.ofSeconds(20))
				.until(() -> teams.stream().allMatch((team) -> handled.contains(team + "after")));
		}
	}

	private static void publish(StreamInstance instance, List<String> teams, String text) {
		teams.forEach(
				(team) -> instance.publisher().publish("work", Map.of("team", team), StreamMessage.of(team + text)));
	}

	private static List<String> ids(StandaloneRedis redis) {
		List<String> ids = new ArrayList<>();
		((List<?>) redis.primary().command("XPENDING", "work.due", "crew", "-", "+", "10"))
			.forEach((entry) -> ids.add(((List<?>) entry).get(0).toString()));
		return ids;
	}

	@Test
	void failureThatCannotBeWrittenHoldsUpNoOther() {
		try (StandaloneRedis redis = RedisServers.standalone();
				StreamInstance instance = new StreamInstance(redis, WORK)) {
			instance.listen(new Object() {

				@RedisStreamListener(stream = "work")
				void handle(String payload) {
					if ("bad".equals(payload)) {
						throw new UnwritableException();
					}
				}

			});
			for (String payload : List.of("bad", "one", "two")) {
				instance.publisher().publish("work", StreamMessage.of(payload));
			}
			await().until(() -> instance.events(StreamEvent.Kind.DONE) == 2);
			await().until(() -> instance.consumers().reports().get(0).inFlight() == 0);
			assertThat(instance.deadLetters().list("work", 10)).hasSize(1);
		}
	}

	@Test
	void whoListensMakesNoKey() {
		try (StandaloneRedis redis = RedisServers.standalone();
				StreamInstance instance = new StreamInstance(redis, WORK)) {
			instance.listen(new Object() {

				@RedisStreamListener(stream = "work")
				void handle(String payload) {
				}

			});
			await().until(() -> instance.scripts("take") > 1);
			assertThat(redis.primary().command("DBSIZE")).isEqualTo(0L);
		}
	}

	@Test
	@Wide
	void manyStreamsShareOneConnection() {
		List<String> properties = new ArrayList<>(
				List.of("many.key", "many.{one}.{two}", "many.max-length", "10", "many.groups.crew.concurrency", "8"));
		List<String> numbers = IntStream.range(0, 18).mapToObj(String::valueOf).toList();
		for (String variable : List.of("one", "two")) {
			properties.addAll(List.of("many.variables." + variable, String.join(",", numbers)));
		}
		try (StandaloneRedis redis = RedisServers.standalone();
				StreamInstance instance = new StreamInstance(redis, properties.toArray(String[]::new))) {
			Set<String> keys = ConcurrentHashMap.newKeySet();
			instance.listen(new Object() {

				@RedisStreamListener(stream = "many")
				void handle(StreamEnvelope<String> envelope) {
					keys.add(envelope.key());
				}

			});
			await().until(() -> blocked(redis) == 1);
			for (String one : numbers) {
				for (String two : numbers) {
					instance.publisher().publish("many", Map.of("one", one, "two", two), StreamMessage.of("x"));
				}
			}
			await().atMost(Duration.ofSeconds(30)).until(() -> keys.size() == 324);
			await().until(() -> blocked(redis) == 1);
		}
	}

	private static long blocked(StandaloneRedis redis) {
		return String.valueOf(redis.primary().command("CLIENT", "LIST"))
			.lines()
			.filter((client) -> client.contains(" flags=b ") || client.contains("cmd=xread"))
			.count();
	}

	private static LettuceConnectionFactory through(TcpProxy network) {
		LettuceConnectionFactory factory = new LettuceConnectionFactory(network.host(), network.port());
		factory.afterPropertiesSet();
		factory.start();
		return factory;
	}

}
