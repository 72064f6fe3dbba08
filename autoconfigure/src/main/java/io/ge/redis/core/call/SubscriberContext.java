/*
 * Copyright 2026 the GE Redis authors
 * SPDX-License-Identifier: Apache-2.0
 */

package io.ge.redis.core.call;

import org.jspecify.annotations.Nullable;
import reactor.util.context.Context;
import reactor.util.context.ContextView;

/**
 * What is in the context of a subscriber, for code that knows no Reactor.
 */
public final class SubscriberContext {

	private SubscriberContext() {
	}

	/**
	 * Finds something of which a context has one at most.
	 * @param context the context of a subscriber
	 * @param type what is looked for
	 * @param <T> its type
	 * @return what was found, or {@code null}
	 */
	public static <T> @Nullable T find(Object context, Class<T> type) {
		Object found = ((ContextView) context).getOrDefault(type, null);
		return (found != null) ? type.cast(found) : null;
	}

	/**
	 * Adds something of which a context has one at most.
	 * @param context the context of a subscriber
	 * @param type what it is found by
	 * @param value what is added
	 * @param <T> its type
	 * @return the context with it
	 */
	public static <T> Object with(Object context, Class<T> type, T value) {
		return ((Context) context).put(type, value);
	}

}
