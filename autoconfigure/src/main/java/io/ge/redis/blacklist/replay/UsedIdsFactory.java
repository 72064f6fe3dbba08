/*
 * Copyright 2026 the GE Redis authors
 * SPDX-License-Identifier: Apache-2.0
 */

package io.ge.redis.blacklist.replay;

import java.util.function.Supplier;

import io.ge.redis.core.RedisBackend;

import org.springframework.util.function.SingletonSupplier;

/**
 * Assembles what remembers used ids.
 */
public final class UsedIdsFactory {

	private UsedIdsFactory() {
	}

	/**
	 * Assembles it.
	 * @param backend where ids are remembered, asked for at the first use
	 * @return the used ids
	 */
	public static UsedIds create(Supplier<RedisBackend> backend) {
		Supplier<UsedIds> redis = SingletonSupplier.of(() -> new RedisUsedIds(backend.get()));
		return (kind, id, remembered) -> redis.get().use(kind, id, remembered);
	}

}
