/*
 * Copyright 2026 the GE Redis authors
 * SPDX-License-Identifier: Apache-2.0
 */

package io.ge.redis.lock;

import java.util.ArrayList;
import java.util.List;

import org.jspecify.annotations.Nullable;

/**
 * The locks of the call chain on this thread: those of methods with
 * {@link DistributedLock} and of {@link DistributedLocks#execute}.
 * <p>
 * It finds handles, it does not own: another thread has a context of its own, and whoever
 * goes on there passes the handle.
 */
public final class LockContext {

	private static final ThreadLocal<@Nullable List<Frame>> FRAMES = new ThreadLocal<>();

	private LockContext() {
	}

	/**
	 * Returns the lock of the innermost locked method or work on this thread.
	 * @return the handle; an invalid one where the method runs without lock since Redis
	 * is away and the policy allows it
	 * @throws IllegalStateException if this thread is in none
	 */
	public static LockHandle current() {
		List<Frame> frames = FRAMES.get();
		if (frames != null) {
			for (int i = frames.size() - 1; i >= 0; i--) {
				if (frames.get(i).inside) {
					return frames.get(i).handle;
				}
			}
		}
		throw new IllegalStateException("This thread runs in no method with @DistributedLock and in no locked work");
	}

	/**
	 * Finds a lock that this call chain holds already, also one that is only kept until
	 * the transaction has completed.
	 */
	static @Nullable HeldLock find(LockEngine engine, RedisLockKey key) {
		List<Frame> frames = FRAMES.get();
		if (frames != null) {
			for (int i = frames.size() - 1; i >= 0; i--) {
				if (frames.get(i).handle instanceof HeldLock lock && lock.isOf(engine, key) && !lock.isReleased()) {
					return lock;
				}
			}
		}
		return null;
	}

	static Frame enter(LockHandle handle) {
		List<Frame> frames = FRAMES.get();
		if (frames == null) {
			frames = new ArrayList<>(4);
			FRAMES.set(frames);
		}
		Frame frame = new Frame(handle);
		frames.add(frame);
		return frame;
	}

	/**
	 * Leaves the work. A lock that is kept for a transaction can still be found.
	 */
	static void exit(Frame frame, boolean kept) {
		frame.inside = false;
		if (!kept) {
			remove(frame);
		}
	}

	/**
	 * Vetoes a commit on this thread if a lock under which it works is lost.
	 * @throws LockLostException if the transaction must not be committed
	 */
	static void assertMayCommit() {
		List<Frame> frames = FRAMES.get();
		if (frames != null) {
			for (Frame frame : frames) {
				if (frame.handle instanceof HeldLock lock) {
					lock.assertMayCommit();
				}
			}
		}
	}

	/**
	 * Forgets a lock that has been kept.
	 */
	static void forget(LockHandle handle) {
		List<Frame> frames = FRAMES.get();
		if (frames != null && frames.removeIf((frame) -> frame.handle == handle && !frame.inside) && frames.isEmpty()) {
			FRAMES.remove();
		}
	}

	private static void remove(Frame frame) {
		List<Frame> frames = FRAMES.get();
		if (frames != null && frames.remove(frame) && frames.isEmpty()) {
			FRAMES.remove();
		}
	}

	/**
	 * One entry of a locked method or work.
	 */
	static final class Frame {

		private final LockHandle handle;

		private boolean inside = true;

		private Frame(LockHandle handle) {
			this.handle = handle;
		}

	}

}
