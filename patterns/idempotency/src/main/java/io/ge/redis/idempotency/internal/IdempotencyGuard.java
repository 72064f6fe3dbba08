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
import io.ge.redis.idempotency.ResponseLostException;
import io.ge.redis.idempotency.spi.IdempotencyKeySource;
import io.ge.redis.idempotency.spi.IdempotentExchange;
import io.ge.redis.idempotency.spi.ResultCodec;
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

		private @Nullable IdempotentExchange exchange;

		private @Nullable Runnable replaying;

		MethodCall(IdempotencyOperation operation, MethodInvocation invocation) {
			this.operation = operation;
			this.invocation = invocation;
		}

		@Override
		public IdempotencySettings settings() {
			return this.operation.settings();
		}

		@Override
		public ResultCodec codec() {
			return this.operation.codec();
		}

		@Override
		public @Nullable StoredExceptions exceptions() {
			return this.operation.exceptions();
		}

		@Override
		public @Nullable IdempotencyRequest ask() {
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
			if (calls != null) {
				this.exchange = calls.exchange();
				this.replaying = calls.replaying();
			}
			return request;
		}

		@Override
		public @Nullable IdempotentExchange exchange() {
			return this.exchange;
		}

		@Override
		public void replaying() {
			if (this.replaying != null) {
				this.replaying.run();
			}
		}

		@Override
		public @Nullable Object recover(ResponseLostException lost) throws Throwable {
			FallbackMethod recover = this.operation.recover();
			if (recover == null) {
				throw lost;
			}
			return recover.invoke(this.invocation, () -> lost);
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
