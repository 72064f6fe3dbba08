/*
 * Copyright 2026 the GE Redis authors
 * SPDX-License-Identifier: Apache-2.0
 */

package io.ge.redis.test.scenario;

import java.time.Instant;

import io.ge.redis.autoconfigure.BlacklistAutoConfiguration;
import io.ge.redis.autoconfigure.GeRedisAutoConfiguration;
import io.ge.redis.blacklist.BlacklistCheck;
import io.ge.redis.blacklist.TokenBlacklist;
import io.ge.redis.blacklist.TokenIdentity;
import io.ge.redis.blacklist.TokenRevokedException;
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

	@Bean
	Door door() {
		return new Door();
	}

	@Bean
	Operation revoke(TokenBlacklist blacklist) {
		return (arguments) -> String.valueOf(blacklist.revoke(token(arguments)).isStored());
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
