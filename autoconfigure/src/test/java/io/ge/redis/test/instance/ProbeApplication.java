// SPDX-License-Identifier: Apache-2.0

package io.ge.redis.test.instance;

import java.nio.charset.StandardCharsets;
import java.time.Instant;
import java.util.Date;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicInteger;

import io.ge.redis.core.script.LuaScript;
import io.ge.redis.lock.DistributedLocks;
import io.ge.redis.test.oracle.Journal;

import org.springframework.beans.factory.ObjectProvider;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.core.env.Environment;

/**
 * An application without Redis, for what instances can do and suffer.
 */
@Configuration(proxyBeanMethods = false)
class ProbeApplication {

	private final AtomicInteger calls = new AtomicInteger();

	@Bean
	Operation echo() {
		return (arguments) -> String.join(",", arguments);
	}

	@Bean
	Operation property(Environment environment) {
		return (arguments) -> environment.getProperty(arguments[0]);
	}

	@Bean
	Operation count() {
		return (arguments) -> String.valueOf(this.calls.incrementAndGet());
	}

	@Bean
	Operation fail() {
		return (arguments) -> {
			throw new IllegalArgumentException(arguments[0]);
		};
	}

	@Bean
	Operation clocks() {
		return (arguments) -> System.currentTimeMillis() + " " + Instant.now().toEpochMilli() + " "
				+ new Date().getTime();
	}

	@Bean
	Operation nanoTime() {
		return (arguments) -> String.valueOf(System.nanoTime());
	}

	@Bean
	Operation checked() {
		return (arguments) -> {
			check(arguments[0]);
			return "accepted " + later().join() + " " + script();
		};
	}

	@Bean
	Operation note(ObjectProvider<Journal> journal) {
		return (arguments) -> {
			journal.getObject().write(arguments[0], "1", "2");
			check("true");
			return null;
		};
	}

	static void check(String argument) {
		if (!Boolean.parseBoolean(argument)) {
			throw new IllegalStateException("refused");
		}
	}

	private CompletableFuture<Boolean> later() {
		return CompletableFuture.completedFuture(true);
	}

	private static String script() {
		LuaScript script = LuaScript.load(DistributedLocks.class, "renew.lua");
		return new String(script.text(), StandardCharsets.UTF_8).lines().toList().get(0);
	}

}
