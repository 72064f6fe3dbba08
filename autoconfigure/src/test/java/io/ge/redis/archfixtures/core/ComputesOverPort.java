// SPDX-License-Identifier: Apache-2.0

package io.ge.redis.archfixtures.core;

import java.util.concurrent.ConcurrentHashMap;

import io.lettuce.core.api.sync.RedisCommands;

class ComputesOverPort {

	private final ConcurrentHashMap<String, String> values = new ConcurrentHashMap<>();

	String planted(Port port) {
		return this.values.compute("key", (key, value) -> port.load(key));
	}

	interface Port {

		String load(String key);

	}

	record Adapter(RedisCommands<String, String> commands) implements Port {

		@Override
		public String load(String key) {
			return this.commands.get(key);
		}

	}

}
