// SPDX-License-Identifier: Apache-2.0

package io.ge.redis.core.batch;

import java.time.Duration;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executor;
import java.util.concurrent.TimeUnit;
import java.util.function.LongSupplier;

import io.ge.redis.core.outage.CallBudget;
import org.jspecify.annotations.Nullable;

/**
 * Sends requests that arrive together as one call, where one call is cheaper than
 * several.
 * <p>
 * A lone request must not wait for others, and one of many must not wait long. So no
 * request is held back for a period. The first calls of a queue are sent at once, each
 * with one request. Requests wait only while as many calls as allowed are in flight. The
 * next call that completes sends all of them as one batch, in the order of their arrival.
 * A batch thus holds what arrived during one round trip, and without load it is a single
 * request.
 * <p>
 * Waiting is bounded:
 * <ul>
 * <li>A full batch is sent at once, whatever is in flight.</li>
 * <li>No request waits after a call that has failed or taken longer than the longest
 * wait. Neither does one wait if the last call was sent that long ago. A second round
 * trip would be felt there.</li>
 * <li>A timer sends requests that have waited for half of the longest wait, also if no
 * call completes.</li>
 * <li>A request whose budget has paid for the longest wait before is sent alone.</li>
 * </ul>
 * Each request pays from its own budget for its wait and for the call. A batch may take
 * as long as the smallest budget in it allows. A request without time left is sent alone,
 * so that it fails alone. If a call fails, so do all its requests. A request that the
 * call has left undecided is sent again, alone. Cancelling the returned future does not
 * remove a request from its batch.
 */
public final class Batcher<R, A> {

	private final Calls<R, A> calls;

	private final int mostInFlight;

	private final long longestNanos;

	private final LongSupplier nanoTime;

	private final Executor timer;

	/**
	 * Creates a batcher.
	 * @param mostInFlight how many calls of a queue are in flight before requests wait
	 * @param longestWait the longest time that a request waits for others
	 */
	public Batcher(Calls<R, A> calls, int mostInFlight, Duration longestWait, LongSupplier nanoTime) {
		this(calls, mostInFlight, longestWait, nanoTime,
				CompletableFuture.delayedExecutor(longestWait.toNanos() / 2, TimeUnit.NANOSECONDS, Runnable::run));
	}

	Batcher(Calls<R, A> calls, int mostInFlight, Duration longestWait, LongSupplier nanoTime, Executor timer) {
		this.calls = calls;
		this.mostInFlight = mostInFlight;
		this.longestNanos = longestWait.toNanos();
		this.nanoTime = nanoTime;
		this.timer = timer;
	}

	/**
	 * Sends a request, now or a little later with others of the same queue.
	 * @return completes with the answer that the request would have got alone, or
	 * exceptionally
	 */
	public CompletableFuture<A> submit(BatchQueue<R, A> queue, R request, CallBudget budget) {
		if (budget.spentNanos() > this.longestNanos) {
			return this.calls.send(request, budget);
		}
		BatchQueue.Entry<R, A> entry = new BatchQueue.Entry<>(request, budget, this.nanoTime.getAsLong());
		if (queue.last.get() == null && begin(queue, entry.since)) {
			sendOne(queue, entry);
			return entry;
		}
		if (!queue.add(entry, this.calls::areAlike)) {
			return this.calls.send(request, budget);
		}
		sendWaiting(queue, entry.since);
		if (queue.watch()) {
			watch(queue);
		}
		return entry;
	}

	private void watch(BatchQueue<R, A> queue) {
		this.timer.execute(() -> {
			try {
				long now = this.nanoTime.getAsLong();
				BatchQueue.Entry<R, A> last = queue.last.get();
				if (last != null && now - last.oldestSince >= this.longestNanos / 2) {
					queue.slow = true;
					sendWaiting(queue, now);
				}
			}
			finally {
				if (queue.keepWatching()) {
					watch(queue);
				}
			}
		});
	}

	private boolean begin(BatchQueue<R, A> queue, long now) {
		return queue.begin(this.mostInFlight, this.longestNanos, now);
	}

	private void sendWaiting(BatchQueue<R, A> queue, long now) {
		for (BatchQueue.Entry<R, A> last = queue.last.get(); last != null; last = queue.last.get()) {
			if (last.position >= this.calls.mostOf(last.request)) {
				queue.begin(now);
			}
			else if (!begin(queue, now)) {
				return;
			}
			Deque<BatchQueue.Entry<R, A>> waiting = queue.takeAll();
			while (!waiting.isEmpty()) {
				sendNext(queue, waiting, now);
			}
			// Each call has a place of its own. Other calls may have found none meanwhile
			queue.inFlight.decrementAndGet();
		}
	}

	private void sendNext(BatchQueue<R, A> queue, Deque<BatchQueue.Entry<R, A>> waiting, long now) {
		int most = Math.max(1, this.calls.mostOf(waiting.getFirst().request));
		List<BatchQueue.Entry<R, A>> batch = new ArrayList<>(Math.min(most, waiting.size()));
		long least = Long.MAX_VALUE;
		while (!waiting.isEmpty() && batch.size() < most) {
			BatchQueue.Entry<R, A> entry = waiting.removeFirst();
			entry.pay(now);
			long remaining = entry.budget.remainingNanos();
			if (remaining > 0) {
				batch.add(entry);
				least = Math.min(least, remaining);
			}
			else {
				send(entry).whenComplete(entry::settle);
			}
		}
		if (!batch.isEmpty()) {
			queue.begin(now);
			if (batch.size() == 1) {
				sendOne(queue, batch.get(0));
			}
			else {
				sendAll(queue, batch, CallBudget.of(Duration.ofNanos(least)));
			}
		}
	}

	private void sendOne(BatchQueue<R, A> queue, BatchQueue.Entry<R, A> entry) {
		long sentAt = this.nanoTime.getAsLong();
		send(entry).whenComplete((answer, failure) -> {
			try {
				end(queue, sentAt, this.nanoTime.getAsLong(), failure);
			}
			finally {
				entry.settle(answer, failure);
			}
		});
	}

	private void sendAll(BatchQueue<R, A> queue, List<BatchQueue.Entry<R, A>> batch, CallBudget budget) {
		long sentAt = this.nanoTime.getAsLong();
		send(batch, budget).whenComplete((@Nullable List<@Nullable A> answers, @Nullable Throwable failure) -> {
			long now = this.nanoTime.getAsLong();
			try {
				end(queue, sentAt, now, failure);
			}
			finally {
				share(batch, answers, failure, now);
			}
		});
	}

	// Other requests wait for the answer and for the place, even if a call throws

	private CompletableFuture<A> send(BatchQueue.Entry<R, A> entry) {
		try {
			return this.calls.send(entry.request, entry.budget);
		}
		catch (Throwable ex) {
			return CompletableFuture.failedFuture(ex);
		}
	}

	private CompletableFuture<List<@Nullable A>> send(List<BatchQueue.Entry<R, A>> batch, CallBudget budget) {
		try {
			return this.calls.sendAll(batch.stream().map((entry) -> entry.request).toList(), budget);
		}
		catch (Throwable ex) {
			return CompletableFuture.failedFuture(ex);
		}
	}

	private void end(BatchQueue<R, A> queue, long sentAt, long now, @Nullable Throwable failure) {
		queue.slow = failure != null || now - sentAt > this.longestNanos;
		queue.inFlight.decrementAndGet();
		sendWaiting(queue, now);
	}

	private void share(List<BatchQueue.Entry<R, A>> batch, @Nullable List<@Nullable A> answers,
			@Nullable Throwable failure, long now) {
		List<@Nullable A> all = (answers != null && answers.size() == batch.size()) ? answers : null;
		batch.forEach((entry) -> entry.pay(now));
		for (int i = 0; i < batch.size(); i++) {
			BatchQueue.Entry<R, A> entry = batch.get(i);
			A answer = (all != null) ? all.get(i) : null;
			if (answer == null && all != null) {
				send(entry).whenComplete(entry::settle);
			}
			else {
				entry.settle(answer, failure);
			}
		}
	}

	public interface Calls<R, A> {

		/**
		 * Sends one request, which pays for it from its budget.
		 */
		CompletableFuture<A> send(R request, CallBudget budget);

		/**
		 * Sends several requests as one call.
		 * @return completes with an answer for each request in their order, {@code null}
		 * for one that is left undecided
		 */
		CompletableFuture<List<@Nullable A>> sendAll(List<R> requests, CallBudget budget);

		boolean areAlike(R request, R other);

		/**
		 * Returns how many requests may share a call, so that it does not keep the server
		 * from others for long.
		 */
		int mostOf(R request);

	}

}
