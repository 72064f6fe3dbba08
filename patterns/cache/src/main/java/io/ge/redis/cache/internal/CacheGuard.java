// SPDX-License-Identifier: Apache-2.0

package io.ge.redis.cache.internal;

import java.util.Collections;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.function.Supplier;

import io.ge.redis.cache.GeCaches;
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
 * Answers readers from the cache, and publishes, writes behind or invalidates what
 * writers have changed.
 */
record CacheGuard(Supplier<CacheReader> reader, Supplier<CacheWriter> writer,
		Supplier<? extends GeCaches> caches) implements Guard<CacheGuardOperation> {

	@Override
	public @Nullable Object plain(CacheGuardOperation operation, MethodInvocation invocation) throws Throwable {
		if (!(operation instanceof CacheGuardOperation.Reader reading) || reading.bulk() != null) {
			return GuardedCalls.run(call(operation, invocation));
		}
		if (!reading.applies(invocation)) {
			return invocation.proceed();
		}
		Invoked source = new Invoked(reading, invocation, reading.target().key(invocation));
		NearValue held = this.reader.get().inMemory(source.key, source);
		return (held != null) ? reading.wrap(held.value())
				: GuardedCalls.run(this.reader.get().call(() -> source, () -> null));
	}

	@Override
	public GuardedCall<?> call(CacheGuardOperation operation, MethodInvocation invocation) {
		GuardedCall.Work proceeding = () -> Guard.proceed(operation, invocation);
		if (operation instanceof CacheGuardOperation.Reader reading) {
			return this.reader.get()
				.call(() -> reading.applies(invocation) ? source(reading, invocation) : null, proceeding);
		}
		if (operation instanceof CacheGuardOperation.Behind behind) {
			return new BehindCall(this.caches.get(), behind, invocation);
		}
		CacheGuardOperation.Writer writing = (CacheGuardOperation.Writer) operation;
		CacheWriter target = this.writer.get();
		return target.call(() -> writing.parts(target, invocation), writing.boundary(), writing.form(), proceeding);
	}

	private static CacheSource source(CacheGuardOperation.Reader operation, MethodInvocation invocation) {
		CacheGuardOperation.Bulk method = operation.bulk();
		if (method == null) {
			return new Invoked(operation, invocation, operation.target().key(invocation));
		}
		CacheGuardOperation.Target target = operation.target();
		return CacheSource.Several.of(target.cache(), target.key().evaluate(invocation), target.key(), operation.type(),
				operation.form(), (ids) -> {
					@Nullable Object[] arguments = method.arguments(invocation.getArguments(), ids);
					return Guard.proceed(operation, ((ProxyMethodInvocation) invocation).invocableClone(arguments));
				}, (value) -> operation.isStorable(invocation, value));
	}

	/**
	 * The entry of a reader, loaded by its method.
	 */
	private record Invoked(CacheGuardOperation.Reader operation, MethodInvocation invocation,
			CacheKey key) implements CacheSource {

		@Override
		public String cache() {
			return this.key.cache();
		}

		@Override
		public List<CacheKey> keys() {
			return Collections.singletonList(this.key);
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
		public @Nullable Object load(List<CacheKey> missing) throws Throwable {
			return Guard.proceed(this.operation, this.invocation);
		}

		@Override
		public @Nullable Object value(CacheKey entry, @Nullable Object loaded) {
			return this.operation.unwrap(loaded);
		}

		@Override
		public @Nullable Object result(List<@Nullable Object> values) {
			return this.operation.wrap(values.get(0));
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

	/**
	 * The call of a writer to a cache that is written behind.
	 */
	private record BehindCall(GeCaches caches, CacheGuardOperation.Behind operation,
			MethodInvocation invocation) implements GuardedCall<CacheKey> {

		// An invalid key is refused before the method runs
		@Override
		public CompletableFuture<CacheKey> ask() {
			return CompletableFuture.completedFuture(this.operation.target().key(this.invocation));
		}

		@Override
		public Work decide(CacheKey key) {
			return new Work() {

				@Override
				public @Nullable Object start() throws Throwable {
					return Guard.proceed(BehindCall.this.operation, BehindCall.this.invocation);
				}

				@Override
				public CompletionStage<?> end(@Nullable Object result, @Nullable Throwable failure) {
					return (failure != null) ? DONE : write(key, result);
				}

			};
		}

		private CompletionStage<?> write(CacheKey key, @Nullable Object result) {
			Object value = this.operation.value(this.invocation, result);
			if (!this.operation.form().isPlain()) {
				return this.caches.writeBehindAsync(key.cache(), key.parts(), value);
			}
			this.caches.writeBehind(key.cache(), key.parts(), value);
			return Work.DONE;
		}

	}

}
