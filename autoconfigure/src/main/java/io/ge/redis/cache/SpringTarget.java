/*
 * Copyright 2026 the GE Redis authors
 * SPDX-License-Identifier: Apache-2.0
 */

package io.ge.redis.cache;

import java.util.ArrayList;
import java.util.List;
import java.util.regex.Pattern;

import io.ge.redis.core.invocation.InvalidKeyException;
import org.jspecify.annotations.Nullable;

import org.springframework.util.ObjectUtils;

/**
 * The changes of an operation in one cache, announced before it commits.
 *
 * @param view the cache as the operation sees it
 * @param key names the entry, or the cache as a whole
 */
record SpringTarget(SpringCacheView view, CacheKey key) {

	private static final Pattern RESULT = Pattern.compile("#result\\b");

	/**
	 * Returns what the operations of a call change, as far as known before its method
	 * runs.
	 * @param views the caches as each operation sees them, in Spring's order
	 */
	static List<SpringTarget> of(List<SpringCacheView> views) {
		List<SpringTarget> targets = new ArrayList<>(1);
		SpringOperation last = null;
		SpringProbe probe = null;
		for (SpringCacheView view : views) {
			SpringOperation operation = view.operation();
			if (!operation.isWriter()) {
				continue;
			}
			if (probe == null || operation != last) {
				probe = view.probe();
				last = operation;
			}
			if (!isExcluded(operation, probe)) {
				SpringTarget target = target(view, probe);
				if (target != null) {
					targets.add(target);
				}
			}
		}
		return targets;
	}

	private static boolean isExcluded(SpringOperation operation, SpringProbe probe) {
		String condition = operation.operation().getCondition();
		try {
			return !RESULT.matcher(condition).find() && !probe.passes(null);
		}
		catch (RuntimeException ex) {
			// Perhaps it can be evaluated when the method has run; if not, Spring tells
			return false;
		}
	}

	private static @Nullable SpringTarget target(SpringCacheView view, SpringProbe probe) {
		SpringOperation operation = view.operation();
		if (operation.isPut()) {
			// Refuses what cannot be read back before anything is changed
			view.type();
		}
		if (operation.isCacheWide()) {
			return new SpringTarget(view, CacheKey.whole(view.getName()));
		}
		Object key = keyBefore(operation, probe);
		if (key == null) {
			return null;
		}
		try {
			return new SpringTarget(view, view.key(key));
		}
		catch (InvalidKeyException ex) {
			if (ex.isCausedByArguments() && operation.hasOwnKey()) {
				// The method may make it, such as the id of a new row
				return null;
			}
			throw ex;
		}
	}

	private static @Nullable Object keyBefore(SpringOperation operation, SpringProbe probe) {
		if (RESULT.matcher(operation.operation().getKey()).find()) {
			return null;
		}
		try {
			return probe.key(null);
		}
		catch (RuntimeException ex) {
			// Perhaps it can be evaluated when the method has run; if not, Spring tells
			return null;
		}
	}

	SpringCacheParts parts() {
		return this.view.parts();
	}

	@Nullable Object write(CacheWriter.Work work) throws Throwable {
		SpringOperation operation = this.view.operation();
		CacheWriter writer = parts().writer();
		TransactionBoundary boundary = parts().boundary(operation);
		if (this.key.isWhole()) {
			return writer.invalidate(this.key.cache(), boundary, work, (result) -> CacheTags.ALL);
		}
		return writer.write(this.key, boundary, work, operation.isPut() ? this::value : CacheWriter.Valuation.NOTHING);
	}

	private CacheWrite.@Nullable NewValue value(@Nullable Object result, long stamp) {
		if (this.view.isAsynchronous()) {
			return null;
		}
		Object value = ObjectUtils.unwrapOptional(result);
		// Another one, since each remembers whether its condition held
		SpringProbe after = this.view.probe();
		Object now = after.key(value);
		if (now == null || !this.view.key(now).equals(this.key) || !after.passes(value) || !after.stores(value)) {
			return null;
		}
		return parts().writer().newValue(this.key.cache(), value, stamp, null);
	}

}
