// SPDX-License-Identifier: Apache-2.0

package io.ge.redis.autoconfigure.application;

import java.util.function.Supplier;

import io.ge.redis.core.RedisBackend;
import io.ge.redis.core.RedisBackends;

import org.springframework.beans.factory.ObjectProvider;
import org.springframework.core.env.Environment;

/**
 * The Redis of a pattern: the one of {@code ge.redis.<pattern>.connection-factory}, else
 * the application's only or primary one.
 */
public record PatternBackend(String pattern, ObjectProvider<RedisBackends> backends,
		Environment environment) implements Supplier<RedisBackend> {

	@Override
	public RedisBackend get() {
		return this.backends.getObject().get(property(), this.environment.getProperty(property()));
	}

	private String property() {
		return "ge.redis." + this.pattern + ".connection-factory";
	}

}
