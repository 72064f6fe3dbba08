/*
 * Copyright 2026 the GE Redis authors
 * SPDX-License-Identifier: Apache-2.0
 */

package io.ge.redis.core.guard;

import java.lang.annotation.Annotation;
import java.lang.reflect.Method;
import java.util.Objects;
import java.util.function.Supplier;

import io.ge.redis.core.call.GuardedCalls;
import io.ge.redis.core.invocation.GuardedMethod;
import io.ge.redis.core.invocation.GuardedOperation;
import io.ge.redis.core.invocation.OperationSource;

import org.springframework.aop.Advisor;
import org.springframework.aop.ClassFilter;
import org.springframework.aop.support.DefaultPointcutAdvisor;
import org.springframework.aop.support.StaticMethodMatcherPointcutAdvisor;

/**
 * The advisor of every pattern: applies an interceptor wherever its source finds an
 * operation. Must be registered with {@code ROLE_INFRASTRUCTURE}, else Spring's
 * infrastructure proxy creator passes it over.
 */
public final class GuardAdvisor extends StaticMethodMatcherPointcutAdvisor {

	private static final long serialVersionUID = 1L;

	private final transient OperationSource<? extends Annotation, ?> source;

	private final transient Supplier<?> engine;

	/**
	 * Creates an advisor.
	 * @param source decides which methods are advised
	 * @param calls makes their calls
	 * @param guard guards them
	 * @param order the position among all advice, lower is further out
	 * @param engine makes what calls need, once
	 * @param <O> the operation
	 */
	public <O extends GuardedOperation> GuardAdvisor(OperationSource<? extends Annotation, O> source,
			GuardedCalls calls, Guard<O> guard, int order, Supplier<?> engine) {
		super(new GuardInterceptor<>(source, calls, guard));
		this.source = source;
		this.engine = engine;
		setOrder(order);
		setClassFilter(new Candidates(source));
	}

	/**
	 * Returns the source of this advisor's operations.
	 */
	public OperationSource<? extends Annotation, ?> source() {
		return this.source;
	}

	/**
	 * Makes what calls need, which connects to Redis, so that the first call finds it.
	 */
	void prepare() {
		Objects.requireNonNull(this.engine.get());
	}

	/**
	 * Returns the same advice for a pattern that is switched off. Unlike this advisor, it
	 * is neither listed by the endpoint nor checked by {@link GuardVerifier}.
	 */
	public Advisor unguarded() {
		DefaultPointcutAdvisor advisor = new DefaultPointcutAdvisor(this, getAdvice());
		advisor.setOrder(getOrder());
		return advisor;
	}

	@Override
	public boolean matches(Method method, Class<?> targetClass) {
		if (this.source.get(method, targetClass) == null) {
			return false;
		}
		if (Openness.isClosed(targetClass)) {
			throw new GuardedMethod(method, targetClass, this.source.annotationType())
				.problem("methods of a final class cannot be guarded.", Openness.remedy(targetClass));
		}
		return true;
	}

	private record Candidates(OperationSource<? extends Annotation, ?> source) implements ClassFilter {

		@Override
		public boolean matches(Class<?> type) {
			return this.source.isCandidate(type);
		}

	}

}
