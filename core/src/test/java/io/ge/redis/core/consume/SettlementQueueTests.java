/*
 * Copyright 2026 the GE Redis authors
 * SPDX-License-Identifier: Apache-2.0
 */

package io.ge.redis.core.consume;

import java.time.Duration;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.atomic.AtomicReference;

import io.ge.redis.core.consume.Settlement.Outcome;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * No settlement is left behind, whenever it comes.
 */
class SettlementQueueTests {

	private final ScheduledExecutorService scheduler = Executors.newScheduledThreadPool(1);

	private final MemorySource source = new MemorySource();

	@AfterEach
	void end() {
		this.scheduler.shutdownNow();
	}

	@ParameterizedTest
	@ValueSource(longs = { 0, 5 })
	void sendsWhatComesWhileTheLastBatchIsTold(long linger) {
		AtomicReference<SettlementQueue<String>> queue = new AtomicReference<>();
		queue.set(new SettlementQueue<>(this.source, Duration.ofMillis(linger), this.scheduler, (batch, lost) -> {
			if (batch.get(0).delivery().id().equals("first")) {
				queue.get().add(done("second"));
				// For longer than the linger
				Awaitility.await().pollDelay(Duration.ofMillis(20)).until(() -> true);
			}
		}));
		queue.get().add(done("first"));
		Awaitility.await().until(() -> this.source.settled(Outcome.DONE).size() == 2);
	}

	private static Settlement<String> done(String id) {
		return new Settlement<>(new Delivery<>(id, "memory", 1, "", id), Outcome.DONE, null, null);
	}

}
