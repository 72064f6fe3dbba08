/*
 * Copyright 2026 the GE Redis authors
 * SPDX-License-Identifier: Apache-2.0
 */

package io.ge.redis.cache;

import java.util.function.Consumer;

import org.jspecify.annotations.Nullable;

/**
 * Observes values that methods promise by types that are not part of the JDK.
 */
@FunctionalInterface
public interface CacheResultWatcher {

	/**
	 * Watches what a method has returned.
	 * @param result a publisher or the like
	 * @param ended told once when it has completed or failed or nobody waits for it any
	 * more, before whoever waits is: with the failure, or {@code null} if there was none
	 * @return the result to be returned instead
	 */
	Object watch(Object result, Consumer<@Nullable Throwable> ended);

}
