// SPDX-License-Identifier: Apache-2.0

package io.ge.redis.readme;

import java.time.Duration;
import java.util.List;
import java.util.Map;

import io.ge.redis.autoconfigure.CacheAutoConfiguration;
import io.ge.redis.autoconfigure.GeRedisAutoConfiguration;
import io.ge.redis.readme.LaterExamples.Account;
import io.ge.redis.test.ReactiveDatabase;
import io.ge.redis.test.SharedRedis;
import org.junit.jupiter.api.Test;

import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.autoconfigure.aop.AopAutoConfiguration;
import org.springframework.boot.data.redis.autoconfigure.DataRedisAutoConfiguration;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Runs the examples of the page on caching whose values come later.
 */
class LaterExamplesIntegrationTests {

	private static final Duration LONG = Duration.ofSeconds(30);

	@Test
	void valuesThatComeLaterAreCached() {
		SharedRedis.standalone().flushAll();
		ReactiveDatabase database = ReactiveDatabase.create();
		database.put("a", 1).then(database.put("b", 3)).block(LONG);
		new ApplicationContextRunner()
			.withConfiguration(AutoConfigurations.of(AopAutoConfiguration.class, DataRedisAutoConfiguration.class,
					GeRedisAutoConfiguration.class, CacheAutoConfiguration.class))
			.withPropertyValues(SharedRedis.properties())
			.withPropertyValues("ge.redis.outage.command-timeout=5s")
			.withBean(ReactiveDatabase.class, () -> database)
			.withBean(LaterExamples.class)
			.run((context) -> {
				LaterExamples examples = context.getBean(LaterExamples.class);
				assertThat(examples.account("a").block(LONG)).isEqualTo(new Account("a", 1));
				assertThat(examples.accountInCode("a").toCompletableFuture()).succeedsWithin(LONG)
					.isEqualTo(new Account("a", 1));
				assertThat(examples.correct("a", 2).block(LONG)).isEqualTo(new Account("a", 2));
				assertThat(examples.account("a").block(LONG)).isEqualTo(new Account("a", 2));
				assertThat(examples.loads()).hasValue(1);
				Map<String, Account> both = Map.of("a", new Account("a", 2), "b", new Account("b", 3));
				assertThat(examples.accounts(List.of("a", "b", "none")).block(LONG)).isEqualTo(both);
				assertThat(examples.accountsInCode(List.of("a", "b")).toCompletableFuture()).succeedsWithin(LONG)
					.isEqualTo(both);
				assertThat(examples.loads()).hasValue(2);
			});
	}

}
