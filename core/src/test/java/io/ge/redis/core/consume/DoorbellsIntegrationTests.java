// SPDX-License-Identifier: Apache-2.0

package io.ge.redis.core.consume;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;

import io.ge.redis.core.connection.GuardConnection;
import io.ge.redis.core.connection.GuardConnections;
import io.ge.redis.core.consume.Settlement.Outcome;
import io.ge.redis.core.consume.WorkSource.Doorbell;
import io.ge.redis.core.key.KeyPart;
import io.ge.redis.core.key.KeySpace;
import io.ge.redis.core.key.RedisKey;
import io.ge.redis.test.RedisServers;
import io.ge.redis.test.StandaloneRedis;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

import org.springframework.data.redis.connection.lettuce.LettuceConnectionFactory;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Idle containers are woken by their streams, over one connection.
 */
class DoorbellsIntegrationTests {

	/** No timer of the container comes in between. */
	private static final Duration LEASE = Duration.ofHours(1);

	private static final KeySpace KEYS = new KeySpace("ge", "bells");

	private final StandaloneRedis redis = RedisServers.standalone();

	private final GuardConnection connection = GuardConnections
		.from(new LettuceConnectionFactory(this.redis.primary().host(), this.redis.primary().port()), () -> null);

	private final ExecutorService handlers = Executors.newCachedThreadPool();

	private final ScheduledExecutorService scheduler = Executors.newScheduledThreadPool(1);

	private final Doorbells doorbells = new Doorbells(this.connection,
			new ConsumerThreads(Runnable::run, this.scheduler));

	private final List<ConsumerContainer<String>> containers = new ArrayList<>();

	@BeforeEach
	void connect() {
		assertThat(this.connection.reopen(Duration.ofSeconds(5))).succeedsWithin(Duration.ofSeconds(5));
	}

	@AfterEach
	void end() {
		this.containers.forEach(ConsumerContainer::stop);
		this.scheduler.shutdownNow();
		this.handlers.shutdownNow();
		this.connection.close();
		this.redis.close();
	}

	@Test
	void eachStreamWakesItsContainer() {
		List<MemorySource> sources = new ArrayList<>();
		for (int i = 0; i < 20; i++) {
			sources.add(start("s" + i));
		}
		for (int round = 1; round <= 3; round++) {
			for (int i = 0; i < 20; i++) {
				sources.get(i).waiting.add(new Delivery<>("m" + round, "memory", 1, "", ""));
				sources.get(i).doorbells = List.of(new Doorbell(key("s" + i), add("s" + i)));
			}
			int settled = round;
			Awaitility.await()
				.untilAsserted(() -> assertThat(sources)
					.allSatisfy((source) -> assertThat(source.settled(Outcome.DONE)).hasSize(settled)));
		}
	}

	@Test
	void wakesAfterTheConnectionWasLost() {
		MemorySource source = start("lost");
		Awaitility.await().until(() -> source.asked("take") > 0);
		this.redis.primary().restart();
		Awaitility.await()
			.until(() -> this.connection.reopen(Duration.ofSeconds(1))
				.handle((done, failure) -> failure == null)
				.toCompletableFuture()
				.join());
		source.waiting.add(new Delivery<>("one", "memory", 1, "", ""));
		add("lost");
		Awaitility.await().until(() -> source.settled(Outcome.DONE).size() == 1);
	}

	@Test
	void manyStreamsWaitOnOneConnectionAndCostOneReadEachSecond() {
		List<MemorySource> sources = new ArrayList<>();
		for (int i = 0; i < 300; i++) {
			sources.add(start("s" + i));
		}
		Awaitility.await()
			.until(() -> sources.stream().allMatch((source) -> source.asked("take") > 0) && blockedFor(300) == 1);
		long reads = this.redis.primary().commandCalls("xread");
		long ended = this.redis.primary().commandCalls("client|unblock");
		this.containers.forEach(ConsumerContainer::wake);
		Awaitility.await().pollDelay(Duration.ofSeconds(3)).until(() -> true);
		assertThat(this.redis.primary().commandCalls("xread") - reads).isBetween(1L, 8L);
		// A container that looked longer than a read may end the next one, not each of
		// 300
		assertThat(this.redis.primary().commandCalls("client|unblock") - ended).isLessThan(8);
		// Not between two reads
		Awaitility.await().until(() -> blockedFor(300) == 1);
		sources.get(299).waiting.add(new Delivery<>("one", "memory", 1, "", ""));
		add("s299");
		Awaitility.await().until(() -> sources.get(299).settled(Outcome.DONE).size() == 1);
	}

	// The number of arguments tells how many streams are waited for
	private long blockedFor(int streams) {
		return String.valueOf(this.redis.primary().command("CLIENT", "LIST"))
			.lines()
			.filter((client) -> client.contains(" cmd=xread "))
			.filter((client) -> Integer.parseInt(client.replaceAll(".* argv-mem=(\\d+) .*", "$1")) > streams * 10)
			.count();
	}

	/**
	 * The wait is over after a second at the latest, and then includes the new stream.
	 */
	@Test
	void wakesThoseThatCameLaterWithoutTheRightToEndAWait() {
		this.redis.primary().forbid("client");
		MemorySource first = start("first");
		Awaitility.await().until(() -> first.asked("take") > 0);
		MemorySource second = start("second");
		Awaitility.await().until(() -> second.asked("take") > 0);
		second.waiting.add(new Delivery<>("one", "memory", 1, "", ""));
		add("second");
		Awaitility.await().until(() -> second.settled(Outcome.DONE).size() == 1);
	}

	@Test
	void looksWithoutTheRightToWait() {
		this.redis.primary().forbid("xread");
		MemorySource source = start("refused");
		Awaitility.await().until(() -> source.asked("take") > 3);
		source.waiting.add(new Delivery<>("one", "memory", 1, "", ""));
		Awaitility.await().until(() -> source.settled(Outcome.DONE).size() == 1);
		assertThat(source.asked("take")).isLessThan(100);
	}

	@Test
	void doesNotWaitForThoseThatWereStoppedOrPaused() {
		MemorySource first = start("first");
		start("second");
		Awaitility.await().until(() -> first.asked("take") > 0);
		this.containers.get(0).pause();
		assertThat(this.containers.get(1).stop()).succeedsWithin(Duration.ofSeconds(5));
		Awaitility.await().until(() -> {
			long reads = this.redis.primary().commandCalls("xread");
			Thread.sleep(1500);
			return this.redis.primary().commandCalls("xread") == reads;
		});
		this.containers.get(0).resume();
		first.waiting.add(new Delivery<>("one", "memory", 1, "", ""));
		add("first");
		Awaitility.await().until(() -> first.settled(Outcome.DONE).size() == 1);
	}

	private MemorySource start(String stream) {
		MemorySource source = new MemorySource();
		source.doorbells = List.of(new Doorbell(key(stream), "0-0"));
		ConsumerContainer<String> container = new ConsumerContainer<>(source,
				(batch, acknowledgment) -> CompletableFuture.completedFuture(null), MemorySource.settings(2, 1, LEASE),
				new ConsumerThreads(this.handlers, this.scheduler), this.doorbells);
		this.containers.add(container);
		container.start();
		return source;
	}

	private static RedisKey key(String stream) {
		return KEYS.entity(KeyPart.of(stream));
	}

	private String add(String stream) {
		List<?> reply = this.connection
			.eval("return {redis.call('XADD', KEYS[1], '*', 'f', 'v')}".getBytes(),
					new byte[][] { key(stream).bytes() }, new byte[0][])
			.toCompletableFuture()
			.join();
		return new String((byte[]) reply.get(0));
	}

}
