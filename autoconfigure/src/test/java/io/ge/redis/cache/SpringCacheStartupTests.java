// SPDX-License-Identifier: Apache-2.0

package io.ge.redis.cache;

import java.util.List;
import java.util.Map;
import java.util.stream.Stream;

import io.ge.redis.GuardConfigurationException;
import io.ge.redis.autoconfigure.CacheAutoConfiguration;
import io.ge.redis.autoconfigure.GeRedisAutoConfiguration;
import io.ge.redis.autoconfigure.SpringCacheAutoConfiguration;
import io.ge.redis.cache.internal.CachePattern;
import io.ge.redis.cache.internal.SpringCacheManager;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

import org.springframework.boot.LazyInitializationBeanFactoryPostProcessor;
import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.autoconfigure.context.PropertyPlaceholderAutoConfiguration;
import org.springframework.boot.cache.autoconfigure.metrics.CacheMetricsAutoConfiguration;
import org.springframework.boot.data.redis.autoconfigure.DataRedisAutoConfiguration;
import org.springframework.boot.jackson.autoconfigure.JacksonAutoConfiguration;
import org.springframework.boot.test.context.FilteredClassLoader;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.boot.test.system.OutputCaptureExtension;
import org.springframework.cache.CacheManager;
import org.springframework.cache.annotation.CacheEvict;
import org.springframework.cache.annotation.CachePut;
import org.springframework.cache.annotation.Cacheable;
import org.springframework.cache.annotation.EnableCaching;
import org.springframework.cache.concurrent.ConcurrentMapCacheManager;
import org.springframework.cache.support.NoOpCacheManager;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.junit.jupiter.params.provider.Arguments.arguments;

/**
 * What happens to Spring's caches when the application starts, with Redis down.
 */
@ExtendWith(OutputCaptureExtension.class)
class SpringCacheStartupTests {

	private final ApplicationContextRunner runner = new ApplicationContextRunner()
		.withConfiguration(AutoConfigurations.of(PropertyPlaceholderAutoConfiguration.class,
				JacksonAutoConfiguration.class, DataRedisAutoConfiguration.class, GeRedisAutoConfiguration.class,
				CacheAutoConfiguration.class, SpringCacheAutoConfiguration.class,
				org.springframework.boot.cache.autoconfigure.CacheAutoConfiguration.class))
		.withUserConfiguration(Caching.class)
		.withPropertyValues("spring.data.redis.port=1", "ge.redis.outage.command-timeout=100ms",
				"ge.redis.cache.ttl=10m");

	private static Throwable failure(Throwable thrown) {
		Throwable failure = thrown;
		while (!(failure instanceof GuardConfigurationException) && failure.getCause() != null) {
			failure = failure.getCause();
		}
		return failure;
	}

	// The manager

	@Test
	void managerIsOurs() {
		this.runner.run((context) -> assertThat(context).hasNotFailed()
			.getBean(CacheManager.class)
			.isInstanceOf(SpringCacheManager.class)
			.isSameAs(context.getBean("geRedisCacheManager"))
			.isSameAs(context.getBean(CachePattern.class).cacheManager()));
	}

	@Test
	void managerOfTheApplicationWins() {
		this.runner.withBean(ConcurrentMapCacheManager.class)
			.withBean(Desk.class)
			.run((context) -> assertThat(context).hasSingleBean(CacheManager.class)
				.getBean(CacheManager.class)
				.isInstanceOf(ConcurrentMapCacheManager.class));
	}

	@Test
	void typeThatIsNamedWins() {
		this.runner.withPropertyValues("spring.cache.type=simple")
			.run((context) -> assertThat(context.getBean(CacheManager.class))
				.isInstanceOf(ConcurrentMapCacheManager.class));
		this.runner.withPropertyValues("spring.cache.type=none")
			.run((context) -> assertThat(context.getBean(CacheManager.class)).isInstanceOf(NoOpCacheManager.class));
		this.runner.withPropertyValues("spring.cache.type=redis")
			.run((context) -> assertThat(context.getBean(CacheManager.class)).isInstanceOf(SpringCacheManager.class));
	}

	@Test
	void managerNeverHitsWhereCachesAreOff() {
		this.runner.withPropertyValues("ge.redis.cache.enabled=false")
			.run((context) -> assertThat(context).hasNotFailed()
				.getBean(CacheManager.class)
				.isInstanceOf(NoOpCacheManager.class));
	}

	@Test
	void managerNeedsNothingOfSpringBoot() {
		new ApplicationContextRunner()
			.withConfiguration(AutoConfigurations.of(PropertyPlaceholderAutoConfiguration.class,
					JacksonAutoConfiguration.class, DataRedisAutoConfiguration.class, GeRedisAutoConfiguration.class,
					CacheAutoConfiguration.class, SpringCacheAutoConfiguration.class))
			.withPropertyValues("spring.data.redis.port=1", "spring.cache.type=redis")
			.withClassLoader(new FilteredClassLoader("org.springframework.boot.cache", "io.micrometer"))
			.run((context) -> assertThat(context).hasNotFailed().hasSingleBean(CacheManager.class));
	}

	@Test
	void somethingElseMayHaveTheNameOfTheManager() {
		this.runner.withBean("cacheManager", StringBuilder.class, () -> new StringBuilder("another"))
			.withBean(Desk.class)
			.run((context) -> {
				assertThat(context).hasNotFailed().getBean(CacheManager.class).isInstanceOf(SpringCacheManager.class);
				assertThat(context.getBean("cacheManager")).hasToString("another");
				assertThat(context.getBean(Desk.class).number("a")).isEqualTo(1);
			});
	}

	@Test
	void managerBesideAnotherOne() {
		this.runner.withUserConfiguration(TwoManagers.class).withBean(TwoDesks.class).run((context) -> {
			TwoDesks desk = context.getBean(TwoDesks.class);
			Object first = desk.remembered("a");
			assertThat(desk.remembered("a")).as("whatever it is, and the same").isSameAs(first);
			assertThat(context.getBean("primary", CacheManager.class).getCacheNames()).containsExactly("remembered");
			assertThat(context.getBean("ours", CacheManager.class).getCacheNames()).containsExactly("numbers");
			assertThat(desk.number("a")).isEqualTo(1);
		});
	}

	// Names

	@Test
	void namesAreThoseOfPropertiesAndAnnotations() {
		this.runner.withBean(Desk.class)
			.withPropertyValues("ge.redis.cache.caches.listed.ttl=1m", "spring.cache.cache-names=more")
			.run((context) -> {
				CacheManager manager = context.getBean(CacheManager.class);
				assertThat(manager.getCacheNames()).containsExactlyInAnyOrder("listed", "more", "numbers");
				assertThat(manager.getCache("whatever")).isNotNull();
				assertThat(manager.getCacheNames()).contains("whatever");
				assertThatExceptionOfType(IllegalArgumentException.class).isThrownBy(() -> manager.getCache(" "));
			});
	}

	@Test
	void strictNamesAllowWhatIsListed() {
		this.runner.withBean(Desk.class)
			.withBean(EvictingDesk.class)
			.withPropertyValues("ge.redis.cache.strict-names=true", "ge.redis.cache.caches.numbers.ttl=1m",
					"spring.cache.cache-names=evicted")
			.run((context) -> {
				CacheManager manager = context.getBean(CacheManager.class);
				assertThat(manager.getCacheNames()).containsExactlyInAnyOrder("numbers", "evicted")
					.allSatisfy((name) -> assertThat(manager.getCache(name)).isNotNull());
				assertThatExceptionOfType(GuardConfigurationException.class)
					.isThrownBy(() -> manager.getCache("nubmers"))
					.withMessageContaining("there is no cache 'nubmers'")
					.withMessageContaining("[evicted, numbers]")
					.withMessageContaining("ge.redis.cache.caches.nubmers.ttl=10m")
					.withMessageContaining("spring.cache.cache-names");
				GeCaches caches = context.getBean(GeCaches.class);
				for (Runnable use : List.<Runnable>of(() -> caches.get("nubmers", "a", Integer.class, () -> 1),
						() -> caches.put("nubmers", "a", 1), () -> caches.evict("nubmers", "a"),
						() -> caches.clear("nubmers"), () -> caches.invalidateTags("nubmers", "a"),
						() -> caches.getAll("nubmers", List.of("a"), Integer.class, (keys) -> Map.of()),
						() -> caches.write("nubmers", "a", () -> 1))) {
					assertThatExceptionOfType(GuardConfigurationException.class).isThrownBy(use::run)
						.withMessageContaining("there is no cache 'nubmers'");
				}
			});
	}

	@ParameterizedTest
	@MethodSource("misspelt")
	void strictNamesRefuseWhatIsNotListed(Class<?> bean, String annotation) {
		this.runner.withBean("desk", bean)
			.withPropertyValues("ge.redis.cache.strict-names=true", "ge.redis.cache.caches.listed.ttl=1m")
			.run((context) -> assertThat(failure(context.getStartupFailure()))
				.isInstanceOf(GuardConfigurationException.class)
				.hasMessageContaining(annotation + " on")
				.hasMessageContaining("there is no cache '")
				.hasMessageContaining("[listed]")
				.hasMessageContaining("Correct the name, or list it"));
	}

	static Stream<Arguments> misspelt() {
		return Stream.of(arguments(Desk.class, "@Cacheable"), arguments(EvictingDesk.class, "@CacheEvict"),
				arguments(OurDesk.class, "@CacheAside"), arguments(PuttingDesk.class, "@CachePut"));
	}

	// Types

	@Test
	void propertyGivesATypeToWhatHasNone() {
		this.runner.withBean(OpenDesk.class)
			.withBean(ObjectReader.class)
			.withPropertyValues("ge.redis.cache.caches.numbers.type=java.lang.Integer",
					"ge.redis.cache.caches.objects.type=java.util.List<java.lang.String>")
			.run((context) -> {
				assertThat(context).hasNotFailed();
				assertThat(context.getBean(OpenDesk.class).find("a")).isNull();
			});
	}

	@Test
	void propertyGivesATypeAlsoWhereBeansAreInitialisedLazily() {
		this.runner.withBean(OpenDesk.class)
			.withBean(ObjectReader.class)
			.withInitializer(
					(context) -> context.addBeanFactoryPostProcessor(new LazyInitializationBeanFactoryPostProcessor()))
			.withPropertyValues("ge.redis.cache.caches.numbers.type=java.lang.Integer",
					"ge.redis.cache.caches.objects.type=java.util.List<java.lang.String>")
			.run((context) -> {
				assertThat(context).hasNotFailed();
				assertThat(context.getBean(OpenDesk.class).find("a")).isNull();
			});
	}

	@ParameterizedTest
	@MethodSource("badTypes")
	void refusesTypesThatCannotWork(String type, String message) {
		this.runner.withPropertyValues("ge.redis.cache.caches.numbers.type=" + type)
			.withBean(Desk.class)
			.run((context) -> assertThat(failure(context.getStartupFailure()))
				.isInstanceOf(GuardConfigurationException.class)
				.hasMessageContaining(message));
	}

	static Stream<Arguments> badTypes() {
		return Stream.of(arguments("com.acme.Nothing", "numbers.type: 'com.acme.Nothing' is no type"),
				arguments("java.util.List<", "Write the full name of a class"),
				arguments("java.lang.Object", "java.lang.Object cannot be read back"),
				arguments("java.lang.Runnable", "java.lang.Runnable cannot be read back"));
	}

	@Test
	void refusesToPutWhereChangesWait() {
		this.runner.withBean("desk", PuttingDesk.class)
			.withPropertyValues("ge.redis.cache.caches.put.write-behind=true")
			.run((context) -> assertThat(failure(context.getStartupFailure()))
				.isInstanceOf(GuardConfigurationException.class)
				.hasMessageContaining("cache 'put' is written behind")
				.hasMessageContaining("@CacheWriteBehind or GeCaches.writeBehind"));
	}

	// Meters

	@Test
	void cachesHaveTheMetersOfSpringBoot() {
		this.runner.withBean(SimpleMeterRegistry.class)
			.withBean(Desk.class)
			.withConfiguration(AutoConfigurations.of(CacheMetricsAutoConfiguration.class))
			.withPropertyValues("ge.redis.cache.caches.listed.ttl=1m",
					"ge.redis.cache.caches.listed.type=java.lang.Long")
			.run((context) -> {
				assertThat(context).hasNotFailed();
				MeterRegistry registry = context.getBean(MeterRegistry.class);
				context.getBean(Desk.class).number("a");
				assertThat(count(registry, "numbers", "miss")).isEqualTo(1);
				context.getBean(CacheManager.class).getCache("listed").get("a");
				context.getBean(CacheManager.class).getCache("listed").put("a", 1L);
				context.getBean(CacheManager.class).getCache("listed").evict("a");
				assertThat(count(registry, "listed", "miss")).isEqualTo(1);
				assertThat(count(registry, "listed", "hit")).isZero();
				assertThat(registry.get("cache.puts").tag("name", "listed").functionCounter().count()).isEqualTo(1);
				assertThat(registry.get("cache.removals").tag("name", "listed").functionCounter().count()).isEqualTo(1);
			});
	}

	private static double count(MeterRegistry registry, String cache, String result) {
		return registry.get("cache.gets")
			.tag("name", cache)
			.tag("cache.manager", "geRedis")
			.tag("result", result)
			.functionCounter()
			.count();
	}

	@EnableCaching
	@Configuration(proxyBeanMethods = false)
	static class Caching {

	}

	@Configuration(proxyBeanMethods = false)
	static class TwoManagers {

		@Bean(defaultCandidate = false)
		CacheManager ours(CachePattern guard) {
			return guard.cacheManager();
		}

		@Bean
		CacheManager primary() {
			return new ConcurrentMapCacheManager();
		}

	}

	static class TwoDesks {

		@Cacheable("remembered")
		Object remembered(Object key) {
			return new Object();
		}

		@Cacheable(cacheNames = "numbers", cacheManager = "ours")
		int number(String id) {
			return 1;
		}

	}

	static class Desk {

		@Cacheable("numbers")
		int number(String id) {
			return 1;
		}

	}

	static class EvictingDesk {

		@CacheEvict("evicted")
		void evict(String id) {
		}

	}

	static class PuttingDesk {

		@CachePut("put")
		int put(String id) {
			return 1;
		}

	}

	static class OurDesk {

		@CacheAside(cache = "ours", key = "#id")
		int number(String id) {
			return 1;
		}

	}

	static class ObjectReader {

		@Cacheable("objects")
		Object read(String id) {
			return List.of("a");
		}

	}

	static class OpenDesk<T> {

		@Cacheable("numbers")
		@Nullable T find(String id) {
			return null;
		}

	}

}
