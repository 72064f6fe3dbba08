// SPDX-License-Identifier: Apache-2.0

package io.ge.redis.idempotency.internal;

import java.lang.reflect.Method;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;

import io.ge.redis.core.call.ResultForm;
import io.ge.redis.core.invocation.OperationSource;
import io.ge.redis.idempotency.Idempotent;
import org.aopalliance.intercept.MethodInterceptor;
import org.aopalliance.intercept.MethodInvocation;
import org.jspecify.annotations.Nullable;

import org.springframework.aop.ProxyMethodInvocation;
import org.springframework.aop.support.StaticMethodMatcherPointcutAdvisor;
import org.springframework.core.Ordered;

/**
 * The innermost advice. It notes that a call has passed all other advice, such as the
 * lock and the beginning of the transaction. It also notes the result of the method
 * before the commit. A call that fails before has changed nothing. A failure of advice of
 * the same order further in counts as one of the method, which is the safe side.
 */
final class ReachedAdvisor extends StaticMethodMatcherPointcutAdvisor {

	private static final long serialVersionUID = 1L;

	static final String PROGRESS = ReachedAdvisor.class.getName() + ".progress";

	ReachedAdvisor() {
		super((MethodInterceptor) ReachedAdvisor::proceed);
		setClassFilter((type) -> OperationSource.mayContain(type, Idempotent.class));
		setOrder(Ordered.LOWEST_PRECEDENCE);
	}

	@Override
	public boolean matches(Method method, Class<?> targetClass) {
		return OperationSource.isAnnotated(Idempotent.class, method, targetClass);
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
		try {
			Object result = invocation.proceed();
			progress.returned(result);
			return result;
		}
		finally {
			progress.leave();
		}
	}

	/**
	 * The calls that one invocation has become, by being subscribed to several times.
	 * Which of them has come to the method is not known, so it counts for all.
	 */
	static final class Attempts {

		private final ResultForm form;

		private final Set<Progress> inProgress = ConcurrentHashMap.newKeySet();

		Attempts(ResultForm form) {
			this.form = form;
		}

		void begin(Progress progress) {
			this.inProgress.add(progress);
		}

		void end(Progress progress) {
			this.inProgress.remove(progress);
		}

		private @Nullable Object proceed(MethodInvocation invocation) throws Throwable {
			this.inProgress.forEach(Progress::reach);
			Object promise = invocation.proceed();
			return (promise != null && this.form.kind() != ResultForm.Kind.FUTURE)
					? this.form.subscribing(promise, CallTransactions::entered) : promise;
		}

	}

}
