// SPDX-License-Identifier: Apache-2.0

package io.ge.redis.cache.internal;

import java.util.function.Supplier;

import io.ge.redis.cache.internal.access.CacheBulkSource;
import io.ge.redis.cache.internal.access.CacheReader;
import io.ge.redis.cache.internal.access.CacheSource;
import io.ge.redis.cache.internal.engine.CacheKey;
import io.ge.redis.cache.internal.engine.CacheTags;
import io.ge.redis.cache.internal.engine.CacheType;
import io.ge.redis.cache.internal.engine.NearValue;
import io.ge.redis.core.call.GuardedCall;
import io.ge.redis.core.call.GuardedCalls;
import io.ge.redis.core.call.ResultForm;
import io.ge.redis.core.guard.Guard;
import org.aopalliance.intercept.MethodInvocation;
import org.jspecify.annotations.Nullable;

import org.springframework.aop.ProxyMethodInvocation;

/**
 * Answers readers from the cache.
 */
final class CacheAsideGuard implements Guard<CacheAsideOperation> {

	private final Supplier<CacheReader> reader;

	CacheAsideGuard(Supplier<CacheReader> reader) {
		this.reader = reader;
	}

	@Override
	public @Nullable Object plain(CacheAsideOperation operation, MethodInvocation invocation) throws Throwable {
		if (!operation.applies(invocation)) {
			return invocation.proceed();
		}
		if (operation.bulk() != null) {
			return GuardedCalls.run(call(operation, invocation));
		}
		Invoked source = new Invoked(operation, invocation);
		NearValue held = this.reader.get().inMemory(source);
		return (held != null) ? source.result(held.value()) : GuardedCalls.run(this.reader.get().call(source));
	}

	@Override
	public GuardedCall<?> call(CacheAsideOperation operation, MethodInvocation invocation) {
		CacheBulkMethod bulk = operation.bulk();
		return (bulk == null) ? this.reader.get().call(new Invoked(operation, invocation))
				: this.reader.get()
					.call(() -> operation.applies(invocation) ? several(operation, bulk, invocation) : null,
							() -> Guard.proceed(operation, invocation));
	}

	private static CacheBulkSource several(CacheAsideOperation operation, CacheBulkMethod method,
			MethodInvocation invocation) {
		return CacheBulkSource.of(operation.cache(), operation.key().evaluate(invocation), operation.key(),
				operation.type(), operation.form(), (ids) -> {
					@Nullable Object[] arguments = method.arguments(invocation.getArguments(), ids);
					return Guard.proceed(operation, ((ProxyMethodInvocation) invocation).invocableClone(arguments));
				}, (value) -> operation.isStorable(invocation, value));
	}

	private static final class Invoked implements CacheSource {

		private final CacheAsideOperation operation;

		private final MethodInvocation invocation;

		private @Nullable CacheKey key;

		Invoked(CacheAsideOperation operation, MethodInvocation invocation) {
			this.operation = operation;
			this.invocation = invocation;
		}

		@Override
		public boolean applies() {
			return this.key != null || this.operation.applies(this.invocation);
		}

		@Override
		public CacheKey key() {
			CacheKey known = (this.key != null) ? this.key : this.operation.key(this.invocation);
			this.key = known;
			return known;
		}

		@Override
		public CacheType type() {
			return this.operation.type();
		}

		@Override
		public ResultForm form() {
			return this.operation.form();
		}

		@Override
		public @Nullable Object load() throws Throwable {
			return Guard.proceed(this.operation, this.invocation);
		}

		@Override
		public @Nullable Object plain(@Nullable Object loaded) {
			return this.operation.unwrap(loaded);
		}

		@Override
		public @Nullable Object result(@Nullable Object plain) {
			return this.operation.wrap(plain);
		}

		@Override
		public boolean isStorable(@Nullable Object value) {
			return this.operation.isStorable(this.invocation, value);
		}

		@Override
		public @Nullable CacheTags tags() {
			return this.operation.tags(this.invocation);
		}

	}

}
