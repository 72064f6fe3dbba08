// SPDX-License-Identifier: Apache-2.0

package io.ge.redis.lock.internal;

import java.time.Duration;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CompletableFuture;

import io.ge.redis.core.bus.Reports;
import io.ge.redis.core.outage.Waiting;
import org.jspecify.annotations.Nullable;

/**
 * View of the locks for operators, and their actions, while the application runs.
 * <p>
 * A key is given as its parts: one, or one for each element of a list; none means the
 * lock of all calls. Methods that ask Redis throw
 * {@link io.ge.redis.RedisUnavailableException} while it is unavailable.
 */
public final class LockControl {

	/** Bounds what one listing costs Redis. */
	private static final int MOST_LOOKS = 100;

	private final LockRegistry locks;

	private final LockEngine engine;

	LockControl(LockRegistry locks, LockEngine engine) {
		this.locks = locks;
		this.engine = engine;
	}

	/**
	 * Returns whether an annotation or a property knows a lock of a name. Others may be
	 * taken in code.
	 */
	public boolean exists(String name) {
		return this.locks.exists(name);
	}

	/**
	 * Lists the locks that callers of any instance hold or wait for: asks all instances
	 * and waits for them for half a second at most. One message, and one from each; one
	 * script call for each lock with waiters whose holder no instance has reported.
	 */
	public Listing list() {
		Reports.Collected<LockReport> collected = this.engine.reports().collect(Reports.Filter.ALL);
		List<Instance> instances = new ArrayList<>();
		Map<RedisLockKey, Listed> locks = new LinkedHashMap<>();
		collected.reports().forEach((instance, report) -> {
			instances.add(new Instance(instance, report.process(), report.held(), report.holders().size(),
					report.awaited(), report.waiters().size()));
			report.holders()
				.forEach((holder) -> add(locks, holder.key(), holder.name(),
						List.of(new Holder(instance, holder.token(), holder.age(), holder.remaining())), 0));
			report.waiters().forEach((queue) -> add(locks, queue.key(), queue.name(), List.of(), queue.count()));
		});
		lookForHolders(locks);
		List<Listed> sorted = new ArrayList<>(locks.values());
		sorted.sort(Comparator.comparing(LockControl::age).reversed());
		return new Listing(collected.instance(), instances, collected.silent(), sorted);
	}

	private void add(Map<RedisLockKey, Listed> locks, String key, String name, List<Holder> holders, int waiters) {
		RedisLockKey lock = this.engine.key(key);
		locks.merge(lock, new Listed(name, lock.hash(), holders, waiters), Listed::with);
	}

	/**
	 * Reads from Redis the holders of locks with waiters that no instance reports, since
	 * the holder has died or is silent.
	 */
	private void lookForHolders(Map<RedisLockKey, Listed> locks) {
		Map<RedisLockKey, CompletableFuture<List<Holder>>> looks = new LinkedHashMap<>();
		locks.forEach((key, lock) -> {
			if (lock.holders().isEmpty() && looks.size() < MOST_LOOKS) {
				// During an outage the holders are unknown
				looks.put(key,
						this.engine.look(key).thenApply(LockControl::holders).exceptionally((failure) -> List.of()));
			}
		});
		looks.forEach((key, look) -> {
			List<Holder> found = Waiting.await(look);
			locks.computeIfPresent(key, (same, lock) -> new Listed(lock.name(), lock.hash(), found, lock.waiters()));
		});
	}

	private static List<Holder> holders(LockState state) {
		if (state.shared() != null) {
			return state.shared()
				.shares()
				.stream()
				.filter(LockState.Share::held)
				.map((share) -> new Holder(share.holder(), share.token(), share.age(), share.remaining()))
				.toList();
		}
		return state.held() ? List.of(new Holder(state.instance(), state.token(), state.age(), state.remaining()))
				: List.of();
	}

	private static Duration age(Listed lock) {
		return lock.holders().stream().map(Holder::age).max(Comparator.naturalOrder()).orElse(Duration.ZERO);
	}

	/**
	 * Finds a lock by its hash as it is listed, or returns {@code null} if no instance
	 * that answered holds it or waits for it.
	 */
	public @Nullable Found find(String name, String hash) {
		return this.engine.reports()
			.collect(new Reports.Filter(name, hash))
			.reports()
			.values()
			.stream()
			.flatMap(LockReport::keys)
			.findFirst()
			.map((key) -> new Found(name, this.engine.key(key)))
			.orElse(null);
	}

	/**
	 * Reads the state of a lock, whichever instance has it: one script call, two if it is
	 * shared.
	 */
	public Look look(String name, List<String> key) {
		return look(new Found(name, this.engine.key(name, key)));
	}

	public Look look(Found lock) {
		LockState state = Waiting.await(this.engine.look(lock.key));
		return (state.isTaken() && !state.isShared())
				? new Look(lock.name, state.held(), state.instance(), state.token(), state.age(), state.remaining(),
						state.waiters(), null)
				: new Look(lock.name, state.held(), null, null, null, null, state.waiters(), state.shared());
	}

	/**
	 * Takes a lock away from its holder, or from all that share it. They are notified as
	 * of any other loss, and may still be at work while the next one has the lock. Costs
	 * two script calls, and a message to each holder. Returns whether the lock was held.
	 */
	public boolean release(String name, List<String> key) {
		return release(new Found(name, this.engine.key(name, key)));
	}

	public boolean release(Found lock) {
		return this.engine.force(lock.key);
	}

	/**
	 * A lock that an instance has reported. Its key must not be shown.
	 */
	public static final class Found {

		private final String name;

		private final RedisLockKey key;

		private Found(String name, RedisLockKey key) {
			this.name = name;
			this.key = key;
		}

	}

	/**
	 * The locks of all instances, the longest held first.
	 *
	 * @param instance the id of the instance that has asked
	 * @param silent the ids of those that are known and have not answered in time
	 */
	public record Listing(String instance, List<Instance> instances, Set<String> silent, List<Listed> locks) {
	}

	/**
	 * The report of an instance. It names at most 100 held locks, the longest held first,
	 * and 100 awaited ones, the most wanted first. With long names it names fewer.
	 */
	public record Instance(String id, String process, int held, int holdersListed, int awaited, int awaitedListed) {
	}

	/**
	 * A lock that is held or awaited.
	 *
	 * @param holders none if it is free or just changes hands
	 * @param waiters the number of callers of all instances that wait for it
	 */
	public record Listed(String name, String hash, List<Holder> holders, int waiters) {

		Listed with(Listed other) {
			List<Holder> all = new ArrayList<>(this.holders);
			all.addAll(other.holders);
			return new Listed(this.name, this.hash, all, this.waiters + other.waiters);
		}

	}

	/**
	 * The holder of a lock.
	 *
	 * @param remaining the time for which it is certainly held without another extension
	 */
	public record Holder(String instance, long token, Duration age, Duration remaining) {
	}

	/**
	 * The state of a lock for all instances. The data of a single holder are {@code null}
	 * if the lock is free or shared.
	 *
	 * @param held whether a caller works under it, or it only stays taken for its
	 * shortest hold
	 * @param holder the id of the instance that has it
	 * @param waitingInstances the number of instances that wait for it, 0 if it is shared
	 * @param shared its holders, if several may hold it together
	 */
	public record Look(String name, boolean held, @Nullable String holder, @Nullable Long token, @Nullable Duration age,
			@Nullable Duration remaining, int waitingInstances, LockState.@Nullable Shared shared) {
	}

}
