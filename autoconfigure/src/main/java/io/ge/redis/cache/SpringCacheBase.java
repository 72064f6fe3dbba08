/*
 * Copyright 2026 the GE Redis authors
 * SPDX-License-Identifier: Apache-2.0
 */

package io.ge.redis.cache;

import java.util.concurrent.Callable;
import java.util.concurrent.CompletableFuture;
import java.util.function.Supplier;

import io.ge.redis.cache.CacheEvent.Access;
import io.ge.redis.core.call.Handover;
import io.ge.redis.core.outage.Waiting;
import org.jspecify.annotations.Nullable;

import org.springframework.cache.Cache;
import org.springframework.cache.interceptor.CacheOperationInvoker;
import org.springframework.cache.support.SimpleValueWrapper;

/**
 * How Spring reads a cache, in code and for annotations.
 */
abstract class SpringCacheBase implements Cache {

	private final String name;

	private final Supplier<SpringCacheParts> parts;

	private final SpringCacheCounts counts;

	SpringCacheBase(String name, Supplier<SpringCacheParts> parts, SpringCacheCounts counts) {
		this.name = name;
		this.parts = parts;
		this.counts = counts;
	}

	final SpringCacheParts parts() {
		return this.parts.get();
	}

	final SpringCacheCounts counts() {
		return this.counts;
	}

	/**
	 * Names an entry.
	 */
	abstract CacheKey key(Object key);

	/**
	 * Returns the type of the values.
	 */
	abstract CacheType type();

	/**
	 * Returns whether the caller loads an entry already, which it must not wait for then.
	 */
	boolean isLoading(CacheKey entry) {
		return false;
	}

	/**
	 * Takes note of a value that was not there and that the caller is about to load.
	 */
	abstract void missed(SplitMiss miss);

	/**
	 * As {@link #missed}, for a caller that is told later and perhaps on another thread.
	 */
	abstract void missedLater(SplitMiss miss);

	/**
	 * Returns where a value comes from if it is not there.
	 */
	abstract CacheSource source(CacheKey entry, Callable<? extends @Nullable Object> loader);

	/**
	 * Returns a value as it is stored.
	 */
	@Nullable Object stored(@Nullable Object value) {
		return value;
	}

	/**
	 * Returns a stored value as the caller of an asynchronous method has it.
	 */
	@Nullable Object promised(@Nullable Object value) {
		return value;
	}

	@Override
	public final String getName() {
		return this.name;
	}

	@Override
	public final Object getNativeCache() {
		return parts().caches();
	}

	@Override
	public final @Nullable ValueWrapper get(Object key) {
		return find(key(key), type());
	}

	final @Nullable ValueWrapper find(CacheKey entry, CacheType type) {
		if (isLoading(entry)) {
			this.counts.misses.increment();
			return null;
		}
		SplitRead read = Waiting.await(parts().split().read(entry, type));
		if (read instanceof SplitRead.Missed missed) {
			this.counts.misses.increment();
			missed(missed.miss());
			return null;
		}
		return new SimpleValueWrapper(found(entry, read));
	}

	private @Nullable Object found(CacheKey entry, SplitRead read) {
		if (read instanceof SplitRead.Found found) {
			this.counts.hits.increment();
			parts().split().tell(entry, found.access(), found.tier());
			return found.value();
		}
		this.counts.misses.increment();
		parts().split().tell(entry, Access.MISS, CacheEvent.Tier.REDIS);
		throw new CacheLoadTimeoutException(this.name);
	}

	@Override
	@SuppressWarnings("unchecked")
	public final <T> @Nullable T get(Object key, Callable<T> loader) {
		CacheKey entry = key(key);
		Counted counted = new Counted(source(entry, loader));
		try {
			Object value = parts().reader().read(counted);
			(counted.isLoaded() ? this.counts.misses : this.counts.hits).increment();
			return (T) value;
		}
		catch (Throwable ex) {
			this.counts.misses.increment();
			if (counted.isOwnFailure(ex)) {
				throw new ValueRetrievalException(key, loader, counted.wrapped(ex));
			}
			throw unchecked(ex);
		}
	}

	private static RuntimeException unchecked(Throwable ex) {
		if (ex instanceof Error error) {
			throw error;
		}
		return (ex instanceof RuntimeException unchecked) ? unchecked : new IllegalStateException(ex);
	}

	@Override
	public final CompletableFuture<?> retrieve(Object key) {
		CacheKey entry = key(key);
		if (isLoading(entry)) {
			this.counts.misses.increment();
			return Handover.nothing();
		}
		return parts().handover().then(parts().split().read(entry, type()), (read) -> answer(entry, read));
	}

	private CompletableFuture<@Nullable ValueWrapper> answer(CacheKey entry, SplitRead read) {
		if (read instanceof SplitRead.Missed missed) {
			this.counts.misses.increment();
			missedLater(missed.miss());
			return Handover.nothing();
		}
		return CompletableFuture.completedFuture(new SimpleValueWrapper(promised(found(entry, read))));
	}

	@Override
	@SuppressWarnings("unchecked")
	public final <T> CompletableFuture<T> retrieve(Object key, Supplier<CompletableFuture<T>> loader) {
		CacheKey entry = key(key);
		CompletableFuture<@Nullable Object> value = parts().handover()
			.then(parts().split().read(entry, type()), (read) -> {
				if (read instanceof SplitRead.Missed missed) {
					this.counts.misses.increment();
					return load(missed.miss(), loader);
				}
				return Handover.done(promised(found(entry, read)));
			});
		return (CompletableFuture<T>) value;
	}

	private CompletableFuture<@Nullable Object> load(SplitMiss miss, Supplier<? extends CompletableFuture<?>> loader) {
		SplitReader split = parts().split();
		split.giveBackAtEnd(miss);
		if (miss.expired() == null) {
			split.tell(miss, miss.access());
		}
		miss.begin();
		CompletableFuture<CompletableFuture<@Nullable Object>> loaded = new CompletableFuture<>();
		start(miss, loader).whenComplete((value, failure) -> {
			try {
				loaded.complete((failure == null) ? keep(miss, value) : instead(miss, Waiting.cause(failure)));
			}
			catch (Throwable ex) {
				loaded.completeExceptionally(ex);
			}
		});
		return parts().handover().then(loaded, (last) -> last);
	}

	private CompletableFuture<?> start(SplitMiss miss, Supplier<? extends CompletableFuture<?>> loader) {
		CacheTransactions transactions = parts().transactions();
		boolean entered = transactions.beginLoad(miss.key());
		try {
			CompletableFuture<?> promise = loader.get();
			return (promise != null) ? promise
					: CompletableFuture.failedFuture(new IllegalStateException("The loader of cache '" + this.name
							+ "' has returned null"
							+ " instead of a future. Let it return a completed one, with null if there is no value"));
		}
		catch (CacheOperationInvoker.ThrowableWrapper ex) {
			return CompletableFuture.failedFuture(ex.getOriginal());
		}
		catch (Throwable ex) {
			return CompletableFuture.failedFuture(ex);
		}
		finally {
			if (entered) {
				transactions.endLoad();
			}
		}
	}

	private CompletableFuture<@Nullable Object> keep(SplitMiss miss, @Nullable Object value) {
		SplitReader split = parts().split();
		split.loaded(miss, true);
		split.tell(miss, miss.access());
		return parts().handover().then(split.fill(miss, stored(value)), (filled) -> Handover.done(value));
	}

	/**
	 * Ends a miss whose value could not be loaded.
	 * @return completes with the value that has expired, or as the loader did
	 */
	private CompletableFuture<@Nullable Object> instead(SplitMiss miss, Throwable failure) {
		SplitReader split = parts().split();
		split.loaded(miss, false);
		split.giveBack(miss, true);
		return parts().handover().then(split.expired(miss), (content) -> {
			split.tell(miss, (content != null) ? Access.STALE : miss.access());
			return (content != null) ? Handover.done(promised(content.value()))
					: CompletableFuture.failedFuture(failure);
		});
	}

	/**
	 * A source that says whether it was asked.
	 */
	private static final class Counted implements CacheSource {

		private final CacheSource source;

		private boolean loaded;

		private @Nullable Throwable failure;

		private CacheOperationInvoker.@Nullable ThrowableWrapper wrapper;

		Counted(CacheSource source) {
			this.source = source;
		}

		boolean isLoaded() {
			return this.loaded;
		}

		boolean isOwnFailure(Throwable ex) {
			return ex == this.failure;
		}

		// Spring looks for its own wrapper around what the method has thrown
		Throwable wrapped(Throwable ex) {
			return (this.wrapper != null) ? this.wrapper : ex;
		}

		@Override
		public CacheKey key() {
			return this.source.key();
		}

		@Override
		public CacheType type() {
			return this.source.type();
		}

		@Override
		public @Nullable Object load() throws Throwable {
			this.loaded = true;
			try {
				return this.source.load();
			}
			catch (CacheOperationInvoker.ThrowableWrapper ex) {
				this.wrapper = ex;
				this.failure = ex.getOriginal();
				throw ex.getOriginal();
			}
			catch (Throwable ex) {
				this.failure = ex;
				throw ex;
			}
		}

		@Override
		public boolean isStorable(@Nullable Object value) {
			return this.source.isStorable(value);
		}

		@Override
		public CacheSource detached() {
			return this.source.detached();
		}

	}

}
