/*
 * Copyright 2026 the GE Redis authors
 * SPDX-License-Identifier: Apache-2.0
 */

package io.ge.redis.ratelimit.engine;

import java.util.function.Consumer;

import io.ge.redis.core.bus.InstanceBus;

/**
 * Change notifications of limits for all instances, which answer from memory.
 */
public final class RateLimitNews {

	/** Permits were given back: the keys. Published by {@code refund.lua}. */
	static final String FORGET = "ratelimit.forget";

	/** Keys were reset. Published by {@code reset.lua}. */
	static final String RESET = "ratelimit.reset";

	/** Settings were changed at run time. */
	static final String CHANGED = "ratelimit.changed";

	/** Stands between two keys, and in none. */
	private static final char SEPARATOR = '\n';

	private RateLimitNews() {
	}

	public static void hear(InstanceBus bus, DenyCache denied, Leases leases, LocalRateLimiter local) {
		bus.handle(FORGET, (keys) -> forEach(keys, denied::forget));
		bus.handle(RESET, (keys) -> forEach(keys, (key) -> {
			local.forget(key);
			denied.forget(key);
			leases.drop(key);
		}));
		bus.handle(CHANGED, (change) -> denied.clear());
		bus.onLost(denied::clear);
		bus.onSubscribed(denied::clear);
		bus.confirmWhile(denied::isInUse);
	}

	private static void forEach(String keys, Consumer<String> action) {
		int from = 0;
		for (int end = keys.indexOf(SEPARATOR); end >= 0; end = keys.indexOf(SEPARATOR, from)) {
			action.accept(keys.substring(from, end));
			from = end + 1;
		}
		action.accept(keys.substring(from));
	}

}
