// SPDX-License-Identifier: Apache-2.0

package io.ge.redis.core.consume;

import java.time.Duration;
import java.util.ArrayList;
import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentLinkedDeque;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.stream.Collectors;

import org.jspecify.annotations.Nullable;

/**
 * A source in memory, which answers at once and rings by {@link #add}.
 */
final class MemorySource implements WorkSource<String> {

	/** What the last take said to have. */
	volatile Set<String> held = Set.of();

	final ConcurrentLinkedDeque<Delivery<String>> waiting = new ConcurrentLinkedDeque<>();

	final List<Settlement<String>> settled = new ArrayList<>();

	final List<Integer> batches = new ArrayList<>();

	final Map<String, Integer> asked = new LinkedHashMap<>();

	final Set<Delivery<String>> stolen = ConcurrentHashMap.newKeySet();

	final List<Delivery<String>> lost = new CopyOnWriteArrayList<>();

	volatile boolean away;

	volatile boolean tellingFails;

	volatile boolean broken;

	volatile boolean returnsReleased;

	volatile boolean left;

	volatile @Nullable Duration due;

	volatile List<Doorbell> doorbells = List.of();

	volatile @Nullable ConsumerContainer<String> container;

	void add(String... ids) {
		for (String id : ids) {
			this.waiting.add(new Delivery<>(id, "memory", 1, "", "message " + id));
		}
		ConsumerContainer<String> woken = this.container;
		if (woken != null) {
			woken.wake();
		}
	}

	private void count(String call) {
		this.asked.merge(call, 1, Integer::sum);
	}

	synchronized int asked(String call) {
		return this.asked.getOrDefault(call, 0);
	}

	synchronized List<Settlement<String>> settled(Settlement.Outcome outcome) {
		return this.settled.stream().filter((each) -> each.outcome() == outcome).toList();
	}

	@Override
	public String name() {
		return "memory";
	}

	@Override
	public synchronized CompletionStage<TakenWork<String>> take(int most, boolean reclaim,
			Collection<Delivery<String>> inFlight) {
		count("take");
		this.held = inFlight.stream().map(Delivery::id).collect(Collectors.toSet());
		if (reclaim) {
			count("reclaim");
		}
		if (this.away) {
			return CompletableFuture.failedFuture(new IllegalStateException("away"));
		}
		List<Delivery<String>> taken = new ArrayList<>();
		while (taken.size() < most && !this.waiting.isEmpty()) {
			taken.add(this.waiting.remove());
		}
		return CompletableFuture.completedFuture(new TakenWork<>(taken, !this.waiting.isEmpty(), this.due));
	}

	@Override
	public synchronized CompletionStage<Collection<Delivery<String>>> heartbeat(Collection<Delivery<String>> inFlight) {
		count("heartbeat");
		if (this.broken) {
			throw new IllegalStateException("broken");
		}
		return CompletableFuture.completedFuture(inFlight.stream().filter(this.stolen::contains).toList());
	}

	@Override
	public synchronized CompletionStage<Collection<Delivery<String>>> settle(List<Settlement<String>> settlements) {
		count("settle");
		if (this.away) {
			return CompletableFuture.failedFuture(new IllegalStateException("away"));
		}
		this.batches.add(settlements.size());
		List<Delivery<String>> lost = new ArrayList<>();
		for (Settlement<String> each : settlements) {
			if (this.stolen.contains(each.delivery())) {
				lost.add(each.delivery());
				continue;
			}
			this.settled.add(each);
			if (each.outcome() == Settlement.Outcome.RELEASE && this.returnsReleased) {
				this.waiting.add(each.delivery());
			}
			if (each.outcome() == Settlement.Outcome.RETRY) {
				Delivery<String> failed = each.delivery();
				this.waiting.add(new Delivery<>(failed.id(), "memory", failed.attempt() + 1, "", failed.message()));
			}
		}
		return CompletableFuture.completedFuture(lost);
	}

	@Override
	public List<Doorbell> doorbells() {
		return this.doorbells;
	}

	@Override
	public void onLost(Delivery<String> delivery) {
		this.lost.add(delivery);
	}

	@Override
	public void onSettled(Settlement<String> settlement, Duration handling) {
		if (this.tellingFails) {
			throw new TellingFailedError();
		}
	}

	@Override
	public CompletionStage<Boolean> hasWork() {
		return CompletableFuture.completedFuture(!this.waiting.isEmpty());
	}

	@Override
	public CompletionStage<?> leave() {
		this.left = true;
		return CompletableFuture.completedFuture(null);
	}

	static ConsumerSettings settings(int concurrency, int batchSize, Duration lease) {
		return new ConsumerSettings(concurrency, batchSize, lease, Duration.ofMillis(5), false, Duration.ZERO,
				Duration.ofSeconds(10), true, null);
	}

}
