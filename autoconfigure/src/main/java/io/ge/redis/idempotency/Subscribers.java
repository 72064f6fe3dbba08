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
import reactor.util.context.ContextView;

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
	 * Finds the call that a subscriber is part of.
	 */
	static @Nullable ReactiveTransactions callAround(Object context) {
		return ((ContextView) context).getOrDefault(ReactiveTransactions.class, null);
	}

	/**
	 * Returns a context in which the method's publisher finds its call.
	 */
	static Object with(Object context, IdempotencyContext claim, ReactiveTransactions call) {
		return ((Context) context).put(IdempotencyContext.class, claim).put(ReactiveTransactions.class, call);
	}

	/**
	 * Awaits the end of the transaction that a subscriber is in.
	 */
	static void join(Object context, Settlement settlement, ReactiveTransactions call) {
		TransactionSynchronizationManager transaction = SubscriberTransactions.find(context);
		if (transaction != null) {
			settlement.join();
			transaction.registerSynchronization(new OfCaller(settlement, call));
		}
	}

	/**
	 * Lets the transaction be seen in which the work of a method is done.
	 */
	static Object entering(ResultForm form, Object promise) {
		ReactiveAdapter adapter = form.adapter();
		Object publisher = (adapter != null) ? adapter.toPublisher(promise) : promise;
		if (form.kind() == ResultForm.Kind.MULTIPLE) {
			return adapted(form, Flux.deferContextual((context) -> {
				enter(context);
				return (Publisher<?>) publisher;
			}));
		}
		return adapted(form, Mono.deferContextual((context) -> {
			enter(context);
			return (publisher instanceof Publisher<?> later) ? Mono.from(later) : Mono.just(publisher);
		}));
	}

	private static void enter(ContextView context) {
		ReactiveTransactions call = callAround(context);
		if (call == null) {
			return;
		}
		TransactionSynchronizationManager transaction = SubscriberTransactions.find(context);
		if (transaction == null) {
			call.entered(false, false);
		}
		else if (isOfCaller(transaction, call)) {
			call.entered(false, true);
		}
		else if (transaction.isCurrentTransactionReadOnly()) {
			call.entered(false, false);
		}
		else {
			transaction.registerSynchronization(new OfMethod(call));
			call.entered(true, false);
		}
	}

	private static boolean isOfCaller(TransactionSynchronizationManager transaction, ReactiveTransactions call) {
		return transaction.getSynchronizations()
			.stream()
			.anyMatch((registered) -> registered instanceof OfCaller known && known.call() == call);
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
	 * Awaits the end of the transaction of a caller.
	 *
	 * @param settlement told of it
	 * @param call the call
	 */
	private record OfCaller(Settlement settlement, ReactiveTransactions call) implements TransactionSynchronization {

		@Override
		public Mono<Void> suspend() {
			return Mono.fromRunnable(this.settlement::callerSuspended);
		}

		@Override
		public Mono<Void> afterCompletion(int status) {
			return Mono.fromFuture(() -> this.settlement.callerCompleted(status).toCompletableFuture(), true).then();
		}

	}

	/**
	 * Awaits the end of a transaction in which the work of a method is done. What is done
	 * while it is set aside is not rolled back with it.
	 */
	private static final class OfMethod implements TransactionSynchronization {

		private final ReactiveTransactions call;

		private volatile boolean suspended;

		OfMethod(ReactiveTransactions call) {
			this.call = call;
		}

		@Override
		public Mono<Void> suspend() {
			return Mono.fromRunnable(() -> this.suspended = true);
		}

		@Override
		public Mono<Void> afterCompletion(int status) {
			return Mono.fromRunnable(() -> this.call.ended(status == STATUS_ROLLED_BACK && !this.suspended));
		}

	}

}
