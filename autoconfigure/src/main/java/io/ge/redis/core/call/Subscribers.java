/*
 * Copyright 2026 the GE Redis authors
 * SPDX-License-Identifier: Apache-2.0
 */

package io.ge.redis.core.call;

import java.util.List;
import java.util.function.Consumer;

import org.jspecify.annotations.Nullable;
import org.reactivestreams.Publisher;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;
import reactor.util.context.Context;
import reactor.util.context.ContextView;

import org.springframework.core.ReactiveAdapter;

/**
 * What patterns do with the publishers of methods and the contexts of their subscribers,
 * without knowing Reactor.
 */
public final class Subscribers {

	private Subscribers() {
	}

	/**
	 * Finds something in a context by its type.
	 * @param context the context
	 * @param type the type
	 * @param <T> the type
	 * @return what is there, or {@code null}
	 */
	public static <T> @Nullable T find(Object context, Class<T> type) {
		ContextView view = (ContextView) context;
		return view.hasKey(type) ? view.get(type) : null;
	}

	/**
	 * Adds something to a context under its type.
	 * @param context the context
	 * @param type the type
	 * @param value what to add
	 * @param <T> the type
	 * @return the other context
	 */
	public static <T> Object with(Object context, Class<T> type, T value) {
		return ((Context) context).put(type, value);
	}

	/**
	 * Publishes a result that is there.
	 * @param form the form of the method
	 * @param result the result, a list if there are several values
	 * @return the promise
	 */
	public static Object publish(ResultForm form, @Nullable Object result) {
		if (form.kind() == ResultForm.Kind.MULTIPLE) {
			return adapted(form, (result != null) ? Flux.fromIterable((List<?>) result) : Flux.empty());
		}
		return adapted(form, Mono.justOrEmpty(result));
	}

	/**
	 * Lets the values be seen that a method publishes, each before it is passed on.
	 * @param form the form of the method, that of several values
	 * @param promise the promise of the method
	 * @param each takes the values
	 * @return the promise to pass on
	 */
	public static Object observe(ResultForm form, Object promise, Consumer<Object> each) {
		ReactiveAdapter adapter = form.adapter();
		Publisher<?> publisher = (adapter != null) ? adapter.toPublisher(promise) : (Publisher<?>) promise;
		return adapted(form, Flux.from(publisher).doOnNext(each::accept));
	}

	/**
	 * Lets the context be seen in which the work of a method is done.
	 * @param form the form of the method, not that of a future
	 * @param promise the promise of the method
	 * @param entering takes the context each time that the promise is subscribed to
	 * @return the promise to pass on
	 */
	public static Object enter(ResultForm form, Object promise, Consumer<Object> entering) {
		ReactiveAdapter adapter = form.adapter();
		Object publisher = (adapter != null) ? adapter.toPublisher(promise) : promise;
		if (form.kind() == ResultForm.Kind.MULTIPLE) {
			return adapted(form, Flux.deferContextual((context) -> {
				entering.accept(context);
				return (Publisher<?>) publisher;
			}));
		}
		return adapted(form, Mono.deferContextual((context) -> {
			entering.accept(context);
			return (publisher instanceof Publisher<?> later) ? Mono.from(later) : Mono.just(publisher);
		}));
	}

	private static Object adapted(ResultForm form, Publisher<?> publisher) {
		ReactiveAdapter adapter = form.adapter();
		return (adapter != null) ? adapter.fromPublisher(publisher) : publisher;
	}

}
