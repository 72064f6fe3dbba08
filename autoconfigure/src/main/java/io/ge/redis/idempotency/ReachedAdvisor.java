/*
 * Copyright 2026 the GE Redis authors
 * SPDX-License-Identifier: Apache-2.0
 */

package io.ge.redis.idempotency;

import java.lang.reflect.Method;

import org.aopalliance.intercept.MethodInterceptor;
import org.aopalliance.intercept.MethodInvocation;
import org.jspecify.annotations.Nullable;

import org.springframework.aop.ProxyMethodInvocation;
import org.springframework.aop.support.StaticMethodMatcherPointcutAdvisor;
import org.springframework.core.Ordered;

/**
 * The innermost advice: notes that a call has come past all others, among them the lock
 * and the beginning of the transaction. What fails before has changed nothing. And what
 * the method has returned is known before the commit.
 * <p>
 * Advice of the same order may still stand further in; then a failure of it counts as one
 * of the method, which is the safe side.
 */
final class ReachedAdvisor extends StaticMethodMatcherPointcutAdvisor {

	private static final long serialVersionUID = 1L;

	static final String PROGRESS = ReachedAdvisor.class.getName() + ".progress";

	private final transient IdempotencyOperationSource source;

	ReachedAdvisor(IdempotencyOperationSource source) {
		super((MethodInterceptor) ReachedAdvisor::proceed);
		this.source = source;
		setClassFilter(source::isCandidate);
		setOrder(Ordered.LOWEST_PRECEDENCE);
	}

	@Override
	public boolean matches(Method method, Class<?> targetClass) {
		return this.source.get(method, targetClass) != null;
	}

	private static @Nullable Object proceed(MethodInvocation invocation) throws Throwable {
		Object noted = (invocation instanceof ProxyMethodInvocation proxied) ? proxied.getUserAttribute(PROGRESS)
				: null;
		if (noted instanceof Attempts attempts) {
			return attempts.proceed(invocation);
		}
		if (!(noted instanceof Progress progress)) {
			return invocation.proceed();
		}
		progress.reach();
		Object result = invocation.proceed();
		progress.returned(result);
		return result;
	}

}
