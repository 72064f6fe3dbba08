// SPDX-License-Identifier: Apache-2.0

package io.ge.redis.readme;

import java.math.BigDecimal;
import java.time.Duration;

import io.ge.redis.autoconfigure.GeRedisAutoConfiguration;
import io.ge.redis.autoconfigure.RateLimitAutoConfiguration;
import io.ge.redis.readme.CallingStyleExamples.Exchange;
import io.ge.redis.readme.CallingStyleExamples.Quote;
import io.ge.redis.test.SharedRedis;
import org.junit.jupiter.api.Test;
import reactor.core.publisher.Mono;

import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.data.redis.autoconfigure.DataRedisAutoConfiguration;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * The code of the page on futures, publishers and suspending functions does what the page
 * says.
 */
class CallingStyleExamplesIntegrationTests {

	private static final Duration LONG = Duration.ofSeconds(30);

	@Test
	void limitsQuotesAndTrades() {
		SharedRedis.standalone().flushAll();
		new ApplicationContextRunner()
			.withConfiguration(AutoConfigurations.of(DataRedisAutoConfiguration.class, GeRedisAutoConfiguration.class,
					RateLimitAutoConfiguration.class))
			.withBean(Exchange.class, () -> (symbol) -> Mono.just(new Quote(symbol, BigDecimal.ONE)))
			.withUserConfiguration(CallingStyleExamples.class)
			.withPropertyValues(SharedRedis.properties())
			.withPropertyValues("ge.redis.outage.command-timeout=5s", "ge.redis.rate-limit.limits.trades.limit=1",
					"ge.redis.rate-limit.limits[CallingStyleExamples.quote].limit=1",
					"ge.redis.rate-limit.limits[CallingStyleExamples.quote].window=1h")
			.run((context) -> {
				CallingStyleExamples examples = context.getBean(CallingStyleExamples.class);
				assertThat(examples.quote("SOL").block(LONG)).isEqualTo(new Quote("SOL", BigDecimal.ONE));
				assertThat(examples.quote("SOL").block(LONG)).isEqualTo(new Quote("SOL", BigDecimal.TEN));
				assertThat(examples.mayTrade("anna").toCompletableFuture()).succeedsWithin(LONG).isEqualTo(true);
				assertThat(examples.mayTrade("anna").toCompletableFuture()).succeedsWithin(LONG).isEqualTo(false);
			});
	}

}
