// SPDX-License-Identifier: Apache-2.0

package io.ge.redis.cache.internal;

import java.lang.reflect.Type;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.CompletionStage;
import java.util.function.Function;
import java.util.function.Supplier;

import io.ge.redis.cache.GeCaches;
import io.ge.redis.cache.internal.engine.CacheCodec;
import io.ge.redis.cache.internal.engine.CacheKey;
import io.ge.redis.cache.internal.engine.CacheTags;
import io.ge.redis.cache.internal.engine.CacheType;
import io.ge.redis.cache.internal.engine.NearValue;
import io.ge.redis.core.call.GuardedCalls;
import io.ge.redis.core.call.ResultForm;
import io.ge.redis.core.invocation.EventLoops;
import org.jspecify.annotations.Nullable;

import org.springframework.core.ParameterizedTypeReference;

/**
 * Caches by name, for code: finds keys and types, and calls reader and writers.
 */
record DefaultCaches(CacheRegistry definitions, CacheCodec codec, CacheReader reader, CacheWriter writer,
		CacheBehindWriter behindWriter) implements GeCaches {

	@Override
	@SuppressWarnings("unchecked")
	public <K, T> Map<K, T> getAll(String cache, Collection<? extends K> keys, ParameterizedTypeReference<T> type,
			Function<? super List<K>, ? extends Map<? extends K, ? extends @Nullable T>> loader) {
		forbidWaiting("getAll");
		return (Map<K, T>) readAll(cache, keys, type, ResultForm.PLAIN, (ids) -> loader.apply((List<K>) ids));
	}

	private Object readAll(String cache, Collection<?> keys, ParameterizedTypeReference<?> type, ResultForm form,
			CacheSource.Loader loader) {
		CacheSource source = CacheSource.Several.of(cache, keys, "A key of cache '" + cache + "'",
				typeOf(cache, type.getType()), form, loader, (value) -> true);
		return unchecked(() -> Objects.requireNonNull(this.reader.read(source)));
	}

	private CacheType typeOf(String cache, Type type) {
		CacheType wanted = this.codec.type(type);
		if (this.definitions.type(cache) == wanted) {
			return wanted;
		}
		CacheType held = this.behindWriter.heldType(cache);
		if (held != null && !held.javaType().equals(wanted.javaType())) {
			throw new IllegalArgumentException("Cache '" + cache + "' holds " + held.javaType().toCanonical() + ", not "
					+ wanted.javaType().toCanonical());
		}
		this.definitions.usedAs(cache, wanted);
		return wanted;
	}

	@Override
	@SuppressWarnings("unchecked")
	public <T> @Nullable T get(String cache, Object key, ParameterizedTypeReference<T> type,
			Supplier<? extends @Nullable T> loader) {
		CacheType wanted = typeOf(cache, type.getType());
		CacheKey entry = key(cache, key);
		CacheSource source = new CacheSource.One(entry, wanted, ResultForm.PLAIN, false, (keys) -> loader.get());
		NearValue held = this.reader.inMemory(entry, source);
		if (held != null) {
			return (T) held.value();
		}
		forbidWaiting("get");
		return unchecked(() -> (T) GuardedCalls.run(this.reader.call(() -> source, () -> null)));
	}

	private static <T extends @Nullable Object> T unchecked(Call<T> call) {
		try {
			return call.run();
		}
		catch (Throwable ex) {
			throw CacheWriter.unchecked(ex);
		}
	}

	@Override
	@SuppressWarnings({ "unchecked", "NullAway" }) // what the work returns is a T
	public <T extends @Nullable Object> T write(String cache, Object key, Supplier<T> work) {
		forbidWaiting("write");
		return (T) this.writer.write(key(cache, key), ResultForm.PLAIN, work);
	}

	@Override
	@SuppressWarnings("unchecked")
	public <T> CompletionStage<@Nullable T> getAsync(String cache, Object key, ParameterizedTypeReference<T> type,
			Supplier<? extends CompletionStage<? extends @Nullable T>> loader) {
		CacheSource source = new CacheSource.One(key(cache, key), typeOf(cache, type.getType()), ResultForm.FUTURE,
				false, (keys) -> loader.get());
		return unchecked(() -> (CompletionStage<@Nullable T>) Objects.requireNonNull(this.reader.read(source)));
	}

	@Override
	@SuppressWarnings("unchecked")
	public <K, T> CompletionStage<Map<K, T>> getAllAsync(String cache, Collection<? extends K> keys,
			ParameterizedTypeReference<T> type,
			Function<? super List<K>, ? extends CompletionStage<? extends Map<? extends K, ? extends @Nullable T>>> loader) {
		return (CompletionStage<Map<K, T>>) readAll(cache, keys, type, ResultForm.FUTURE,
				(ids) -> loader.apply((List<K>) ids));
	}

	@Override
	@SuppressWarnings("unchecked")
	public <T extends @Nullable Object> CompletionStage<T> writeAsync(String cache, Object key,
			Supplier<? extends CompletionStage<T>> work) {
		return (CompletionStage<T>) Objects.requireNonNull(this.writer.write(key(cache, key), ResultForm.FUTURE, work));
	}

	@Override
	public CompletionStage<@Nullable Void> putAsync(String cache, Object key, @Nullable Object value) {
		return this.writer.putAsync(key(cache, key), value);
	}

	@Override
	public CompletionStage<@Nullable Void> evictAsync(String cache, Object key) {
		return this.writer.removeAsync(key(cache, key), CacheTags.ALL);
	}

	@Override
	public CompletionStage<@Nullable Void> invalidateTagsAsync(String cache, Object... tags) {
		return this.writer.removeAsync(CacheKey.whole(cache), tags(cache, tags));
	}

	@Override
	public CompletionStage<@Nullable Void> clearAsync(String cache) {
		return this.writer.removeAsync(CacheKey.whole(cache), CacheTags.ALL);
	}

	@Override
	public CompletionStage<Long> writeBehindAsync(String cache, Object key, @Nullable Object value) {
		return this.behindWriter.writeAsync(key(cache, key), value);
	}

	@Override
	public void put(String cache, Object key, @Nullable Object value) {
		forbidWaiting("put");
		this.writer.put(key(cache, key), value);
	}

	@Override
	public void evict(String cache, Object key) {
		forbidWaiting("evict");
		this.writer.remove(key(cache, key), CacheTags.ALL);
	}

	@Override
	public long writeBehind(String cache, Object key, @Nullable Object value) {
		forbidWaiting("writeBehind");
		return this.behindWriter.write(key(cache, key), value);
	}

	@Override
	public void invalidateTags(String cache, Object... tags) {
		forbidWaiting("invalidateTags");
		this.writer.remove(CacheKey.whole(cache), tags(cache, tags));
	}

	private static CacheTags tags(String cache, Object... tags) {
		boolean listed = tags.length == 1 && tags[0] instanceof Collection;
		return CacheTags.of(listed ? tags[0] : tags, "A tag of cache '" + cache + "'");
	}

	@Override
	public void clear(String cache) {
		forbidWaiting("clear");
		this.writer.remove(CacheKey.whole(cache), CacheTags.ALL);
	}

	private static void forbidWaiting(String method) {
		EventLoops.forbidWaiting("GeCaches." + method, method + "Async");
	}

	private static CacheKey key(String cache, Object key) {
		return CacheKey.of(cache, key, "The key of cache '" + cache + "'");
	}

	@FunctionalInterface
	private interface Call<T extends @Nullable Object> {

		T run() throws Throwable;

	}

}
