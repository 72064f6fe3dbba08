// SPDX-License-Identifier: Apache-2.0

package io.ge.redis.core.call;

import org.jspecify.annotations.Nullable;
import reactor.util.context.Context;
import reactor.util.context.ContextView;

/**
 * The context of a subscriber, for code that knows no Reactor.
 */
public final class SubscriberContext {

	private SubscriberContext() {
	}

	public static @Nullable Object find(Object context, Object key) {
		return ((ContextView) context).getOrDefault(key, null);
	}

	/**
	 * Finds the only value of a type in a context.
	 */
	public static <T> @Nullable T find(Object context, Class<T> type) {
		Object found = find(context, (Object) type);
		return (found != null) ? type.cast(found) : null;
	}

	public static Object with(Object context, Object key, Object value) {
		return ((Context) context).put(key, value);
	}

}
