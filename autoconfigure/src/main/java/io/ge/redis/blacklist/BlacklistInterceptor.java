/*
 * Copyright 2026 the GE Redis authors
 * SPDX-License-Identifier: Apache-2.0
 */

package io.ge.redis.blacklist;

import java.util.function.Supplier;

import io.ge.redis.core.invocation.GuardInterceptor;
import io.ge.redis.core.invocation.KeyText;
import org.aopalliance.intercept.MethodInvocation;
import org.jspecify.annotations.Nullable;

/**
 * Lets calls through of which nothing bad is known.
 */
final class BlacklistInterceptor extends GuardInterceptor<BlacklistOperation> {

	private final PresentedTokens tokens;

	private final Supplier<DefaultTokenBlacklist> blacklist;

	BlacklistInterceptor(BlacklistOperationSource source, PresentedTokens tokens,
			Supplier<DefaultTokenBlacklist> blacklist) {
		super(source);
		this.tokens = tokens;
		this.blacklist = blacklist;
	}

	@Override
	protected @Nullable Object guard(BlacklistOperation operation, MethodInvocation invocation) throws Throwable {
		if (operation.subject() != null) {
			requireNotBlocked(operation.list(), operation.subject().evaluate(invocation), operation.subject());
		}
		else {
			TokenIdentity token = (operation.token() != null)
					? this.tokens.of(operation.token().evaluate(invocation), operation.token())
					: this.tokens.ofCaller();
			if (token != null) {
				requireClear(operation.list(), token);
			}
		}
		return invocation.proceed();
	}

	private void requireNotBlocked(Blacklist list, @Nullable Object subject, Object what) {
		Verdict verdict = this.blacklist.get().decide(list, KeyText.of(subject, what));
		if (verdict.status() != TokenStatus.CLEAR) {
			throw new SubjectBlockedException(list.name(), verdict.reason());
		}
	}

	private void requireClear(Blacklist list, TokenIdentity token) {
		Verdict verdict = this.blacklist.get().decide(list, token);
		if (verdict.status() != TokenStatus.CLEAR) {
			throw new TokenRevokedException(list.name(), verdict.status(), verdict.reason());
		}
	}

}
