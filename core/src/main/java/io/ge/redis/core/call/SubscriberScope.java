// SPDX-License-Identifier: Apache-2.0

package io.ge.redis.core.call;

import java.util.List;
import java.util.function.UnaryOperator;

import org.jspecify.annotations.Nullable;
import org.reactivestreams.Publisher;
import reactor.core.publisher.Mono;
import reactor.util.context.ContextView;

/**
 * Binds to a thread, while something is asked and decided, what belongs to a subscriber.
 * That is what its context provides only later, such as the login, or what no accessor
 * reads from there.
 */
public interface SubscriberScope extends CallScope {

	/**
	 * Looks up the scope.
	 * @return publishes a runner of tasks with it, or nothing if there is none; or
	 * {@code null} if that is known already
	 */
	@Nullable Publisher<UnaryOperator<Runnable>> find(ContextView context);

	/**
	 * Returns whether it provides the caller, and nothing else. Where nothing is guarded
	 * yet, it is looked up only if a guard asks for the caller.
	 */
	default boolean isOfCaller() {
		return false;
	}

	/**
	 * Collects several scopes for a thread on which nothing is guarded yet. The caller is
	 * looked up when a guard on that thread asks for the first time.
	 * @return publishes a runner of tasks with all of them, or {@code null} if there is
	 * none
	 */
	static @Nullable Mono<UnaryOperator<Runnable>> findLate(List<SubscriberScope> scopes, ContextView context) {
		List<SubscriberScope> ofCaller = scopes.stream().filter(SubscriberScope::isOfCaller).toList();
		Mono<UnaryOperator<Runnable>> caller = findAll(ofCaller, context);
		Mono<UnaryOperator<Runnable>> others = findAll(scopes.stream().filter((scope) -> !scope.isOfCaller()).toList(),
				context);
		if (caller == null) {
			return others;
		}
		UnaryOperator<Runnable> late = PendingCaller.binding(() -> caller.contextWrite(context).toFuture());
		return (others != null) ? others.map((outer) -> (task) -> outer.apply(late.apply(task))) : Mono.just(late);
	}

	/**
	 * Looks up several scopes.
	 * @return publishes a runner of tasks with all of them, or {@code null} if there is
	 * none
	 */
	static @Nullable Mono<UnaryOperator<Runnable>> findAll(List<SubscriberScope> scopes, ContextView context) {
		Mono<UnaryOperator<Runnable>> all = null;
		for (SubscriberScope scope : scopes) {
			Publisher<UnaryOperator<Runnable>> found = scope.find(context);
			if (found != null) {
				Mono<UnaryOperator<Runnable>> one = Mono.from(found)
					.map((bound) -> scope.isOfCaller() ? PendingCaller.hiding(bound) : bound)
					.defaultIfEmpty(UnaryOperator.identity());
				all = (all == null) ? one
						: all.zipWith(one, (outer, inner) -> (task) -> outer.apply(inner.apply(task)));
			}
		}
		return all;
	}

}
