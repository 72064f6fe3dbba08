// SPDX-License-Identifier: Apache-2.0

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
 * inherited. To continue on another thread, pass the handle, or {@link #capture()
 * propagate} the locks. Asynchronous work finds the locks on the thread that calls the
 * method and subscribes to its result, and in the context of the subscriber.
 */
public final class LockContext {

	/**
	 * Key of the {@link Carrier} of the locks in the context of a subscriber, and in
	 * Micrometer's context propagation.
	 */
	public static final String KEY = "ge.redis.locks";

	private static final Carrier NONE = new Carrier(List.of(), null, null);

	private LockContext() {
	}

	/**
	 * Returns the lock of the innermost locked method or work on this thread.
	 * @return the handle; an invalid one where the method runs without lock since Redis
	 * is unavailable and the policy allows it
	 * @throws IllegalStateException if this thread is in none
	 */
	public static LockHandle current() {
		List<LockHandle> handles = BoundLocks.inside();
		if (handles.isEmpty()) {
			throw new IllegalStateException(
					"This thread runs in no method with @DistributedLock and in no locked work");
		}
		return handles.get(handles.size() - 1);
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
	 * Propagates the locks of a subscriber to threads, as {@link #capture()} propagates
	 * the locks of this thread.
	 * @param context the context of the subscriber, as for {@link #current(Object)}
	 * @return the locks
	 */
	public static Carrier capture(Object context) {
		return (SubscriberContext.find(context, KEY) instanceof Carrier carrier) ? carrier : NONE;
	}

	/**
	 * Propagates the locks under which this thread runs to other threads, for work that
	 * belongs to the same call chain: there they can be entered again without a command,
	 * {@link #current()} and {@link LockAssert} know them, and a lost one vetoes commits.
	 * They are released by the call that took them, even if that work continues: from
	 * then on their handles are invalid there too. A lock that is entered there again
	 * stays until that is left as well. Threads of one call chain are not kept apart;
	 * only the one that took a lock is interrupted when it is lost.
	 * @return the locks, to be opened on another thread, also on several
	 */
	public static Carrier capture() {
		return new Carrier(BoundLocks.inside(), Thread.currentThread(), BoundLocks.frames());
	}

	/**
	 * Returns a carrier without any locks.
	 * @return what lets a thread run under none
	 */
	public static Carrier none() {
		return NONE;
	}

	/**
	 * Locks on their way to another thread.
	 */
	public static final class Carrier {

		private final List<LockHandle> handles;

		private final @Nullable Thread thread;

		/** Used by that thread only. */
		private final @Nullable List<BoundLocks.Frame> frames;

		Carrier(List<LockHandle> handles, @Nullable Thread thread, @Nullable List<BoundLocks.Frame> frames) {
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
		 * Lets this thread run under the carried locks, and no others.
		 * @return to be closed on the same thread, which then runs under its own again
		 */
		public Scope open() {
			Carrier own = capture();
			List<BoundLocks.Frame> carried = new ArrayList<>(this.handles.size());
			for (LockHandle handle : this.handles) {
				carried.add(new BoundLocks.Frame(handle));
			}
			BoundLocks.set(carried.isEmpty() ? null : carried);
			return own::resume;
		}

		/**
		 * Lets the thread on which this was captured run under its own locks again, as
		 * their holder, after it has {@link #open() opened} others. On another thread it
		 * is the same as opening.
		 */
		public void resume() {
			if (Thread.currentThread() == this.thread) {
				BoundLocks.set(this.frames);
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

}
