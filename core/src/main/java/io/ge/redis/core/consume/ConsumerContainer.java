/*
 * Copyright 2026 the GE Redis authors
 * SPDX-License-Identifier: Apache-2.0
 */

package io.ge.redis.core.consume;

import java.time.Duration;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.Future;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Supplier;

import io.ge.redis.core.consume.Settlement.Outcome;
import io.ge.redis.core.outage.Waiting;
import org.apache.commons.logging.Log;
import org.apache.commons.logging.LogFactory;
import org.jspecify.annotations.Nullable;

/**
 * Runs the work of one source on this instance.
 * <p>
 * It takes as much as it has permits for, hands it to the handler, and settles it after
 * the work. What is in flight is kept alive by one heartbeat every third of the lease.
 * When a source has nothing left, its {@link Doorbells} wake the container; a look for
 * what others have left every third of the lease is the backstop. In an outage it pauses,
 * and goes on when Redis answers.
 * <p>
 * No thread waits: taking, heartbeats and settling go on as Redis answers. Only handlers
 * have threads.
 *
 * @param <T> the messages
 */
public final class ConsumerContainer<T> {

	private static final Log logger = LogFactory.getLog(ConsumerContainer.class);

	private static final long SHORTEST_PAUSE_MILLIS = 50;

	private static final long LONGEST_PAUSE_MILLIS = 1000;

	/** Also work that is due at once is looked for by a timer, so that it is no loop. */
	private static final Duration SHORTEST_WAIT = Duration.ofMillis(5);

	private final WorkSource<T> source;

	private final WorkHandler<T> handler;

	private final ConsumerSettings settings;

	private final ConsumerThreads threads;

	private final @Nullable Doorbells doorbells;

	private final ConsumerListener<T> listener;

	private final SettlementQueue<T> settlements;

	/** Deliveries that are handled or wait to be settled. */
	private final Map<Delivery<T>, Call> inFlight = new ConcurrentHashMap<>();

	/** Calls of the handler that have not returned, the permits in use. */
	private final AtomicInteger calls = new AtomicInteger();

	/** Requests for a turn that are not answered yet: turns follow one another. */
	private final AtomicInteger wanted = new AtomicInteger();

	private final AtomicBoolean reclaim = new AtomicBoolean();

	private final AtomicBoolean beating = new AtomicBoolean();

	private final AtomicBoolean leaving = new AtomicBoolean();

	/** Whether a doorbell has asked for the next turn. */
	private final AtomicBoolean rung = new AtomicBoolean();

	private final AtomicBoolean warnedOfNoAcknowledgement = new AtomicBoolean();

	private final AtomicInteger failures = new AtomicInteger();

	/** Whether a failed take is to be repeated: one repetition at a time. */
	private final AtomicBoolean repeating = new AtomicBoolean();

	/** The next look for what is due, at most one at a time. */
	private final AtomicReference<@Nullable Due> due = new AtomicReference<>();

	private final AtomicInteger emptyTurns = new AtomicInteger();

	private volatile boolean running;

	private volatile boolean paused;

	/** By the system's nano time; until then a stop goes on taking what is there. */
	private volatile long drainUntil = System.nanoTime();

	private volatile @Nullable CompletableFuture<Void> stopping;

	private volatile @Nullable Future<?> timer;

	private volatile @Nullable String problem;

	private volatile long takenAt;

	private volatile boolean everTaken;

	/**
	 * Assembles a container. It takes nothing before {@link #start()}.
	 * @param source where work comes from
	 * @param handler does it
	 * @param settings how
	 * @param threads runs handlers and timers
	 * @param doorbells wakes it, or {@code null} if the source has none
	 * @param listener told of what happens
	 */
	public ConsumerContainer(WorkSource<T> source, WorkHandler<T> handler, ConsumerSettings settings,
			ConsumerThreads threads, @Nullable Doorbells doorbells, ConsumerListener<T> listener) {
		this.source = source;
		this.handler = handler;
		this.settings = settings;
		this.threads = threads;
		this.doorbells = doorbells;
		this.listener = listener;
		this.settlements = new SettlementQueue<>(source, settings.linger(), threads.scheduler(), this::settled);
	}

	/**
	 * Returns the name of the source.
	 */
	public String name() {
		return this.source.name();
	}

	/**
	 * Begins to take, for the first time or after a stop.
	 */
	public void start() {
		if (this.running) {
			return;
		}
		this.stopping = null;
		this.leaving.set(false);
		this.running = true;
		this.reclaim.set(true);
		long period = this.settings.period().toMillis();
		// Instances that start together should not look at the same time for ever
		long first = ThreadLocalRandom.current().nextLong(period) + 1;
		this.timer = this.threads.scheduler().scheduleWithFixedDelay(this::tick, first, period, TimeUnit.MILLISECONDS);
		if (this.doorbells != null) {
			this.doorbells.add(this);
		}
		wake();
	}

	/**
	 * Takes nothing more until {@link #resume()}. What is in flight goes on.
	 */
	public void pause() {
		this.paused = true;
		endWait();
	}

	/**
	 * Takes again.
	 */
	public void resume() {
		this.paused = false;
		wake();
	}

	/**
	 * Has the container look for work now, because there may be some, or Redis answers
	 * again.
	 */
	public void wake() {
		if (this.wanted.getAndIncrement() == 0) {
			turn();
		}
	}

	/**
	 * Stops: releases what has not begun, and waits for what has.
	 * @return completes when nothing is in flight and everything is settled, at the
	 * latest after the time for a shutdown
	 */
	public CompletableFuture<Void> stop() {
		CompletableFuture<Void> stopping = this.stopping;
		if (!this.running) {
			return (stopping != null) ? stopping : CompletableFuture.completedFuture(null);
		}
		CompletableFuture<Void> stopped = new CompletableFuture<>();
		this.drainUntil = System.nanoTime() + this.settings.drain().toNanos();
		this.stopping = stopped;
		this.running = false;
		endWait();
		if (!this.settings.drain().isZero()) {
			wake();
		}
		else {
			Set.copyOf(this.inFlight.values()).forEach((call) -> call.releaseUnlessBegun(true));
		}
		this.settlements.flush();
		endIfDone();
		stopped.completeOnTimeout(null, this.settings.shutdown().toMillis(), TimeUnit.MILLISECONDS);
		return stopped.thenRun(this::end);
	}

	private void endWait() {
		if (this.doorbells != null) {
			this.doorbells.cancel(this);
		}
	}

	private void end() {
		Future<?> timer = this.timer;
		if (timer != null) {
			timer.cancel(false);
		}
		if (!this.inFlight.isEmpty()) {
			logger.warn("Stopped while " + this.inFlight.size() + " messages of '" + this.source.name()
					+ "' were in flight. They are delivered again");
			this.inFlight.clear();
		}
	}

	private void endIfDone() {
		CompletableFuture<Void> stopping = this.stopping;
		if (stopping != null && this.inFlight.isEmpty() && this.calls.get() == 0 && this.wanted.get() == 0
				&& this.leaving.compareAndSet(false, true)) {
			asked(this.source::leave).whenComplete((left, failure) -> stopping.complete(null));
		}
	}

	private void tick() {
		try {
			this.reclaim.set(true);
			heartbeat();
			wake();
		}
		catch (Throwable ex) {
			// Thrown on, it would be the last look of this instance
			logger.warn("The container of '" + this.source.name() + "' could not look: " + ex);
		}
	}

	// Taking

	private boolean takes() {
		return (this.running || this.drainUntil - System.nanoTime() > 0) && !this.paused;
	}

	/**
	 * Returns whether the container is to take, as it was started and is not paused.
	 */
	boolean isTaking() {
		return this.running && !this.paused;
	}

	private int free() {
		return this.settings.concurrency() - this.calls.get();
	}

	private void turn() {
		int answered = this.wanted.get();
		int free = free();
		if (!takes() || free <= 0) {
			turned(answered);
			return;
		}
		boolean reclaim = this.reclaim.getAndSet(false);
		long asked = System.nanoTime();
		asked(() -> this.source.take(free * this.settings.batchSize(), reclaim)).whenComplete((taken, failure) -> {
			Throwable problem = (failure != null) ? Waiting.cause(failure) : taken(taken, asked);
			if (problem != null) {
				if (reclaim) {
					this.reclaim.set(true);
				}
				failed(problem);
			}
			turned(answered);
		});
	}

	/** An exception instead of a stage must not end the course of a container. */
	private static <R> CompletionStage<R> asked(Supplier<CompletionStage<R>> question) {
		try {
			return question.get();
		}
		catch (Throwable ex) {
			return CompletableFuture.failedFuture(ex);
		}
	}

	private void turned(int answered) {
		if (this.wanted.addAndGet(-answered) > 0) {
			// Not on this stack, which may be that of an earlier turn
			this.threads.later(Duration.ZERO, this::turn);
		}
		else {
			endIfDone();
		}
	}

	/**
	 * Begins what was taken.
	 * @return why more is better not taken now, or {@code null}
	 */
	private @Nullable Throwable taken(TakenWork<T> taken, long asked) {
		try {
			List<Delivery<T>> deliveries = taken.deliveries();
			Throwable refused = null;
			for (int i = 0; i < deliveries.size(); i += this.settings.batchSize()) {
				Throwable refusedNow = begin(
						new ArrayList<>(
								deliveries.subList(i, Math.min(deliveries.size(), i + this.settings.batchSize()))),
						asked);
				refused = (refusedNow != null) ? refusedNow : refused;
			}
			this.takenAt = asked;
			this.everTaken = true;
			if (taken.due() != null) {
				lookAfter(taken.due());
			}
			if (refused != null) {
				return refused;
			}
			if (this.failures.getAndSet(0) > 0) {
				logger.info("Takes messages of '" + this.source.name() + "' again");
			}
			this.problem = null;
			if (taken.more()) {
				wake();
			}
			else if (this.doorbells != null && isTaking() && free() > 0) {
				this.doorbells.await(this, this.source.doorbells(), emptyTurns(deliveries.isEmpty()));
			}
			return null;
		}
		catch (Throwable ex) {
			return ex;
		}
	}

	// Those that nobody has rung for say nothing about the others' hurry
	private int emptyTurns(boolean empty) {
		boolean rung = this.rung.getAndSet(false);
		if (!empty) {
			this.emptyTurns.set(0);
		}
		return (empty && rung) ? this.emptyTurns.incrementAndGet() : this.emptyTurns.get();
	}

	/**
	 * Plans a look for what is due. There is one plan at a time, the earliest, or each
	 * look before that would add one.
	 */
	private void lookAfter(Duration delay) {
		Due planned = new Due(
				System.nanoTime() + ((delay.compareTo(SHORTEST_WAIT) > 0) ? delay : SHORTEST_WAIT).toNanos());
		Due former = this.due.get();
		if (former != null && former.at - planned.at <= 0 || !this.due.compareAndSet(former, planned)) {
			return;
		}
		if (former != null) {
			former.cancel();
		}
		planned.timer = this.threads.later(Duration.ofNanos(planned.at - System.nanoTime()), () -> {
			this.due.compareAndSet(planned, null);
			this.reclaim.set(true);
			wake();
		});
	}

	void rung(List<Doorbell> bells) {
		this.rung.set(true);
		bells.forEach((bell) -> this.source.rung(bell.key().toString()));
		wake();
	}

	/**
	 * Looks for work in a stream, now or with the next permit.
	 * @return whether it is one of the source
	 */
	boolean rung(String stream) {
		if (!isTaking() || !this.source.rung(stream)) {
			return false;
		}
		this.rung.set(true);
		wake();
		return true;
	}

	private void failed(Throwable failure) {
		int times = this.failures.getAndIncrement();
		this.problem = String.valueOf(failure.getMessage());
		if (times == 0) {
			logger.warn("Takes no messages of '" + this.source.name() + "' for now: " + failure);
		}
		if (this.repeating.compareAndSet(false, true)) {
			long pause = Math.min(LONGEST_PAUSE_MILLIS, SHORTEST_PAUSE_MILLIS << Math.min(times, 10));
			this.threads.later(Duration.ofMillis(pause), () -> {
				this.repeating.set(false);
				wake();
			});
		}
	}

	// Handling

	private @Nullable Throwable begin(List<Delivery<T>> batch, long leasedFrom) {
		Call call = new Call(batch, leasedFrom + this.settings.lease().toNanos());
		batch.forEach((delivery) -> this.inFlight.put(delivery, call));
		this.calls.incrementAndGet();
		try {
			this.threads.handlers().execute(call);
			return null;
		}
		catch (Throwable ex) {
			// Mostly no thread could be made. Taken at once again, it would be a loop
			call.releaseUnlessBegun(false);
			return ex;
		}
	}

	private void heartbeat() {
		if (this.inFlight.isEmpty() || !this.beating.compareAndSet(false, true)) {
			return;
		}
		long asked = System.nanoTime();
		List<Delivery<T>> alive = new ArrayList<>(this.inFlight.keySet());
		asked(() -> this.source.heartbeat(alive)).whenComplete((lost, failure) -> {
			this.beating.set(false);
			if (failure == null) {
				lost.forEach(this::loseUnlessSettling);
				long until = asked + this.settings.lease().toNanos();
				alive.forEach((delivery) -> this.inFlight.computeIfPresent(delivery, (same, call) -> {
					// A batch of which one is lost is not leased any more
					call.leasedUntil = call.lost.isEmpty() ? until : call.leasedUntil;
					return call;
				}));
			}
		});
	}

	// One that is being settled may be gone for that: then settling says what became of
	// it
	private void loseUnlessSettling(Delivery<T> delivery) {
		Call call = this.inFlight.get(delivery);
		if (call != null && !call.isSettling(delivery)) {
			call.lost.add(delivery);
			lose(delivery);
		}
	}

	private void lose(Delivery<T> delivery) {
		Call call = this.inFlight.remove(delivery);
		if (call != null) {
			call.leasedUntil = System.nanoTime();
			this.listener.onLost(delivery);
		}
	}

	private void settled(List<Settlement<T>> batch, Collection<Delivery<T>> lost) {
		try {
			Set<Delivery<T>> notSettled = Set.copyOf(lost);
			batch.forEach((settlement) -> settled(settlement, notSettled.contains(settlement.delivery())));
			this.listener.onBatch(batch.size());
		}
		finally {
			boolean retried = batch.stream().anyMatch((settlement) -> settlement.outcome() == Outcome.RETRY);
			if (retried) {
				// The next take says when it is due
				this.reclaim.set(true);
			}
			if (retried || this.source.isOrdered()) {
				wake();
			}
			endIfDone();
		}
	}

	private void settled(Settlement<T> settlement, boolean lost) {
		Delivery<T> delivery = settlement.delivery();
		try {
			if (lost) {
				lose(delivery);
				return;
			}
			Call call = this.inFlight.get(delivery);
			// Released, it may have been taken again meanwhile, and is worked on
			if (call != null && call.isSettling(delivery)) {
				this.inFlight.remove(delivery, call);
			}
			this.listener.onSettled(settlement, Duration.ofNanos((call != null) ? call.handling : 0));
		}
		catch (Throwable ex) {
			// Thrown on, the others of the batch would be in flight for ever
			logger.warn("The outcome of a message of '" + this.source.name() + "' could not be published", ex);
		}
	}

	/**
	 * Returns the state of this container.
	 */
	public ConsumerReport report() {
		return new ConsumerReport(this.source.name(), state(), this.settings.concurrency(), Math.max(0, free()),
				this.inFlight.size(), this.everTaken ? Duration.ofNanos(System.nanoTime() - this.takenAt) : null,
				this.settings.period(), this.problem);
	}

	private ConsumerReport.State state() {
		if (!this.running) {
			CompletableFuture<Void> stopping = this.stopping;
			return (stopping != null && !stopping.isDone()) ? ConsumerReport.State.STOPPING
					: ConsumerReport.State.STOPPED;
		}
		if (this.paused) {
			return ConsumerReport.State.PAUSED;
		}
		return (this.problem != null) ? ConsumerReport.State.OUTAGE : ConsumerReport.State.RUNNING;
	}

	/**
	 * A call of the handler with a batch.
	 */
	private final class Call implements Runnable, BatchAcknowledgment<T> {

		private final List<Delivery<T>> batch;

		private final AtomicBoolean settled = new AtomicBoolean();

		/** Those of the batch that are settled by themselves. */
		private final Set<Delivery<T>> apart = ConcurrentHashMap.newKeySet();

		/** Those that are leased to somebody else by now, which nothing settles. */
		private final Set<Delivery<T>> lost = ConcurrentHashMap.newKeySet();

		/** Either the handler begins or the batch is released, not both. */
		private final AtomicBoolean begun = new AtomicBoolean();

		/** By the system's nano time. */
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
			if (!takes()) {
				release(true);
				return;
			}
			this.begunAt = System.nanoTime();
			CompletionStage<? extends @Nullable Object> handled;
			try {
				this.batch.forEach(ConsumerContainer.this.listener::onBegun);
				handled = Objects.requireNonNull(ConsumerContainer.this.handler.handle(this.batch, this));
			}
			catch (Throwable ex) {
				// Not as a failed stage, which asks an exception what it is
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
			ConsumerContainer.this.settlements.flush();
			ConsumerContainer.this.calls.decrementAndGet();
			if (takeMore) {
				wake();
			}
			endIfDone();
		}

		boolean isSettling(Delivery<T> delivery) {
			return this.settled.get() || this.apart.contains(delivery);
		}

		private void returned(@Nullable Object result, @Nullable Throwable failure) {
			if (failure != null) {
				settle((failure instanceof NotRetryableException) ? Outcome.REJECT : Outcome.RETRY, null, failure);
			}
			else if (!ConsumerContainer.this.settings.manual()) {
				settle(Outcome.DONE, result, null);
			}
			else if (!this.settled.get()) {
				// Its lease is not extended any more: unless it is acknowledged within
				// that, it is delivered again
				List<Delivery<T>> left = this.batch.stream()
					.filter((delivery) -> !this.apart.contains(delivery))
					.toList();
				left.forEach(ConsumerContainer.this.inFlight::remove);
				if (!left.isEmpty() && ConsumerContainer.this.warnedOfNoAcknowledgement.compareAndSet(false, true)) {
					logger.warn("A listener of '" + ConsumerContainer.this.source.name()
							+ "' has returned without an acknowledgement. Unless it calls its Acknowledgment within "
							+ ConsumerContainer.this.settings.lease() + ", the message is delivered again");
				}
			}
			ConsumerContainer.this.calls.decrementAndGet();
			wake();
			endIfDone();
		}

		private void settle(Outcome outcome, @Nullable Object result, @Nullable Throwable failure) {
			if (this.settled.compareAndSet(false, true)) {
				this.handling = System.nanoTime() - this.begunAt;
				for (Delivery<T> delivery : this.batch) {
					if (!this.apart.contains(delivery) && !this.lost.contains(delivery)) {
						settle(delivery, outcome, result, failure);
					}
				}
			}
		}

		private void settle(Delivery<T> delivery, Outcome outcome, @Nullable Object result,
				@Nullable Throwable failure) {
			ConsumerContainer.this.inFlight.putIfAbsent(delivery, this);
			ConsumerContainer.this.settlements.add(new Settlement<>(delivery, outcome, result, failure));
		}

		@Override
		public void reject(Delivery<T> delivery, Throwable failure) {
			if (!this.settled.get() && this.apart.add(delivery)) {
				settle(delivery, Outcome.REJECT, null, failure);
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

	/**
	 * A planned look.
	 */
	private static final class Due {

		/** By the system's nano time. */
		private final long at;

		private volatile @Nullable Future<?> timer;

		Due(long at) {
			this.at = at;
		}

		void cancel() {
			Future<?> timer = this.timer;
			if (timer != null) {
				timer.cancel(false);
			}
		}

	}

}
