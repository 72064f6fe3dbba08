/*
 * Copyright 2026 the GE Redis authors
 * SPDX-License-Identifier: Apache-2.0
 */

package io.ge.redis.cache;

import java.util.concurrent.CompletableFuture;
import java.util.function.Supplier;

import io.ge.redis.cache.CacheBulkRead.Looked;
import io.ge.redis.core.call.GuardedCall;
import org.jspecify.annotations.Nullable;

/**
 * The call of a reader of several values that come later.
 */
final class CacheBulkReadCall implements GuardedCall<@Nullable Looked> {

	private final LaterBulkReader reader;

	private final Supplier<? extends @Nullable CacheBulkSource> source;

	private final Work past;

	private @Nullable Object context;

	private volatile @Nullable GuardedCall<Looked> round;

	/**
	 * Creates a call.
	 * @param source finds out what is asked for, or {@code null} if the cache is not
	 * @param past what is done then
	 */
	CacheBulkReadCall(LaterBulkReader reader, Supplier<? extends @Nullable CacheBulkSource> source, Work past) {
		this.reader = reader;
		this.source = source;
		this.past = past;
	}

	@Override
	public void subscribed(Object subscribersContext) {
		this.context = subscribersContext;
	}

	@Override
	@SuppressWarnings("NullAway") // what is never null will do, and must stay cancellable
	public CompletableFuture<@Nullable Looked> ask() {
		CacheBulkSource asked = this.source.get();
		if (asked == null) {
			return CompletableFuture.completedFuture(null);
		}
		GuardedCall<Looked> first = this.reader.call(asked, this.context);
		this.round = first;
		return first.ask();
	}

	@Override
	public boolean isCancellable() {
		return true;
	}

	@Override
	public Work decide(@Nullable Looked looked) throws Throwable {
		GuardedCall<Looked> first = this.round;
		return (first != null && looked != null) ? first.decide(looked) : this.past;
	}

	@Override
	public void giveBack(@Nullable Looked looked) {
		GuardedCall<Looked> first = this.round;
		if (first != null && looked != null) {
			first.giveBack(looked);
		}
	}

}
