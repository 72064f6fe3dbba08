/*
 * Copyright 2026 the GE Redis authors
 * SPDX-License-Identifier: Apache-2.0
 */

package io.ge.redis.core.call;

import java.util.concurrent.CompletableFuture;
import java.util.function.Function;

import org.jspecify.annotations.Nullable;

/**
 * Makes and follows the promises of methods of one form.
 */
public interface Promises {

	/**
	 * Returns the promises of a form.
	 * @param form the form, not a plain one and not one of several values
	 * @return its promises
	 */
	static Promises of(ResultForm form) {
		return switch (form.kind()) {
			case FUTURE -> new FuturePromises();
			case SINGLE -> new PublisherPromises(form.adapter());
			default -> throw new IllegalArgumentException("Not a form of one value that comes later");
		};
	}

	/**
	 * Promises a value that is there.
	 * @param value the value, or {@code null} for none
	 * @return the promise
	 */
	Object of(@Nullable Object value);

	/**
	 * Promises what a future has when it is complete.
	 * @param future the future; cancelled if nobody wants the promise any more
	 * @return the promise
	 */
	Object of(CompletableFuture<? extends @Nullable Object> future);

	/**
	 * Promises something else in case a promise is not kept.
	 * @param promise the promise
	 * @param recovery completes with what is promised instead, or with the failure;
	 * called on the thread on which the promise has failed
	 * @return the promise
	 */
	Object recovered(Object promise, Function<Throwable, CompletableFuture<@Nullable Object>> recovery);

	/**
	 * Promises what follows a promise that is kept.
	 * @param promise the promise
	 * @param next makes the next promise of what was promised; called on the thread on
	 * which it was kept
	 * @return the promise of the next one; if nobody wants it any more, the one that is
	 * under way is cancelled
	 */
	Object then(Object promise, Function<@Nullable Object, Object> next);

	/**
	 * Waits for what is promised, without blocking.
	 * @param promise the promise
	 * @param context what a publisher's subscriber has as its context, or {@code null}
	 * for nothing
	 * @return completes with what is promised, exceptionally without wrappers; if it is
	 * cancelled, so is the promise
	 */
	CompletableFuture<@Nullable Object> follow(@Nullable Object promise, @Nullable Object context);

}
