/*
 * Copyright 2026 the GE Redis authors
 * SPDX-License-Identifier: Apache-2.0
 */

package io.ge.redis.web;

import org.jspecify.annotations.Nullable;
import reactor.util.context.Context;
import reactor.util.context.ContextView;

import org.springframework.web.server.ServerWebExchange;

/**
 * The exchange that a decision is about: in the context of Reactor, and bound to a thread
 * while something is decided there.
 */
final class CurrentExchange {

	private static final ThreadLocal<@Nullable ServerWebExchange> CURRENT = new ThreadLocal<>();

	private CurrentExchange() {
	}

	static @Nullable ServerWebExchange get() {
		return CURRENT.get();
	}

	static @Nullable ServerWebExchange in(ContextView context) {
		Object key = CurrentExchange.class;
		return context.hasKey(key) ? context.get(key) : null;
	}

	static Context put(Context context, ServerWebExchange exchange) {
		return context.put(CurrentExchange.class, exchange);
	}

	/**
	 * Returns a task that finds an exchange on its thread.
	 */
	static Runnable bind(ServerWebExchange exchange, Runnable task) {
		return () -> {
			ServerWebExchange before = CURRENT.get();
			CURRENT.set(exchange);
			try {
				task.run();
			}
			finally {
				if (before != null) {
					CURRENT.set(before);
				}
				else {
					CURRENT.remove();
				}
			}
		};
	}

}
