/*
 * Copyright 2026 the GE Redis authors
 * SPDX-License-Identifier: Apache-2.0
 */

package io.ge.redis.core.call;

import org.jspecify.annotations.Nullable;
import reactor.util.context.Context;
import reactor.util.context.ContextView;

/**
 * Reads and writes the contexts of subscribers, for those who need not know Reactor.
 */
public final class SubscriberContexts {

	private SubscriberContexts() {
	}

	/**
	 * Returns what a context holds.
	 * @param context a {@code reactor.util.context.ContextView}
	 * @param key the key
	 * @return the value, or {@code null}
	 */
	public static @Nullable Object get(Object context, Object key) {
		return ((ContextView) context).getOrDefault(key, null);
	}

	/**
	 * Makes a context that holds something else.
	 * @param context a {@code reactor.util.context.Context}
	 * @param key the key
	 * @param value the value
	 * @return the context
	 */
	public static Object put(Object context, Object key, Object value) {
		return ((Context) context).put(key, value);
	}

}
