// SPDX-License-Identifier: Apache-2.0

package io.ge.redis.lock.internal;

import java.time.Duration;
import java.util.List;

import org.jspecify.annotations.Nullable;

/**
 * The state of a lock in Redis. It is held while a caller works under it, and kept while
 * it only stays taken for its shortest hold.
 *
 * @param token its first token, 0 if it is shared
 * @param age the time for which the instance has had it
 */
record LockState(boolean held, boolean kept, String holder, String handle, long token, Duration remaining, Duration age,
		int waiters, @Nullable Shared shared) {

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
	 * @param shares at most 100 of the holders, those that end first if they are not
	 * extended
	 */
	public record Shared(int holders, int waiters, List<Share> shares) {
	}

	/**
	 * One that holds a lock together with others.
	 *
	 * @param held whether a caller works under it, or its place only stays taken for its
	 * shortest hold, with no token and no age
	 */
	public record Share(String holder, boolean held, long token, Duration age, Duration remaining) {
	}

}
