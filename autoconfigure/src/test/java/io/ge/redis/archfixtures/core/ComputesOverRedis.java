// SPDX-License-Identifier: Apache-2.0

package io.ge.redis.archfixtures.core;

import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;

import org.springframework.data.redis.connection.RedisConnection;

abstract class ComputesOverRedis {

	private final Map<String, Boolean> answers = new ConcurrentHashMap<>();

	boolean planted(String key) {
		return this.answers.computeIfAbsent(key, this::answer);
	}

	private boolean answer(String key) {
		return connection().ping() != null;
	}

	abstract RedisConnection connection();

}
