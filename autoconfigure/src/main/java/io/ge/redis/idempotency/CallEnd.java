/*
 * Copyright 2026 the GE Redis authors
 * SPDX-License-Identifier: Apache-2.0
 */

package io.ge.redis.idempotency;

import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Function;

import org.jspecify.annotations.Nullable;

/**
 * How a call has ended: its method, and after it the exchange that it answers, if there
 * is one.
 * <p>
 * The answer of an exchange is kept as it is, unless it is not the one of the method: if
 * making the response has failed after the method had returned, the value is kept, from
 * which repetitions get theirs; and if advice around the guard has answered in the place
 * of an exception, the call has failed, whatever was answered.
 */
final class CallEnd implements IdempotentExchange.Completion {

	private final Settlement settlement;

	private final Progress progress;

	private final Function<@Nullable Object, Recording> values;

	private final @Nullable StoredExceptions exceptions;

	private final AtomicBoolean ended = new AtomicBoolean();

	private @Nullable Object result;

	private @Nullable Throwable failure;

	private boolean abandoned;

	private volatile boolean unanswered;

	private volatile boolean running = true;

	/**
	 * Creates an end.
	 * @param settlement decides what the call leaves behind
	 * @param progress how far the call has come
	 * @param values records what the method returns
	 * @param exceptions which exceptions are an outcome, or {@code null} for none
	 */
	CallEnd(Settlement settlement, Progress progress, Function<@Nullable Object, Recording> values,
			@Nullable StoredExceptions exceptions) {
		this.settlement = settlement;
		this.progress = progress;
		this.values = values;
		this.exceptions = exceptions;
	}

	void returned(@Nullable Object result, BegunTransactions transactions) {
		this.result = result;
		left(transactions);
	}

	void threw(Throwable failure, BegunTransactions transactions) {
		this.failure = failure;
		left(transactions);
	}

	/**
	 * Nobody waits for the call any more: what is answered, if anything, is not its
	 * answer.
	 */
	CompletionStage<Boolean> abandoned(BegunTransactions transactions) {
		this.abandoned = true;
		left(transactions);
		return end(new Recording.Failed(), RecordKind.VALUE);
	}

	private void left(BegunTransactions transactions) {
		this.settlement.left(this.progress, transactions, this.abandoned);
		this.running = false;
	}

	@Override
	public boolean isRunning() {
		return this.running;
	}

	@Override
	public boolean isFinal() {
		return isOutcome(this.failure);
	}

	@Override
	public @Nullable Throwable failure() {
		return this.failure;
	}

	private boolean isOutcome(@Nullable Throwable failure) {
		return this.exceptions != null && failure != null && this.progress.isReached()
				&& this.exceptions.contains(failure);
	}

	/**
	 * Another call has had the effect in the place of this one, whatever is answered.
	 */
	CompletionStage<Boolean> superseded() {
		return end(new Recording.Failed(), RecordKind.VALUE);
	}

	@Override
	public CompletionStage<Boolean> answered(Recording response, boolean failed) {
		if (this.running) {
			return unanswered();
		}
		// Of the value alone if the failure is not the method's
		boolean own = (this.failure != null) ? failed && this.progress.isReached() : !failed;
		boolean kept = !(response instanceof Recording.Failed) || !isFinal();
		return (own && kept) ? end(response, RecordKind.EXCHANGE) : unanswered();
	}

	@Override
	public CompletionStage<Boolean> unanswered() {
		this.unanswered = true;
		if (this.running || this.ended.get()) {
			return CompletableFuture.completedFuture(false);
		}
		Throwable thrown = this.failure;
		if (thrown == null) {
			return end(this.values.apply(this.result), RecordKind.VALUE);
		}
		return (this.exceptions != null && isOutcome(thrown))
				? end(this.exceptions.record(thrown), RecordKind.EXCEPTION)
				: end(new Recording.Failed(), RecordKind.EXCEPTION);
	}

	/**
	 * Returns whether nobody will answer any more. Of a method that ends, and an exchange
	 * that does, the later one ends the claim.
	 */
	boolean isUnanswered() {
		return this.unanswered;
	}

	private CompletionStage<Boolean> end(Recording recording, RecordKind kind) {
		if (this.running || !this.ended.compareAndSet(false, true)) {
			return CompletableFuture.completedFuture(false);
		}
		return this.settlement.ended(recording, kind).thenApply((settled) -> true);
	}

}
