// SPDX-License-Identifier: Apache-2.0

package io.ge.redis.core.call;

import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.Executor;
import java.util.function.BiConsumer;
import java.util.function.Consumer;
import java.util.function.Function;
import java.util.function.Supplier;
import java.util.function.UnaryOperator;

import io.ge.redis.core.connection.DaemonThreads;
import io.ge.redis.core.outage.Waiting;
import org.jspecify.annotations.Nullable;

import org.springframework.util.function.SingletonSupplier;

/**
 * Makes guarded calls.
 */
public final class GuardedCalls implements AutoCloseable {

	private final CallContext context;

	private final Supplier<List<? extends CallScope>> scopes;

	private final Supplier<List<SubscriberScope>> subscribers;

	private final Handover handover;

	/**
	 * Creates the maker.
	 * @param scopes the scopes of callers, looked up once, with the first call
	 */
	public GuardedCalls(CallContext context, Supplier<? extends List<? extends CallScope>> scopes) {
		this.context = context;
		this.scopes = SingletonSupplier.of(scopes::get);
		this.subscribers = SingletonSupplier.of(() -> this.scopes.get()
			.stream()
			.filter(SubscriberScope.class::isInstance)
			.map(SubscriberScope.class::cast)
			.toList());
		this.handover = new Handover(DaemonThreads.named("ge-redis-call"));
	}

	/**
	 * Makes a call on this thread, which waits for the answer and for the end of the
	 * guarding.
	 */
	public static @Nullable Object run(GuardedCall<?> call) throws Throwable {
		return PlainRun.run(call);
	}

	/**
	 * Makes a call in the form of its result: a plain one on this thread, others as by
	 * {@link #make}.
	 */
	public @Nullable Object start(ResultForm form, Supplier<? extends GuardedCall<?>> call) throws Throwable {
		return form.isPlain() ? run(call.get()) : make(form, call);
	}

	/**
	 * Makes an asynchronous call. The request for a future is sent at once, the one for a
	 * publisher with each subscription.
	 */
	public Object make(ResultForm form, Supplier<? extends GuardedCall<?>> call) {
		return make(form, call, UnaryOperator.identity());
	}

	/**
	 * Makes an asynchronous call, as {@link #make(ResultForm, Supplier)}.
	 * @param refusal translates a refusal for the caller
	 */
	public Object make(ResultForm form, Supplier<? extends GuardedCall<?>> call, UnaryOperator<Throwable> refusal) {
		return switch (form.kind()) {
			case PLAIN -> throw new IllegalArgumentException("Not an asynchronous result");
			case FUTURE -> new FutureRun<>(call.get(), refusal, carrying()).begin(Runnable::run);
			case SINGLE, MULTIPLE -> Publishers.of(form, call, refusal, this.context, this.subscribers.get(), scoped());
		};
	}

	/**
	 * Returns a maker of calls that follow the present one, as if made by its caller:
	 * futures have the context of this thread.
	 */
	public Following following(ResultForm form) {
		if (form.kind() != ResultForm.Kind.FUTURE) {
			return (call) -> start(form, call);
		}
		Executor executor = carrying();
		return (call) -> new FutureRun<>(call.get(), UnaryOperator.identity(), executor).begin(executor);
	}

	/**
	 * Hands over the answer to a call of an asynchronous API.
	 * @param release releases the grant of a reply to an abandoned call
	 * @return completes with the result: at once, or on a thread of the application with
	 * the context of this one. Cancelling it releases the request
	 */
	public <A extends @Nullable Object, T extends @Nullable Object> CompletionStage<T> handOver(
			CompletableFuture<A> asked, Function<A, T> result, Consumer<A> release) {
		CompletableFuture<T> handed = new CompletableFuture<>();
		handed.whenComplete((value, failure) -> asked.cancel(false));
		BiConsumer<A, @Nullable Throwable> step = (answer, failure) -> hand(answer, failure, result, release, handed);
		if (asked.isDone()) {
			asked.whenComplete(step);
		}
		else {
			Executor executor = carrying();
			asked.whenComplete((answer, failure) -> executor.execute(() -> step.accept(answer, failure)));
		}
		return handed;
	}

	/**
	 * Hands over the answer, as {@link #handOver} does, to a next asynchronous step.
	 * @return completes as the next step does, exceptionally without wrappers
	 */
	public <A extends @Nullable Object, T extends @Nullable Object> CompletionStage<T> thenContinue(
			CompletableFuture<A> asked, Function<A, CompletionStage<T>> next) {
		CompletableFuture<T> last = new CompletableFuture<>();
		handOver(asked, next, (unwanted) -> {
		}).thenCompose((following) -> following).whenComplete(Promises.passingTo(last));
		return last;
	}

	private static <A extends @Nullable Object, T extends @Nullable Object> void hand(A answer,
			@Nullable Throwable failure, Function<A, T> result, Consumer<A> release, CompletableFuture<T> handed) {
		if (failure != null) {
			handed.completeExceptionally(Waiting.cause(failure));
			return;
		}
		boolean taken;
		try {
			taken = !handed.isDone() && handed.complete(result.apply(answer));
		}
		catch (Throwable ex) {
			handed.completeExceptionally(ex);
			return;
		}
		if (!taken) {
			release.accept(answer);
		}
	}

	private Executor carrying() {
		UnaryOperator<Runnable> carried = this.context.capture();
		UnaryOperator<Runnable> scoped = scoped();
		return (step) -> this.handover.execute(carried.apply(scoped.apply(step)));
	}

	private UnaryOperator<Runnable> scoped() {
		UnaryOperator<Runnable> all = PendingCaller.capture();
		for (CallScope scope : this.scopes.get()) {
			UnaryOperator<Runnable> outer = all;
			UnaryOperator<Runnable> inner = scope.capture();
			all = (task) -> outer.apply(inner.apply(task));
		}
		return all;
	}

	@Override
	public void close() {
		this.handover.close();
	}

	@FunctionalInterface
	public interface Following {

		@Nullable Object start(Supplier<? extends GuardedCall<?>> call) throws Throwable;

	}

}
