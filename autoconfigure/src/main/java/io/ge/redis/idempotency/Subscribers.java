/*
 * Copyright 2026 the GE Redis authors
 * SPDX-License-Identifier: Apache-2.0
 */

package io.ge.redis.idempotency;

import java.util.List;
import java.util.function.Consumer;
import java.util.function.UnaryOperator;

import io.ge.redis.core.call.ResultForm;
import io.ge.redis.core.call.SubscriberTransactions;
import org.jspecify.annotations.Nullable;
import org.reactivestreams.Publisher;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;
import reactor.util.context.Context;

import org.springframework.core.ReactiveAdapter;
import org.springframework.transaction.reactive.TransactionSynchronization;
import org.springframework.transaction.reactive.TransactionSynchronizationManager;

/**
 * What only calls with subscribers need, and Reactor for it.
 */
final class Subscribers {

	private Subscribers() {
	}

	/**
	 * Returns a context in which the method's publisher finds the claim.
	 */
	static Object with(Object context, IdempotencyContext claim) {
		return ((Context) context).put(IdempotencyContext.class, claim);
	}

	/**
	 * Awaits the end of the transaction that a subscriber is in.
	 */
	static void join(Object context, Settlement settlement) {
		TransactionSynchronizationManager transaction = SubscriberTransactions.find(context);
		if (transaction != null) {
			settlement.join();
			transaction.registerSynchronization(new OfSubscriber(settlement));
		}
	}

	/**
	 * Publishes a result that is there.
	 */
	static Object publish(ResultForm form, @Nullable Object result) {
		if (form.kind() == ResultForm.Kind.MULTIPLE) {
			return adapted(form, (result != null) ? Flux.fromIterable((List<?>) result) : Flux.empty());
		}
		return adapted(form, Mono.justOrEmpty(result));
	}

	/**
	 * Lets the values be seen that a method publishes, each before it is passed on.
	 */
	static Object observe(ResultForm form, Object promise, Consumer<Object> each) {
		ReactiveAdapter adapter = form.adapter();
		Publisher<?> publisher = (adapter != null) ? adapter.toPublisher(promise) : (Publisher<?>) promise;
		return adapted(form, Flux.from(publisher).doOnNext(each::accept));
	}

	private static Object adapted(ResultForm form, Publisher<?> publisher) {
		ReactiveAdapter adapter = form.adapter();
		return (adapter != null) ? adapter.fromPublisher(publisher) : publisher;
	}

	/**
	 * Awaits the end of the transaction of a subscriber.
	 *
	 * @param settlement told of it
	 */
	private record OfSubscriber(Settlement settlement) implements TransactionSynchronization {

		@Override
		public Mono<Void> suspend() {
			return Mono.fromRunnable(this.settlement::callerSuspended);
		}

		@Override
		public Mono<Void> afterCompletion(int status) {
			return Mono.fromFuture(() -> this.settlement.callerCompleted(status).toCompletableFuture(), true).then();
		}

	}

}
