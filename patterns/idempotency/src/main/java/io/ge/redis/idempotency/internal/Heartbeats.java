// SPDX-License-Identifier: Apache-2.0

package io.ge.redis.idempotency.internal;

import java.time.Duration;
import java.util.Map;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.ScheduledThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.function.Function;

import io.ge.redis.core.connection.DaemonThreads;

/**
 * Prolongs the leases of the calls that run. One task for each length of lease, every
 * third of it; a call that has just begun waits for the next round, so short calls cost
 * nothing.
 */
final class Heartbeats {

	private final ScheduledThreadPoolExecutor timer = new ScheduledThreadPoolExecutor(1,
			DaemonThreads.named("ge-redis-heartbeat"));

	private final Function<IdempotencyDecision.Granted, CompletionStage<Boolean>> beat;

	private final Map<Duration, Map<String, Running>> rounds = new ConcurrentHashMap<>();

	Heartbeats(Function<IdempotencyDecision.Granted, CompletionStage<Boolean>> beat) {
		this.beat = beat;
	}

	void add(IdempotencyDecision.Granted claim) {
		Duration lease = claim.request().settings().lease();
		Map<String, Running> round = this.rounds.get(lease);
		if (round == null) {
			round = newRound(lease);
		}
		round.put(claim.owner(), new Running(claim, System.nanoTime()));
	}

	void remove(IdempotencyDecision.Granted claim) {
		Map<String, Running> round = this.rounds.get(claim.request().settings().lease());
		if (round != null) {
			round.remove(claim.owner());
		}
	}

	private Map<String, Running> newRound(Duration lease) {
		Map<String, Running> round = new ConcurrentHashMap<>();
		// Not within the map's monitor: the timer has a lock of its own
		Map<String, Running> present = this.rounds.putIfAbsent(lease, round);
		if (present != null) {
			return present;
		}
		long interval = lease.toNanos() / 3;
		try {
			this.timer.scheduleWithFixedDelay(() -> beat(round, interval / 2), interval, interval,
					TimeUnit.NANOSECONDS);
		}
		catch (RejectedExecutionException ex) {
			// shutting down: running calls have one lease to end
		}
		catch (RuntimeException | Error ex) {
			this.rounds.remove(lease, round);
			throw ex;
		}
		return round;
	}

	private void beat(Map<String, Running> round, long youngest) {
		long now = System.nanoTime();
		for (Running running : round.values()) {
			if (now - running.since() >= youngest) {
				this.beat.apply(running.claim()).thenAccept((valid) -> {
					if (!valid) {
						remove(running.claim());
					}
				});
			}
		}
	}

	boolean isEmpty() {
		return this.rounds.values().stream().allMatch(Map::isEmpty);
	}

	void stop() {
		this.timer.shutdownNow();
	}

	private record Running(IdempotencyDecision.Granted claim, long since) {
	}

}
