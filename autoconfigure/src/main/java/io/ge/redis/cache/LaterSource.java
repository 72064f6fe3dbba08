/*
 * Copyright 2026 the GE Redis authors
 * SPDX-License-Identifier: Apache-2.0
 */

package io.ge.redis.cache;

import io.ge.redis.core.call.Promises;
import io.ge.redis.core.call.ResultForm;
import org.jspecify.annotations.Nullable;

/**
 * A source whose values come later: what it loads is a promise of the value.
 */
interface LaterSource extends CacheSource {

	/**
	 * Returns the form of the promise.
	 */
	ResultForm form();

	default Promises promises() {
		return Promises.of(form());
	}

	/**
	 * Returns what is stored of a promised value.
	 */
	default @Nullable Object plain(@Nullable Object promised) {
		return promised;
	}

	/**
	 * Returns what is promised for a stored value.
	 */
	default @Nullable Object promised(@Nullable Object plain) {
		return plain;
	}

	@Override
	default LaterSource detached() {
		return this;
	}

}
