// SPDX-License-Identifier: Apache-2.0

package io.ge.redis.breaker.internal;

import java.time.Duration;
import java.util.Locale;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.locks.Lock;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Supplier;

import io.ge.redis.breaker.CircuitBreakerEvent;
import io.ge.redis.breaker.CircuitState;
import io.ge.redis.core.event.GuardEvents;
import org.jspecify.annotations.Nullable;

/**
 * One circuit as this instance sees it: its own breaker and the shared state in one. The
 * shared state takes precedence; while it is closed, the counts of this instance may open
 * the circuit for this instance alone.
 * <p>
 * A call reads one volatile state. A lock protects changes and probes; it is held neither
 * across I/O nor while events are published. The result of a call counts only if the
 * state has not changed since it began.
 */
final class InstanceBreaker {

	/** The last second opens the own breaker with so many times the least calls. */
	private static final int SECOND_FACTOR = 5;

	private static final long NEVER = Long.MAX_VALUE;

	private static final long REPORT = TimeUnit.SECONDS.toNanos(1);

	private static final long EARLY_REPORT = TimeUnit.MILLISECONDS.toNanos(100);

	/** Lease of a probe of the own breaker, which has one at a time. */
	private static final long OWN = -1;

	final BreakerSettings settings;

	final RedisBreakers.Keys keys;

	private final GuardEvents events;

	private final Runnable report;

	private final CircuitWindow window;

	private final Lock lock = new ReentrantLock();

	private volatile State state = new State(CircuitState.CLOSED, false, 0);

	/** Version of the shared state that is known. */
	private volatile long version;

	/** Time for which the own breaker will be open, and its probes that succeeded. */
	private long openFor;

	private int succeeded;

	private long closedAt;

	/** A lease that was granted and not used yet, or {@code 0}. */
	private long lease;

	private long leaseEnd;

	private boolean probing;

	private @Nullable ProbeResult result;

	private @Nullable CircuitBreakerEvent change;

	private boolean wanted;

	private volatile long reportedAt;

	/** Time between the last report and the next one. */
	private final AtomicLong period = new AtomicLong(NEVER);

	InstanceBreaker(BreakerSettings settings, RedisBreakers.Keys keys, long now, GuardEvents events, Runnable report) {
		this.settings = settings;
		this.keys = keys;
		this.events = events;
		this.report = report;
		this.window = new CircuitWindow(settings.window(), now);
		this.reportedAt = now - REPORT;
	}

	State state() {
		return this.state;
	}

	long reportedAt() {
		return this.reportedAt;
	}

	/** Returns whether the circuit is closed, without failures in its window. */
	boolean isHealthy(long now) {
		CircuitWindow.Sums sums = this.window.all(now);
		return this.state.circuit() == CircuitState.CLOSED && sums.failures() + sums.slow() == 0;
	}

	private <T extends @Nullable Object> T locked(Supplier<T> action) {
		CircuitBreakerEvent event;
		T done;
		this.lock.lock();
		try {
			done = action.get();
			event = this.change;
			this.change = null;
		}
		finally {
			this.lock.unlock();
		}
		if (event != null) {
			this.events.publish(event);
		}
		return done;
	}

	/**
	 * Asks for a permit. Costs no command.
	 * @return the permit, or {@code null} if the call is refused
	 */
	@Nullable Permit acquire(long now) {
		State known = this.state;
		if (known.circuit() == CircuitState.CLOSED) {
			return new Permit(known, now, 0);
		}
		Permit permit = locked(() -> decide(now));
		if (permit == null && isDue(now)) {
			this.report.run();
		}
		return permit;
	}

	private @Nullable Permit decide(long now) {
		boolean ended = isEnded(now);
		if (ended && this.state.isShared()) {
			// The state stays until the reply names the next one
			wantReply();
		}
		else if (ended && this.state.circuit() == CircuitState.OPEN) {
			become(CircuitState.HALF_OPEN, false, now, "local", true);
		}
		return switch (this.state.circuit()) {
			case CLOSED, DISABLED -> new Permit(this.state, now, 0);
			case OPEN, FORCED_OPEN -> null;
			case HALF_OPEN -> probe(now);
		};
	}

	private boolean isEnded(long now) {
		return this.state.circuit() != CircuitState.HALF_OPEN && now - this.state.until() >= 0;
	}

	private void wantReply() {
		this.wanted = true;
		reportWithin(EARLY_REPORT);
	}

	private @Nullable Permit probe(long now) {
		boolean ended = this.leaseEnd - now <= 0;
		// A probe that hangs does not keep the circuit open
		this.probing &= !ended;
		if (!this.state.isShared() && !this.probing) {
			this.lease = OWN;
			this.leaseEnd = now + this.settings.probeLease().toNanos();
		}
		else if (this.lease == 0 || ended) {
			if (!this.probing) {
				wantReply();
			}
			return null;
		}
		Permit permit = new Permit(this.state, now, this.lease);
		this.lease = 0;
		this.probing = true;
		return permit;
	}

	/** Returns the time to the next probe. */
	Duration retryAfter(long now) {
		State known = this.state;
		long wait = (known.circuit() == CircuitState.HALF_OPEN) ? 0 : known.until() - now;
		return Duration.ofNanos(Math.max(EARLY_REPORT, wait));
	}

	/** Counts the end of a call. An ignored one returns its permit. */
	void end(Permit permit, Outcome outcome, long now) {
		if (permit.lease() != 0) {
			locked(() -> endProbe(permit, outcome, now));
			if (isDue(now)) {
				this.report.run();
			}
		}
		else if (outcome != Outcome.IGNORED && permit.state() == this.state) {
			this.window.record(now, outcome == Outcome.FAILURE, outcome == Outcome.SLOW);
			reportWithin(REPORT);
			if (outcome != Outcome.SUCCESS) {
				failed(permit.state(), now);
			}
		}
	}

	private void failed(State seen, long now) {
		CircuitWindow.Sums second = this.window.lastSecond(now);
		CircuitWindow.Sums all = this.window.all(now);
		int least = this.settings.minimumCalls();
		if (seen.circuit() == CircuitState.CLOSED && (this.settings.isReached(second, SECOND_FACTOR * least, 1)
				|| this.settings.isReached(all, least, 1))) {
			locked(() -> this.state == seen && openAlone(now));
			reportWithin(0);
		}
		else if (this.settings.isReached(second, 1, 2) || this.settings.isReached(all, 1, 2)) {
			reportWithin(EARLY_REPORT);
		}
		if (isDue(now)) {
			this.report.run();
		}
	}

	private boolean endProbe(Permit permit, Outcome outcome, long now) {
		if (permit.state() != this.state) {
			return false;
		}
		boolean failed = outcome == Outcome.FAILURE || outcome == Outcome.SLOW;
		this.probing = false;
		if (this.state.isShared()) {
			this.result = new ProbeResult(permit.lease(),
					failed ? "failed" : (outcome == Outcome.IGNORED) ? "released" : "ok");
			reportWithin(0);
		}
		else if (failed) {
			openAlone(now);
		}
		else if (outcome == Outcome.SUCCESS && ++this.succeeded >= this.settings.probes()) {
			this.closedAt = now;
			become(CircuitState.CLOSED, false, now, "local", true);
		}
		return true;
	}

	private boolean openAlone(long now) {
		if (this.state.circuit() == CircuitState.CLOSED && now - this.closedAt > this.settings.window().toNanos()) {
			this.openFor = 0;
		}
		this.openFor = Math.min(Math.max(this.settings.openFor().toNanos(), this.openFor * 2),
				this.settings.maxOpenFor().toNanos());
		return become(CircuitState.OPEN, false, now + this.openFor, "local", true);
	}

	private boolean become(CircuitState circuit, boolean shared, long until, String by, boolean own) {
		boolean changes = circuit != this.state.circuit() || shared != this.state.isShared();
		if (circuit == CircuitState.CLOSED) {
			this.window.clear();
		}
		this.state = new State(circuit, shared, until);
		this.succeeded = 0;
		this.lease = 0;
		this.probing = false;
		this.result = null;
		if (changes) {
			this.change = new CircuitBreakerEvent(this.settings.name(), circuit, by, own);
		}
		return changes;
	}

	/** Returns whether this instance has something to report now. */
	boolean isDue(long now) {
		return now - this.reportedAt >= this.period.get();
	}

	/**
	 * Has the state reported and read, so many nanoseconds after the last report or
	 * earlier.
	 */
	void reportWithin(long nanos) {
		// Mostly a read, since each call comes here
		if (nanos < this.period.get()) {
			this.period.accumulateAndGet(nanos, Math::min);
		}
	}

	void heardOf(long other) {
		if (other > this.version) {
			reportWithin(0);
			this.report.run();
		}
	}

	/** Takes the counts to report. */
	Report report(long now) {
		return locked(() -> {
			boolean probe = this.wanted;
			this.wanted = false;
			this.reportedAt = now;
			this.period.set(NEVER);
			return new Report(this.window.lastSecond(now), this.window.all(now), probe, this.result, this.version);
		});
	}

	/**
	 * Takes the shared state over if it is newer, or else the time-driven successor of
	 * the known one. If Redis has lost its data, an open circuit ends by its own time.
	 */
	void replied(Report report, SharedState shared, long now) {
		locked(() -> {
			if (this.result == report.result()) {
				this.result = null;
			}
			boolean closed = shared.circuit() == CircuitState.CLOSED;
			boolean isOther = shared.circuit() != this.state.circuit() || this.state.isShared() == closed;
			if (shared.version() > this.version
					|| (shared.version() == this.version && isOther && (this.state.isShared() || !closed))) {
				this.version = shared.version();
				become(shared.circuit(), !closed, now + TimeUnit.MILLISECONDS.toNanos(shared.waitMillis()),
						shared.reason(), shared.isChanged());
			}
			else if (shared.version() < this.version) {
				endAlone(now);
			}
			if (shared.lease() != 0 && this.state.circuit() == CircuitState.HALF_OPEN && this.state.isShared()) {
				this.lease = this.probing ? 0 : shared.lease();
				this.leaseEnd = now + TimeUnit.MILLISECONDS.toNanos(shared.leaseMillis());
			}
			return true;
		});
	}

	/**
	 * Reports again, since a lost report is no reason for further probes. Continues alone
	 * once the shared state has ended, if Redis is unavailable.
	 */
	void failed(boolean isUnavailable, long now) {
		reportWithin(EARLY_REPORT);
		if (isUnavailable) {
			locked(() -> endAlone(now));
		}
	}

	private boolean endAlone(long now) {
		CircuitState circuit = this.state.circuit();
		boolean probes = circuit == CircuitState.OPEN || circuit == CircuitState.HALF_OPEN;
		return this.state.isShared() && (isEnded(now) || circuit == CircuitState.HALF_OPEN)
				&& become(probes ? CircuitState.HALF_OPEN : CircuitState.CLOSED, false, now, "local", true);
	}

	/**
	 * The state, compared by identity: each change makes another one.
	 *
	 * @param isShared whether all instances share it
	 * @param until time at which it ends, by {@link System#nanoTime()}
	 */
	record State(CircuitState circuit, boolean isShared, long until) {
	}

	/**
	 * Permission for one call.
	 *
	 * @param lease lease of a probe, else 0
	 */
	record Permit(State state, long startedAt, long lease) {
	}

	record ProbeResult(long lease, String text) {
	}

	record Report(CircuitWindow.Sums second, CircuitWindow.Sums all, boolean isProbeWanted,
			@Nullable ProbeResult result, long version) {
	}

	/**
	 * The state in Redis.
	 *
	 * @param isChanged whether the report that was replied to has changed it
	 */
	record SharedState(CircuitState circuit, long version, long waitMillis, long lease, long leaseMillis, String reason,
			boolean isChanged) {
	}

	enum Outcome {

		SUCCESS, FAILURE, SLOW, IGNORED;

		final String result = name().toLowerCase(Locale.ROOT);

	}

}
