/*
 * Copyright 2026 the GE Redis authors
 * SPDX-License-Identifier: Apache-2.0
 */

package io.ge.redis.core.call;

import java.util.concurrent.CompletableFuture;
import java.util.function.Function;

import org.jspecify.annotations.Nullable;

/**
 * Makes and follows the promises of methods of one form. The promise of a plain result is
 * the value itself.
 */
public interface Promises {

	/**
	 * Returns the promises of a form.
	 * @param form the form, not one of several values
	 * @return its promises
	 */
	static Promises of(ResultForm form) {
		return switch (form.kind()) {
			case PLAIN -> new PlainPromises();
			case FUTURE -> new FuturePromises();
			case SINGLE -> new PublisherPromises(form.adapter());
			case MULTIPLE -> throw new IllegalArgumentException("Not a form of one value");
		};
	}

	/**
	 * Promises a value that is there.
	 * @param value the value, or {@code null} for none
	 * @return the promise
	 */
	@Nullable Object of(@Nullable Object value);

	/**
	 * Starts work whose promise is replaced if it is not kept.
	 * @param work the work
	 * @param recovery completes with what is promised instead, or with the failure;
	 * called on the thread on which the promise has failed
	 * @return the promise
	 * @throws Throwable the failure, if the result is a plain one
	 */
	@Nullable Object recovered(GuardedCall.Work work, Function<Throwable, CompletableFuture<@Nullable Object>> recovery)
			throws Throwable;

	/**
	 * Promises what follows a promise that is kept.
	 * @param promise the promise
	 * @param next makes the next promise of what was promised; called on the thread on
	 * which it was kept
	 * @return the promise of the next one; if nobody wants it any more, the one that is
	 * under way is cancelled
	 * @throws Throwable what the next one fails with, if the result is a plain one
	 */
	@Nullable Object then(@Nullable Object promise, Next next) throws Throwable;

	/**
	 * Waits for what is promised, without blocking.
	 * @param promise the promise
	 * @param context what a publisher's subscriber has as its context, or {@code null}
	 * for nothing
	 * @return completes with what is promised, exceptionally without wrappers; if it is
	 * cancelled, so is the promise
	 */
	CompletableFuture<@Nullable Object> follow(@Nullable Object promise, @Nullable Object context);

	/**
	 * Makes a promise of what was promised before.
	 */
	@FunctionalInterface
	interface Next {

		/**
		 * Makes the next promise.
		 * @param value the value that was promised
		 * @return the promise
		 * @throws Throwable what the work fails with at once
		 */
		@Nullable Object after(@Nullable Object value) throws Throwable;

	}

}
