/*
 * Copyright 2026 the GE Redis authors
 * SPDX-License-Identifier: Apache-2.0
 */

package io.ge.redis.cache;

import java.lang.reflect.Method;

import org.jspecify.annotations.Nullable;

import org.springframework.aop.framework.AopProxyUtils;
import org.springframework.cache.interceptor.CacheEvictOperation;
import org.springframework.cache.interceptor.CacheOperation;
import org.springframework.cache.interceptor.CacheOperationInvocationContext;
import org.springframework.cache.interceptor.CachePutOperation;

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
		return new SpringOperation(context.getOperation(), context.getMethod(), context.getArgs(), passed,
				context.getTarget(), AopProxyUtils.ultimateTargetClass(context.getTarget()));
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

	boolean isCacheWide() {
		return this.operation instanceof CacheEvictOperation evict && evict.isCacheWide();
	}

}
