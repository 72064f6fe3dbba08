// SPDX-License-Identifier: Apache-2.0

package io.ge.redis.core.consume;

import java.time.Duration;
import java.util.ArrayDeque;
import java.util.Collection;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.BiConsumer;

import io.ge.redis.core.consume.Settlement.Outcome;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import static org.assertj.core.api.Assertions.assertThat;
import static org.mockito.ArgumentMatchers.any;
import static org.mockito.ArgumentMatchers.anyLong;
import static org.mockito.BDDMockito.given;
import static org.mockito.Mockito.mock;

/**
 * No settlement is left behind, whenever it comes and whatever telling of others does.
 */
class SettlementQueueTests {

	/** Timers that are due when the test says so. */
	private final Queue<Runnable> timers = new ArrayDeque<>();

	private final MemorySource source = new MemorySource();

	private SettlementQueue<String> queue(long linger,
			BiConsumer<List<Settlement<String>>, Collection<Delivery<String>>> settled) {
		ScheduledExecutorService scheduler = mock(ScheduledExecutorService.class);
		given(scheduler.schedule(any(Runnable.class), anyLong(), any())).willAnswer((call) -> {
			this.timers.add(call.getArgument(0));
			return null;
		});
		return new SettlementQueue<>(this.source, Duration.ofMillis(linger),
				new ConsumerThreads(Runnable::run, scheduler), settled);
	}

	private void runTimers() {
		for (Runnable timer = this.timers.poll(); timer != null; timer = this.timers.poll()) {
			timer.run();
		}
	}

	@ParameterizedTest
	@ValueSource(longs = { 0, 5 })
	void sendsWhatComesWhileTheLastBatchIsTold(long linger) {
		AtomicReference<SettlementQueue<String>> queue = new AtomicReference<>();
		queue.set(queue(linger, (batch, lost) -> {
			if (batch.get(0).delivery().id().equals("first")) {
				queue.get().add(done("second"));
				// Its linger is over before the telling is
				runTimers();
			}
		}));
		queue.get().add(done("first"));
		runTimers();
		assertThat(this.source.settled(Outcome.DONE)).hasSize(2);
	}

	@Test
	void goesOnAfterTellingHasFailed() {
		SettlementQueue<String> queue = queue(0, (batch, lost) -> {
			throw new TellingFailedError();
		});
		queue.add(done("first"));
		queue.add(done("second"));
		assertThat(this.source.settled(Outcome.DONE)).hasSize(2);
	}

	private static Settlement<String> done(String id) {
		return new Settlement<>(new Delivery<>(id, "memory", 1, "", id), Outcome.DONE, null, null);
	}

}
