// SPDX-License-Identifier: Apache-2.0

package io.ge.redis.lock;

import java.util.ArrayList;
import java.util.List;

import io.ge.redis.core.call.SubscriberContext;
import io.ge.redis.lock.LockContext.Carrier;
import io.ge.redis.lock.LockContext.Scope;
import org.jspecify.annotations.Nullable;

/**
 * Binds locks to threads and subscribers, for the guards of this library. Applications
 * use {@link LockContext}.
 */
public final class BoundLocks {

	private static final ThreadLocal<@Nullable List<Frame>> FRAMES = new ThreadLocal<>();

	private BoundLocks() {
	}

	/**
	 * Returns the locks under which this thread works, innermost last.
	 */
	public static List<LockHandle> inside() {
		List<Frame> frames = FRAMES.get();
		if (frames == null) {
			return List.of();
		}
		List<LockHandle> handles = new ArrayList<>();
		for (Frame frame : frames) {
			if (frame.inside) {
				handles.add(frame.handle);
			}
		}
		return handles;
	}

	/**
	 * Returns all locks that this thread knows, also those that are only kept until its
	 * transaction has completed.
	 */
	public static List<LockHandle> all() {
		List<Frame> frames = FRAMES.get();
		return (frames != null) ? frames.stream().map(Frame::handle).toList() : List.of();
	}

	/**
	 * Returns the locks that the subscriber with a context belongs to, innermost last.
	 */
	public static List<LockHandle> of(Object context) {
		return LockContext.capture(context).handles();
	}

	/**
	 * Returns the context of a subscriber that belongs to locks.
	 */
	public static Object with(Object context, List<LockHandle> handles) {
		return SubscriberContext.with(context, LockContext.KEY, new Carrier(handles, null, null));
	}

	/**
	 * Lets this thread work under more locks until the scope is closed on it.
	 * @param surrounding those under which the work is called
	 * @param entered those that it has entered
	 */
	public static Scope bind(List<LockHandle> surrounding, List<Frame> entered) {
		List<Frame> frames = framesOfThread();
		List<Frame> added = surrounding.isEmpty() ? entered : added(frames, surrounding, entered);
		frames.addAll(added);
		return () -> {
			frames.removeAll(added);
			if (frames.isEmpty() && FRAMES.get() == frames) {
				set(null);
			}
		};
	}

	private static List<Frame> added(List<Frame> frames, List<LockHandle> surrounding, List<Frame> entered) {
		List<Frame> added = new ArrayList<>();
		for (LockHandle handle : surrounding) {
			if (frames.stream().noneMatch((frame) -> frame.inside && frame.handle == handle)) {
				added.add(new Frame(handle));
			}
		}
		added.addAll(entered);
		return added;
	}

	/**
	 * Lets other calls on this thread enter a lock again that its transaction keeps.
	 * @return to be {@linkplain #release released} when the transaction has completed, or
	 * {@code null} if the thread knows the lock already
	 */
	public static @Nullable Frame keep(LockHandle lock) {
		if (all().contains(lock)) {
			return null;
		}
		Frame frame = new Frame(lock);
		frame.leave();
		framesOfThread().add(frame);
		return frame;
	}

	/**
	 * Forgets a lock that the transaction of this thread has kept.
	 */
	public static void release(Frame frame) {
		List<Frame> frames = FRAMES.get();
		if (frames != null && frames.remove(frame) && frames.isEmpty()) {
			set(null);
		}
	}

	/**
	 * Returns a lock that is granted at once, whatever its keys are, where locks are
	 * switched off.
	 */
	public static MultiLockHandle granted(String name) {
		return UnguardedDistributedLocks.grant(name, List.of(List.of()));
	}

	/**
	 * Returns the handle of a method that runs without lock, since Redis is unavailable
	 * and the policy allows it: its token is 0, and it is not valid.
	 */
	public static MultiLockHandle none(String name) {
		return UnguardedDistributedLocks.none(name);
	}

	static @Nullable List<Frame> frames() {
		return FRAMES.get();
	}

	/**
	 * Lets this thread work under other locks. None are set, not removed, since the next
	 * call would put the empty entry back.
	 */
	static void set(@Nullable List<Frame> frames) {
		FRAMES.set(frames);
	}

	private static List<Frame> framesOfThread() {
		List<Frame> frames = FRAMES.get();
		if (frames == null) {
			frames = new ArrayList<>(4);
			FRAMES.set(frames);
		}
		return frames;
	}

	/**
	 * One entry of a locked method or work.
	 */
	public static final class Frame {

		private final LockHandle handle;

		/** Work may end on another thread than the one that it began on. */
		private volatile boolean inside = true;

		public Frame(LockHandle handle) {
			this.handle = handle;
		}

		public LockHandle handle() {
			return this.handle;
		}

		/**
		 * Leaves the work, wherever this is bound.
		 */
		public void leave() {
			this.inside = false;
		}

	}

}
