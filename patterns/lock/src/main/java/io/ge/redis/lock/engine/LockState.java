/*
 * Copyright 2026 the GE Redis authors
 * SPDX-License-Identifier: Apache-2.0
 */

package io.ge.redis.lock.engine;

import java.time.Duration;
import java.util.List;

import org.jspecify.annotations.Nullable;

/**
 * The state of a lock in Redis.
 *
 * @param held whether somebody works under it; else it only stays taken, or is free
 * @param kept whether its section is over and it only stays taken
 * @param holder the channel of the instance
 * @param handle by which the instance has it
 * @param token its first token, 0 if it is shared
 * @param remaining the rest of the lease
 * @param age for how long the instance has had it
 * @param waiters how many instances wait
 * @param shared its holders, if several may hold it together
 */
public record LockState(boolean held, boolean kept, String holder, String handle, long token, Duration remaining,
		Duration age, int waiters, @Nullable Shared shared) {

	private static final String SHARED = "*";

	static LockState free(int waiters) {
		return new LockState(false, false, "", "", 0, Duration.ZERO, Duration.ZERO, waiters, null);
	}

	public boolean isTaken() {
		return this.held || this.kept;
	}

	public boolean isShared() {
		return this.holder.equals(SHARED);
	}

	LockState sharedBy(Shared shared) {
		boolean held = shared.holders() > shared.shares().size() || shared.shares().stream().anyMatch(Share::held);
		return new LockState(held, false, this.holder, this.handle, 0, Duration.ZERO, Duration.ZERO, 0, shared);
	}

	public String instance() {
		return instance(this.holder);
	}

	/**
	 * Returns the id of the instance that has a channel.
	 */
	public static String instance(String channel) {
		return channel.substring(channel.lastIndexOf(':') + 1);
	}

	/**
	 * The state of a lock that several may hold together.
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
