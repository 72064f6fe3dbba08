/*
 * Copyright 2026 the GE Redis authors
 * SPDX-License-Identifier: Apache-2.0
 */

package io.ge.redis.cache;

import java.util.ArrayList;
import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;

import io.ge.redis.cache.behind.PendingChange;
import io.ge.redis.cache.behind.WriteBehind;
import io.ge.redis.core.outage.Waiting;
import org.jspecify.annotations.Nullable;

/**
 * As {@link PendingFirst} for several values, for one call. All changes are asked for at
 * once.
 */
final class PendingFirstForSeveral implements CacheBulkSource {

	private final WriteBehind behind;

	private final CacheBulkSource database;

	private boolean certain = true;

	/**
	 * Creates a source.
	 * @param database asked for the values of which no change waits
	 */
	PendingFirstForSeveral(WriteBehind behind, CacheBulkSource database) {
		this.behind = behind;
		this.database = database;
	}

	@Override
	public String cache() {
		return this.database.cache();
	}

	@Override
	public Collection<CacheKey> keys() {
		return this.database.keys();
	}

	@Override
	public CacheType type() {
		return this.database.type();
	}

	@Override
	public Map<CacheKey, @Nullable Object> load(List<CacheKey> missing) throws Throwable {
		Map<CacheKey, CompletableFuture<PendingChange>> asked = new LinkedHashMap<>();
		missing.forEach((key) -> asked.put(key, this.behind.pending(cache(), key.parts())));
		Map<CacheKey, @Nullable Object> values = new LinkedHashMap<>();
		List<CacheKey> rest = new ArrayList<>();
		asked.forEach((key, answer) -> {
			if (!take(key, answer, values)) {
				rest.add(key);
			}
		});
		if (!rest.isEmpty()) {
			values.putAll(this.database.load(rest));
		}
		return values;
	}

	private boolean take(CacheKey key, CompletableFuture<PendingChange> answer,
			Map<CacheKey, @Nullable Object> values) {
		try {
			PendingChange change = Waiting.await(answer);
			if (change.isPresent()) {
				values.put(key, this.behind.value(change, type().javaType()));
			}
			return change.isPresent();
		}
		catch (RuntimeException | StackOverflowError | LinkageError ex) {
			// The database is what is left. It may be older than a change
			this.certain = false;
			return false;
		}
	}

	@Override
	public boolean isStorable(@Nullable Object value) {
		return this.certain && this.database.isStorable(value);
	}

}
