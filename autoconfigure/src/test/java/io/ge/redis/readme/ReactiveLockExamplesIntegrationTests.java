// SPDX-License-Identifier: Apache-2.0

package io.ge.redis.readme;

import java.time.Duration;

import io.ge.redis.autoconfigure.GeRedisAutoConfiguration;
import io.ge.redis.autoconfigure.LockAutoConfiguration;
import io.ge.redis.test.ReactiveDatabase;
import io.ge.redis.test.SharedRedis;
import org.junit.jupiter.api.Test;

import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.data.redis.autoconfigure.DataRedisAutoConfiguration;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.context.annotation.Configuration;
import org.springframework.r2dbc.core.DatabaseClient;
import org.springframework.transaction.ReactiveTransactionManager;
import org.springframework.transaction.annotation.EnableTransactionManagement;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * The code of the page on locks does what the page says, where results come later.
 */
class ReactiveLockExamplesIntegrationTests {

	private static final Duration LONG = Duration.ofSeconds(30);

	@Test
	void worksUnderItsLocks() {
		SharedRedis.standalone().flushAll();
		ReactiveDatabase database = ReactiveDatabase.create();
		database.put("anna", 1).block(LONG);
		new ApplicationContextRunner()
			.withConfiguration(AutoConfigurations.of(DataRedisAutoConfiguration.class, GeRedisAutoConfiguration.class,
					LockAutoConfiguration.class))
			.withBean(DatabaseClient.class, database::client)
			.withBean(ReactiveTransactionManager.class, database::transactionManager)
			.withUserConfiguration(Transactions.class)
			.withBean(ReactiveLockExamples.class)
			.withPropertyValues(SharedRedis.properties())
			.run((context) -> {
				ReactiveLockExamples examples = context.getBean(ReactiveLockExamples.class);
				examples.deposit("anna", 2).block(LONG);
				assertThat(examples.checkedBalance("anna").block(LONG)).isEqualTo(3);
				assertThat(examples.tokenLater("anna").toCompletableFuture()).succeedsWithin(LONG)
					.matches((token) -> token > 0);
				assertThat(examples.takeIfFreeLater("anna").toCompletableFuture()).succeedsWithin(LONG).isEqualTo(true);
			});
	}

	@Configuration(proxyBeanMethods = false)
	@EnableTransactionManagement
	static class Transactions {

	}

}
