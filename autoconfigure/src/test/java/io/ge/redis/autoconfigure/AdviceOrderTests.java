// SPDX-License-Identifier: Apache-2.0

package io.ge.redis.autoconfigure;

import java.util.Arrays;

import io.ge.redis.blacklist.BlacklistCheck;
import io.ge.redis.breaker.CircuitBreaker;
import io.ge.redis.cache.CacheAside;
import io.ge.redis.core.guard.GuardAdvisor;
import io.ge.redis.idempotency.Idempotent;
import io.ge.redis.lock.DistributedLock;
import io.ge.redis.ratelimit.RateLimited;
import org.junit.jupiter.api.Test;

import org.springframework.aop.Advisor;
import org.springframework.aop.framework.Advised;
import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.autoconfigure.aop.AopAutoConfiguration;
import org.springframework.boot.data.redis.autoconfigure.DataRedisAutoConfiguration;
import org.springframework.boot.jackson.autoconfigure.JacksonAutoConfiguration;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.cache.annotation.Cacheable;
import org.springframework.cache.annotation.EnableCaching;
import org.springframework.cache.concurrent.ConcurrentMapCacheManager;
import org.springframework.cache.interceptor.BeanFactoryCacheOperationSourceAdvisor;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.resilience.annotation.ConcurrencyLimit;
import org.springframework.resilience.annotation.EnableResilientMethods;
import org.springframework.resilience.annotation.Retryable;
import org.springframework.scheduling.annotation.Async;
import org.springframework.scheduling.annotation.AsyncAnnotationAdvisor;
import org.springframework.scheduling.annotation.EnableAsync;
import org.springframework.security.access.prepost.PreAuthorize;
import org.springframework.security.config.annotation.method.configuration.EnableMethodSecurity;
import org.springframework.transaction.annotation.EnableTransactionManagement;
import org.springframework.transaction.annotation.Transactional;
import org.springframework.transaction.interceptor.BeanFactoryTransactionAttributeSourceAdvisor;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Where the guards stand among all advice that an application may have on one bean.
 */
class AdviceOrderTests {

	/** Not visible as types. */
	private static final String METHOD_SECURITY = EnableMethodSecurity.class.getPackageName();

	private final ApplicationContextRunner runner = new ApplicationContextRunner()
		.withConfiguration(AutoConfigurations.of(AopAutoConfiguration.class, DataRedisAutoConfiguration.class,
				JacksonAutoConfiguration.class, GeRedisAutoConfiguration.class, RateLimitAutoConfiguration.class,
				LockAutoConfiguration.class, BreakerAutoConfiguration.class, BlacklistAutoConfiguration.class,
				IdempotencyAutoConfiguration.class, CacheAutoConfiguration.class))
		.withUserConfiguration(Application.class)
		.withPropertyValues("spring.data.redis.port=1");

	@Test
	void guardsStandBetweenMethodSecurityAndTransactions() {
		this.runner.run((context) -> {
			Advised desk = (Advised) context.getBean(Desk.class);
			assertThat(names(desk)).containsSubsequence("Async", "PreAuthorize", "BlacklistCheck", "RateLimited",
					"Idempotent", "CircuitBreaker", "DistributedLock", "CacheAside", "Transactional");
			assertThat(names(desk)).containsSubsequence("Resilience", "PreAuthorize")
				.containsSubsequence("CacheAside", "Cacheable");
		});
	}

	@Test
	void guardsAreMovedTogether() {
		this.runner.withPropertyValues("ge.redis.aop.order=-5000").run((context) -> {
			Advised desk = (Advised) context.getBean(Desk.class);
			assertThat(names(desk)).containsSubsequence("Async", "BlacklistCheck", "RateLimited", "Idempotent",
					"CircuitBreaker", "DistributedLock", "CacheAside", "PreAuthorize", "Transactional");
		});
	}

	private static String[] names(Advised bean) {
		return Arrays.stream(bean.getAdvisors()).map(AdviceOrderTests::name).distinct().toArray(String[]::new);
	}

	private static String name(Advisor advisor) {
		if (advisor instanceof GuardAdvisor guard) {
			return guard.source().annotationType().getSimpleName();
		}
		if (advisor.getClass().getName().startsWith(METHOD_SECURITY)) {
			return "PreAuthorize";
		}
		if (advisor instanceof BeanFactoryTransactionAttributeSourceAdvisor) {
			return "Transactional";
		}
		if (advisor instanceof BeanFactoryCacheOperationSourceAdvisor) {
			return "Cacheable";
		}
		if (advisor instanceof AsyncAnnotationAdvisor) {
			return "Async";
		}
		return advisor.getAdvice().getClass().getPackageName().startsWith("org.springframework.resilience")
				|| advisor.getAdvice().getClass().getSimpleName().startsWith("ConcurrencyLimit") ? "Resilience"
						: advisor.getClass().getName();
	}

	@Configuration(proxyBeanMethods = false)
	@EnableAsync
	@EnableCaching
	@EnableMethodSecurity
	@EnableResilientMethods
	@EnableTransactionManagement
	static class Application {

		@Bean
		Desk desk() {
			return new Desk();
		}

		@Bean
		ConcurrentMapCacheManager cacheManager() {
			return new ConcurrentMapCacheManager();
		}

	}

	static class Desk {

		@Async
		@ConcurrencyLimit(10)
		@Retryable
		@PreAuthorize("permitAll()")
		@BlacklistCheck(name = "tokens", token = "#id")
		@RateLimited(name = "desk", limit = 10)
		@Idempotent(name = "desk", key = "#id")
		@CircuitBreaker(name = "desk")
		@DistributedLock(name = "desk", key = "#id")
		@Transactional
		public void write(String id) {
		}

		@PreAuthorize("permitAll()")
		@RateLimited(name = "read", limit = 10)
		@CacheAside(cache = "desk", key = "#id")
		@Cacheable("desk")
		@Transactional
		public String read(String id) {
			return id;
		}

	}

}
