// SPDX-License-Identifier: Apache-2.0

package io.ge.redis.core.consume;

import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.Future;
import java.util.concurrent.ScheduledFuture;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Supplier;

import io.ge.redis.core.consume.WorkSource.Doorbell;
import io.ge.redis.core.consume.WorkSource.TakenWork;
import io.ge.redis.core.outage.Waiting;
import org.apache.commons.logging.Log;
import org.apache.commons.logging.LogFactory;
import org.jspecify.annotations.Nullable;

/**
 * Runs the work of one source on this instance.
 * <p>
 * It takes as much as it has permits for, and has it handled {@linkplain InFlight in
 * flight}. When a source has nothing left, its {@link Doorbells} wake the container.
 * Every third of the lease it also looks for what others have left. In an outage it
 * pauses, and continues when Redis answers.
 * <p>
 * No thread waits: taking, heartbeats and settling proceed as Redis answers. Only
 * handlers have threads.
 *
 * @param <T> the messages
 */
public final class ConsumerContainer<T> {

	private static final Log logger = LogFactory.getLog(ConsumerContainer.class);

	/** Between takes that fail. */
	private static final Backoff AGAIN = new Backoff(Duration.ofMillis(50), Duration.ofSeconds(1));

	/** A timer also looks for work that is due at once, so that there is no busy loop. */
	private static final Duration SHORTEST_WAIT = Duration.ofMillis(5);

	private final WorkSource<T> source;

	private final ConsumerSettings settings;

	private final ConsumerThreads threads;

	private final @Nullable Doorbells doorbells;

	private final InFlight<T> inFlight;

	/** Requests for a turn that are not answered yet: turns follow one another. */
	private final AtomicInteger wanted = new AtomicInteger();

	private final AtomicBoolean reclaim = new AtomicBoolean();

	/** Whether a doorbell has asked for the next turn. */
	private final AtomicBoolean rung = new AtomicBoolean();

	private final AtomicBoolean leaving = new AtomicBoolean();

	private volatile boolean running;

	private volatile boolean paused;

	/** By the system's nano time, while it takes nothing by decision. */
	private volatile long idleSince;

	/** Whether there is work that it does not take. */
	private volatile boolean neglected;

	/** By the system's nano time; until then a stop still takes what is there. */
	private volatile long drainUntil = System.nanoTime();

	private volatile @Nullable CompletableFuture<Void> stopping;

	private volatile @Nullable Future<?> timer;

	// Written by turns only

	/** The next look for what is due, or after a failure: the earliest. */
	private volatile @Nullable ScheduledFuture<?> due;

	private volatile int failures;

	private volatile int emptyTurns;

	private volatile @Nullable String problem;

	private volatile @Nullable Long takenAt;

	/**
	 * Assembles a container. It takes nothing before {@link #start()}.
	 * @param doorbells wakes it, or {@code null} if the source has none
	 */
	public ConsumerContainer(WorkSource<T> source, WorkHandler<T> handler, ConsumerSettings settings,
			ConsumerThreads threads, @Nullable Doorbells doorbells) {
		this.source = source;
		this.settings = settings;
		this.threads = threads;
		this.doorbells = doorbells;
		this.inFlight = new InFlight<>(this, source, handler, settings, threads);
		this.paused = !settings.autoStartup();
	}

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
		this.idleSince = System.nanoTime();
		this.running = true;
		this.reclaim.set(true);
		long period = this.settings.period().toMillis();
		// Instances that start together should not look at the same time forever
		long first = ThreadLocalRandom.current().nextLong(period) + 1;
		this.timer = this.threads.scheduler().scheduleWithFixedDelay(this::tick, first, period, TimeUnit.MILLISECONDS);
		if (this.doorbells != null) {
			this.doorbells.add(this);
		}
		wake();
	}

	CompletableFuture<?> ready() {
		return this.source.ready().toCompletableFuture();
	}

	/**
	 * Takes nothing more until {@link #resume()}. Work in flight continues.
	 */
	public void pause() {
		this.idleSince = this.paused ? this.idleSince : System.nanoTime();
		this.paused = true;
		endWait();
	}

	public void resume() {
		this.paused = false;
		this.neglected = false;
		wake();
	}

	/**
	 * Makes the container look for work now, because there may be some, or Redis answers
	 * again.
	 */
	public void wake() {
		if (this.wanted.getAndIncrement() == 0) {
			turn();
		}
	}

	/**
	 * Stops: releases deliveries that have not begun, and waits for the others.
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
			this.inFlight.release();
		}
		this.inFlight.flush();
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
		this.inFlight.abandon();
	}

	void endIfDone() {
		CompletableFuture<Void> stopping = this.stopping;
		if (stopping != null && this.inFlight.isOver() && this.wanted.get() == 0
				&& this.leaving.compareAndSet(false, true)) {
			asked(this.source::leave).whenComplete((left, failure) -> stopping.complete(null));
		}
	}

	private void tick() {
		try {
			this.inFlight.heartbeat();
			wakeToReclaim();
			if (!isTaking() && System.nanoTime() - this.idleSince >= this.settings.lease().toNanos()) {
				asked(this.source::hasWork).thenAccept((work) -> this.neglected = work && !isTaking());
			}
		}
		catch (Throwable ex) {
			// If rethrown, this would be the last look of this instance
			logger.warn("The container of '" + name() + "' could not check for work: " + ex);
		}
	}

	/**
	 * Looks also for what is due, and for what others have left.
	 */
	void wakeToReclaim() {
		this.reclaim.set(true);
		wake();
	}

	/**
	 * Returns whether a turn may take, as it may while the container drains at its stop.
	 */
	boolean takes() {
		return (this.running || this.drainUntil - System.nanoTime() > 0) && !this.paused;
	}

	/**
	 * Returns whether the container is to take, as it was started and is not paused.
	 */
	boolean isTaking() {
		return this.running && !this.paused;
	}

	private void turn() {
		int answered = this.wanted.get();
		int free = this.inFlight.free();
		if (!takes() || free <= 0) {
			turned(answered);
			return;
		}
		boolean reclaim = this.reclaim.getAndSet(false);
		long asked = System.nanoTime();
		asked(() -> this.source.take(free * this.settings.batchSize(), reclaim, this.inFlight.held()))
			.whenComplete((taken, failure) -> {
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
	static <R> CompletionStage<R> asked(Supplier<CompletionStage<R>> question) {
		try {
			return question.get();
		}
		catch (Throwable ex) {
			return CompletableFuture.failedFuture(ex);
		}
	}

	private void turned(int answered) {
		if (this.wanted.addAndGet(-answered) > 0) {
			// Not on this stack, which may belong to an earlier turn
			this.threads.later(Duration.ZERO, this::turn);
		}
		else {
			endIfDone();
		}
	}

	/**
	 * Begins the taken deliveries.
	 * @return the reason not to take more now, or {@code null}
	 */
	private @Nullable Throwable taken(TakenWork<T> taken, long asked) {
		try {
			Throwable refused = this.inFlight.begin(taken.deliveries(), asked);
			this.takenAt = asked;
			if (taken.due() != null) {
				lookAfter(taken.due());
			}
			if (refused != null) {
				return refused;
			}
			if (this.problem != null) {
				logger.info("Resumed reading '" + name() + "'");
			}
			this.problem = null;
			this.failures = 0;
			// Messages without a ring are no sign of a fast publisher
			boolean rung = this.rung.getAndSet(false);
			this.emptyTurns = !taken.deliveries().isEmpty() ? 0 : this.emptyTurns + (rung ? 1 : 0);
			if (taken.more()) {
				wake();
			}
			else if (this.doorbells != null && isTaking() && this.inFlight.free() > 0) {
				this.doorbells.await(this, this.source.doorbells(), this.emptyTurns);
			}
			return null;
		}
		catch (Throwable ex) {
			return ex;
		}
	}

	private void lookAfter(Duration delay) {
		Duration wait = (delay.compareTo(SHORTEST_WAIT) > 0) ? delay : SHORTEST_WAIT;
		ScheduledFuture<?> planned = this.due;
		if (planned != null) {
			long rest = planned.getDelay(TimeUnit.NANOSECONDS);
			if (rest > 0 && rest <= wait.toNanos()) {
				return;
			}
			planned.cancel(false);
		}
		this.due = this.threads.later(wait, this::wakeToReclaim);
	}

	void rung(List<Doorbell> bells) {
		this.rung.set(true);
		bells.forEach(this.source::rung);
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
		if (this.problem == null) {
			logger.warn("Paused reading '" + name() + "'; will retry: " + failure);
		}
		this.problem = String.valueOf(failure.getMessage());
		this.failures = this.failures + 1;
		lookAfter(AGAIN.after(this.failures));
	}

	public ConsumerReport report() {
		Long takenAt = this.takenAt;
		boolean stuck = this.inFlight.isStuck();
		String problem = this.neglected ? "Messages wait, and the consumer of this instance is paused"
				: stuck ? "A call of the listener has lasted for longer than max-processing-time"
						: isTaking() ? this.problem : null;
		return new ConsumerReport(name(), state(), this.settings.concurrency(), Math.max(0, this.inFlight.free()),
				this.inFlight.deliveries().size(),
				(takenAt != null) ? Duration.ofNanos(System.nanoTime() - takenAt) : null, this.settings.period(), stuck,
				problem);
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

}
