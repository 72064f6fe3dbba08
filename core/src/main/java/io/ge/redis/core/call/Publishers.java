/*
 * Copyright 2026 the GE Redis authors
 * SPDX-License-Identifier: Apache-2.0
 */

package io.ge.redis.core.call;

import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import java.util.function.Consumer;
import java.util.function.Function;
import java.util.function.Supplier;
import java.util.function.UnaryOperator;

import org.jspecify.annotations.Nullable;
import org.reactivestreams.Publisher;
import org.reactivestreams.Subscriber;
import reactor.core.CoreSubscriber;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;
import reactor.core.publisher.Operators;
import reactor.util.context.ContextView;

import org.springframework.core.ReactiveAdapter;
import org.springframework.core.ReactiveTypeDescriptor;

/**
 * Guarded publishers, on Reactor.
 */
final class Publishers {

	private Publishers() {
	}

	static Object of(ResultForm form, Supplier<? extends GuardedCall<?>> call, UnaryOperator<Throwable> refusal,
			CallContext context, List<? extends CallScope> all, UnaryOperator<Runnable> caller) {
		ReactiveAdapter adapter = form.adapter();
		boolean single = form.kind() == ResultForm.Kind.SINGLE;
		Start start = new Start(call, refusal, context, caller, publisher(adapter, single), single, null);
		List<SubscriberScope> scopes = subscribers(all);
		Publisher<Object> guarded = scopes.isEmpty() ? start : Flux.deferContextual((subscriber) -> {
			Mono<UnaryOperator<Runnable>> scope = SubscriberScope.findAll(scopes, subscriber);
			return (scope != null) ? scope.flatMapMany((found) -> start.within(found)) : start;
		});
		return adapted(form, single ? Mono.fromDirect(guarded) : Flux.from(guarded));
	}

	private static List<SubscriberScope> subscribers(List<? extends CallScope> scopes) {
		List<SubscriberScope> subscribers = new ArrayList<>(scopes.size());
		for (CallScope scope : scopes) {
			if (scope instanceof SubscriberScope subscriber) {
				subscribers.add(subscriber);
			}
		}
		return subscribers;
	}

	static Object just(ResultForm form, @Nullable Object value) {
		return adapted(form, (form.kind() == ResultForm.Kind.SINGLE) ? Mono.justOrEmpty(value)
				: Flux.fromIterable((value != null) ? (List<?>) value : List.of()));
	}

	static Object deferred(ResultForm form, Function<@Nullable Object, CompletableFuture<@Nullable Object>> course) {
		return adapted(form, Mono.deferContextual((context) -> Mono.fromFuture(course.apply(context))));
	}

	static CompletableFuture<@Nullable Object> future(ResultForm form, Object promise, @Nullable Object context) {
		Mono<Object> followed = Mono.from(publisher(form.adapter(), true).apply(promise));
		return ((context != null) ? followed.contextWrite((ContextView) context) : followed).toFuture();
	}

	static Object subscribing(ResultForm form, Object promise, Consumer<Object> told) {
		boolean single = form.kind() == ResultForm.Kind.SINGLE;
		Publisher<?> publisher = publisher(form.adapter(), single).apply(promise);
		return adapted(form, single ? Mono.deferContextual((context) -> {
			told.accept(context);
			return Mono.from(publisher);
		}) : Flux.deferContextual((context) -> {
			told.accept(context);
			return publisher;
		}));
	}

	static Object observed(ResultForm form, Object promise, Consumer<Object> each) {
		Publisher<?> publisher = publisher(form.adapter(), false).apply(promise);
		return adapted(form, Flux.from(publisher).doOnNext(each::accept));
	}

	private static Object adapted(ResultForm form, Publisher<?> publisher) {
		return (form.adapter() != null) ? form.adapter().fromPublisher(publisher) : publisher;
	}

	private static Function<Object, Publisher<?>> publisher(@Nullable ReactiveAdapter adapter, boolean single) {
		if (adapter != null) {
			return adapter::toPublisher;
		}
		// What Spring, too, takes for the result of a suspending function
		return single ? (promise) -> (promise instanceof Mono<?> mono) ? mono : Mono.just(promise)
				: (promise) -> (Publisher<?>) promise;
	}

	/**
	 * Returns what takes several values for one list.
	 * @param adapter knows the type; {@code null} for what a suspending function promises
	 */
	static ReactiveAdapter collecting(@Nullable ReactiveAdapter adapter) {
		Function<Object, Publisher<?>> several = publisher(adapter, false);
		return new ReactiveAdapter(ReactiveTypeDescriptor.singleRequiredValue(List.class),
				(source) -> Flux.from(several.apply(source)).collectList(), (lists) -> {
					Flux<Object> elements = Mono.from(lists)
						.flatMapIterable((list) -> (List<?>) Objects.requireNonNull(list));
					return (adapter != null) ? adapter.fromPublisher(elements) : elements;
				});
	}

	/**
	 * Starts a call for each subscriber.
	 *
	 * @param refusal makes what the subscriber gets of a refusal
	 * @param caller runs what the call does with what belongs to its caller
	 * @param scope runs what is asked and decided, or {@code null}
	 */
	record Start(Supplier<? extends GuardedCall<?>> call, UnaryOperator<Throwable> refusal, CallContext context,
			UnaryOperator<Runnable> caller, Function<Object, Publisher<?>> publisher, boolean isSingle,
			@Nullable UnaryOperator<Runnable> scope) implements Publisher<Object> {

		@Override
		public void subscribe(Subscriber<? super Object> subscriber) {
			begin(Operators.toCoreSubscriber(subscriber));
		}

		private void begin(CoreSubscriber<? super Object> subscriber) {
			GuardedCall<?> made;
			try {
				made = this.call.get();
				made.subscribed(subscriber.currentContext());
			}
			catch (Throwable ex) {
				Operators.error(subscriber, ex);
				return;
			}
			new PublisherRun<>(made, subscriber, this).begin();
		}

		Start within(UnaryOperator<Runnable> found) {
			return new Start(this.call, this.refusal, this.context, this.caller, this.publisher, this.isSingle, found);
		}

	}

}
