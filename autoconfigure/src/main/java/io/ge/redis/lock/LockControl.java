/*
 * Copyright 2026 the GE Redis authors
 * SPDX-License-Identifier: Apache-2.0
 */

package io.ge.redis.lock;

import java.time.Duration;
import java.util.Comparator;
import java.util.List;

import io.ge.redis.core.outage.Waiting;
import org.jspecify.annotations.Nullable;

/**
 * What an operator can see of the locks, and do about them, while the application runs.
 * <p>
 * A key is given as its parts: one, or one for each element of a list; none means the
 * lock of all calls. Methods that ask Redis throw
 * {@link io.ge.redis.core.outage.RedisUnavailableException} while it is away.
 */
public final class LockControl {

	private final LockEngine engine;

	LockControl(LockEngine engine) {
		this.engine = engine;
	}

	/**
	 * Lists the locks that callers of this instance hold. Costs no command.
	 * @return the longest held first
	 */
	public List<Held> list() {
		return this.engine.list().stream().sorted(Comparator.comparing(Held::age).reversed()).toList();
	}

	/**
	 * Looks at a lock, whichever instance has it: one script call.
	 * @param name the name
	 * @param key the parts of the key
	 * @return how it stands
	 */
	public Look look(String name, List<String> key) {
		RedisLocks.Standing standing = Waiting.await(this.engine.redis().look(this.engine.key(name, key)));
		if (!standing.held()) {
			return new Look(null, false, 0, Duration.ZERO, Duration.ZERO, standing.waiters());
		}
		String channel = standing.holder();
		return new Look(channel.substring(channel.lastIndexOf(':') + 1), standing.kept(), standing.token(),
				standing.age(), standing.remaining(), standing.waiters());
	}

	/**
	 * Takes a lock away from its holder, who is told as by any other loss and may still
	 * be at work while the next one has the lock already: two script calls and a message.
	 * @param name the name
	 * @param key the parts of the key
	 * @return whether there was anything to take away
	 */
	public boolean release(String name, List<String> key) {
		return Waiting.await(this.engine.redis().force(this.engine.key(name, key)));
	}

	/**
	 * A lock in the hands of a caller of this instance.
	 *
	 * @param name the name
	 * @param hash tells its key from others
	 * @param token the fencing token
	 * @param age for how long it has been held
	 * @param remaining how long it is certain to be held without another extension
	 * @param waiters how many callers of this instance wait for it
	 */
	public record Held(String name, String hash, long token, Duration age, Duration remaining, int waiters) {
	}

	/**
	 * How a lock stands for all instances.
	 *
	 * @param holder the id of the instance that has it, {@code null} if it is free
	 * @param finished whether its holder has finished and it only stays taken for its
	 * shortest hold
	 * @param token the first token of that instance, 0 if it is only set aside for it
	 * @param age for how long the instance has had it
	 * @param remaining the rest of the lease
	 * @param waitingInstances how many instances wait for it
	 */
	public record Look(@Nullable String holder, boolean finished, long token, Duration age, Duration remaining,
			int waitingInstances) {
	}

}
