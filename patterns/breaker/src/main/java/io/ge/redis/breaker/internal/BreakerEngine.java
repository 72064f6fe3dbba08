// SPDX-License-Identifier: Apache-2.0

package io.ge.redis.breaker.internal;

import java.time.Duration;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.LongSupplier;

import io.ge.redis.core.RedisBackend;
import io.ge.redis.core.bus.Poll;
import io.ge.redis.core.event.GuardEvents;

/**
 * The circuits of this instance, and what reports them. No call waits for a report.
 * Messages are hints: a newer version leads to a report, whose reply is the state.
 */
final class BreakerEngine {

	/** Circuits in memory, of all names. The oldest idle one is dropped beyond it. */
	static final int CAPACITY = 1000;

	private static final Duration PERIOD = Duration.ofMillis(100);

	private final Map<List<String>, InstanceBreaker> breakers = new ConcurrentHashMap<>();

	private final RedisBreakers redis;

	private final GuardEvents events;

	private final LongSupplier nanoTime;

	private final Poll poll;

	BreakerEngine(RedisBackend backend, GuardEvents events, LongSupplier nanoTime) {
		this.redis = new RedisBreakers(backend);
		this.events = events;
		this.nanoTime = nanoTime;
		this.poll = new Poll(this::report, PERIOD, this::reportIfDue);
		backend.bus().handle(RedisBreakers.TOPIC, this::heard);
		backend.bus().onSubscribed(this::refresh);
		backend.onRecovery(this::refresh);
	}

	/**
	 * Returns the circuit of a name and a key.
	 * @param parts the name and the parts of the key
	 */
	InstanceBreaker get(BreakerSettings settings, List<String> parts) {
		InstanceBreaker known = this.breakers.get(parts);
		return (known != null) ? known : add(settings, List.copyOf(parts));
	}

	private InstanceBreaker add(BreakerSettings settings, List<String> parts) {
		long now = now();
		if (this.breakers.size() >= CAPACITY) {
			this.breakers.entrySet()
				.stream()
				.filter((entry) -> entry.getValue().isIdle(now))
				.min(Comparator.comparingLong((entry) -> entry.getValue().state().until()))
				.ifPresent((oldest) -> this.breakers.remove(oldest.getKey()));
		}
		InstanceBreaker made = new InstanceBreaker(settings, this.redis.key(parts), now, this.events, this.poll::read);
		InstanceBreaker known = this.breakers.putIfAbsent(parts, made);
		InstanceBreaker added = (known != null) ? known : made;
		// Becomes one of the electorate, and learns the state
		added.refresh();
		return added;
	}

	long now() {
		return this.nanoTime.getAsLong();
	}

	Collection<InstanceBreaker> all() {
		return this.breakers.values();
	}

	RedisBreakers redis() {
		return this.redis;
	}

	private void reportIfDue() {
		long now = now();
		for (InstanceBreaker breaker : this.breakers.values()) {
			if (breaker.isDue(now)) {
				this.poll.read();
				return;
			}
		}
	}

	private CompletableFuture<?> report() {
		List<CompletableFuture<?>> reports = new ArrayList<>();
		for (InstanceBreaker breaker : this.breakers.values()) {
			long now = now();
			if (breaker.isDue(now)) {
				InstanceBreaker.Report report = breaker.report(now);
				reports.add(this.redis.report(breaker, report).handle((state, failure) -> {
					if (failure == null) {
						breaker.replied(report, state, now());
					}
					else {
						breaker.failed(now());
					}
					return true;
				}));
			}
		}
		return CompletableFuture.allOf(reports.toArray(CompletableFuture[]::new));
	}

	private void heard(String message) {
		int space = message.lastIndexOf(' ');
		String key = message.substring(0, space);
		long version = Long.parseLong(message.substring(space + 1));
		for (InstanceBreaker breaker : this.breakers.values()) {
			if (breaker.key().toString().equals(key)) {
				breaker.heardOf(version);
			}
		}
	}

	private void refresh() {
		this.breakers.values().forEach(InstanceBreaker::refresh);
		this.poll.read();
	}

	/**
	 * Reports now.
	 */
	CompletableFuture<Void> read() {
		return this.poll.read();
	}

	void resume() {
		if (this.poll.start()) {
			refresh();
		}
	}

	/**
	 * Stops reporting, and leaves the electorate.
	 */
	void pause() {
		this.poll.stop();
		this.breakers.values().forEach((breaker) -> this.redis.look(breaker, true));
	}

}
