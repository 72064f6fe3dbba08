/*
 * Copyright 2026 the GE Redis authors
 * SPDX-License-Identifier: Apache-2.0
 */

package io.ge.redis.cache;

import java.util.concurrent.CompletableFuture;
import java.util.function.Supplier;

import io.ge.redis.core.call.GuardedCall;
import org.jspecify.annotations.Nullable;

/**
 * One call of a reader whose value comes later.
 */
final class CacheReadCall implements GuardedCall<@Nullable LaterLookup> {

	private final LaterReader reader;

	private final Supplier<? extends @Nullable LaterSource> source;

	private final Work past;

	private @Nullable Object context;

	/**
	 * Creates a call.
	 * @param source finds out what is asked for, or {@code null} if the cache is not
	 * @param past what is done then
	 */
	CacheReadCall(LaterReader reader, Supplier<? extends @Nullable LaterSource> source, Work past) {
		this.reader = reader;
		this.source = source;
		this.past = past;
	}

	@Override
	public void subscribed(Object subscribersContext) {
		this.context = subscribersContext;
	}

	@Override
	public CompletableFuture<@Nullable LaterLookup> ask() {
		LaterSource asked = this.source.get();
		if (asked == null) {
			return CompletableFuture.completedFuture(null);
		}
		return this.reader.ask(asked, this.reader.scope(this.context));
	}

	@Override
	public boolean isCancellable() {
		return true;
	}

	@Override
	public Work decide(@Nullable LaterLookup found) {
		return (found != null) ? this.reader.decide(found) : this.past;
	}

	@Override
	public void giveBack(@Nullable LaterLookup found) {
		this.reader.giveBack(found);
	}

}
