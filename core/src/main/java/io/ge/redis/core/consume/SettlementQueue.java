// SPDX-License-Identifier: Apache-2.0

package io.ge.redis.core.consume;

import java.time.Duration;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.BiConsumer;

import org.apache.commons.logging.Log;
import org.apache.commons.logging.LogFactory;

/**
 * Sends settlements together: when there are {@value #MOST}, or when the first of them
 * has waited for the linger. One call is under way at a time. After an outage the same
 * settlements are sent again, which their scripts allow. None of them is reported as
 * lost, since the first call may have settled it.
 *
 * @param <T> the messages
 */
final class SettlementQueue<T> {

	static final int MOST = 256;

	private static final Backoff AGAIN = new Backoff(Duration.ofMillis(100), Duration.ofSeconds(1));

	private static final Log logger = LogFactory.getLog(SettlementQueue.class);

	private final WorkSource<T> source;

	private final Duration linger;

	private final ConsumerThreads threads;

	private final BiConsumer<List<Settlement<T>>, Collection<Delivery<T>>> settled;

	private final Queue<Settlement<T>> waiting = new ConcurrentLinkedQueue<>();

	private final AtomicInteger size = new AtomicInteger();

	private final AtomicBoolean sending = new AtomicBoolean();

	/**
	 * Creates a queue.
	 * @param settled gets each batch that Redis has answered, and those of it that were
	 * lost
	 */
	SettlementQueue(WorkSource<T> source, Duration linger, ConsumerThreads threads,
			BiConsumer<List<Settlement<T>>, Collection<Delivery<T>>> settled) {
		this.source = source;
		this.linger = linger;
		this.threads = threads;
		this.settled = settled;
	}

	void add(Settlement<T> settlement) {
		this.waiting.add(settlement);
		int waiting = this.size.incrementAndGet();
		flushOrWait(waiting, waiting == 1);
	}

	private void flushOrWait(int waiting, boolean plans) {
		if (waiting >= MOST || (this.linger.isZero() && waiting > 0)) {
			flush();
		}
		else if (plans) {
			this.threads.later(this.linger, this::flush);
		}
	}

	void flush() {
		if (!this.sending.compareAndSet(false, true)) {
			return;
		}
		List<Settlement<T>> batch = new ArrayList<>();
		while (batch.size() < MOST) {
			Settlement<T> next = this.waiting.poll();
			if (next == null) {
				break;
			}
			batch.add(next);
		}
		if (!batch.isEmpty()) {
			send(batch, 0);
			return;
		}
		this.sending.set(false);
		if (!this.waiting.isEmpty()) {
			flush();
		}
	}

	private void send(List<Settlement<T>> batch, int failures) {
		ConsumerContainer.asked(() -> this.source.settle(batch)).whenComplete((lost, failure) -> {
			if (failure != null) {
				if (failures == 0) {
					logger.warn("Cannot settle messages of '" + this.source.name() + "'; will retry: " + failure);
				}
				this.threads.later(AGAIN.after(failures + 1), () -> send(batch, failures + 1));
				return;
			}
			this.size.addAndGet(-batch.size());
			// Messages missing at a repetition were settled by the first attempt
			try {
				this.settled.accept(batch, (failures > 0) ? List.of() : lost);
			}
			catch (Throwable ex) {
				// If rethrown, nothing would be sent any more
				logger.warn("Outcomes of messages of '" + this.source.name() + "' could not be published", ex);
			}
			this.sending.set(false);
			// Counted only now: settlements added before have found a call under way
			int left = this.size.get();
			flushOrWait(left, left > 0);
		});
	}

}
