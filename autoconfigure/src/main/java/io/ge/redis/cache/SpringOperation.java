/*
 * Copyright 2026 the GE Redis authors
 * SPDX-License-Identifier: Apache-2.0
 */

package io.ge.redis.cache;

import java.lang.reflect.Method;
import java.util.Arrays;

import org.jspecify.annotations.Nullable;

import org.springframework.aop.framework.AopProxyUtils;
import org.springframework.cache.interceptor.CacheEvictOperation;
import org.springframework.cache.interceptor.CacheOperation;
import org.springframework.cache.interceptor.CacheOperationInvocationContext;
import org.springframework.cache.interceptor.CachePutOperation;
import org.springframework.core.KotlinDetector;
import org.springframework.util.StringUtils;

/**
 * One operation of one call of a method with Spring's annotations.
 *
 * @param operation what the annotation says
 * @param method the method as it is called
 * @param args the arguments, with those of a variable number one by one
 * @param passed the arguments as they are passed
 * @param target the object that it is called on
 * @param targetClass the class of that
 */
record SpringOperation(CacheOperation operation, Method method, @Nullable Object[] args, @Nullable Object[] passed,
		Object target, Class<?> targetClass) {

	static SpringOperation of(CacheOperationInvocationContext<CacheOperation> context, @Nullable Object[] passed) {
		return new SpringOperation(context.getOperation(), context.getMethod(), keyed(context), passed,
				context.getTarget(), AopProxyUtils.ultimateTargetClass(context.getTarget()));
	}

	// A suspending function has its continuation as the last argument
	private static @Nullable Object[] keyed(CacheOperationInvocationContext<?> context) {
		@Nullable Object[] args = context.getArgs();
		return KotlinDetector.isSuspendingFunction(context.getMethod()) ? Arrays.copyOf(args, args.length - 1) : args;
	}

	boolean isPut() {
		return this.operation instanceof CachePutOperation;
	}

	/**
	 * Returns whether it changes what a cache holds, rather than filling it.
	 */
	boolean isWriter() {
		return isPut() || this.operation instanceof CacheEvictOperation;
	}

	/**
	 * Returns whether an operation changes a cache when the method has run.
	 */
	static boolean isAfterwards(CacheOperation operation) {
		return operation instanceof CachePutOperation
				|| (operation instanceof CacheEvictOperation evict && !evict.isBeforeInvocation());
	}

	/**
	 * Returns whether the key is another one than that of the arguments as they are.
	 */
	boolean hasOwnKey() {
		return StringUtils.hasText(this.operation.getKey()) || StringUtils.hasText(this.operation.getKeyGenerator());
	}

	boolean isCacheWide() {
		return this.operation instanceof CacheEvictOperation evict && evict.isCacheWide();
	}

}
