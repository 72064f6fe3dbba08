// SPDX-License-Identifier: Apache-2.0

package io.ge.redis.archfixtures.core;

import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;

class ComputesWaiting {

	private final ConcurrentHashMap<String, String> values = new ConcurrentHashMap<>();

	String planted(CompletableFuture<String> loading) {
		return this.values.computeIfPresent("key", (key, value) -> loading.join());
	}

}
