/*
 * Copyright 2026 the GE Redis authors
 * SPDX-License-Identifier: Apache-2.0
 */

package io.ge.redis.blacklist;

import java.util.concurrent.CompletableFuture;
import java.util.function.Supplier;

import io.ge.redis.core.call.GuardedCall;
import io.ge.redis.core.call.GuardedCalls;
import io.ge.redis.core.invocation.AsyncGuardInterceptor;
import io.ge.redis.core.invocation.KeyText;
import io.ge.redis.core.outage.Waiting;
import org.aopalliance.intercept.MethodInvocation;
import org.jspecify.annotations.Nullable;

/**
 * Guards annotated methods.
 */
final class BlacklistInterceptor extends AsyncGuardInterceptor<BlacklistOperation> {

	private final PresentedTokens tokens;

	private final Supplier<DefaultTokenBlacklist> blacklist;

	BlacklistInterceptor(BlacklistOperationSource source, GuardedCalls calls, PresentedTokens tokens,
			Supplier<DefaultTokenBlacklist> blacklist) {
		super(source, calls);
		this.tokens = tokens;
		this.blacklist = blacklist;
	}

	@Override
	protected @Nullable Object guardPlain(BlacklistOperation operation, MethodInvocation invocation) throws Throwable {
		CompletableFuture<Verdict> asked = ask(operation, invocation);
		if (asked != null) {
			requireClear(operation, Waiting.await(asked));
		}
		return invocation.proceed();
	}

	/**
	 * Asks about what a call presents.
	 * @return the verdict, or {@code null} if it presents nothing
	 */
	private @Nullable CompletableFuture<Verdict> ask(BlacklistOperation operation, MethodInvocation invocation) {
		if (operation.subject() != null) {
			Object subject = operation.subject().evaluate(invocation);
			return this.blacklist.get().ask(operation.list(), KeyText.of(subject, operation.subject()));
		}
		TokenIdentity token = (operation.token() != null)
				? this.tokens.of(operation.token().evaluate(invocation), operation.token()) : this.tokens.ofCaller();
		return (token != null) ? this.blacklist.get().ask(operation.list(), token) : null;
	}

	private void requireClear(BlacklistOperation operation, Verdict asked) {
		Verdict verdict = this.blacklist.get().tell(asked);
		if (verdict.status() == TokenStatus.CLEAR) {
			return;
		}
		String list = operation.list().name();
		throw (operation.subject() != null) ? new SubjectBlockedException(list, verdict.reason())
				: new TokenRevokedException(list, verdict.status(), verdict.reason());
	}

	@Override
	protected GuardedCall<?> call(BlacklistOperation operation, MethodInvocation invocation) {
		return new Call(operation, invocation);
	}

	/**
	 * A call whose result comes later.
	 */
	private final class Call implements GuardedCall<@Nullable Verdict> {

		private final BlacklistOperation operation;

		private final MethodInvocation invocation;

		Call(BlacklistOperation operation, MethodInvocation invocation) {
			this.operation = operation;
			this.invocation = invocation;
		}

		@Override
		public CompletableFuture<@Nullable Verdict> ask() {
			CompletableFuture<Verdict> asked = BlacklistInterceptor.this.ask(this.operation, this.invocation);
			return (asked != null) ? asked.thenApply((verdict) -> verdict) : CompletableFuture.completedFuture(null);
		}

		@Override
		public Work decide(@Nullable Verdict verdict) {
			if (verdict != null) {
				requireClear(this.operation, verdict);
			}
			return this.invocation::proceed;
		}

	}

}
