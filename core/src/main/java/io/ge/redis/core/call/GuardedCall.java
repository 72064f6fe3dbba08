// SPDX-License-Identifier: Apache-2.0

package io.ge.redis.core.call;

import java.util.concurrent.CancellationException;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;

import org.jspecify.annotations.Nullable;

/**
 * The course of one guarded call, as a pattern sees it, the same for plain values,
 * futures, publishers and suspending functions: it asks, decides by the answer, and ends
 * the guarding. A publisher that is subscribed to again is another call.
 */
public interface GuardedCall<A extends @Nullable Object> {

	/**
	 * Returns a call that needs no decision.
	 */
	static GuardedCall<?> of(Work work) {
		return new GuardedCall<@Nullable Void>() {

			@Override
			public CompletableFuture<@Nullable Void> ask() {
				return Work.DONE;
			}

			@Override
			public Work decide(@Nullable Void nothing) {
				return work;
			}

		};
	}

	/**
	 * Takes the context of the subscriber. Comes first, on the thread that subscribes;
	 * the call for a future has no subscriber.
	 */
	default void subscribed(Object context) {
	}

	/**
	 * Asks whether the call may proceed, without blocking. Runs on the thread that starts
	 * the call or subscribes; again, on one of the application, if the
	 * {@linkplain PendingCaller caller} had to be looked up first.
	 */
	CompletableFuture<A> ask();

	/**
	 * Returns whether a cancelled request releases by itself. If not, the reply to an
	 * abandoned call is awaited and {@linkplain #release released}.
	 */
	default boolean isCancellable() {
		return false;
	}

	/**
	 * Returns whether an interrupt ends the wait of a plain call for the answer, and
	 * cancels the request. Called after {@link #ask()}.
	 * @return whether it does; if not, the wait is certain to end soon
	 */
	default boolean isInterruptible() {
		return false;
	}

	/**
	 * Called when the thread that waited for the answer was interrupted. The request is
	 * cancelled.
	 */
	default RuntimeException interrupted(InterruptedException interrupt) {
		return new CancellationException();
	}

	/**
	 * Decides; {@link #release} undoes what the decision does. Runs on the thread that
	 * has asked if the answer is there at once. Otherwise runs on one of the application,
	 * never of the driver. Does not block.
	 */
	Work decide(A answer) throws Throwable;

	/**
	 * Releases what a reply has granted to an abandoned call.
	 */
	default void release(A answer) {
	}

	/**
	 * The work under the guard, or in place of it.
	 */
	@FunctionalInterface
	interface Work {

		/** Nothing to wait for. */
		CompletableFuture<@Nullable Void> DONE = CompletableFuture.completedFuture(null);

		/**
		 * Starts the work.
		 * @return the result of the method: a value, or the promise of one, such as a
		 * stage or a publisher
		 */
		@Nullable Object start() throws Throwable;

		/**
		 * Begins the work on this thread, with its context bound meanwhile: the method is
		 * called, and its publisher is subscribed to.
		 */
		default void begin(Beginning beginning) throws Throwable {
			beginning.run();
		}

		/**
		 * Returns the context of the subscription to the method's publisher.
		 */
		default Object contextual(Object context) {
			return context;
		}

		/**
		 * Returns what ends the work before its time. Asked for once.
		 * @return fails, on any thread, with what the caller gets in the place of a
		 * result, while the promise of the method is cancelled; the thread of a plain
		 * call is interrupted instead; {@code null} if the work may take as long as it
		 * needs
		 */
		default @Nullable CompletionStage<?> interruption() {
			return null;
		}

		/**
		 * Ends the guarding, once, when the work has ended. Does not block.
		 * @param value the value, if there is one and not several
		 * @param failure the failure of the work, an {@link AbandonedException} if no
		 * caller waits for it any more, or {@code null}
		 */
		default CompletionStage<?> end(@Nullable Object value, @Nullable Throwable failure) {
			return DONE;
		}

		/**
		 * Gives a result in the place of the failure of a plain call, when the guarding
		 * has ended.
		 */
		default @Nullable Object recover(Throwable failure) throws Throwable {
			throw failure;
		}

		/**
		 * Publishes completion events, on the thread that passes the result on, right
		 * before it does. Not called for abandoned work. Does not block.
		 */
		default void publishCompletion() {
		}

	}

	@FunctionalInterface
	interface Beginning {

		void run() throws Throwable;

	}

}
