// SPDX-License-Identifier: Apache-2.0

package io.ge.redis.core.call;

import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.UnaryOperator;

import org.jspecify.annotations.Nullable;
import org.reactivestreams.Publisher;
import org.reactivestreams.Subscription;
import reactor.core.CoreSubscriber;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;
import reactor.core.publisher.Operators;
import reactor.core.scheduler.Scheduler;
import reactor.core.scheduler.Schedulers;
import reactor.util.context.Context;

/**
 * One subscription to the result of a guarded method. It asks on subscription and calls
 * the method when permitted. It ends before it passes on the only value, or the end of
 * several. Nothing is buffered: the requests of the subscriber are passed to the method.
 */
final class PublisherRun<A extends @Nullable Object> extends CallRun<A>
		implements CoreSubscriber<Object>, Subscription {

	private final CoreSubscriber<? super Object> subscriber;

	private final Publishers.Start start;

	/** Restores the context of the thread that subscribes. */
	private final UnaryOperator<Runnable> bound;

	private final Scheduler scheduler;

	private final Operators.DeferredSubscription upstream = new Operators.DeferredSubscription();

	/**
	 * The subscription to the work, until its end: cancelled once, also while it emits.
	 */
	private final AtomicReference<@Nullable Subscription> source = new AtomicReference<>();

	/** The context of the method's publisher. */
	private volatile Context known;

	/** The single value, until the guarding has ended. */
	private final AtomicReference<@Nullable Object> value = new AtomicReference<>();

	PublisherRun(GuardedCall<A> call, CoreSubscriber<? super Object> subscriber, Publishers.Start start) {
		super(call, start.refusal());
		this.subscriber = subscriber;
		this.start = start;
		this.known = subscriber.currentContext();
		this.bound = start.context().capture();
		// A thread that may block here may also block afterwards
		this.scheduler = Schedulers.isInNonBlockingThread() ? Schedulers.parallel() : Schedulers.boundedElastic();
	}

	void begin() {
		this.subscriber.onSubscribe(this);
		within(this::run);
	}

	@Override
	public Context currentContext() {
		return this.known;
	}

	@Override
	CompletableFuture<A> ask(GuardedCall<A> call) throws Throwable {
		return scoped(call::ask);
	}

	// Listeners of the decision must find the scope, too
	@Override
	GuardedCall.Work decide(GuardedCall<A> call, A answer) throws Throwable {
		return scoped(() -> call.decide(answer));
	}

	private <T> T scoped(Step<T> step) throws Throwable {
		UnaryOperator<Runnable> scope = this.start.scope();
		if (scope == null) {
			return step.take();
		}
		CompletableFuture<T> done = new CompletableFuture<>();
		scope.apply(() -> {
			try {
				done.complete(step.take());
			}
			catch (Throwable ex) {
				done.completeExceptionally(ex);
			}
		}).run();
		try {
			return done.get();
		}
		catch (ExecutionException ex) {
			throw (ex.getCause() != null) ? ex.getCause() : ex;
		}
	}

	@Override
	void hop(Runnable step) {
		Runnable carried = this.bound.apply(() -> within(step));
		try {
			this.scheduler.schedule(carried);
		}
		catch (RejectedExecutionException ex) {
			// The schedulers were shut down, but the subscriber must get the end
			new CompletableFuture<>().defaultExecutor().execute(carried);
		}
	}

	private void within(Runnable step) {
		Runnable carried = this.start.caller().apply(step);
		Context context = this.subscriber.currentContext();
		if (context.isEmpty()) {
			carried.run();
		}
		else {
			this.start.context().within(context, carried);
		}
	}

	@Override
	void follow(@Nullable Object promise, GuardedCall.Work decided) {
		if (promise == null) {
			throw new IllegalStateException("The method has returned null instead of a publisher");
		}
		this.known = (Context) decided.contextual(this.known);
		Publisher<?> working = Publishers.publisher(this.start.form(), promise);
		CompletionStage<?> interruption = decided.interruption();
		((interruption != null) ? until(working, interruption) : working).subscribe(this);
	}

	// An error of the other one would not cancel the work
	private Publisher<?> until(Publisher<?> working, CompletionStage<?> interruption) {
		Mono<?> failed = Mono.fromFuture(interruption.toCompletableFuture(), true).then(Mono.never());
		return Flux.from(working)
			.takeUntilOther(failed.onErrorComplete().publishOn(this.scheduler))
			.cast(Object.class)
			.concatWith(Mono.defer(() -> interruption.toCompletableFuture().isCompletedExceptionally()
					? failed.then(Mono.empty()) : Mono.empty()));
	}

	@Override
	public void onSubscribe(Subscription subscription) {
		if (this.source.compareAndSet(null, subscription)) {
			this.upstream.set(subscription);
		}
		else {
			subscription.cancel();
		}
	}

	@Override
	public void onNext(Object next) {
		if (isAbandoned()) {
			Operators.onDiscard(next, currentContext());
		}
		else if (this.start.form().kind() == ResultForm.Kind.SINGLE) {
			this.value.set(next);
			if (isAbandoned()) {
				discard();
			}
		}
		else {
			this.subscriber.onNext(next);
		}
	}

	@Override
	public void onError(Throwable failure) {
		this.source.set(Operators.cancelledSubscription());
		ended(null, failure);
	}

	@Override
	public void onComplete() {
		this.source.set(Operators.cancelledSubscription());
		ended(this.value.get(), null);
	}

	/**
	 * Discards a single value that no subscriber gets.
	 */
	private void discard() {
		Object unwanted = this.value.getAndSet(null);
		if (unwanted != null) {
			Operators.onDiscard(unwanted, currentContext());
		}
	}

	@Override
	public void request(long count) {
		if (Operators.validate(count)) {
			this.upstream.request(count);
		}
	}

	@Override
	public void cancel() {
		abandoning();
		Subscription working = this.source.getAndSet(Operators.cancelledSubscription());
		if (working != null) {
			working.cancel();
		}
		leave();
	}

	@Override
	void stopWork() {
		// Its subscription was cancelled when the caller left
		if (abandon()) {
			discard();
		}
	}

	@Override
	void deliver(@Nullable Object last, @Nullable Throwable failure) {
		if (isAbandoned()) {
			discard();
			return;
		}
		if (failure != null) {
			discard();
			this.subscriber.onError(failure);
			return;
		}
		if (last != null) {
			this.subscriber.onNext(last);
		}
		this.subscriber.onComplete();
	}

	@FunctionalInterface
	private interface Step<T> {

		T take() throws Throwable;

	}

}
