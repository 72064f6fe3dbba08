// SPDX-License-Identifier: Apache-2.0

package io.ge.redis.idempotency.internal;

import java.util.List;
import java.util.function.Supplier;

import io.ge.redis.core.call.GuardedCall;
import io.ge.redis.core.guard.Guard;
import io.ge.redis.core.invocation.FallbackMethod;
import io.ge.redis.core.invocation.GuardedMethod;
import io.ge.redis.idempotency.IdempotencyKeyException;
import io.ge.redis.idempotency.IdempotencySettings;
import io.ge.redis.idempotency.Idempotent;
import io.ge.redis.idempotency.spi.IdempotencyKeySource;
import org.aopalliance.intercept.MethodInvocation;
import org.jspecify.annotations.Nullable;
import tools.jackson.core.JacksonException;

import org.springframework.aop.ProxyMethodInvocation;
import org.springframework.aop.support.AopUtils;

/**
 * Runs calls once for each key.
 */
final class IdempotencyGuard implements Guard<IdempotencyOperation> {

	private final Supplier<DefaultIdempotency> idempotency;

	IdempotencyGuard(Supplier<DefaultIdempotency> idempotency) {
		this.idempotency = idempotency;
	}

	@Override
	public GuardedCall<?> call(IdempotencyOperation operation, MethodInvocation invocation) {
		return this.idempotency.get().call(operation.form(), new MethodCall(operation, invocation));
	}

	@Override
	public void prepare(IdempotencyOperation operation, MethodInvocation invocation) {
		if (invocation instanceof ProxyMethodInvocation proxied) {
			proxied.setUserAttribute(ReachedAdvisor.PROGRESS, new ReachedAdvisor.Attempts(operation.form()));
		}
	}

	private final class MethodCall implements IdempotentCall.Action {

		private final IdempotencyOperation operation;

		private final MethodInvocation invocation;

		MethodCall(IdempotencyOperation operation, MethodInvocation invocation) {
			this.operation = operation;
			this.invocation = invocation;
		}

		@Override
		public IdempotencySettings settings() {
			return this.operation.settings();
		}

		@Override
		public @Nullable KeyedCall ask() {
			IdempotencySettings settings = settings();
			List<String> key = this.operation.key().apply(this.invocation);
			if (key == null) {
				if (settings.required()) {
					throw new IdempotencyKeyException("A call of '" + settings.name() + "' needs an idempotency key");
				}
				return null;
			}
			IdempotencyRequest request = IdempotencyGuard.this.idempotency.get().request(settings, key, fingerprint());
			IdempotencyKeySource.Calls calls = this.operation.calls();
			FallbackMethod recover = this.operation.recover();
			return new KeyedCall(request, this.operation.codec(), this.operation.exceptions(),
					(calls != null) ? calls.exchange() : null, (calls != null) ? calls.replaying() : () -> {
					}, (recover != null) ? (lost) -> recover.invoke(this.invocation, () -> lost) : null);
		}

		private byte[] fingerprint() {
			try {
				return Fingerprints.of(this.operation.payload().apply(this.invocation));
			}
			catch (JacksonException ex) {
				Object target = this.invocation.getThis();
				throw new GuardedMethod(this.invocation.getMethod(),
						(target != null) ? AopUtils.getTargetClass(target)
								: this.invocation.getMethod().getDeclaringClass(),
						Idempotent.class)
					.problem("the arguments have no fields to be compared by.",
							"Set fingerprint to an expression over the parameters that identify the call.", ex);
			}
		}

		@Override
		public @Nullable Object run(Progress progress) throws Throwable {
			if (attempts() instanceof ReachedAdvisor.Attempts attempts) {
				attempts.begin(progress);
			}
			else if (this.invocation instanceof ProxyMethodInvocation proxied) {
				proxied.setUserAttribute(ReachedAdvisor.PROGRESS, progress);
			}
			else {
				progress.reach();
			}
			return Guard.proceed(this.operation, this.invocation);
		}

		@Override
		public void end(Progress progress) {
			if (attempts() instanceof ReachedAdvisor.Attempts attempts) {
				attempts.end(progress);
			}
		}

		private @Nullable Object attempts() {
			return (this.invocation instanceof ProxyMethodInvocation proxied)
					? proxied.getUserAttribute(ReachedAdvisor.PROGRESS) : null;
		}

	}

}
