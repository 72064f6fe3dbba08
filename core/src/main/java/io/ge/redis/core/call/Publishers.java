// SPDX-License-Identifier: Apache-2.0

package io.ge.redis.core.call;

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
			CallContext context, List<SubscriberScope> scopes, UnaryOperator<Runnable> caller) {
		Start start = new Start(form, call, refusal, context, caller, null);
		return adapted(form, scopes.isEmpty() ? start : Flux.deferContextual((subscriber) -> {
			Mono<UnaryOperator<Runnable>> scope = SubscriberScope.findAll(scopes, subscriber);
			return (scope != null) ? scope.flatMapMany((found) -> start.within(found)) : start;
		}));
	}

	static Object just(ResultForm form, @Nullable Object value) {
		return adapted(form, (form.kind() == ResultForm.Kind.SINGLE) ? Mono.justOrEmpty(value)
				: Flux.fromIterable((value != null) ? (List<?>) value : List.of()));
	}

	static Object deferred(ResultForm form, Function<@Nullable Object, CompletableFuture<@Nullable Object>> course) {
		return adapted(form, Mono.deferContextual((context) -> Mono.fromFuture(course.apply(context))));
	}

	static CompletableFuture<@Nullable Object> future(ResultForm form, Object promise, @Nullable Object context) {
		Mono<Object> followed = Mono.from(publisher(form, promise));
		return ((context != null) ? followed.contextWrite((ContextView) context) : followed).toFuture();
	}

	static Object subscribing(ResultForm form, Object promise, Consumer<Object> callback) {
		Publisher<?> publisher = publisher(form, promise);
		return adapted(form, Flux.deferContextual((context) -> {
			callback.accept(context);
			return publisher;
		}));
	}

	static Object observed(ResultForm form, Object promise, Consumer<Object> each) {
		return adapted(form, Flux.from(publisher(form, promise)).doOnNext(each::accept));
	}

	private static Object adapted(ResultForm form, Publisher<?> publisher) {
		Publisher<?> known = (form.kind() == ResultForm.Kind.SINGLE) ? Mono.fromDirect(publisher)
				: Flux.from(publisher);
		return (form.adapter() != null) ? form.adapter().fromPublisher(known) : known;
	}

	static Publisher<?> publisher(ResultForm form, Object promise) {
		if (form.adapter() != null) {
			return form.adapter().toPublisher(promise);
		}
		// As in Spring, a suspending function promises a Mono or has returned the value
		return (form.kind() == ResultForm.Kind.SINGLE && !(promise instanceof Mono)) ? Mono.just(promise)
				: (Publisher<?>) promise;
	}

	/**
	 * Returns an adapter that takes several values for one list.
	 * @param form the form of several values
	 */
	static ReactiveAdapter collecting(ResultForm form) {
		return new ReactiveAdapter(ReactiveTypeDescriptor.singleRequiredValue(List.class),
				(source) -> Flux.from(publisher(form, source)).collectList(), (lists) -> adapted(form,
						Mono.from(lists).flatMapIterable((list) -> (List<?>) Objects.requireNonNull(list))));
	}

	/**
	 * Starts a call for each subscriber.
	 *
	 * @param refusal translates a refusal for the subscriber
	 * @param caller runs the steps of the call with the context of its caller
	 * @param scope runs request and decision, or {@code null}
	 */
	record Start(ResultForm form, Supplier<? extends GuardedCall<?>> call, UnaryOperator<Throwable> refusal,
			CallContext context, UnaryOperator<Runnable> caller,
			@Nullable UnaryOperator<Runnable> scope) implements Publisher<Object> {

		@Override
		public void subscribe(Subscriber<? super Object> actual) {
			CoreSubscriber<? super Object> subscriber = Operators.toCoreSubscriber(actual);
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
			return new Start(this.form, this.call, this.refusal, this.context, this.caller, found);
		}

	}

}
