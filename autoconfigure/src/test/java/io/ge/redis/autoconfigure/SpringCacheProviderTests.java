// SPDX-License-Identifier: Apache-2.0

package io.ge.redis.autoconfigure;

import java.util.ArrayList;
import java.util.List;

import ch.qos.logback.classic.Level;
import ch.qos.logback.classic.Logger;
import io.ge.redis.cache.CacheAside;
import io.ge.redis.cache.GeCaches;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.slf4j.LoggerFactory;

import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.cache.autoconfigure.CacheAutoConfiguration;
import org.springframework.boot.cache.autoconfigure.RedisCacheManagerBuilderCustomizer;
import org.springframework.boot.context.annotation.ImportCandidates;
import org.springframework.boot.data.redis.autoconfigure.DataRedisAutoConfiguration;
import org.springframework.boot.test.context.FilteredClassLoader;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;
import org.springframework.cache.Cache;
import org.springframework.cache.CacheManager;
import org.springframework.cache.annotation.EnableCaching;
import org.springframework.cache.caffeine.CaffeineCache;
import org.springframework.cache.caffeine.CaffeineCacheManager;
import org.springframework.cache.concurrent.ConcurrentMapCache;
import org.springframework.cache.concurrent.ConcurrentMapCacheManager;
import org.springframework.cache.support.SimpleCacheManager;
import org.springframework.context.ApplicationContext;
import org.springframework.context.annotation.Configuration;
import org.springframework.data.redis.cache.RedisCacheManager;
import org.springframework.util.ClassUtils;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * The provider of Spring's caches is the one that an application has without this
 * library, unless it asks for ours. There is no Redis.
 */
@ExtendWith(OutputCaptureExtension.class)
class SpringCacheProviderTests {

	private static final Logger LOGGER = (Logger) LoggerFactory.getLogger(SpringCacheProvider.class);

	private static final String CAFFEINE = "com.github.benmanes.caffeine";

	private final ApplicationContextRunner runner = new ApplicationContextRunner()
		.withConfiguration(AutoConfigurations.of(all()))
		.withUserConfiguration(Caching.class)
		.withPropertyValues("spring.data.redis.port=1", "ge.redis.embedded.enabled=false");

	private static Class<?>[] all() {
		List<Class<?>> all = new ArrayList<>(List.of(DataRedisAutoConfiguration.class, CacheAutoConfiguration.class));
		ImportCandidates.load(AutoConfiguration.class, SpringCacheProviderTests.class.getClassLoader())
			.getCandidates()
			.stream()
			.filter((name) -> name.startsWith("io.ge.redis.autoconfigure.") && !name.contains(".console."))
			.forEach((name) -> all.add(ClassUtils.resolveClassName(name, null)));
		return all.toArray(Class<?>[]::new);
	}

	@BeforeAll
	static void logInfo() {
		LOGGER.setLevel(Level.INFO);
	}

	@AfterAll
	static void logAsConfigured() {
		LOGGER.setLevel(null);
	}

	@ParameterizedTest
	@CsvSource({ "a=b, CaffeineCacheManager", "spring.cache.type=simple, ConcurrentMapCacheManager",
			"spring.cache.type=redis, SpringCacheManager", "spring.cache.redis.key-prefix=a, RedisCacheManager",
			"ge.redis.cache.ttl=1m, SpringCacheManager", "ge.redis.lock.lease-time=1m, CaffeineCacheManager",
			"ge.redis.cache.enabled=false, CaffeineCacheManager", "ge.redis.enabled=false, CaffeineCacheManager" })
	void isOursWhereAPropertySaysSo(String property, String manager) {
		this.runner.withPropertyValues(property).run((context) -> assertManager(context, manager));
	}

	@ParameterizedTest
	@CsvSource({ "spring.cache.type=caffeine, CaffeineCacheManager", "spring.cache.type=redis, SpringCacheManager",
			"ge.redis.enabled=false, NoOpCacheManager", "ge.redis.cache.enabled=false, NoOpCacheManager" })
	void typeAndSwitchesWinOverProperties(String property, String manager) {
		this.runner.withPropertyValues(property, "ge.redis.cache.ttl=1m")
			.run((context) -> assertManager(context, manager));
	}

	@Test
	void isOursWhereAnAnnotationSaysSo() {
		this.runner.withBean(Reader.class).run((context) -> assertManager(context, "SpringCacheManager"));
		this.runner.withBean(InCode.class).run((context) -> assertManager(context, "CaffeineCacheManager"));
	}

	@Test
	void isTheNextOfSpringBootsOrder() {
		this.runner.withClassLoader(new FilteredClassLoader(CAFFEINE))
			.withPropertyValues("spring.cache.cache-names=a,b")
			.run((context) -> assertThat(context.getBean(CacheManager.class))
				.isInstanceOf(ConcurrentMapCacheManager.class)
				.returns(List.of("a", "b"), (manager) -> manager.getCacheNames().stream().sorted().toList()));
		this.runner.withPropertyValues("spring.cache.cache-names=a", "spring.cache.caffeine.spec=recordStats")
			.run((context) -> assertThat(context.getBean(CaffeineCacheManager.class).getCache("a"))
				.isInstanceOfSatisfying(CaffeineCache.class,
						(cache) -> assertThat(cache.getNativeCache().policy().isRecordingStats()).isTrue()));
	}

	@Test
	void isTheOneThatSpringBootChoosesBeforeRedis() {
		this.runner.withBean(Cache.class, () -> new ConcurrentMapCache("a"))
			.run((context) -> assertThat(context.getBean(CacheManager.class)).isInstanceOf(SimpleCacheManager.class));
	}

	@Test
	void isTheOneOfTheApplication() {
		this.runner.withBean("theirs", CacheManager.class, ConcurrentMapCacheManager::new)
			.withPropertyValues("ge.redis.cache.ttl=1m")
			.run((context) -> assertManager(context, "ConcurrentMapCacheManager"));
		this.runner
			.withBean(RedisCacheManagerBuilderCustomizer.class,
					() -> RedisCacheManager.RedisCacheManagerBuilder::enableStatistics)
			.run((context) -> assertManager(context, "RedisCacheManager"));
	}

	@Test
	void oneLineNamesTheProviderAndHowToChooseAnother(CapturedOutput output) {
		this.runner.run((context) -> assertThat(output).containsOnlyOnce("Spring's caches")
			.contains(
					"are kept by the provider Caffeine, not in Redis. Set spring.cache.type=redis if they belong there"));
	}

	@Test
	void oneLineSaysWhyItIsOurs(CapturedOutput output) {
		this.runner.withBean("reader", Reader.class)
			.run((context) -> assertThat(output).containsOnlyOnce("Spring's caches")
				.contains("are GE Redis caches, because bean 'reader' has @CacheAside. Set spring.cache.type"));
	}

	private static void assertManager(ApplicationContext context, String manager) {
		assertThat(context.getBean(CacheManager.class).getClass().getSimpleName()).isEqualTo(manager);
	}

	@Configuration(proxyBeanMethods = false)
	@EnableCaching
	static class Caching {

	}

	static class Reader {

		@CacheAside(cache = "prices", key = "#id")
		public String price(String id) {
			return id;
		}

	}

	record InCode(GeCaches caches) {
	}

}
