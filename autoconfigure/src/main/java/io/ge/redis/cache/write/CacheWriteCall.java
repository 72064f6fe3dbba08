/*
 * Copyright 2026 the GE Redis authors
 * SPDX-License-Identifier: Apache-2.0
 */

package io.ge.redis.cache.write;

import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.function.Supplier;

import io.ge.redis.core.call.GuardedCall;
import io.ge.redis.core.call.ResultForm;
import org.jspecify.annotations.Nullable;

/**
 * One call of a writer whose end comes later.
 */
public final class CacheWriteCall implements GuardedCall<AsyncWrites> {

	private final AsyncCacheWriter writer;

	private final TransactionBoundary boundary;

	private final Supplier<List<WritePart>> parts;

	private final boolean single;

	private final CacheWriter.Work work;

	private @Nullable Object context;

	/**
	 * Creates a call.
	 * @param boundary what the writer says about transactions
	 * @param parts finds out what is written
	 * @param form the form of the result
	 */
	public CacheWriteCall(AsyncCacheWriter writer, TransactionBoundary boundary, Supplier<List<WritePart>> parts,
			ResultForm form, CacheWriter.Work work) {
		this.writer = writer;
		this.boundary = boundary;
		this.parts = parts;
		this.single = form.kind() != ResultForm.Kind.MULTIPLE;
		this.work = work;
	}

	@Override
	public void subscribed(Object subscribersContext) {
		this.context = subscribersContext;
	}

	@Override
	public CompletableFuture<AsyncWrites> ask() {
		return this.writer.begin(this.parts.get(), this.boundary, this.writer.scope(this.context));
	}

	@Override
	public boolean isCancellable() {
		return true;
	}

	@Override
	public Work decide(AsyncWrites begun) {
		return this.writer.work(begun, this.single, this.work);
	}

	@Override
	public void giveBack(AsyncWrites begun) {
		this.writer.giveBack(begun);
	}

}
