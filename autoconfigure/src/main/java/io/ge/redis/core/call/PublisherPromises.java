/*
 * Copyright 2026 the GE Redis authors
 * SPDX-License-Identifier: Apache-2.0
 */

package io.ge.redis.core.call;

import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.function.Function;

import io.ge.redis.core.outage.Waiting;
import org.jspecify.annotations.Nullable;
import org.reactivestreams.Publisher;
import reactor.core.publisher.Mono;
import reactor.util.context.ContextView;

import org.springframework.core.ReactiveAdapter;

/**
 * Publishers of at most one value, on Reactor.
 *
 * @param adapter knows the type; {@code null} for what a suspending function promises
 */
record PublisherPromises(@Nullable ReactiveAdapter adapter) implements Promises {

	@Override
	public Object of(@Nullable Object value) {
		return promise(Mono.justOrEmpty(value));
	}

	@Override
	public Object recovered(GuardedCall.Work work, Function<Throwable, CompletableFuture<@Nullable Object>> recovery) {
		return promise(started(work)
			.onErrorResume((failure) -> Mono.fromFuture(recovery.apply(failure)).onErrorMap(Waiting::cause)));
	}

	@Override
	public Object then(@Nullable Object promise, Next next) {
		return promise(started(() -> promise).map(Optional::of)
			.defaultIfEmpty(Optional.empty())
			.flatMap((value) -> started(() -> next.after(value.orElse(null)))));
	}

	private Mono<Object> started(GuardedCall.Work work) {
		try {
			Object promise = work.start();
			return (promise != null) ? mono(promise) : Mono.error(nothingReturned());
		}
		catch (Throwable ex) {
			return Mono.error(ex);
		}
	}

	private static IllegalStateException nothingReturned() {
		return new IllegalStateException("The method has returned null instead of a publisher");
	}

	@Override
	public CompletableFuture<@Nullable Object> follow(@Nullable Object promise, @Nullable Object context) {
		if (promise == null) {
			return CompletableFuture.failedFuture(nothingReturned());
		}
		Mono<Object> followed = mono(promise);
		return ((context != null) ? followed.contextWrite((ContextView) context) : followed).toFuture();
	}

	private Object promise(Mono<?> mono) {
		return (this.adapter != null) ? this.adapter.fromPublisher(mono) : mono;
	}

	private Mono<Object> mono(Object promise) {
		if (this.adapter == null) {
			return (promise instanceof Mono<?> mono) ? mono.cast(Object.class) : Mono.just(promise);
		}
		Publisher<Object> publisher = this.adapter.toPublisher(promise);
		return Mono.from(publisher);
	}

}
