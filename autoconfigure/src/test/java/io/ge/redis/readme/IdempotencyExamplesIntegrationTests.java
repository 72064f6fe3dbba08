// SPDX-License-Identifier: Apache-2.0

package io.ge.redis.readme;

import java.util.List;

import io.ge.redis.autoconfigure.GeRedisAutoConfiguration;
import io.ge.redis.autoconfigure.IdempotencyAutoConfiguration;
import io.ge.redis.readme.IdempotencyExamples.NothingLeftException;
import io.ge.redis.readme.IdempotencyExamples.Receipt;
import io.ge.redis.test.SharedRedis;
import org.junit.jupiter.api.Test;

import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.autoconfigure.aop.AopAutoConfiguration;
import org.springframework.boot.data.redis.autoconfigure.DataRedisAutoConfiguration;
import org.springframework.boot.jdbc.autoconfigure.DataSourceAutoConfiguration;
import org.springframework.boot.jdbc.autoconfigure.DataSourceInitializationAutoConfiguration;
import org.springframework.boot.jdbc.autoconfigure.DataSourceTransactionManagerAutoConfiguration;
import org.springframework.boot.jdbc.autoconfigure.JdbcTemplateAutoConfiguration;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.boot.transaction.autoconfigure.TransactionAutoConfiguration;
import org.springframework.boot.transaction.autoconfigure.TransactionManagerCustomizationAutoConfiguration;
import org.springframework.dao.OptimisticLockingFailureException;
import org.springframework.jdbc.core.JdbcTemplate;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

/**
 * The code on the page on idempotency does what the page says.
 */
class IdempotencyExamplesIntegrationTests {

	private final ApplicationContextRunner runner = new ApplicationContextRunner()
		.withConfiguration(AutoConfigurations.of(AopAutoConfiguration.class, DataRedisAutoConfiguration.class,
				DataSourceAutoConfiguration.class, DataSourceTransactionManagerAutoConfiguration.class,
				DataSourceInitializationAutoConfiguration.class, JdbcTemplateAutoConfiguration.class,
				TransactionAutoConfiguration.class, TransactionManagerCustomizationAutoConfiguration.class,
				GeRedisAutoConfiguration.class, IdempotencyAutoConfiguration.class))
		.withBean(IdempotencyExamples.class)
		.withPropertyValues(SharedRedis.properties())
		.withPropertyValues("ge.redis.idempotency.witness=required",
				"spring.sql.init.schema-locations=classpath:db/ge-redis/h2/R__ge_idempotency.sql");

	@Test
	void codeDoesWhatThePageSays() {
		SharedRedis.standalone().flushAll();
		this.runner.run((context) -> {
			assertThat(context).hasNotFailed();
			IdempotencyExamples examples = context.getBean(IdempotencyExamples.class);
			Receipt receipt = examples.transfer("t-1", "anna", 300);
			assertThat(examples.transfer("t-1", "anna", 300)).isEqualTo(receipt);
			assertThat(examples.transferInCode("t-1", 7)).isEqualTo(examples.transferInCode("t-1", 7));
			examples.importAll("i-1", List.of(1, 2, 3));
			SharedRedis.standalone().flushAll();
			assertThat(examples.transfer("t-1", "anna", 300)).isEqualTo(receipt);
			assertThat(examples.count("transfer")).isOne();
			assertThat(examples.importAll("i-1", List.of(1, 2, 3))).isEqualTo(new Receipt("i-1", 3));
			assertThat(examples.count("booking")).isEqualTo(3);
			assertThat(examples.withdraw("w-1", 3)).isEqualTo(examples.withdraw("w-1", 3));
			for (int i = 0; i < 2; i++) {
				assertThatExceptionOfType(NothingLeftException.class).isThrownBy(() -> examples.withdraw("w-2", 3))
					.withMessage("Less than 3 left");
				context.getBean(JdbcTemplate.class).update("update account set cents = 9");
			}
			examples.publish("home", "welcome");
			SharedRedis.standalone().flushAll();
			context.getBean(JdbcTemplate.class).update("update page set fence = ?", Long.MAX_VALUE);
			assertThatExceptionOfType(OptimisticLockingFailureException.class)
				.isThrownBy(() -> examples.publish("home", "late"));
		});
	}

}
