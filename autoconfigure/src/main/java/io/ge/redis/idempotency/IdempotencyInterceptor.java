/*
 * Copyright 2026 the GE Redis authors
 * SPDX-License-Identifier: Apache-2.0
 */

package io.ge.redis.idempotency;

import java.util.List;
import java.util.function.Supplier;

import io.ge.redis.core.invocation.FallbackMethod;
import io.ge.redis.core.invocation.GuardInterceptor;
import io.ge.redis.core.invocation.GuardedMethod;
import org.aopalliance.intercept.MethodInvocation;
import org.jspecify.annotations.Nullable;
import tools.jackson.core.JacksonException;

import org.springframework.aop.ProxyMethodInvocation;
import org.springframework.aop.support.AopUtils;

/**
 * Guards annotated methods.
 */
final class IdempotencyInterceptor extends GuardInterceptor<IdempotencyOperation> {

	private final Supplier<DefaultIdempotency> idempotency;

	IdempotencyInterceptor(IdempotencyOperationSource source, Supplier<DefaultIdempotency> idempotency) {
		super(source);
		this.idempotency = idempotency;
	}

	@Override
	protected @Nullable Object guard(IdempotencyOperation operation, MethodInvocation invocation) throws Throwable {
		IdempotencySettings settings = operation.settings();
		List<String> key = operation.key().read(invocation);
		if (key == null) {
			if (settings.required()) {
				throw new IdempotencyKeyException("A call of '" + settings.name() + "' needs an idempotency key");
			}
			return DefaultIdempotency.runUnprotected(settings, (progress) -> invocation.proceed());
		}
		DefaultIdempotency target = this.idempotency.get();
		IdempotencyRequest request = target.request(settings, key, fingerprint(operation, invocation));
		FallbackMethod recover = operation.recover();
		Answers answers = new Answers(operation.codec(), operation.exceptions(), operation.exchange().get(),
				operation.replaying(), (recover != null) ? (lost) -> recover.invoke(invocation, () -> lost) : null);
		return target.call(request, answers, (progress) -> proceed(invocation, progress));
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

}
