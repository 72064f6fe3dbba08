/*
 * Copyright 2026 the GE Redis authors
 * SPDX-License-Identifier: Apache-2.0
 */

package io.ge.redis.core.guard;

import java.util.concurrent.CompletableFuture;
import java.util.function.Consumer;
import java.util.function.Function;

import io.ge.redis.core.outage.Waiting;
import org.jspecify.annotations.Nullable;

/**
 * The decision of a {@link Guard} about a call. A refusal is no admission but an
 * exception.
 */
public sealed interface Admission {

	/**
	 * Lets the call proceed and does nothing afterwards.
	 * @return the admission
	 */
	static Admission proceed() {
		return Proceed.UNOBSERVED;
	}

	/**
	 * Lets the call proceed.
	 * @param scope told how the call ends
	 * @return the admission
	 */
	static Admission proceed(GuardScope scope) {
		return new Proceed(scope);
	}

	/**
	 * Answers the call in place of the method.
	 * @param answer the answer
	 * @return the admission
	 */
	static Admission answer(Answer answer) {
		return new Instead(answer);
	}

	/**
	 * Postpones the admission until a decision is known. A plain call waits for it. An
	 * interrupt does not shorten the wait.
	 * @param decision completes with the decision, on any thread; cancelled for a caller
	 * that does not wait any more
	 * @param admission makes the admission, on a thread of the application, or throws the
	 * refusal; must not postpone it again
	 * @param compensation compensates a decision for an abandoned call
	 * @param <D> the type of the decision
	 * @return the admission
	 */
	static <D> Pending<D> pending(CompletableFuture<D> decision, Function<D, Admission> admission,
			Consumer<D> compensation) {
		return new Pending<>(decision, admission, compensation, null);
	}

	/**
	 * The answer to a call in place of the method.
	 */
	@FunctionalInterface
	interface Answer {

		/**
		 * Gives the answer.
		 * @return a result as the method returns it: a value, a future, a publisher
		 * @throws Throwable as the method throws it
		 */
		@Nullable Object get() throws Throwable;

	}

	/**
	 * The call proceeds.
	 *
	 * @param scope told how the call ends
	 */
	record Proceed(GuardScope scope) implements Admission {

		static final Proceed UNOBSERVED = new Proceed(new GuardScope() {
		});

	}

	/**
	 * The call is answered in place of the method.
	 *
	 * @param answer the answer
	 */
	record Instead(Answer answer) implements Admission {
	}

	/**
	 * The decision is not known yet.
	 *
	 * @param decision completes with the decision
	 * @param admission makes the admission
	 * @param compensation compensates a decision for an abandoned call
	 * @param interruption makes the exception of a plain call whose wait is interrupted,
	 * or {@code null} if an interrupt does not shorten the wait
	 * @param <D> the type of the decision
	 */
	record Pending<D>(CompletableFuture<D> decision, Function<D, Admission> admission, Consumer<D> compensation,
			@Nullable Function<InterruptedException, ? extends RuntimeException> interruption) implements Admission {

		/**
		 * Lets an interrupt end the wait of a plain call.
		 * @param interruption makes the exception of the interrupted call
		 * @return the same admission, interruptible
		 */
		public Pending<D> interruptible(Function<InterruptedException, ? extends RuntimeException> interruption) {
			return new Pending<>(this.decision, this.admission, this.compensation, interruption);
		}

		Admission await() {
			return admit((this.interruption != null) ? Waiting.awaitInterruptibly(this.decision, this.interruption)
					: Waiting.await(this.decision));
		}

		Admission admit(D known) {
			return this.admission.apply(known);
		}

	}

}
