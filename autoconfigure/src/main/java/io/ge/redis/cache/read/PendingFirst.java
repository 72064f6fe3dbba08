/*
 * Copyright 2026 the GE Redis authors
 * SPDX-License-Identifier: Apache-2.0
 */

package io.ge.redis.cache.read;

import io.ge.redis.cache.behind.PendingChange;
import io.ge.redis.cache.behind.WriteBehind;
import io.ge.redis.cache.codec.CacheType;
import io.ge.redis.cache.engine.CacheKey;
import io.ge.redis.cache.engine.CacheTags;
import io.ge.redis.core.call.ResultForm;
import io.ge.redis.core.outage.Waiting;
import org.jspecify.annotations.Nullable;

/**
 * The source of a value of a cache that is written behind, for one refresh: the change
 * that waits for the store if there is one, since the database is older then. It waits
 * for the answer whether one does, and so is for threads that may.
 */
final class PendingFirst implements CacheSource {

	private final WriteBehind behind;

	private final CacheSource database;

	private boolean certain;

	/**
	 * Creates a source.
	 * @param database asked where no change waits
	 */
	PendingFirst(WriteBehind behind, CacheSource database) {
		this.behind = behind;
		this.database = database;
	}

	@Override
	public CacheKey key() {
		return this.database.key();
	}

	@Override
	public CacheType type() {
		return this.database.type();
	}

	@Override
	public ResultForm form() {
		return this.database.form();
	}

	@Override
	public @Nullable Object plain(@Nullable Object loaded) {
		return this.database.plain(loaded);
	}

	@Override
	public @Nullable Object promised(@Nullable Object plain) {
		return this.database.promised(plain);
	}

	@Override
	public @Nullable Object load() throws Throwable {
		this.certain = false;
		try {
			PendingChange change = Waiting.await(this.behind.pending(key().cache(), key().parts()));
			if (change.isPresent()) {
				Object value = this.behind.value(change, type().javaType());
				this.certain = true;
				return promises().of(promised(value));
			}
			this.certain = true;
		}
		catch (RuntimeException | StackOverflowError | LinkageError ex) {
			// The database is what is left. It may be older than a change
		}
		return this.database.load();
	}

	/**
	 * Returns whether a loaded value is to be stored: not if it may be older than a
	 * change that waits.
	 */
	@Override
	public boolean isStorable(@Nullable Object value) {
		return this.certain && this.database.isStorable(value);
	}

	@Override
	public @Nullable CacheTags tags() {
		return this.database.tags();
	}

	@Override
	public CacheSource detached() {
		return new PendingFirst(this.behind, this.database.detached());
	}

}
