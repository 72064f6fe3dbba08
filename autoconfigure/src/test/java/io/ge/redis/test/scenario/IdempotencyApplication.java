/*
 * Copyright 2026 the GE Redis authors
 * SPDX-License-Identifier: Apache-2.0
 */

package io.ge.redis.test.scenario;

import io.ge.redis.autoconfigure.GeRedisAutoConfiguration;
import io.ge.redis.autoconfigure.IdempotencyAutoConfiguration;
import io.ge.redis.idempotency.Idempotent;
import io.ge.redis.test.instance.Operation;

import org.springframework.boot.SpringBootConfiguration;
import org.springframework.boot.autoconfigure.ImportAutoConfiguration;
import org.springframework.boot.data.redis.autoconfigure.DataRedisAutoConfiguration;
import org.springframework.boot.jackson.autoconfigure.JacksonAutoConfiguration;
import org.springframework.boot.jdbc.autoconfigure.DataSourceAutoConfiguration;
import org.springframework.boot.jdbc.autoconfigure.DataSourceTransactionManagerAutoConfiguration;
import org.springframework.boot.jdbc.autoconfigure.JdbcTemplateAutoConfiguration;
import org.springframework.boot.transaction.autoconfigure.TransactionAutoConfiguration;
import org.springframework.boot.transaction.autoconfigure.TransactionManagerCustomizationAutoConfiguration;
import org.springframework.context.annotation.Bean;
import org.springframework.jdbc.core.JdbcTemplate;
import org.springframework.transaction.annotation.Transactional;

/**
 * Takes payments, each of which must be taken once. Its operation {@code pay} is what
 * {@link IdempotencyScenario} asks for.
 */
@SpringBootConfiguration(proxyBeanMethods = false)
@ImportAutoConfiguration({ DataRedisAutoConfiguration.class, DataSourceAutoConfiguration.class,
		DataSourceTransactionManagerAutoConfiguration.class, JdbcTemplateAutoConfiguration.class,
		TransactionManagerCustomizationAutoConfiguration.class, TransactionAutoConfiguration.class,
		JacksonAutoConfiguration.class, GeRedisAutoConfiguration.class, IdempotencyAutoConfiguration.class })
public class IdempotencyApplication {

	@Bean
	Effects effects(JdbcTemplate jdbc) {
		return new Effects(jdbc);
	}

	@Bean
	Payments payments(Effects effects) {
		return new Payments(effects);
	}

	@Bean
	Operation pay(Payments payments) {
		return (arguments) -> payments.pay(arguments[0], Long.parseLong(arguments[1]));
	}

	/**
	 * The guarded service.
	 */
	public static class Payments {

		private final Effects effects;

		Payments(Effects effects) {
			this.effects = effects;
		}

		@Idempotent(name = "payments", key = "#key", fingerprint = "#key")
		@Transactional
		public String pay(String key, long millis) {
			return this.effects.add(key, millis);
		}

	}

}
