// SPDX-License-Identifier: Apache-2.0

package io.ge.redis.core.consume;

import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;

import io.ge.redis.core.connection.GuardConnection;
import io.ge.redis.core.consume.Settlement.Outcome;
import io.ge.redis.core.consume.WorkSource.Doorbell;
import io.ge.redis.core.key.KeyPart;
import io.ge.redis.core.key.KeySpace;
import io.ge.redis.core.key.RedisKey;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;
import static org.mockito.BDDMockito.given;
import static org.mockito.Mockito.mock;

/**
 * Where nothing can be waited for, as on a Cluster, containers look by themselves.
 */
class DoorbellsTests {

	private static final RedisKey KEY = new KeySpace("ge", "bells").entity(KeyPart.of("s"));

	private final ExecutorService handlers = Executors.newCachedThreadPool();

	private final ScheduledExecutorService scheduler = Executors.newScheduledThreadPool(1);

	private final Doorbells doorbells = new Doorbells(cluster(), new ConsumerThreads(Runnable::run, this.scheduler));

	private final MemorySource source = new MemorySource();

	private final ConsumerContainer<String> container = new ConsumerContainer<>(this.source,
			(batch, acknowledgment) -> CompletableFuture.completedFuture(null),
			MemorySource.settings(2, 1, Duration.ofHours(1)), new ConsumerThreads(this.handlers, this.scheduler),
			this.doorbells);

	private static GuardConnection cluster() {
		GuardConnection connection = mock(GuardConnection.class);
		given(connection.isClustered()).willReturn(true);
		return connection;
	}

	@AfterEach
	void end() {
		this.container.stop();
		this.scheduler.shutdownNow();
		this.handlers.shutdownNow();
	}

	private void start() {
		this.source.doorbells = List.of(new Doorbell(KEY, "0-0"));
		this.container.start();
	}

	@Test
	void looksByItself() {
		start();
		Awaitility.await().until(() -> this.source.asked("take") > 0);
		this.source.waiting.add(new Delivery<>("one", "memory", 1, "", ""));
		Awaitility.await().until(() -> this.source.settled(Outcome.DONE).size() == 1);
	}

	@Test
	void looksNoMoreOftenBecauseItWasRung() {
		start();
		for (int i = 0; i < 100; i++) {
			int asked = this.source.asked("take");
			Awaitility.await().pollInterval(Duration.ofMillis(1)).until(() -> {
				this.doorbells.ring(KEY.toString());
				return this.source.asked("take") > asked;
			});
		}
		int asked = this.source.asked("take");
		Awaitility.await().pollDelay(Duration.ofMillis(1000)).until(() -> true);
		assertThat(this.source.asked("take") - asked).isLessThan(10);
	}

}
