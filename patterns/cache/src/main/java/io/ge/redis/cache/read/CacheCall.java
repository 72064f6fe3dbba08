// SPDX-License-Identifier: Apache-2.0

package io.ge.redis.cache.read;

import java.util.concurrent.CompletableFuture;
import java.util.function.Function;

import io.ge.redis.core.call.GuardedCall;
import org.jspecify.annotations.Nullable;

/**
 * A call of which it is known only when it is asked for what it is about.
 */
public final class CacheCall implements GuardedCall<@Nullable Object> {

	private final Function<@Nullable Object, ? extends GuardedCall<?>> calls;

	private @Nullable Object context;

	@SuppressWarnings("NullAway.Init") // asked for before anything else
	private volatile GuardedCall<@Nullable Object> call;

	/**
	 * Creates a call.
	 * @param calls makes the call that is meant, by the context of the subscriber, which
	 * is {@code null} if there is none
	 */
	public CacheCall(Function<@Nullable Object, ? extends GuardedCall<?>> calls) {
		this.calls = calls;
	}

	@SuppressWarnings("unchecked") // it gets its own answers only
	private static GuardedCall<@Nullable Object> of(GuardedCall<?> call) {
		return (GuardedCall<@Nullable Object>) call;
	}

	@Override
	public void subscribed(Object subscribersContext) {
		this.context = subscribersContext;
	}

	@Override
	public CompletableFuture<@Nullable Object> ask() {
		GuardedCall<@Nullable Object> meant = of(this.calls.apply(this.context));
		this.call = meant;
		return meant.ask();
	}

	@Override
	public boolean isCancellable() {
		return true;
	}

	@Override
	public Work decide(@Nullable Object answer) throws Throwable {
		return this.call.decide(answer);
	}

	@Override
	public void release(@Nullable Object answer) {
		this.call.release(answer);
	}

}
