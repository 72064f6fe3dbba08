// SPDX-License-Identifier: Apache-2.0

package io.ge.redis.web.exchange;

import java.lang.reflect.Method;

/**
 * A handler whose responses are kept.
 */
record GuardedHandler(Method method, Class<?> result, boolean isLater, boolean isKeyOwn, boolean isBodyCompared) {
}
