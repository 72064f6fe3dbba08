/*
 * Copyright 2026 the GE Redis authors
 * SPDX-License-Identifier: Apache-2.0
 */

package io.ge.redis.core.guard;

import java.util.concurrent.CompletableFuture;
import java.util.function.Supplier;

import io.ge.redis.core.call.GuardedCall;
import io.ge.redis.core.invocation.GuardedMethod;
import io.ge.redis.core.outage.RedisUnavailableException;
import org.jspecify.annotations.Nullable;

/**
 * A call whose refusal for want of a decision names the method.
 *
 * @param call the call
 * @param method the method, asked for if it is needed
 * @param <A> the answer
 */
record LocatedCall<A extends @Nullable Object>(GuardedCall<A> call,
		Supplier<GuardedMethod> method) implements GuardedCall<A> {

	@Override
	public void subscribed(Object context) {
		this.call.subscribed(context);
	}

	@Override
	public CompletableFuture<A> ask() {
		return this.call.ask();
	}

	@Override
	public boolean isCancellable() {
		return this.call.isCancellable();
	}

	@Override
	public RuntimeException interrupted(InterruptedException interrupt) {
		return this.call.interrupted(interrupt);
	}

	@Override
	public Work decide(A answer) throws Throwable {
		try {
			return this.call.decide(answer);
		}
		catch (RedisUnavailableException ex) {
			throw ex.in(this.method.get().displayName());
		}
	}

	@Override
	public void giveBack(A answer) {
		this.call.giveBack(answer);
	}

}
