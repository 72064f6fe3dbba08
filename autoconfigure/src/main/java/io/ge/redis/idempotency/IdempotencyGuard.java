/*
 * Copyright 2026 the GE Redis authors
 * SPDX-License-Identifier: Apache-2.0
 */

package io.ge.redis.idempotency;

import java.util.List;
import java.util.function.Supplier;

import io.ge.redis.core.call.GuardedCall;
import io.ge.redis.core.guard.Guard;
import io.ge.redis.core.invocation.FallbackMethod;
import io.ge.redis.core.invocation.GuardedMethod;
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
		return operation.form().isPlain() ? GuardedCall.of(() -> run(operation, invocation))
				: this.idempotency.get().call(operation.form(), new MethodCall(operation, invocation));
	}

	// On a thread that may wait there may be a witness, which makes it wait
	private @Nullable Object run(IdempotencyOperation operation, MethodInvocation invocation) throws Throwable {
		IdempotentCall.Question asked = ask(operation, invocation);
		if (asked == null) {
			return DefaultIdempotency.runUnprotected(operation.settings(), (progress) -> invocation.proceed());
		}
		return this.idempotency.get()
			.call(asked.request(), asked.answers(), (progress) -> proceed(invocation, progress));
	}

	private IdempotentCall.@Nullable Question ask(IdempotencyOperation operation, MethodInvocation invocation) {
		IdempotencySettings settings = operation.settings();
		List<String> key = operation.key().read(invocation);
		if (key == null) {
			if (settings.required()) {
				throw new IdempotencyKeyException("A call of '" + settings.name() + "' needs an idempotency key");
			}
			return null;
		}
		IdempotencyRequest request = this.idempotency.get().request(settings, key, fingerprint(operation, invocation));
		FallbackMethod recover = operation.recover();
		return new IdempotentCall.Question(request,
				new ResultHandling(operation.codec(), operation.exceptions(), operation.exchange().get(),
						operation.replaying().get(),
						(recover != null) ? (lost) -> recover.invoke(invocation, () -> lost) : null));
	}

	private static byte[] fingerprint(IdempotencyOperation operation, MethodInvocation invocation) {
		try {
			return Fingerprints.of(operation.payload().read(invocation));
		}
		catch (JacksonException ex) {
			Object target = invocation.getThis();
			throw new GuardedMethod(invocation.getMethod(),
					(target != null) ? AopUtils.getTargetClass(target) : invocation.getMethod().getDeclaringClass(),
					Idempotent.class)
				.problem("the arguments have no fields to be compared by.",
						"Set fingerprint to an expression over the parameters that identify the call.", ex);
		}
	}

	private static @Nullable Object proceed(MethodInvocation invocation, Progress progress) throws Throwable {
		if (invocation instanceof ProxyMethodInvocation proxied) {
			proxied.setUserAttribute(ReachedAdvisor.PROGRESS, progress);
		}
		else {
			progress.reach();
		}
		return invocation.proceed();
	}

	@Override
	public void prepare(IdempotencyOperation operation, MethodInvocation invocation) {
		if (invocation instanceof ProxyMethodInvocation proxied) {
			proxied.setUserAttribute(ReachedAdvisor.PROGRESS, new Attempts(operation.form()));
		}
	}

	/**
	 * The call of an annotated method whose result comes later.
	 */
	private final class MethodCall implements IdempotentCall.Action {

		private final IdempotencyOperation operation;

		private final MethodInvocation invocation;

		private final @Nullable Attempts attempts;

		MethodCall(IdempotencyOperation operation, MethodInvocation invocation) {
			this.operation = operation;
			this.invocation = invocation;
			this.attempts = (invocation instanceof ProxyMethodInvocation proxied
					&& proxied.getUserAttribute(ReachedAdvisor.PROGRESS) instanceof Attempts prepared) ? prepared
							: null;
		}

		@Override
		public IdempotencySettings settings() {
			return this.operation.settings();
		}

		@Override
		public IdempotentCall.@Nullable Question ask() {
			return IdempotencyGuard.this.ask(this.operation, this.invocation);
		}

		@Override
		public @Nullable Object run(Progress progress) throws Throwable {
			if (this.attempts != null) {
				this.attempts.begin(progress);
			}
			else {
				progress.reach();
			}
			return Guard.proceed(this.operation, this.invocation);
		}

		@Override
		public void end(Progress progress) {
			if (this.attempts != null) {
				this.attempts.end(progress);
			}
		}

	}

}
