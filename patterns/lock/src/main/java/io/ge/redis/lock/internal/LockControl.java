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
import java.util.function.Supplier;

import io.ge.redis.core.bus.Reports;
import io.ge.redis.core.endpoint.GuardRequest;
import io.ge.redis.core.endpoint.GuardRequestException;
import io.ge.redis.core.endpoint.GuardResource;
import io.ge.redis.core.event.GuardFigures;
import io.ge.redis.core.guard.GuardedMethods;
import io.ge.redis.core.invocation.GuardDescription;
import io.ge.redis.core.invocation.Setting;
import io.ge.redis.core.outage.Waiting;
import org.jspecify.annotations.Nullable;

/**
 * {@code /actuator/geredis/lock} lists the locks that callers of any instance hold or
 * wait for. {@code /actuator/geredis/lock/<name>?key=42} shows one lock. A delete
 * releases it and hands it on. The holder is notified as of any other loss.
 * <p>
 * A key of several parts is given by repeating the parameter. Without a key, the request
 * is about the lock of all calls. A listed lock can also be named by its {@code hash},
 * since keys are not shown.
 */
final class LockControl extends GuardResource {

	private static final String PATTERN = "lock";

	private static final String KEY = "key";

	private static final String HASH = "hash";

	/** Bounds what one listing costs Redis. */
	private static final int MOST_LOOKS = 100;

	private final LockRegistry locks;

	private final Supplier<LockEngine> engine;

	private final GuardedMethods methods;

	private final GuardFigures figures;

	LockControl(LockRegistry locks, Supplier<LockEngine> engine, GuardedMethods methods, GuardFigures figures) {
		super(PATTERN);
		this.locks = locks;
		this.engine = engine;
		this.methods = methods;
		this.figures = figures;
	}

	@Override
	public Object read(GuardRequest request) {
		request.allowOnly(KEY, HASH);
		String name = request.name(this.locks::exists);
		if (name.isEmpty()) {
			request.allowOnly();
			return list();
		}
		Look look = look(name, key(request, name));
		if (!look.held() && look.holder() == null && look.shared() == null && look.waitingInstances() == 0) {
			requireKnown(name);
		}
		return look;
	}

	/**
	 * Takes a lock away from its holder, or from all that share it. They may still be at
	 * work while the next one has the lock. Costs two script calls, and a message to each
	 * holder.
	 */
	@Override
	public Object delete(GuardRequest request) {
		request.allowOnly(KEY, HASH);
		String name = request.name("lock", this.locks::exists);
		boolean released = this.engine.get().force(key(request, name));
		if (!released) {
			requireKnown(name);
		}
		return new ReleaseReport(name, released);
	}

	/**
	 * Refuses a name that neither an annotation nor a property has, and no code of this
	 * instance has used.
	 */
	private void requireKnown(String name) {
		if (!this.locks.exists(name) && this.figures.of(PATTERN, name).isEmpty()) {
			throw GuardRequestException.notFound(
					"This instance knows no lock '" + name + "', and it is not held under this key.",
					"List the locks, without a name in the path.");
		}
	}

	private RedisLockKey key(GuardRequest request, String name) {
		request.allowOneOf(HASH, KEY);
		String hash = request.text(HASH);
		if (hash != null) {
			return find(name, hash);
		}
		List<String> key = request.texts(KEY);
		if (key.isEmpty()) {
			requireNoKey(name);
		}
		return this.engine.get().key(name, key);
	}

	/**
	 * Refuses a request without a key if each method of the lock has one: it would be
	 * about a lock that no call takes.
	 */
	private void requireNoKey(String name) {
		List<Map<String, Setting>> uses = this.methods.all()
			.stream()
			.map(GuardedMethods.Entry::guard)
			.filter((guard) -> guard.pattern().equals(PATTERN) && guard.name().equals(name))
			.map(GuardDescription::settings)
			.toList();
		if (!uses.isEmpty() && uses.stream().allMatch((use) -> use.containsKey(KEY) || use.containsKey("keys"))) {
			throw GuardRequestException.invalid(KEY, "Lock '" + name + "' has a key, and key is missing.",
					"Add ?key= with its value, once for each part, or ?hash= as the list has it.");
		}
	}

	private RedisLockKey find(String name, String hash) {
		return this.engine.get()
			.reports()
			.collect(new Reports.Filter(name, hash))
			.reports()
			.values()
			.stream()
			.flatMap(LockReport::keys)
			.findFirst()
			.map(this.engine.get()::key)
			.orElseThrow(() -> GuardRequestException.notFound(
					"No instance that answered holds or waits for a lock '" + name + "' with the hash '" + hash + "'.",
					"List the locks again, or give the key."));
	}

	/**
	 * Asks all instances and waits for them for half a second at most. One message, and
	 * one from each; one script call for each lock with waiters whose holder no instance
	 * has reported.
	 */
	private Listing list() {
		Reports.Collected<LockReport> collected = this.engine.get().reports().collect(Reports.Filter.ALL);
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
		RedisLockKey lock = this.engine.get().key(key);
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
						this.engine.get()
							.look(key)
							.thenApply(LockControl::holders)
							.exceptionally((failure) -> List.of()));
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

	// One script call, two if the lock is shared
	private Look look(String name, RedisLockKey key) {
		LockState state = Waiting.await(this.engine.get().look(key));
		return (state.isTaken() && !state.isShared())
				? new Look(name, state.held(), state.instance(), state.token(), state.age(), state.remaining(),
						state.waiters(), null)
				: new Look(name, state.held(), null, null, null, null, state.waiters(), state.shared());
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

	public record ReleaseReport(String name, boolean released) {
	}

}
