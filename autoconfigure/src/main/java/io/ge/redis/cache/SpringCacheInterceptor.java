/*
 * Copyright 2026 the GE Redis authors
 * SPDX-License-Identifier: Apache-2.0
 */

package io.ge.redis.cache;

import java.lang.reflect.Method;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;

import org.aopalliance.intercept.MethodInvocation;
import org.jspecify.annotations.Nullable;

import org.springframework.beans.BeansException;
import org.springframework.cache.Cache;
import org.springframework.cache.CacheManager;
import org.springframework.cache.interceptor.CacheInterceptor;
import org.springframework.cache.interceptor.CacheOperation;
import org.springframework.cache.interceptor.CacheOperationInvocationContext;
import org.springframework.cache.interceptor.CacheOperationInvoker;
import org.springframework.cache.interceptor.CacheOperationSource;
import org.springframework.cache.interceptor.CacheResolver;
import org.springframework.cache.interceptor.SimpleCacheResolver;
import org.springframework.util.StringUtils;

/**
 * Spring's interceptor of its own annotations, as it is configured, but for our caches:
 * these get to know in which call, for which method and for which operation they are
 * used. The caches of other managers are passed through.
 */
final class SpringCacheInterceptor extends CacheInterceptor {

	private static final long serialVersionUID = 1L;

	private final transient CacheResultWatcher watcher;

	private final transient SpringCacheMethods methods;

	/** Only until Spring has resolved the caches of the call. */
	private final transient ThreadLocal<@Nullable SpringInvocation> current = new ThreadLocal<>();

	/**
	 * Creates an interceptor.
	 * @param configured the one that Spring has configured, asked when something is
	 * needed
	 * @param watcher tells when values have come that were promised
	 * @param methods checks the methods of the application
	 */
	SpringCacheInterceptor(CacheInterceptor configured, CacheResultWatcher watcher, SpringCacheMethods methods) {
		this.watcher = watcher;
		this.methods = methods;
		configure(configured::getErrorHandler, configured::getKeyGenerator, configured::getCacheResolver, null);
		setCacheOperationSource(configured.getCacheOperationSource());
	}

	@Override
	public void afterSingletonsInstantiated() {
		super.afterSingletonsInstantiated();
		CacheOperationSource source = getCacheOperationSource();
		if (source != null) {
			this.methods.verify(source, this::isOurs);
		}
	}

	private boolean isOurs(CacheOperation operation) {
		if (StringUtils.hasText(operation.getCacheResolver())) {
			return false;
		}
		if (StringUtils.hasText(operation.getCacheManager())) {
			return isOurs(operation.getCacheManager());
		}
		CacheResolver resolver = getCacheResolver();
		return resolver != null && resolver.getClass() == SimpleCacheResolver.class
				&& ((SimpleCacheResolver) resolver).getCacheManager() instanceof SpringCacheManager;
	}

	private boolean isOurs(String cacheManager) {
		try {
			return getBean(cacheManager, CacheManager.class) instanceof SpringCacheManager;
		}
		catch (BeansException ex) {
			// Spring tells when the method is called
			return false;
		}
	}

	@Override
	public @Nullable Object invoke(MethodInvocation invocation) throws Throwable {
		SpringInvocation outer = this.current.get();
		SpringInvocation opened = new SpringInvocation(invocation, this::probe);
		this.current.set(opened);
		try {
			return opened.ending(super.invoke(invocation), this.watcher);
		}
		catch (Throwable ex) {
			opened.end(ex);
			throw ex;
		}
		finally {
			use(outer);
		}
	}

	private void use(@Nullable SpringInvocation invocation) {
		if (invocation != null) {
			this.current.set(invocation);
		}
		else {
			this.current.remove();
		}
	}

	@Override
	protected @Nullable Object execute(CacheOperationInvoker invoker, Object target, Method method,
			@Nullable Object[] args) {
		SpringInvocation opened = this.current.get();
		if (opened == null) {
			return super.execute(invoker, target, method, args);
		}
		return super.execute(() -> {
			this.current.remove();
			return opened.run(invoker);
		}, target, method, args);
	}

	@Override
	protected Collection<? extends Cache> getCaches(CacheOperationInvocationContext<CacheOperation> context,
			CacheResolver cacheResolver) {
		Collection<? extends Cache> caches = super.getCaches(context, cacheResolver);
		SpringInvocation opened = this.current.get();
		if (opened == null || caches.stream().noneMatch(SpringCache.class::isInstance)) {
			return caches;
		}
		SpringOperation operation = SpringOperation.of(context, opened.arguments());
		List<Cache> seen = new ArrayList<>(caches.size());
		for (Cache cache : caches) {
			seen.add((cache instanceof SpringCache ours) ? opened.view(ours, operation) : cache);
		}
		return seen;
	}

	@Override
	protected CacheOperationContext getOperationContext(CacheOperation operation, Method method,
			@Nullable Object[] args, Object target, Class<?> targetClass) {
		if (this.current.get() == null || !SpringOperation.isAfterwards(operation)) {
			return super.getOperationContext(operation, method, args, target, targetClass);
		}
		return new Afterwards(getCacheOperationMetadata(operation, method, targetClass), args, target);
	}

	private SpringProbe probe(SpringOperation operation) {
		SpringInvocation outer = this.current.get();
		this.current.remove();
		try {
			return new Probe(
					getCacheOperationMetadata(operation.operation(), operation.method(), operation.targetClass()),
					operation.passed(), operation.target());
		}
		finally {
			use(outer);
		}
	}

	/**
	 * An operation whose key may turn out to be none when the change is committed
	 * already.
	 */
	private final class Afterwards extends CacheOperationContext {

		Afterwards(CacheOperationMetadata metadata, @Nullable Object[] args, Object target) {
			super(metadata, args, target);
		}

		@Override
		protected @Nullable Object generateKey(@Nullable Object result) {
			Object key = super.generateKey(result);
			boolean ours = getCaches().stream().allMatch(SpringCacheView.class::isInstance);
			return (key == null && ours) ? SpringCacheView.NO_KEY : key;
		}

	}

	/**
	 * An operation beside the one that Spring works on.
	 */
	private final class Probe extends CacheOperationContext implements SpringProbe {

		Probe(CacheOperationMetadata metadata, @Nullable Object[] args, Object target) {
			super(metadata, args, target);
		}

		@Override
		public @Nullable Object key(@Nullable Object result) {
			return generateKey(result);
		}

		@Override
		public boolean passes(@Nullable Object result) {
			return isConditionPassing(result);
		}

		@Override
		public boolean stores(@Nullable Object result) {
			return canPutToCache(result);
		}

	}

}
