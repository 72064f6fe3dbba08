// SPDX-License-Identifier: Apache-2.0

package io.ge.redis.blacklist.internal;

import java.util.concurrent.CompletableFuture;
import java.util.function.Supplier;

import io.ge.redis.blacklist.SubjectBlockedException;
import io.ge.redis.blacklist.TokenIdentity;
import io.ge.redis.blacklist.TokenRevokedException;
import io.ge.redis.blacklist.TokenStatus;
import io.ge.redis.core.call.GuardedCall;
import io.ge.redis.core.guard.Guard;
import io.ge.redis.core.invocation.KeyText;
import io.ge.redis.core.invocation.MethodExpression;
import io.ge.redis.core.outage.Waiting;
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
	public @Nullable Object plain(BlacklistOperation operation, MethodInvocation invocation) throws Throwable {
		CheckedCall call = call(operation, invocation);
		call.requireClear(Waiting.await(call.ask()));
		return Guard.proceed(operation, invocation);
	}

	@Override
	public CheckedCall call(BlacklistOperation operation, MethodInvocation invocation) {
		return new CheckedCall(this.tokens, this.blacklist.get(), operation, invocation);
	}

	record CheckedCall(PresentedTokens tokens, DefaultTokenBlacklist blacklist, BlacklistOperation operation,
			MethodInvocation invocation) implements GuardedCall<@Nullable BlacklistDecision> {

		@Override
		@SuppressWarnings("NullAway") // what is never null will do, and must stay
										// cancellable
		public CompletableFuture<@Nullable BlacklistDecision> ask() {
			BlacklistEngine engine = this.blacklist.engine();
			BlacklistSettings list = this.operation.list();
			MethodExpression subject = this.operation.subject();
			if (subject != null) {
				RowName block = RowName.block(list.name(), KeyText.of(subject.evaluate(this.invocation), subject));
				return engine.decide(list, block, BlacklistEngine.WITHOUT_WAITING);
			}
			MethodExpression expression = this.operation.token();
			TokenIdentity token = (expression != null)
					? this.tokens.of(expression.evaluate(this.invocation), expression) : this.tokens.ofCaller();
			return (token != null) ? engine.decide(list, token, BlacklistEngine.WITHOUT_WAITING)
					: CompletableFuture.completedFuture(null);
		}

		@Override
		public Work decide(@Nullable BlacklistDecision decision) {
			requireClear(decision);
			return () -> Guard.proceed(this.operation, this.invocation);
		}

		void requireClear(@Nullable BlacklistDecision decision) {
			if (decision != null && this.blacklist.publish(decision).status() != TokenStatus.CLEAR) {
				String list = this.operation.list().name();
				throw (this.operation.subject() != null) ? new SubjectBlockedException(list, decision.reason())
						: new TokenRevokedException(list, decision.status(), decision.reason());
			}
		}

	}

}
