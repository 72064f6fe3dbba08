/*
 * Copyright 2026 the GE Redis authors
 * SPDX-License-Identifier: Apache-2.0
 */

package io.ge.redis.blacklist;

import java.util.List;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import java.util.function.Supplier;

import io.ge.redis.core.call.GuardedCall;
import io.ge.redis.core.call.GuardedCalls;
import io.ge.redis.core.invocation.AsyncGuardInterceptor;
import io.ge.redis.core.invocation.KeyText;
import io.ge.redis.core.invocation.MethodExpression;
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
		DefaultTokenBlacklist checked = this.blacklist.get();
		if (operation.subject() != null) {
			requireClear(operation, checked.decide(operation.list(), subject(operation, invocation)));
		}
		else {
			TokenIdentity token = token(operation, invocation);
			if (token != null) {
				requireClear(operation, checked.decide(operation.list(), token));
			}
		}
		return invocation.proceed();
	}

	private static List<String> subject(BlacklistOperation operation, MethodInvocation invocation) {
		MethodExpression subject = Objects.requireNonNull(operation.subject());
		return KeyText.of(subject.evaluate(invocation), subject);
	}

	private @Nullable TokenIdentity token(BlacklistOperation operation, MethodInvocation invocation) {
		return (operation.token() != null) ? this.tokens.of(operation.token().evaluate(invocation), operation.token())
				: this.tokens.ofCaller();
	}

	private static void requireClear(BlacklistOperation operation, Verdict verdict) {
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
			DefaultTokenBlacklist checked = BlacklistInterceptor.this.blacklist.get();
			if (this.operation.subject() != null) {
				return nullable(checked.ask(this.operation.list(), subject(this.operation, this.invocation)));
			}
			TokenIdentity token = token(this.operation, this.invocation);
			return (token != null) ? nullable(checked.ask(this.operation.list(), token))
					: CompletableFuture.completedFuture(null);
		}

		private static CompletableFuture<@Nullable Verdict> nullable(CompletableFuture<Verdict> asked) {
			return asked.thenApply((verdict) -> verdict);
		}

		@Override
		public Work decide(@Nullable Verdict verdict) {
			if (verdict != null) {
				requireClear(this.operation, BlacklistInterceptor.this.blacklist.get().tell(verdict));
			}
			return () -> proceed(this.invocation);
		}

	}

}
