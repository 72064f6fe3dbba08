// SPDX-License-Identifier: Apache-2.0

package io.ge.redis.breaker.internal;

import java.time.Duration;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.Lock;
import java.util.concurrent.locks.ReentrantLock;

import io.ge.redis.breaker.CircuitBreakerEvent;
import io.ge.redis.breaker.CircuitState;
import io.ge.redis.core.event.GuardEvents;
import org.jspecify.annotations.Nullable;

/**
 * One circuit as this instance sees it: its own breaker and the shared state in one. The
 * shared state takes precedence; while it is closed, the counts of this instance may open
 * the circuit for this instance alone.
 * <p>
 * A call reads one volatile state. A lock, never held across I/O, protects changes and
 * probes. The result of a call counts only if the state has not changed since it began.
 */
final class InstanceBreaker {

	/** The last second opens the own breaker with so many times the least calls. */
	private static final int SECOND_FACTOR = 5;

	private static final long REPORT = TimeUnit.SECONDS.toNanos(1);

	private static final long URGENT_REPORT = TimeUnit.MILLISECONDS.toNanos(100);

	private static final int ALL = 100;

	private static final int HALF = 50;

	private static final int MOST_DOUBLINGS = 20;

	private final BreakerSettings settings;

	private final RedisCircuit key;

	private final GuardEvents events;

	private final Runnable report;

	private final CircuitWindow window;

	private final Lock lock = new ReentrantLock();

	private volatile State state = new State(CircuitState.CLOSED, false, 0);

	/** Version of the shared state that is known. */
	private long version;

	/** Openings in a row of the own breaker, and its probes. */
	private int openings;

	private int begun;

	private int succeeded;

	private long closedAt;

	/** A lease that was granted and not used yet, or {@code 0}. */
	private long lease;

	private long leaseEnd;

	private boolean probing;

	private @Nullable ProbeResult result;

	private volatile boolean unreported;

	private volatile boolean urgent;

	private volatile boolean wanted;

	private volatile long reportedAt;

	InstanceBreaker(BreakerSettings settings, RedisCircuit key, long now, GuardEvents events, Runnable report) {
		this.settings = settings;
		this.key = key;
		this.events = events;
		this.report = report;
		this.window = new CircuitWindow(settings.window(), now);
		this.reportedAt = now - REPORT;
	}

	BreakerSettings settings() {
		return this.settings;
	}

	RedisCircuit key() {
		return this.key;
	}

	State state() {
		return this.state;
	}

	/**
	 * Asks for a permit. Costs no command.
	 * @return the permit, or {@code null} if the call is refused
	 */
	@Nullable Permit acquire(long now) {
		State known = this.state;
		return (known.circuit() == CircuitState.CLOSED) ? new Permit(known, now, false, 0) : acquireUnlessOpen(now);
	}

	private @Nullable Permit acquireUnlessOpen(long now) {
		Permit permit;
		this.lock.lock();
		try {
			permit = decide(now);
		}
		finally {
			this.lock.unlock();
		}
		if (permit == null && this.wanted && now - this.reportedAt >= URGENT_REPORT) {
			this.report.run();
		}
		return permit;
	}

	private @Nullable Permit decide(long now) {
		boolean due = now - this.state.until() >= 0;
		switch (this.state.circuit()) {
			case DISABLED, FORCED_OPEN -> {
				if (due) {
					// A forced state ends by itself; the reply says which one follows
					this.urgent = true;
					this.wanted = true;
					become(CircuitState.CLOSED, false, now);
				}
				return (this.state.circuit() == CircuitState.FORCED_OPEN) ? null
						: new Permit(this.state, now, false, 0);
			}
			case OPEN -> {
				if (!due) {
					return null;
				}
				if (this.state.isShared()) {
					this.wanted = true;
					return null;
				}
				probeAlone(now);
			}
			default -> {
			}
		}
		return (this.state.circuit() != CircuitState.HALF_OPEN) ? new Permit(this.state, now, false, 0) : probe(now);
	}

	private @Nullable Permit probe(long now) {
		if (!this.state.isShared()) {
			if (now - this.state.until() >= this.settings.probeLease().toNanos()) {
				become(CircuitState.HALF_OPEN, false, now);
			}
			return (this.begun++ < this.settings.probes()) ? new Permit(this.state, now, true, 0) : refuseProbe();
		}
		if (this.lease != 0 && this.leaseEnd - now > 0) {
			Permit permit = new Permit(this.state, now, true, this.lease);
			this.lease = 0;
			this.probing = true;
			return permit;
		}
		// A probe that hangs does not keep the circuit open
		this.probing &= this.leaseEnd - now > 0;
		this.wanted = !this.probing;
		return null;
	}

	private @Nullable Permit refuseProbe() {
		this.begun--;
		return null;
	}

	/**
	 * Returns the time to the next probe.
	 */
	Duration retryAfter(long now) {
		long wait = this.state.until() - now;
		return Duration
			.ofNanos((this.state.circuit() == CircuitState.HALF_OPEN) ? URGENT_REPORT : Math.max(URGENT_REPORT, wait));
	}

	/**
	 * Counts the end of a call. An ignored one returns its permit.
	 */
	void end(Permit permit, Outcome outcome, long now) {
		if (permit.isProbe()) {
			endProbe(permit, outcome, now);
		}
		else if (outcome != Outcome.IGNORED && permit.state() == this.state) {
			this.window.record(now, outcome == Outcome.FAILURE, outcome == Outcome.SLOW);
			if (!this.unreported) {
				this.unreported = true;
			}
			if (outcome != Outcome.SUCCESS && !this.urgent) {
				failed(permit.state(), now);
			}
		}
	}

	private void failed(State seen, long now) {
		CircuitWindow.Sums second = this.window.lastSecond(now);
		CircuitWindow.Sums all = this.window.all(now);
		int least = this.settings.minimumCalls();
		if (seen.circuit() == CircuitState.CLOSED && (trips(second, SECOND_FACTOR * least) || trips(all, least))) {
			this.lock.lock();
			try {
				if (this.state == seen) {
					openAlone(now);
				}
			}
			finally {
				this.lock.unlock();
			}
			reportSoon();
		}
		else if (now - this.reportedAt >= URGENT_REPORT
				&& (this.settings.isReached(second, ALL) || this.settings.isReached(all, ALL))) {
			reportSoon();
		}
	}

	private boolean trips(CircuitWindow.Sums sums, int least) {
		return sums.calls() >= least && this.settings.isReached(sums, ALL);
	}

	private void reportSoon() {
		this.urgent = true;
		this.report.run();
	}

	private void endProbe(Permit permit, Outcome outcome, long now) {
		boolean failed = outcome == Outcome.FAILURE || outcome == Outcome.SLOW;
		this.lock.lock();
		try {
			if (permit.state() != this.state) {
				return;
			}
			if (this.state.isShared()) {
				this.probing = false;
				this.result = new ProbeResult(permit.lease(),
						failed ? "failed" : (outcome == Outcome.IGNORED) ? "released" : "ok");
			}
			else if (failed) {
				openAlone(now);
			}
			else if (outcome == Outcome.IGNORED) {
				this.begun--;
			}
			else if (++this.succeeded >= this.settings.probes()) {
				close(now);
				this.closedAt = now;
				publish("local", true);
			}
		}
		finally {
			this.lock.unlock();
		}
		if (permit.lease() != 0) {
			reportSoon();
		}
	}

	private void openAlone(long now) {
		if (this.state.circuit() == CircuitState.CLOSED && now - this.closedAt > this.settings.window().toNanos()) {
			this.openings = 0;
		}
		long wait = Math.min(this.settings.openFor().toNanos() << Math.min(this.openings, MOST_DOUBLINGS),
				this.settings.maxOpenFor().toNanos());
		this.openings = Math.min(this.openings + 1, MOST_DOUBLINGS);
		become(CircuitState.OPEN, false, now + wait);
		publish("local", true);
	}

	private void probeAlone(long now) {
		become(CircuitState.HALF_OPEN, false, now);
		publish("local", true);
	}

	private void close(long now) {
		this.window.clear();
		become(CircuitState.CLOSED, false, now);
	}

	private void become(CircuitState circuit, boolean shared, long until) {
		this.state = new State(circuit, shared, until);
		this.begun = 0;
		this.succeeded = 0;
		this.lease = 0;
		this.probing = false;
		this.result = null;
	}

	private void publish(String by, boolean own) {
		this.events.publish(new CircuitBreakerEvent(this.settings.name(), this.state.circuit(), by, own));
	}

	/**
	 * Returns whether this instance has something to report now.
	 */
	boolean isDue(long now) {
		long since = now - this.reportedAt;
		return this.urgent || (since >= URGENT_REPORT && (this.wanted || (this.unreported && isFailing(now))))
				|| (since >= REPORT && this.unreported);
	}

	private boolean isFailing(long now) {
		return this.settings.isReached(this.window.lastSecond(now), HALF)
				|| this.settings.isReached(this.window.all(now), HALF);
	}

	/**
	 * Has the state read with the next report.
	 */
	void refresh() {
		this.urgent = true;
	}

	void heardOf(long other) {
		if (other > this.version) {
			reportSoon();
		}
	}

	/**
	 * Takes what is to be reported.
	 */
	Report report(long now) {
		this.lock.lock();
		try {
			this.urgent = false;
			this.unreported = false;
			this.reportedAt = now;
			boolean probe = this.wanted;
			this.wanted = false;
			return new Report(this.window.lastSecond(now), this.window.all(now), probe, this.result, this.version);
		}
		finally {
			this.lock.unlock();
		}
	}

	/**
	 * Takes the shared state over if it is newer. Older data, after Redis has lost its
	 * own, lets an open circuit end by its own time; this instance then probes alone.
	 */
	void replied(Report report, SharedState shared, long now) {
		this.lock.lock();
		try {
			if (this.result == report.result()) {
				this.result = null;
			}
			boolean left = shared.version() == this.version && !this.state.isShared()
					&& shared.circuit() != CircuitState.CLOSED;
			// Also what this instance had left, after an outage or a forced state
			if (shared.version() > this.version || left) {
				CircuitState before = this.state.circuit();
				boolean wasShared = this.state.isShared();
				this.version = shared.version();
				adopt(shared, now);
				if (before != this.state.circuit() || wasShared != this.state.isShared()) {
					publish(shared.reason(), shared.isChanged());
				}
			}
			else if (shared.version() < this.version && this.state.isShared()) {
				unshared(now);
			}
			if (shared.lease() != 0 && this.state.circuit() == CircuitState.HALF_OPEN && this.state.isShared()) {
				this.lease = this.probing ? 0 : shared.lease();
				this.leaseEnd = now + TimeUnit.MILLISECONDS.toNanos(shared.leaseMillis());
			}
		}
		finally {
			this.lock.unlock();
		}
	}

	private void adopt(SharedState shared, long now) {
		long until = now + TimeUnit.MILLISECONDS.toNanos(shared.waitMillis());
		switch (shared.circuit()) {
			case CLOSED -> close(now);
			case OPEN -> {
				become(CircuitState.OPEN, true, until);
				this.openings = 0;
			}
			default -> become(shared.circuit(), true, until);
		}
	}

	/**
	 * Goes on alone where Redis is unavailable, once the shared state has ended.
	 */
	void failed(long now) {
		this.lock.lock();
		try {
			unshared(now);
		}
		finally {
			this.lock.unlock();
		}
	}

	private void unshared(long now) {
		boolean ended = this.state.circuit() == CircuitState.HALF_OPEN
				|| (this.state.circuit() == CircuitState.OPEN && now - this.state.until() >= 0);
		if (this.state.isShared() && ended) {
			probeAlone(now);
		}
	}

	boolean isIdle(long now) {
		return this.state.circuit() == CircuitState.CLOSED && !this.unreported
				&& now - this.reportedAt > this.settings.window().toNanos();
	}

	/**
	 * The state, compared by identity: each change makes another one.
	 *
	 * @param isShared whether it is that of all instances
	 * @param until time at which it ends, by {@link System#nanoTime()}
	 */
	record State(CircuitState circuit, boolean isShared, long until) {
	}

	/**
	 * Permission for one call.
	 *
	 * @param lease lease of a probe of all instances, else 0
	 */
	record Permit(State state, long startedAt, boolean isProbe, long lease) {
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

		SUCCESS, FAILURE, SLOW, IGNORED

	}

}
