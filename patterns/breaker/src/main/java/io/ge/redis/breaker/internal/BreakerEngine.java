// SPDX-License-Identifier: Apache-2.0

package io.ge.redis.breaker.internal;

import java.time.Duration;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Function;
import java.util.stream.Collectors;

import io.ge.redis.core.RedisBackend;
import io.ge.redis.core.bus.Poll;
import io.ge.redis.core.event.GuardEvent;
import io.ge.redis.core.event.GuardEvents;

/**
 * The circuits of this instance, and what reports them. No call waits for a report.
 * Messages are hints: a newer version leads to a report, whose reply is the state.
 * <p>
 * {@link InstanceBreaker} admits calls, and opens for this instance alone.
 * {@code report.lua} opens the circuit for all, and grants their probes.
 */
final class BreakerEngine {

	/**
	 * Circuits in memory, of all names. Open ones and those with failures are kept beyond
	 * it.
	 */
	static final int CAPACITY = 1000;

	private static final Duration PERIOD = Duration.ofMillis(100);

	private final Map<List<String>, InstanceBreaker> breakers = new ConcurrentHashMap<>();

	private final RedisBreakers redis;

	private final GuardEvents events;

	private final Poll poll;

	private final AtomicBoolean asked = new AtomicBoolean();

	BreakerEngine(RedisBackend backend, GuardEvents events) {
		this.redis = new RedisBreakers(backend);
		this.events = events;
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
		InstanceBreaker made = new InstanceBreaker(settings, this.redis.keys(parts), now(), this.events, this::ask);
		InstanceBreaker known = this.breakers.putIfAbsent(parts, made);
		InstanceBreaker added = (known != null) ? known : made;
		// Becomes one of the electorate, and learns the state
		added.reportWithin(0);
		return added;
	}

	long now() {
		return System.nanoTime();
	}

	void publish(GuardEvent event) {
		this.events.publish(event);
	}

	Collection<InstanceBreaker> all() {
		return this.breakers.values();
	}

	RedisBreakers redis() {
		return this.redis;
	}

	private List<InstanceBreaker> due() {
		long now = now();
		return all().stream().filter((breaker) -> breaker.isDue(now)).toList();
	}

	private void reportIfDue() {
		long now = now();
		if (all().stream().anyMatch((breaker) -> breaker.isDue(now))) {
			read();
		}
	}

	private CompletableFuture<?> report() {
		this.asked.set(false);
		CompletableFuture<?> reported = this.redis.report(due());
		// Not before, since new ones count as reported by now
		trim(all(), now());
		return reported;
	}

	/**
	 * Drops circuits beyond the capacity that are closed without failures, those with the
	 * oldest reports first. So idle ones precede, since the others report each second.
	 */
	static void trim(Collection<InstanceBreaker> breakers, long now) {
		int excess = breakers.size() - CAPACITY;
		if (excess > 0) {
			// A copy, since calls change the order meanwhile
			Map<InstanceBreaker, Long> reported = breakers.stream()
				.collect(Collectors.toMap(Function.identity(), InstanceBreaker::reportedAt));
			breakers.removeAll(reported.entrySet()
				.stream()
				.sorted(Map.Entry.comparingByValue())
				.map(Map.Entry::getKey)
				.filter((breaker) -> breaker.isHealthy(now))
				.limit(excess)
				.collect(Collectors.toSet()));
		}
	}

	// Once until the next report, however many calls ask meanwhile
	private void ask() {
		if (!this.asked.get() && this.asked.compareAndSet(false, true)) {
			read();
		}
	}

	private void heard(String message) {
		int space = message.lastIndexOf(' ');
		String key = message.substring(0, space);
		long version = Long.parseLong(message.substring(space + 1));
		for (InstanceBreaker breaker : all()) {
			if (breaker.keys.isState(key)) {
				breaker.heardOf(version);
			}
		}
	}

	private void refresh() {
		all().forEach((breaker) -> breaker.reportWithin(0));
		read();
	}

	/** Reports now. */
	CompletableFuture<Void> read() {
		return this.poll.read();
	}

	void resume() {
		if (this.poll.start()) {
			refresh();
		}
	}

	/** Stops reporting, and leaves the electorate. */
	void pause() {
		this.poll.stop();
		all().forEach((breaker) -> this.redis.look(breaker, true));
	}

}
