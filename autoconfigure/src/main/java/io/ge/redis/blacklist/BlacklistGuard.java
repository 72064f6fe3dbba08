/*
 * Copyright 2026 the GE Redis authors
 * SPDX-License-Identifier: Apache-2.0
 */

package io.ge.redis.blacklist;

import java.util.concurrent.CompletableFuture;
import java.util.function.Supplier;

import io.ge.redis.core.guard.Admission;
import io.ge.redis.core.guard.Guard;
import io.ge.redis.core.invocation.KeyText;
import io.ge.redis.core.invocation.MethodExpression;
import org.aopalliance.intercept.MethodInvocation;
import org.jspecify.annotations.Nullable;

/**
 * Admits calls that present no revoked token and no blocked subject.
 */
final class BlacklistGuard implements Guard<BlacklistOperation> {

	private final PresentedTokens tokens;

	private final Supplier<DefaultTokenBlacklist> blacklist;

	BlacklistGuard(PresentedTokens tokens, Supplier<DefaultTokenBlacklist> blacklist) {
		this.tokens = tokens;
		this.blacklist = blacklist;
	}

	@Override
	public Admission admit(BlacklistOperation operation, MethodInvocation invocation) {
		DefaultTokenBlacklist blacklist = this.blacklist.get();
		BlacklistEngine engine = blacklist.engine();
		BlacklistSettings list = operation.list();
		MethodExpression subject = operation.subject();
		if (subject != null) {
			RowName block = RowName.block(list.name(), KeyText.of(subject.evaluate(invocation), subject));
			return admission(blacklist, operation, engine.fromMemory(list, block), () -> engine.ask(list, block));
		}
		TokenIdentity token = (operation.token() != null)
				? this.tokens.of(operation.token().evaluate(invocation), operation.token()) : this.tokens.ofCaller();
		return (token != null)
				? admission(blacklist, operation, engine.fromMemory(list, token), () -> engine.ask(list, token))
				: Admission.proceed();
	}

	private static Admission admission(DefaultTokenBlacklist blacklist, BlacklistOperation operation,
			@Nullable BlacklistDecision known, Supplier<CompletableFuture<BlacklistDecision>> question) {
		return (known != null) ? admission(blacklist, operation, known) : Admission.pending(question.get(),
				(decision) -> admission(blacklist, operation, decision), (decision) -> {
				});
	}

	private static Admission admission(DefaultTokenBlacklist blacklist, BlacklistOperation operation,
			BlacklistDecision decision) {
		if (blacklist.publish(decision).status() == TokenStatus.CLEAR) {
			return Admission.proceed();
		}
		String list = operation.list().name();
		throw (operation.subject() != null) ? new SubjectBlockedException(list, decision.reason())
				: new TokenRevokedException(list, decision.status(), decision.reason());
	}

}
