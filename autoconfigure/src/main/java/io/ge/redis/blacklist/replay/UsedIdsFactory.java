/*
 * Copyright 2026 the GE Redis authors
 * SPDX-License-Identifier: Apache-2.0
 */

package io.ge.redis.blacklist.replay;

import java.util.function.Supplier;

import io.ge.redis.core.RedisBackend;
import io.ge.redis.core.call.GuardedCalls;

/**
 * Assembles what remembers used ids.
 */
public final class UsedIdsFactory {

	private UsedIdsFactory() {
	}

	/**
	 * Assembles it.
	 * @param backend where ids are remembered, asked for at the first use
	 * @param calls make what does not wait
	 * @return the used ids
	 */
	public static UsedIds create(Supplier<RedisBackend> backend, GuardedCalls calls) {
		return new RedisUsedIds(backend, calls);
	}

}
