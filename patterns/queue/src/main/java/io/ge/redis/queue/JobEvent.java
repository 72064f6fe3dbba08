// SPDX-License-Identifier: Apache-2.0

package io.ge.redis.queue;

import java.time.Duration;
import java.util.List;
import java.util.Locale;

import io.ge.redis.core.event.EventMeter;
import io.ge.redis.core.event.GuardEvent;

/**
 * Event of a job.
 *
 * @param name the name of the queue
 * @param id the id of the job
 * @param outcome the outcome
 * @param handling the time its listener took, zero if it was not called
 */
public record JobEvent(String name, String id, Outcome outcome, Duration handling) implements GuardEvent {

	/**
	 * The meter of attempts, beside which there are gauges.
	 */
	public static final EventMeter JOBS = EventMeter
		.timer("ge.redis.queue.jobs", "Attempts of jobs that have ended, and the time of their listener")
		.of("queue")
		.by("outcome", List.of("done", "retry", "dead", "lost_lease"));

	private static final EventMeter ENQUEUED = EventMeter.counter("ge.redis.queue.enqueued", "Jobs that were enqueued")
		.of("queue")
		.by("outcome", List.of("ok", "duplicate", "full"));

	@Override
	public String pattern() {
		return "queue";
	}

	@Override
	public String result() {
		return this.outcome.name().toLowerCase(Locale.ROOT);
	}

	@Override
	public EventMeter meter() {
		return (this.outcome.compareTo(Outcome.DONE) < 0) ? ENQUEUED : JOBS;
	}

	@Override
	public int series() {
		return this.outcome.ordinal() - ((meter() == JOBS) ? Outcome.DONE.ordinal() : 0);
	}

	@Override
	public long amount() {
		return (meter() == JOBS) ? this.handling.toNanos() : 1;
	}

	/**
	 * The outcome of publishing a job, then the outcome of an attempt. After {@code DEAD}
	 * it is a dead letter. After {@code LOST_LEASE} another instance has it, or it was
	 * cancelled while it ran.
	 */
	public enum Outcome {

		OK, DUPLICATE, FULL, DONE, RETRY, DEAD, LOST_LEASE

	}

}
