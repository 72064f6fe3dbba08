/*
 * Copyright 2026 the GE Redis authors
 * SPDX-License-Identifier: Apache-2.0
 */

package io.ge.redis.lock;

import java.time.Duration;
import java.util.List;
import java.util.Set;

import io.ge.redis.core.bus.Reports;
import io.ge.redis.core.outage.Waiting;
import org.jspecify.annotations.Nullable;

/**
 * View of the locks for operators, and their actions, while the application runs.
 * <p>
 * A key is given as its parts: one, or one for each element of a list; none means the
 * lock of all calls. Methods that ask Redis throw
 * {@link io.ge.redis.core.outage.RedisUnavailableException} while it is away.
 */
public final class LockControl {

	private final LockRegistry locks;

	private final LockEngine engine;

	LockControl(LockRegistry locks, LockEngine engine) {
		this.locks = locks;
		this.engine = engine;
	}

	/**
	 * Returns whether an annotation or a property knows a lock of a name. Others may be
	 * taken in code.
	 * @param name the name
	 * @return whether it is known
	 */
	public boolean exists(String name) {
		return this.locks.exists(name);
	}

	/**
	 * Lists the locks that callers of any instance hold or wait for: asks all instances
	 * and waits for them for half a second at most. One message, and one from each; one
	 * script call for each lock that is waited for and of whose holder no instance has
	 * told.
	 * @return what they answered
	 */
	public Listing list() {
		return new LockListing(this.engine.redis(), this.engine.redisShares()).list();
	}

	/**
	 * Finds the key of a lock which callers of an instance hold or wait for.
	 * @param name the name of the lock
	 * @param hash as it is listed
	 * @return the lock, or {@code null} if no instance that answered knows it
	 */
	public @Nullable Found find(String name, String hash) {
		return this.engine.redis()
			.reports()
			.collect(new Reports.Filter(name, hash))
			.reports()
			.values()
			.stream()
			.flatMap(LockReport::keys)
			.findFirst()
			.map((key) -> new Found(name, this.engine.redis().key(key)))
			.orElse(null);
	}

	/**
	 * Looks at a lock, whichever instance has it: one script call, two if it is shared.
	 * @param name the name
	 * @param key the parts of the key
	 * @return how it stands
	 */
	public Look look(String name, List<String> key) {
		return look(new Found(name, this.engine.key(name, key)));
	}

	/**
	 * Looks at a lock, whichever instance has it: one script call, two if it is shared.
	 * @param lock the lock
	 * @return how it stands
	 */
	public Look look(Found lock) {
		LockStanding standing = Waiting.await(this.engine.redis().look(lock.key));
		if (standing.isShared()) {
			Shared shared = Waiting.await(this.engine.redisShares().look(lock.key));
			boolean held = shared.holders() > shared.shares().size() || shared.shares().stream().anyMatch(Share::held);
			return new Look(lock.name, held, null, null, null, null, 0, shared);
		}
		return standing.held()
				? new Look(lock.name, !standing.kept(), standing.instance(), standing.token(), standing.age(),
						standing.remaining(), standing.waiters(), null)
				: new Look(lock.name, false, null, null, null, null, standing.waiters(), null);
	}

	/**
	 * Takes a lock away from its holder, or from all that share it, who are told as by
	 * any other loss and may still be at work while the next one has the lock already:
	 * two script calls, and a message to each holder.
	 * @param name the name
	 * @param key the parts of the key
	 * @return whether there was anything to take away
	 */
	public boolean release(String name, List<String> key) {
		return release(new Found(name, this.engine.key(name, key)));
	}

	/**
	 * Takes a lock away from its holder, like {@link #release(String, List)}.
	 * @param lock the lock
	 * @return whether there was anything to take away
	 */
	public boolean release(Found lock) {
		return Waiting.await(this.engine.redis().force(lock.key))
				|| Waiting.await(this.engine.redisShares().force(lock.key));
	}

	/**
	 * A lock of which an instance has told. Its key is not to be seen.
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
	 * The locks of all instances.
	 *
	 * @param instance the id of the instance that has asked
	 * @param instances those that have answered
	 * @param silent the ids of those that are known and have not answered in time
	 * @param locks the locks, the longest held first
	 */
	public record Listing(String instance, List<Instance> instances, Set<String> silent, List<Listed> locks) {
	}

	/**
	 * The report of an instance. It names at most 100 locks that are held, the longest
	 * held first, and 100 that are waited for, the most wanted first, and fewer if their
	 * names are long.
	 *
	 * @param id the id of the instance
	 * @param process number and host of its process
	 * @param held how many locks its callers hold
	 * @param holdersListed how many of them are listed
	 * @param awaited how many locks its callers wait for
	 * @param awaitedListed how many of them are listed
	 */
	public record Instance(String id, String process, int held, int holdersListed, int awaited, int awaitedListed) {
	}

	/**
	 * A lock that somebody holds or waits for.
	 *
	 * @param name the name
	 * @param hash tells its key from others
	 * @param holders who holds it; none if it is free or just changes hands
	 * @param waiters how many callers wait for it, of all instances that have told
	 */
	public record Listed(String name, String hash, List<Holder> holders, int waiters) {
	}

	/**
	 * The holder of a lock.
	 *
	 * @param instance the id of the instance
	 * @param token the fencing token
	 * @param age for how long it has been held
	 * @param remaining how long it is certain to be held without another extension
	 */
	public record Holder(String instance, long token, Duration age, Duration remaining) {
	}

	/**
	 * How a lock stands for all instances.
	 *
	 * @param name the name
	 * @param held whether somebody works under it, or it only stays taken for its
	 * shortest hold
	 * @param holder the id of the instance that has it, {@code null} if it is free or
	 * shared; then also what is told of that instance
	 * @param token its first token
	 * @param age for how long the instance has had it
	 * @param remaining the rest of the lease
	 * @param waitingInstances how many instances wait for it, 0 if it is shared
	 * @param shared its holders, if several may hold it together; else {@code null}
	 */
	public record Look(String name, boolean held, @Nullable String holder, @Nullable Long token, @Nullable Duration age,
			@Nullable Duration remaining, int waitingInstances, @Nullable Shared shared) {
	}

	/**
	 * How a lock stands that several may hold together.
	 *
	 * @param holders how many hold it
	 * @param waiters how many callers wait for it
	 * @param shares at most 100 of the holders, those that end first if they are not
	 * extended
	 */
	public record Shared(int holders, int waiters, List<Share> shares) {
	}

	/**
	 * One that holds a lock together with others.
	 *
	 * @param holder the id of the instance
	 * @param held whether somebody works under it, or its place only stays taken for its
	 * shortest hold
	 * @param token its token, 0 if it only stays taken
	 * @param age for how long it has held the lock, zero if it only stays taken
	 * @param remaining the rest of the lease
	 */
	public record Share(String holder, boolean held, long token, Duration age, Duration remaining) {
	}

}
