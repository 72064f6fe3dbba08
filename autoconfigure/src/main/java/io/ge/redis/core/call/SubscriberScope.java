/*
 * Copyright 2026 the GE Redis authors
 * SPDX-License-Identifier: Apache-2.0
 */

package io.ge.redis.core.call;

import java.util.List;
import java.util.function.UnaryOperator;

import org.jspecify.annotations.Nullable;
import org.reactivestreams.Publisher;
import reactor.core.publisher.Mono;
import reactor.util.context.ContextView;

/**
 * Binds to a thread, while something is asked and decided, what belongs to a subscriber:
 * what its context tells only later, such as who is logged in, or what no accessor takes
 * from there.
 */
public interface SubscriberScope extends CallScope {

	/**
	 * Looks for it.
	 * @param context the context of the subscriber
	 * @return publishes what runs a task with it, or nothing if there is none; or
	 * {@code null} if that is known already
	 */
	@Nullable Publisher<UnaryOperator<Runnable>> find(ContextView context);

	/**
	 * Looks for what several scopes bind.
	 * @param scopes the scopes
	 * @param context the context of the subscriber
	 * @return publishes what runs a task with all of it, or {@code null} if there is
	 * nothing
	 */
	static @Nullable Mono<UnaryOperator<Runnable>> findAll(List<SubscriberScope> scopes, ContextView context) {
		Mono<UnaryOperator<Runnable>> all = null;
		for (SubscriberScope scope : scopes) {
			Publisher<UnaryOperator<Runnable>> found = scope.find(context);
			if (found != null) {
				Mono<UnaryOperator<Runnable>> one = Mono.from(found).defaultIfEmpty(UnaryOperator.identity());
				all = (all == null) ? one
						: all.zipWith(one, (outer, inner) -> (task) -> outer.apply(inner.apply(task)));
			}
		}
		return all;
	}

}
