/*
 * Copyright 2026 the GE Redis authors
 * SPDX-License-Identifier: Apache-2.0
 */

package io.ge.redis.cache;

/**
 * How much a writer does so that no old value stays in a cache. All instances must agree.
 * <p>
 * In every mode a reader stores what it has loaded only if no writer has resolved the
 * entry since it began to load; the modes differ in what happens around a commit.
 */
public enum Consistency {

	/**
	 * Two calls for each write: the writer announces itself before the commit, which
	 * removes the entry and keeps readers past the cache, and publishes the value after
	 * it. Nothing stale stays, also if the writer dies in between. The default.
	 */
	INTENT,

	/**
	 * One call for each write: the entry is removed after the commit, no value is ever
	 * published. Until that call readers get the old value; if the writer dies before it,
	 * until the TTL ends.
	 */
	LEASE,

	/**
	 * One call for each write: the value is stored after the commit, as Spring's caches
	 * do. Until that call readers get the old value; if the writer dies before it, or if
	 * two writers of the entry store in another order than they committed, until the TTL
	 * ends. The latter cannot happen to writers with a {@code version}.
	 */
	FAST

}
