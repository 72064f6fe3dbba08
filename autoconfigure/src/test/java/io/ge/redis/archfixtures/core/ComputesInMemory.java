// SPDX-License-Identifier: Apache-2.0

package io.ge.redis.archfixtures.core;

import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.LongAdder;

import io.lettuce.core.api.sync.RedisCommands;

class ComputesInMemory {

	private final Map<String, LongAdder> counts = new ConcurrentHashMap<>();

	String allowed(RedisCommands<String, String> commands, String key) {
		this.counts.computeIfAbsent(key, (name) -> new LongAdder()).increment();
		return commands.get(key);
	}

}
