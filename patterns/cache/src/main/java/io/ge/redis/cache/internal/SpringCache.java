// SPDX-License-Identifier: Apache-2.0

package io.ge.redis.cache.internal;

import java.util.List;
import java.util.Objects;
import java.util.concurrent.Callable;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.atomic.LongAdder;
import java.util.function.Supplier;

import io.ge.redis.cache.CacheAside;
import io.ge.redis.cache.CacheWriteThrough;
import io.ge.redis.cache.GeCaches;
import io.ge.redis.cache.internal.engine.CacheCodec;
import io.ge.redis.cache.internal.engine.CacheKey;
import io.ge.redis.cache.internal.engine.CacheTags;
import io.ge.redis.cache.internal.engine.CacheType;
import io.ge.redis.core.call.ResultForm;
import io.ge.redis.core.invocation.EventLoops;
import io.ge.redis.core.outage.Waiting;
import org.jspecify.annotations.Nullable;

import org.springframework.cache.Cache;
import org.springframework.cache.interceptor.CacheOperationInvoker;
import org.springframework.cache.support.SimpleValueWrapper;
import org.springframework.util.ClassUtils;

/**
 * A cache in the eyes of Spring. Its entries are those of {@link CacheAside},
 * {@link CacheWriteThrough} and {@link GeCaches} with the same name and key.
 * <p>
 * {@link #get(Object, Callable)} and {@link #retrieve(Object, Supplier)} load as
 * {@link GeCaches#get}. Any other lookup that finds nothing takes a lease for which no
 * caller waits. By it the value is stored that the same thread puts next, or, after
 * {@link #retrieve(Object)}, that is put with the same object as key: unless the entry
 * was written meanwhile, and in a writing transaction after its commit.
 * <p>
 * A put without such a lookup is a change of the database: announced and published with
 * the transaction, or published at once unless another writer is active. In a read-only
 * transaction the entry is removed. On threads that must not wait, changes reach Redis a
 * moment later.
 */
public final class SpringCache implements Cache {

	private final String name;

	private final Supplier<Parts> parts;

	private final LongAdder hits = new LongAdder();

	private final LongAdder misses = new LongAdder();

	private final LongAdder puts = new LongAdder();

	private final LongAdder removals = new LongAdder();

	SpringCache(String name, Supplier<Parts> parts) {
		this.name = name;
		this.parts = parts;
	}

	public Parts parts() {
		return this.parts.get();
	}

	@Override
	public String getName() {
		return this.name;
	}

	@Override
	public Object getNativeCache() {
		return parts().caches();
	}

	/**
	 * Returns the number of values that were found by calls through Spring since the
	 * start.
	 */
	public long hits() {
		return this.hits.sum();
	}

	/** Returns the number of values that were not found by calls through Spring. */
	public long misses() {
		return this.misses.sum();
	}

	/** Returns the number of values that were put by calls through Spring. */
	public long puts() {
		return this.puts.sum();
	}

	/** Returns the number of removals by calls through Spring. */
	public long removals() {
		return this.removals.sum();
	}

	private CacheType type() {
		CacheType declared = parts().definitions().type(this.name);
		return (declared != null) ? declared : parts().codec().open();
	}

	// Reading

	@Override
	public @Nullable ValueWrapper get(Object key) {
		Object found = read(key, ResultForm.PLAIN);
		if (found instanceof OpenMiss miss) {
			this.misses.increment();
			parts().misses().addOfThread(key, miss);
			return null;
		}
		this.hits.increment();
		return new SimpleValueWrapper(found);
	}

	private @Nullable Object read(Object key, ResultForm form) {
		try {
			return parts().reader().readOpen(SpringKeys.of(this.name, key), type(), form);
		}
		catch (Throwable ex) {
			this.misses.increment();
			throw CacheWriter.unchecked(ex);
		}
	}

	private @Nullable Object read(Object key, ResultForm form, Called loader) throws Throwable {
		return parts().reader().read(new CacheSource.One(SpringKeys.of(this.name, key), type(), form, false, loader));
	}

	@Override
	public <T> @Nullable T get(Object key, @Nullable Class<T> type) {
		if (type != null && type != Object.class) {
			// So that an entry of that class can be read
			parts().codec().type(ClassUtils.resolvePrimitiveIfNecessary(type));
		}
		ValueWrapper found = get(key);
		Object value = (found != null) ? found.get() : null;
		if (value != null && type != null && !ClassUtils.resolvePrimitiveIfNecessary(type).isInstance(value)) {
			throw new IllegalStateException("Cache '" + this.name + "' holds a " + value.getClass().getName()
					+ " under the key, not a " + type.getName());
		}
		@SuppressWarnings("unchecked")
		T result = (T) value;
		return result;
	}

	@Override
	@SuppressWarnings("unchecked")
	public <T> @Nullable T get(Object key, Callable<T> loader) {
		Called called = new Called(loader);
		try {
			Object value = read(key, ResultForm.PLAIN, called);
			(called.loaded ? this.misses : this.hits).increment();
			return (T) value;
		}
		catch (Throwable ex) {
			this.misses.increment();
			if (ex == called.failure) {
				throw new ValueRetrievalException(key, loader, called.thrown);
			}
			throw CacheWriter.unchecked(ex);
		}
	}

	@Override
	@SuppressWarnings("unchecked")
	public CompletableFuture<?> retrieve(Object key) {
		CompletableFuture<@Nullable Object> read = (CompletableFuture<@Nullable Object>) Objects
			.requireNonNull(read(key, ResultForm.FUTURE));
		return read.handle((found, failure) -> {
			boolean missed = failure != null || found instanceof OpenMiss;
			(missed ? this.misses : this.hits).increment();
			if (failure != null) {
				throw new CompletionException(Waiting.cause(failure));
			}
			if (found instanceof OpenMiss miss) {
				parts().misses().addOfKey(key, miss);
			}
			// No answer: Spring takes no value for a miss
			return missed ? null : new SimpleValueWrapper(found);
		});
	}

	@Override
	@SuppressWarnings("unchecked")
	public <T> CompletableFuture<T> retrieve(Object key, Supplier<CompletableFuture<T>> loader) {
		Called called = new Called(() -> {
			CompletableFuture<T> promise = loader.get();
			if (promise == null) {
				throw new IllegalStateException("The loader of cache '" + this.name + "' has returned null"
						+ " instead of a future. Let it return a completed one, with null if there is no value");
			}
			return promise;
		});
		CompletableFuture<T> value;
		try {
			value = (CompletableFuture<T>) Objects.requireNonNull(read(key, ResultForm.FUTURE, called));
		}
		catch (Throwable ex) {
			throw CacheWriter.unchecked(ex);
		}
		value.whenComplete(
				(found, failure) -> ((called.loaded || failure != null) ? this.misses : this.hits).increment());
		return value;
	}

	// Writing

	@Override
	public void put(Object key, @Nullable Object value) {
		CacheKey entry = SpringKeys.of(this.name, key);
		this.puts.increment();
		OpenMiss open = parts().misses().find(entry, key);
		boolean loaded = open != null && open.askedWith == key;
		if (EventLoops.isCurrent()) {
			parts().puts().putAsync(entry, value, open, loaded);
		}
		else {
			parts().puts().put(entry, value, open, loaded);
		}
	}

	/**
	 * Puts a value if there is none, at once. It cannot wait for the end of a
	 * transaction, whose rollback removes it. One of several callers at the same time, on
	 * any instance, gets {@code null}. While the entry is written or Redis is
	 * unavailable, {@code null} means only that nothing was found, and nothing is stored.
	 */
	@Override
	public @Nullable ValueWrapper putIfAbsent(Object key, @Nullable Object value) {
		CacheKey entry = SpringKeys.of(this.name, key);
		while (true) {
			ValueWrapper existing = get(key);
			OpenMiss open = (existing == null) ? parts().misses().find(entry, key) : null;
			if (open == null) {
				return existing;
			}
			CacheFill end = parts().puts().putIfAbsent(open, value);
			if (end == CacheFill.FILLED || end == CacheFill.LOST) {
				this.puts.increment();
				return null;
			}
		}
	}

	@Override
	public void evict(Object key) {
		remove(SpringKeys.of(this.name, key), false);
	}

	@Override
	public boolean evictIfPresent(Object key) {
		remove(SpringKeys.of(this.name, key), true);
		return false;
	}

	@Override
	public void clear() {
		remove(CacheKey.whole(this.name), false);
	}

	@Override
	public boolean invalidate() {
		remove(CacheKey.whole(this.name), true);
		return false;
	}

	private void remove(CacheKey target, boolean now) {
		this.removals.increment();
		parts().misses().forget(target);
		if (EventLoops.isCurrent()) {
			parts().writer().removeAsync(target, CacheTags.ALL);
		}
		else if (now) {
			parts().writer().removeNow(target, CacheTags.ALL);
		}
		else {
			parts().writer().remove(target, CacheTags.ALL);
		}
	}

	/**
	 * The parts of all caches of Spring.
	 */
	public record Parts(CacheRegistry definitions, CacheCodec codec, GeCaches caches, CacheReader reader,
			OpenMisses misses, SpringCachePuts puts, CacheWriter writer) {
	}

	/**
	 * Loads by a function. Its exception is rethrown unchanged, but judged without the
	 * wrapper in which Spring puts exceptions of methods.
	 */
	private static final class Called implements CacheSource.Loader {

		private final Callable<? extends @Nullable Object> loader;

		private volatile boolean loaded;

		private volatile @Nullable Throwable failure;

		private volatile @Nullable Throwable thrown;

		Called(Callable<? extends @Nullable Object> loader) {
			this.loader = loader;
		}

		@Override
		public @Nullable Object load(List<?> keys) throws Throwable {
			this.loaded = true;
			try {
				return this.loader.call();
			}
			catch (Throwable ex) {
				this.thrown = ex;
				this.failure = (ex instanceof CacheOperationInvoker.ThrowableWrapper wrapper) ? wrapper.getOriginal()
						: ex;
				throw this.failure;
			}
		}

	}

}
