/*
 * Copyright 2026 the GE Redis authors
 * SPDX-License-Identifier: Apache-2.0
 */

package io.ge.redis.lock;

import java.util.ArrayList;
import java.util.List;

import io.ge.redis.core.call.SubscriberContext;
import org.jspecify.annotations.Nullable;

/**
 * The locks of the call chain on this thread: those of methods with
 * {@link DistributedLock} and of {@link DistributedLocks#execute}.
 * <p>
 * It finds handles, it does not own. Another thread has a context of its own: nothing is
 * inherited, and whoever goes on there passes the handle, or {@link #capture() carries}
 * the locks along. Work whose result comes later finds them on the thread that calls the
 * method and subscribes to what it has returned, and in the context of its subscriber.
 */
public final class LockContext {

	/**
	 * Where the context of a subscriber has the {@link Carrier} of its locks, and where
	 * Micrometer's context propagation hands it on.
	 */
	public static final String KEY = "ge.redis.locks";

	private static final ThreadLocal<@Nullable List<Frame>> FRAMES = new ThreadLocal<>();

	private static final Carrier NONE = new Carrier(List.of(), null, null);

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
	 * Returns the lock of the innermost locked method or work that a subscriber belongs
	 * to, whichever thread this is.
	 * @param context the context of the subscriber, a
	 * {@code reactor.util.context.ContextView}, such as {@code Mono.deferContextual}
	 * gives
	 * @return the handle, as {@link #current()}
	 * @throws IllegalStateException if the subscriber belongs to none
	 */
	public static LockHandle current(Object context) {
		List<LockHandle> handles = capture(context).handles();
		if (handles.isEmpty()) {
			throw new IllegalStateException(
					"This subscriber belongs to no method with @DistributedLock and to no locked work");
		}
		return handles.get(handles.size() - 1);
	}

	/**
	 * Takes the locks of a subscriber along to threads, as {@link #capture()} those of
	 * this thread.
	 * @param context the context of the subscriber, as for {@link #current(Object)}
	 * @return the locks
	 */
	public static Carrier capture(Object context) {
		return (SubscriberContext.find(context, KEY) instanceof Carrier carrier) ? carrier : NONE;
	}

	/**
	 * Takes the locks under which this thread runs along to other threads, for work that
	 * belongs to the same call chain: there they can be entered again without a command,
	 * {@link #current()} and {@link LockAssert} know them, and a lost one vetoes commits.
	 * They are given up by whoever took them, also if that work goes on: from then on
	 * their handles are invalid there too. A lock that is entered there again stays until
	 * that is left as well. Threads of one call chain are not kept apart; only the one
	 * that took a lock is interrupted when it is lost.
	 * @return the locks, to be opened on another thread, also on several
	 */
	public static Carrier capture() {
		List<LockHandle> handles = new ArrayList<>();
		List<Frame> frames = FRAMES.get();
		if (frames != null) {
			for (Frame frame : frames) {
				if (frame.inside) {
					handles.add(frame.handle);
				}
			}
		}
		return new Carrier(handles, Thread.currentThread(), frames);
	}

	/**
	 * Returns a carrier without any locks.
	 * @return what lets a thread run under none
	 */
	public static Carrier none() {
		return NONE;
	}

	/**
	 * Finds the innermost lock of a name under which this thread runs.
	 */
	static @Nullable LockHandle find(String name) {
		List<Frame> frames = FRAMES.get();
		if (frames != null) {
			for (int i = frames.size() - 1; i >= 0; i--) {
				if (frames.get(i).inside && frames.get(i).handle.name().equals(name)) {
					return frames.get(i).handle;
				}
			}
		}
		return null;
	}

	/**
	 * Returns all locks that this thread knows, also those that are only kept until its
	 * transaction has completed.
	 */
	static List<LockHandle> handles() {
		List<Frame> frames = FRAMES.get();
		return (frames != null) ? frames.stream().map(Frame::handle).toList() : List.of();
	}

	/**
	 * Returns the locks under which this thread works.
	 */
	static List<HeldLock> locks() {
		List<HeldLock> locks = new ArrayList<>(0);
		List<Frame> frames = FRAMES.get();
		if (frames != null) {
			for (Frame frame : frames) {
				if (frame.inside && frame.handle instanceof HeldLock lock && !locks.contains(lock)) {
					locks.add(lock);
				}
			}
		}
		return locks;
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
	 * Returns an entry of work.
	 */
	static Frame frame(LockHandle handle) {
		return new Frame(handle);
	}

	/**
	 * Lets this thread work under more locks for a while.
	 * @param surrounding those under which the work is called
	 * @param entered those that it has entered
	 * @return to be closed on the same thread
	 */
	static Scope bind(Carrier surrounding, List<Frame> entered) {
		List<Frame> frames = framesOfThread();
		List<Frame> added = new ArrayList<>(entered.size());
		for (LockHandle handle : surrounding.handles) {
			if (frames.stream().noneMatch((frame) -> frame.inside && frame.handle == handle)) {
				added.add(frame(handle));
			}
		}
		added.addAll(entered);
		frames.addAll(added);
		return () -> {
			frames.removeAll(added);
			if (frames.isEmpty() && FRAMES.get() == frames) {
				FRAMES.remove();
			}
		};
	}

	/**
	 * Lets other calls on this thread enter a lock again that its transaction keeps.
	 * @return what is to be left when that has completed, unless the thread knows the
	 * lock already
	 */
	static @Nullable Frame keep(HeldLock lock) {
		if (handles().contains(lock)) {
			return null;
		}
		Frame frame = frame(lock);
		frame.inside = false;
		framesOfThread().add(frame);
		return frame;
	}

	/**
	 * Leaves what the transaction has kept.
	 */
	static void leave(Frame frame) {
		List<Frame> frames = FRAMES.get();
		if (frames != null && frames.remove(frame) && frames.isEmpty()) {
			FRAMES.remove();
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

	private static void set(@Nullable List<Frame> frames) {
		if (frames != null) {
			FRAMES.set(frames);
		}
		else {
			FRAMES.remove();
		}
	}

	/**
	 * Locks on their way to another thread.
	 */
	public static final class Carrier {

		private final List<LockHandle> handles;

		private final @Nullable Thread thread;

		/** Used by that thread only. */
		private final @Nullable List<Frame> frames;

		private Carrier(List<LockHandle> handles, @Nullable Thread thread, @Nullable List<Frame> frames) {
			this.handles = handles;
			this.thread = thread;
			this.frames = frames;
		}

		/**
		 * Returns whether there are no locks.
		 * @return whether there is nothing to carry, and nothing to resume
		 */
		public boolean isEmpty() {
			return this.frames == null && this.handles.isEmpty();
		}

		List<LockHandle> handles() {
			return this.handles;
		}

		/**
		 * Returns these locks and, further in, others.
		 */
		Carrier with(List<LockHandle> inner) {
			List<LockHandle> all = new ArrayList<>(this.handles);
			all.removeAll(inner);
			all.addAll(inner);
			return new Carrier(all, null, null);
		}

		/**
		 * Lets this thread run under the carried locks, and no others.
		 * @return to be closed on the same thread, which then runs under its own again
		 */
		public Scope open() {
			Carrier own = capture();
			List<Frame> carried = new ArrayList<>(this.handles.size());
			for (LockHandle handle : this.handles) {
				carried.add(frame(handle));
			}
			set(carried.isEmpty() ? null : carried);
			return own::resume;
		}

		/**
		 * Lets the thread on which this was captured run under its own locks again, as
		 * their holder, after it has {@link #open() opened} others. On another thread it
		 * is the same as opening.
		 */
		public void resume() {
			if (Thread.currentThread() == this.thread) {
				set(this.frames);
			}
			else {
				open();
			}
		}

		/**
		 * Wraps work so that it runs under the carried locks, on whichever thread.
		 * @param work the work
		 * @return the work under the locks
		 */
		public Runnable wrap(Runnable work) {
			return () -> {
				try (Scope scope = open()) {
					work.run();
				}
			};
		}

	}

	/**
	 * While a thread runs under carried locks.
	 */
	@FunctionalInterface
	public interface Scope extends AutoCloseable {

		@Override
		void close();

	}

	/**
	 * One entry of a locked method or work.
	 */
	static final class Frame {

		private final LockHandle handle;

		/** Work may end on another thread than the one that it began on. */
		private volatile boolean inside = true;

		private Frame(LockHandle handle) {
			this.handle = handle;
		}

		LockHandle handle() {
			return this.handle;
		}

		/**
		 * Leaves the work, wherever this is bound.
		 */
		void leave() {
			this.inside = false;
		}

	}

}
