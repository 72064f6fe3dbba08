// SPDX-License-Identifier: Apache-2.0

package io.ge.redis.autoconfigure;

import io.ge.redis.blacklist.BlacklistCheck;
import io.ge.redis.cache.CacheAside;
import io.ge.redis.cache.CacheWriteThrough;
import io.ge.redis.idempotency.Idempotent;
import io.ge.redis.lock.DistributedLock;
import io.ge.redis.ratelimit.RateLimited;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

import org.springframework.boot.SpringApplication;
import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.autoconfigure.aop.AopAutoConfiguration;
import org.springframework.boot.context.event.ApplicationReadyEvent;
import org.springframework.boot.data.redis.autoconfigure.DataRedisAutoConfiguration;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;
import org.springframework.cache.annotation.CacheEvict;
import org.springframework.cache.annotation.Cacheable;
import org.springframework.cache.annotation.EnableCaching;
import org.springframework.context.ConfigurableApplicationContext;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Tests for {@link UnusedNames}, with Redis down.
 */
@ExtendWith(OutputCaptureExtension.class)
class UnusedNamesTests {

	private final ApplicationContextRunner runner = new ApplicationContextRunner()
		.withConfiguration(AutoConfigurations.of(AopAutoConfiguration.class, DataRedisAutoConfiguration.class,
				GeRedisAutoConfiguration.class, RateLimitAutoConfiguration.class, LockAutoConfiguration.class,
				IdempotencyAutoConfiguration.class, CacheAutoConfiguration.class, SpringCacheAutoConfiguration.class,
				BlacklistAutoConfiguration.class))
		.withUserConfiguration(Desk.class)
		.withPropertyValues("spring.data.redis.port=1", "ge.redis.rate-limit.limits.search.limit=5",
				"ge.redis.rate-limit.limits.feed.limits[0].limit=5",
				"ge.redis.rate-limit.limits.feed.limits[0].window=1s",
				"ge.redis.rate-limit.limits.feed-1s.overrides.anna.limit=50",
				"ge.redis.rate-limit.limits.shared.limit=5", "ge.redis.rate-limit.rules[0].path=/**",
				"ge.redis.rate-limit.rules[0].limits=shared", "ge.redis.lock.locks.jobs.wait-time=1s",
				"ge.redis.idempotency.operations[Desk.order].ttl=2h", "ge.redis.cache.caches.prices.ttl=1m",
				"ge.redis.cache.caches.rates.ttl=1m", "ge.redis.cache.caches.coded.type=java.lang.String",
				"ge.redis.blacklist.lists.wallets.on-outage=deny");

	@Test
	void namesThatAnnotationsOrRulesUseAreNoneOfThem(CapturedOutput output) {
		run(this.runner);
		assertThat(output).doesNotContain("No annotation uses");
	}

	@Test
	void othersAreWarnedOfTogether(CapturedOutput output) {
		run(this.runner.withPropertyValues("ge.redis.rate-limit.limits.serach.limit=5",
				"ge.redis.lock.locks.job.wait-time=1s", "ge.redis.idempotency.operations.orders.ttl=2h",
				"ge.redis.cache.caches.price.ttl=1m", "ge.redis.blacklist.lists.walets.on-outage=deny"));
		assertThat(output).containsOnlyOnce("No annotation uses")
			.contains("ge.redis.rate-limit.limits [serach], where annotations use [feed-1s, search]",
					"ge.redis.lock.locks [job], where annotations use [jobs]",
					"ge.redis.idempotency.operations [orders], where annotations use [Desk.order]",
					"ge.redis.cache.caches [price], where annotations use [prices]",
					"ge.redis.blacklist.lists [walets], where annotations use [wallets]", "unless code uses them");
	}

	@Test
	void cachesThatAreWrittenAndNeverReadAreOneWarning(CapturedOutput output) {
		run(this.runner.withBean(Writer.class));
		assertThat(output).containsOnlyOnce("Annotations write the caches [price, rate], and none reads them")
			.contains("They read [prices, rates], and none writes these. Correct the names, unless code uses them");
	}

	@Test
	void cachesThatFillThemselvesAreRight(CapturedOutput output) {
		run(this.runner);
		assertThat(output).doesNotContain("Annotations write");
	}

	@Test
	void thoseOfAPatternThatIsSwitchedOffAreNot(CapturedOutput output) {
		run(this.runner.withPropertyValues("ge.redis.lock.enabled=false", "ge.redis.lock.locks.job.wait-time=1s"));
		assertThat(output).doesNotContain("No annotation uses");
	}

	private static void run(ApplicationContextRunner runner) {
		runner.run((context) -> {
			assertThat(context).hasNotFailed();
			context.publishEvent(new ApplicationReadyEvent(new SpringApplication(), new String[0],
					context.getSourceApplicationContext(ConfigurableApplicationContext.class), null));
		});
	}

	@EnableCaching
	static class Desk {

		@RateLimited(name = "search")
		@RateLimited(name = "feed")
		@DistributedLock(name = "jobs")
		@BlacklistCheck(name = "wallets", subject = "#wallet")
		public void work(String wallet) {
		}

		@Idempotent(key = "#key")
		public String order(String key) {
			return key;
		}

		@CacheAside(cache = "prices", key = "#token")
		public String price(String token) {
			return token;
		}

		@Cacheable("rates")
		public String rate(String token) {
			return token;
		}

	}

	static class Writer {

		@CacheWriteThrough(cache = "price", key = "#token")
		public String change(String token) {
			return token;
		}

		@CacheEvict("rate")
		public void evict(String token) {
		}

	}

}
