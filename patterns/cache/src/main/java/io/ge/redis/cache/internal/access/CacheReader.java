// SPDX-License-Identifier: Apache-2.0

package io.ge.redis.cache.internal.access;

import java.util.function.Supplier;

import io.ge.redis.cache.CacheLoadTimeoutException;
import io.ge.redis.cache.internal.engine.CacheInvalidations;
import io.ge.redis.cache.internal.engine.CacheKey;
import io.ge.redis.cache.internal.engine.CacheLookup.Load;
import io.ge.redis.cache.internal.engine.CacheType;
import io.ge.redis.cache.internal.engine.NearValue;
import io.ge.redis.cache.internal.engine.Snapshot;
import io.ge.redis.core.call.GuardedCall;
import io.ge.redis.core.call.GuardedCalls;
import io.ge.redis.core.call.ResultForm;
import org.jspecify.annotations.Nullable;

/**
 * Reads one value or several through the caches, by the same steps for all forms of
 * results. Nothing here blocks; a caller with a plain result waits, and loads on its
 * thread, in its transaction.
 */
public final class CacheReader {

	private final CacheReadParts parts;

	public CacheReader(CacheReadParts parts) {
		this.parts = parts;
	}

	/**
	 * Returns a value that is in memory, for a plain caller.
	 * @return the value, or {@code null} to {@link #call} for it
	 */
	public @Nullable NearValue inMemory(CacheSource source) {
		return this.parts.near().find(source.key(), source.type(), source);
	}

	/**
	 * Returns a value from the cache, or loads it, in the form of the source.
	 * @throws Throwable what a source of plain values throws
	 * @throws CacheLoadTimeoutException if another caller loads for too long and the
	 * cache is configured to fail then
	 */
	public @Nullable Object read(CacheSource source) throws Throwable {
		if (!source.form().isPlain()) {
			return this.parts.calls().make(source.form(), () -> call(source));
		}
		NearValue held = inMemory(source);
		return (held != null) ? source.result(held.value()) : GuardedCalls.run(call(source));
	}

	/**
	 * Makes a call: it looks up, loads and stores.
	 */
	public GuardedCall<?> call(CacheSource source) {
		return new CacheCall(this.parts, source);
	}

	/**
	 * Returns several values from the cache, or loads those that are not there, in the
	 * form of the source.
	 * @throws Throwable what a source of plain values throws
	 */
	public @Nullable Object readAll(CacheBulkSource source) throws Throwable {
		return this.parts.calls().start(source.form(), () -> call(() -> source, () -> null));
	}

	/**
	 * Makes a call for several values.
	 * @param source gives the entries when the call asks, or {@code null} if it does not
	 * read the cache
	 * @param uncached the work in that case
	 */
	public GuardedCall<?> call(Supplier<@Nullable CacheBulkSource> source, GuardedCall.Work uncached) {
		return new CacheBulkCall(this.parts, source, uncached);
	}

	/**
	 * Returns a value from the cache for a caller that loads by itself, or an
	 * {@link OpenMiss}, in a form.
	 * @throws Throwable never for a form that comes later
	 */
	public @Nullable Object readOpen(CacheKey key, CacheType type, ResultForm form) throws Throwable {
		return read(new OpenSource(this.parts, key, type, form));
	}

	/**
	 * An entry for a caller that loads by itself.
	 */
	private record OpenSource(CacheReadParts parts, CacheKey key, CacheType type,
			ResultForm form) implements CacheSource {

		@Override
		public boolean isOpen() {
			return true;
		}

		// Asked only where a change that waits for the store turns out to be unreadable
		@Override
		public @Nullable Object load() {
			return promises().of(new OpenMiss(this.parts, this.key, this.type, Load.UNSTORED, Snapshot.NONE.ageMillis(),
					CacheInvalidations.UNSTAMPABLE));
		}

	}

}
