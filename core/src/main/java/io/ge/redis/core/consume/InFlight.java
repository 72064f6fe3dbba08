// SPDX-License-Identifier: Apache-2.0

package io.ge.redis.core.consume;

import java.time.Duration;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicBoolean;

import io.ge.redis.NotRetryableException;
import io.ge.redis.core.consume.Settlement.Outcome;
import io.ge.redis.core.outage.Waiting;
import org.apache.commons.logging.Log;
import org.apache.commons.logging.LogFactory;
import org.jspecify.annotations.Nullable;

/**
 * The deliveries that a container has in flight: it hands them to the handler, keeps them
 * alive by one heartbeat every third of the lease, and settles them after the work.
 *
 * @param <T> the messages
 */
final class InFlight<T> {

	private static final Log logger = LogFactory.getLog(InFlight.class);

	private final ConsumerContainer<T> container;

	private final WorkSource<T> source;

	private final WorkHandler<T> handler;

	private final ConsumerSettings settings;

	private final ConsumerThreads threads;

	private final SettlementQueue<T> settlements;

	/** Deliveries that are handled or wait to be settled. */
	private final Map<Delivery<T>, Call> deliveries = new ConcurrentHashMap<>();

	/** Deliveries that a handler has left unsettled, and until when they are leased. */
	private final Map<Delivery<T>, Long> left = new ConcurrentHashMap<>();

	/** Calls of the handler that have not returned, the permits in use. */
	private final Set<Call> calls = ConcurrentHashMap.newKeySet();

	private final AtomicBoolean beating = new AtomicBoolean();

	private final AtomicBoolean warnedOfNoAcknowledgement = new AtomicBoolean();

	InFlight(ConsumerContainer<T> container, WorkSource<T> source, WorkHandler<T> handler, ConsumerSettings settings,
			ConsumerThreads threads) {
		this.container = container;
		this.source = source;
		this.handler = handler;
		this.settings = settings;
		this.threads = threads;
		this.settlements = new SettlementQueue<>(source, settings.linger(), threads, this::settled);
	}

	/**
	 * Returns how many calls of the handler may begin.
	 */
	int free() {
		return this.settings.concurrency() - this.calls.size();
	}

	Collection<Delivery<T>> deliveries() {
		return this.deliveries.keySet();
	}

	/**
	 * Returns the deliveries that must not be taken again, also those that wait for their
	 * acknowledgement.
	 */
	Collection<Delivery<T>> held() {
		this.left.values().removeIf((until) -> until - System.nanoTime() <= 0);
		Set<Delivery<T>> held = new HashSet<>(this.deliveries.keySet());
		held.addAll(this.left.keySet());
		return held;
	}

	boolean isOver() {
		return this.deliveries.isEmpty() && this.calls.isEmpty();
	}

	/**
	 * Returns whether a call of the handler has lasted for longer than it may.
	 */
	boolean isStuck() {
		Duration most = this.settings.maxProcessing();
		return most != null && this.calls.stream()
			.anyMatch((call) -> call.begun.get() && System.nanoTime() - call.begunAt > most.toNanos());
	}

	/**
	 * Begins taken deliveries, in batches.
	 * @param leasedFrom when they were requested
	 * @return why some of them could not begin, or {@code null}
	 */
	@Nullable Throwable begin(List<Delivery<T>> taken, long leasedFrom) {
		Throwable refused = null;
		for (int from = 0; from < taken.size(); from += this.settings.batchSize()) {
			int to = Math.min(taken.size(), from + this.settings.batchSize());
			Call call = new Call(new ArrayList<>(taken.subList(from, to)),
					leasedFrom + this.settings.lease().toNanos());
			call.batch.forEach((delivery) -> this.deliveries.put(delivery, call));
			this.calls.add(call);
			try {
				this.threads.handlers().execute(call);
			}
			catch (Throwable ex) {
				// Mostly no thread could be created. An immediate take would be a busy
				// loop
				call.releaseUnlessBegun(false);
				refused = ex;
			}
		}
		return refused;
	}

	/**
	 * Releases the deliveries that have not begun.
	 */
	void release() {
		Set.copyOf(this.deliveries.values()).forEach((call) -> call.releaseUnlessBegun(true));
	}

	void flush() {
		this.settlements.flush();
	}

	/**
	 * Leaves the remaining deliveries to other instances.
	 */
	void abandon() {
		if (!this.deliveries.isEmpty()) {
			logger.warn("Stopped while " + this.deliveries.size() + " messages of '" + this.source.name()
					+ "' were in flight. They are delivered again");
			this.deliveries.clear();
		}
	}

	void heartbeat() {
		if (this.deliveries.isEmpty() || !this.beating.compareAndSet(false, true)) {
			return;
		}
		long asked = System.nanoTime();
		List<Delivery<T>> alive = new ArrayList<>(this.deliveries.keySet());
		ConsumerContainer.asked(() -> this.source.heartbeat(alive)).whenComplete((lost, failure) -> {
			this.beating.set(false);
			if (failure == null) {
				lost.forEach(this::loseUnlessSettling);
				long until = asked + this.settings.lease().toNanos();
				alive.forEach((delivery) -> this.deliveries.computeIfPresent(delivery, (same, call) -> {
					// A batch that has lost a delivery is not leased any more
					call.leasedUntil = call.hasLost ? call.leasedUntil : until;
					return call;
				}));
			}
		});
	}

	// A delivery that is being settled may be gone for that reason: then the settlement
	// decides its outcome
	private void loseUnlessSettling(Delivery<T> delivery) {
		Call call = this.deliveries.get(delivery);
		if (call != null && call.isSettling(delivery)) {
			call.hasLost |= call.settled.get();
		}
		else if (call != null) {
			call.hasLost = true;
			call.apart.add(delivery);
			lose(delivery);
		}
	}

	private void lose(Delivery<T> delivery) {
		Call call = this.deliveries.remove(delivery);
		if (call != null) {
			call.leasedUntil = System.nanoTime();
			this.source.onLost(delivery);
		}
	}

	private void settled(List<Settlement<T>> batch, Collection<Delivery<T>> lost) {
		try {
			Set<Delivery<T>> notSettled = Set.copyOf(lost);
			batch.forEach((settlement) -> settled(settlement, notSettled.contains(settlement.delivery())));
			this.source.onBatch(batch.size());
		}
		finally {
			if (batch.stream().anyMatch((settlement) -> settlement.outcome() == Outcome.RETRY)) {
				// The next take says when it is due
				this.container.wakeToReclaim();
			}
			else if (this.source.isOrdered()) {
				this.container.wake();
			}
			this.container.endIfDone();
		}
	}

	private void settled(Settlement<T> settlement, boolean lost) {
		Delivery<T> delivery = settlement.delivery();
		try {
			if (lost) {
				lose(delivery);
				return;
			}
			Call call = this.deliveries.get(delivery);
			// Released, it may have been taken again meanwhile, and is worked on
			if (call != null && call.isSettling(delivery)) {
				this.deliveries.remove(delivery, call);
			}
			this.source.onSettled(settlement, Duration.ofNanos((call != null) ? call.handling : 0));
		}
		catch (Throwable ex) {
			// If rethrown, the others of the batch would be in flight forever
			logger.warn("The outcome of a message of '" + this.source.name() + "' could not be published", ex);
		}
	}

	private final class Call implements Runnable, WorkHandler.BatchAcknowledgment<T> {

		private final List<Delivery<T>> batch;

		/** Deliveries that are not settled with the batch: alone, or not at all. */
		private final Set<Delivery<T>> apart = ConcurrentHashMap.newKeySet();

		/** Either the handler begins or the batch is released, not both. */
		private final AtomicBoolean begun = new AtomicBoolean();

		private final AtomicBoolean settled = new AtomicBoolean();

		/** Whether one of the batch is leased to another instance by now. */
		private volatile boolean hasLost;

		/** By the system's nano time, as the next one. */
		private volatile long leasedUntil;

		private volatile long begunAt = System.nanoTime();

		private volatile long handling;

		Call(List<Delivery<T>> batch, long leasedUntil) {
			this.batch = batch;
			this.leasedUntil = leasedUntil;
		}

		@Override
		public void run() {
			if (!this.begun.compareAndSet(false, true)) {
				return;
			}
			if (!InFlight.this.container.takes()) {
				release(true);
				return;
			}
			this.begunAt = System.nanoTime();
			CompletionStage<? extends @Nullable Object> handled;
			try {
				this.batch.forEach(InFlight.this.source::onBegun);
				handled = Objects.requireNonNull(InFlight.this.handler.handle(this.batch, this));
			}
			catch (Throwable ex) {
				// Not as a failed stage, which inspects the exception
				returned(null, ex);
				return;
			}
			handled
				.whenComplete((result, failure) -> returned(result, (failure != null) ? Waiting.cause(failure) : null));
		}

		void releaseUnlessBegun(boolean takeMore) {
			if (this.begun.compareAndSet(false, true)) {
				release(takeMore);
			}
		}

		private void release(boolean takeMore) {
			this.begunAt = System.nanoTime();
			settle(Outcome.RELEASE, null, null);
			flush();
			end(takeMore);
		}

		private void end(boolean takeMore) {
			InFlight.this.calls.remove(this);
			if (takeMore) {
				InFlight.this.container.wake();
			}
			InFlight.this.container.endIfDone();
		}

		boolean isSettling(Delivery<T> delivery) {
			return this.settled.get() || this.apart.contains(delivery);
		}

		private void returned(@Nullable Object result, @Nullable Throwable failure) {
			if (failure != null) {
				settle((failure instanceof NotRetryableException) ? Outcome.REJECT : Outcome.RETRY, null, failure);
			}
			else if (!InFlight.this.settings.manual()) {
				settle(Outcome.DONE, result, null);
			}
			else if (!this.settled.get()) {
				leave();
			}
			end(true);
		}

		// The lease is not extended any more: unless it is acknowledged within that, the
		// batch is delivered again
		private void leave() {
			List<Delivery<T>> left = this.batch.stream().filter((each) -> !this.apart.contains(each)).toList();
			left.forEach((delivery) -> {
				InFlight.this.left.put(delivery, this.leasedUntil);
				InFlight.this.deliveries.remove(delivery);
			});
			if (!left.isEmpty() && InFlight.this.warnedOfNoAcknowledgement.compareAndSet(false, true)) {
				logger.warn("A listener of '" + InFlight.this.source.name()
						+ "' has returned without an acknowledgement. Unless it calls its Acknowledgment within "
						+ InFlight.this.settings.lease() + ", the message is delivered again");
			}
		}

		private void settle(Outcome outcome, @Nullable Object result, @Nullable Throwable failure) {
			if (this.settled.compareAndSet(false, true)) {
				this.handling = System.nanoTime() - this.begunAt;
				for (Delivery<T> delivery : this.batch) {
					if (!this.apart.contains(delivery)) {
						settle(new Settlement<>(delivery, outcome, result, failure, this::isLeased));
					}
				}
			}
		}

		private void settle(Settlement<T> settlement) {
			InFlight.this.deliveries.putIfAbsent(settlement.delivery(), this);
			InFlight.this.left.remove(settlement.delivery());
			InFlight.this.settlements.add(settlement);
		}

		@Override
		public void reject(Delivery<T> delivery, Throwable failure) {
			if (!this.settled.get() && this.apart.add(delivery)) {
				settle(new Settlement<>(delivery, Outcome.REJECT, null, failure));
			}
		}

		@Override
		public void acknowledge() {
			settle(Outcome.DONE, null, null);
		}

		@Override
		public void retry() {
			settle(Outcome.RETRY, null, null);
		}

		@Override
		public void reject(String reason) {
			settle(Outcome.REJECT, null, new NotRetryableException(reason, null));
		}

		@Override
		public boolean isLeased() {
			return this.leasedUntil - System.nanoTime() > 0;
		}

	}

}
