/*
 * Copyright 2026 the GE Redis authors
 * SPDX-License-Identifier: Apache-2.0
 */

package io.ge.redis.web.exchange;

import java.lang.reflect.Method;

/**
 * A handler whose responses are kept.
 *
 * @param method the handler
 * @param result the type of what it returns, or promises
 * @param isLater whether that comes after it has returned
 * @param isKeyOwn whether its annotation names a key
 * @param isBodyCompared whether requests with a key are compared by their bodies
 */
public record GuardedHandler(Method method, Class<?> result, boolean isLater, boolean isKeyOwn,
		boolean isBodyCompared) {
}
