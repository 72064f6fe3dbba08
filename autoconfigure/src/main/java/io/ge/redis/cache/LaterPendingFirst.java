/*
 * Copyright 2026 the GE Redis authors
 * SPDX-License-Identifier: Apache-2.0
 */

package io.ge.redis.cache;

import io.ge.redis.cache.behind.WriteBehind;
import io.ge.redis.core.call.ResultForm;
import org.jspecify.annotations.Nullable;

/**
 * As {@link PendingFirst} for a value that comes later. It waits for the answer whether a
 * change waits, and so is for threads that may.
 */
final class LaterPendingFirst extends PendingFirst implements LaterSource {

	private final WriteBehind behind;

	private final LaterSource database;

	/**
	 * Creates a source.
	 * @param database asked where no change waits
	 */
	LaterPendingFirst(WriteBehind behind, LaterSource database) {
		super(behind, database);
		this.behind = behind;
		this.database = database;
	}

	@Override
	public ResultForm form() {
		return this.database.form();
	}

	@Override
	public @Nullable Object plain(@Nullable Object promised) {
		return this.database.plain(promised);
	}

	@Override
	public @Nullable Object promised(@Nullable Object plain) {
		return this.database.promised(plain);
	}

	@Override
	Object found(@Nullable Object value) {
		return promises().of(promised(value));
	}

	@Override
	public LaterSource detached() {
		return new LaterPendingFirst(this.behind, this.database.detached());
	}

}
