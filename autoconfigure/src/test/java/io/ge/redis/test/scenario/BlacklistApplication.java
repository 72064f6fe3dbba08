/*
 * Copyright 2026 the GE Redis authors
 * SPDX-License-Identifier: Apache-2.0
 */

package io.ge.redis.test.scenario;

import java.time.Duration;
import java.time.Instant;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;

import io.ge.redis.autoconfigure.BlacklistAutoConfiguration;
import io.ge.redis.autoconfigure.GeRedisAutoConfiguration;
import io.ge.redis.blacklist.BlacklistCheck;
import io.ge.redis.blacklist.Revocation;
import io.ge.redis.blacklist.TokenBlacklist;
import io.ge.redis.blacklist.TokenIdentity;
import io.ge.redis.blacklist.TokenRevokedException;
import io.ge.redis.core.outage.RedisUnavailableException;
import io.ge.redis.test.instance.Operation;

import org.springframework.boot.SpringBootConfiguration;
import org.springframework.boot.autoconfigure.ImportAutoConfiguration;
import org.springframework.boot.data.redis.autoconfigure.DataRedisAutoConfiguration;
import org.springframework.context.annotation.Bean;

/**
 * A door that lets tokens in until they are revoked. Its operations {@code revoke} and
 * {@code enter} are what {@link BlacklistScenario} asks for.
 */
@SpringBootConfiguration(proxyBeanMethods = false)
@ImportAutoConfiguration({ DataRedisAutoConfiguration.class, GeRedisAutoConfiguration.class,
		BlacklistAutoConfiguration.class })
public class BlacklistApplication {

	/** Somewhat longer than any instance answers from memory. */
	private static final Duration PATIENCE = Duration.ofSeconds(3);

	private static final long BETWEEN_TWO_CHECKS = TimeUnit.MILLISECONDS.toNanos(1);

	@Bean
	Door door() {
		return new Door();
	}

	@Bean
	Operation revoke(TokenBlacklist blacklist) {
		return (arguments) -> {
			Revocation revocation = blacklist.revoke(token(arguments));
			if (!revocation.awaitPropagation(PATIENCE)) {
				throw new IllegalStateException("Not every instance is certain to refuse");
			}
			return String.valueOf(revocation.isStored());
		};
	}

	@Bean
	Operation enter(Door door) {
		return (arguments) -> {
			try {
				return door.enter(token(arguments));
			}
			catch (TokenRevokedException ex) {
				return "refused";
			}
		};
	}

	/**
	 * Asks until the token is refused, and answers when that was, and when the last check
	 * was begun that let it in.
	 */
	@Bean
	Operation refusedAt(TokenBlacklist blacklist) {
		return (arguments) -> {
			long letIn = 0;
			while (true) {
				long begun = System.nanoTime();
				try {
					if (blacklist.isRevoked(token(arguments))) {
						return System.nanoTime() + " " + letIn;
					}
					letIn = begun;
				}
				catch (RedisUnavailableException ex) {
					// asked again
				}
				LockSupport.parkNanos(BETWEEN_TWO_CHECKS);
			}
		};
	}

	/**
	 * Revokes a token without waiting for others, and answers when that was.
	 */
	@Bean
	Operation revokedAt(TokenBlacklist blacklist) {
		return (arguments) -> {
			blacklist.revoke(token(arguments));
			return String.valueOf(System.nanoTime());
		};
	}

	private static TokenIdentity token(String... arguments) {
		Instant expiry = Instant.ofEpochMilli(Long.parseLong(arguments[1]));
		return new TokenIdentity("issuer", arguments[0], "subject", null, expiry, null);
	}

	/**
	 * The guarded service.
	 */
	public static class Door {

		@BlacklistCheck(name = "door", token = "#token")
		public String enter(TokenIdentity token) {
			return "entered";
		}

	}

}
