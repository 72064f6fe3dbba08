// SPDX-License-Identifier: Apache-2.0

package io.ge.redis.cache;

import java.lang.reflect.Method;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CopyOnWriteArrayList;

import io.ge.redis.cache.CacheApplication.Balance;
import io.ge.redis.cache.CacheApplication.Balances;
import io.ge.redis.cache.internal.CachePattern;
import io.ge.redis.test.OnRedis;
import io.ge.redis.test.RedisFixture;
import io.ge.redis.test.Wide;
import org.junit.jupiter.api.Test;

import org.springframework.cache.Cache;
import org.springframework.cache.CacheManager;
import org.springframework.cache.annotation.CachePut;
import org.springframework.cache.annotation.Cacheable;
import org.springframework.cache.annotation.CachingConfigurer;
import org.springframework.cache.concurrent.ConcurrentMapCacheManager;
import org.springframework.cache.interceptor.CacheErrorHandler;
import org.springframework.cache.interceptor.CacheOperationInvocationContext;
import org.springframework.cache.interceptor.CacheResolver;
import org.springframework.cache.interceptor.KeyGenerator;
import org.springframework.cache.interceptor.SimpleCacheErrorHandler;
import org.springframework.cache.interceptor.SimpleKey;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.transaction.annotation.Transactional;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

/**
 * What an application has configured of Spring's caching stays as it is.
 */
@OnRedis
class SpringCacheConfigurationIntegrationTests {

	@Test
	void configurerOfTheApplication(RedisFixture redis) {
		try (CacheApplication application = SpringBalances.start(Configured.class, redis.properties())) {
			Balances balances = application.balances();
			balances.insert("a", "100");
			Desk desk = application.bean(Desk.class);
			Seen seen = application.bean(Seen.class);
			assertThat(desk.find("a")).isEqualTo(balances.stored("a"));
			assertThat(desk.find("a")).isEqualTo(balances.stored("a"));
			assertThat(desk.loads()).hasSize(1);
			assertThat(seen.resolved).contains("find");
			assertThat(seen.generated).contains("find");
			// As the generator has it, which is the entry of our annotation
			assertThat(application.caches()
				.get("balances", List.of("find", "a"), Balance.class, () -> new Balance("?", null, 0)))
				.isEqualTo(balances.stored("a"));
			desk.add("a", "1");
			assertThat(desk.find("a")).isEqualTo(balances.stored("a"));
			assertThat(desk.loads()).as("written under another key").hasSize(1);
			assertThat(desk.find(null)).isNull();
			assertThat(seen.failed).anyMatch(
					(message) -> message.startsWith("The key of cache 'balances' evaluated to a java.lang.Object"));
		}
	}

	@Test
	@Wide
	void cachesOfOtherManagers(RedisFixture redis) {
		try (CacheApplication application = SpringBalances.start(Beside.class, redis.properties())) {
			Balances balances = application.balances();
			balances.insert("a", "100");
			TwoDesks desk = application.bean(TwoDesks.class);
			Object first = desk.remembered("a", "b");
			assertThat(desk.remembered("a", "b")).isSameAs(first);
			Cache other = application.bean(CacheManager.class).getCache("remembered");
			assertThat(other.getNativeCache()).isInstanceOfSatisfying(Map.class,
					(map) -> assertThat(map.keySet()).isEqualTo(Set.of(new SimpleKey("a", "b"))));
			assertThat(desk.both("a")).isEqualTo(balances.stored("a"));
			assertThat(desk.both("a")).isEqualTo(balances.stored("a"));
			assertThat(balances.find("a")).isEqualTo(balances.stored("a"));
			assertThat(balances.loads()).hasValue(0);
			application.events().takeResults();
			desk.add("a", "1");
			assertThat(application.events().takeResults()).containsExactly("published");
			assertThat(balances.find("a")).isEqualTo(balances.stored("a"));
		}
	}

	@Test
	@Wide
	void cachesThatAreWrittenBehindCanBeRead(RedisFixture redis) {
		try (CacheApplication application = SpringBalances.start(Behind.class, redis.properties(),
				"ge.redis.cache.caches.behind.write-behind=true")) {
			BehindDesk desk = application.bean(BehindDesk.class);
			assertThat(desk.find("a")).isEqualTo("database");
			assertThat(desk.find("a")).isEqualTo("database");
			application.caches().writeBehind("behind", "a", "changed");
			assertThat(desk.find("a")).isEqualTo("changed");
			assertThat(desk.findInSync("a")).isEqualTo("changed");
			application.caches().evict("behind", "a");
			assertThat(desk.find("a")).as("waits for the store").isEqualTo("changed");
			assertThat(desk.find("a")).isEqualTo("changed");
			assertThat(desk.loads()).hasSize(1);
			Cache cache = application.bean(CacheManager.class).getCache("behind");
			assertThat(cache.get("a").get()).isEqualTo("changed");
			assertThatIllegalArgumentException().isThrownBy(() -> cache.put("a", "lost"))
				.withMessageContaining("Cache 'behind' is written behind")
				.withMessageContaining("Use writeBehind");
			assertThat(desk.find("a")).isEqualTo("changed");
		}
		finally {
			// The change waits for a store, without a TTL
			redis.flushAll();
		}
	}

	@Configuration(proxyBeanMethods = false)
	static class Configured extends SpringBalances.Configuration {

		@Bean
		Seen seen() {
			return new Seen();
		}

		@Bean
		Desk desk(Balances balances) {
			return new Desk(balances);
		}

		@Bean
		CachingConfigurer configurer(CacheManager manager, Seen seen) {
			return new CachingConfigurer() {

				@Override
				public CacheResolver cacheResolver() {
					return (context) -> seen.resolve(context, manager);
				}

				@Override
				public KeyGenerator keyGenerator() {
					return seen::generate;
				}

				@Override
				public CacheErrorHandler errorHandler() {
					return seen;
				}

			};
		}

	}

	/**
	 * What an application has put into Spring's caching.
	 */
	static class Seen extends SimpleCacheErrorHandler {

		private final List<String> resolved = new CopyOnWriteArrayList<>();

		private final List<String> generated = new CopyOnWriteArrayList<>();

		private final List<String> failed = new CopyOnWriteArrayList<>();

		Collection<? extends Cache> resolve(CacheOperationInvocationContext<?> context, CacheManager manager) {
			this.resolved.add(context.getMethod().getName());
			return List.of(manager.getCache("balances"));
		}

		Object generate(Object target, Method method, Object... parameters) {
			this.generated.add(method.getName());
			List<Object> key = new ArrayList<>(List.of("find"));
			key.add((parameters[0] != null) ? parameters[0] : new Object());
			return key;
		}

		@Override
		public void handleCacheGetError(RuntimeException exception, Cache cache, Object key) {
			this.failed.add(exception.getMessage());
		}

		@Override
		public void handleCachePutError(RuntimeException exception, Cache cache, Object key, Object value) {
			this.failed.add(exception.getMessage());
		}

	}

	static class Desk {

		private final Balances balances;

		private final List<String> loads = new CopyOnWriteArrayList<>();

		Desk(Balances balances) {
			this.balances = balances;
		}

		List<String> loads() {
			return this.loads;
		}

		@Cacheable("whatever")
		Balance find(String id) {
			this.loads.add(String.valueOf(id));
			return (id != null) ? this.balances.stored(id) : null;
		}

		@CachePut("whatever")
		@Transactional
		Balance add(String id, String delta) {
			this.balances.addOutsideOfCache(id, delta);
			return this.balances.stored(id);
		}

	}

	@Configuration(proxyBeanMethods = false)
	static class Beside extends SpringBalances.Configuration {

		@Bean
		CacheManager primary() {
			return new ConcurrentMapCacheManager();
		}

		@Bean(defaultCandidate = false)
		CacheManager ours(CachePattern guard) {
			return guard.cacheManager();
		}

		@Bean
		CacheResolver everywhere(CachePattern guard) {
			Cache other = new ConcurrentMapCacheManager().getCache("other");
			return (context) -> List.of(other, guard.cacheManager().getCache("balances"));
		}

		@Bean
		TwoDesks twoDesks(Balances balances) {
			return new TwoDesks(balances);
		}

	}

	static class TwoDesks {

		private final Balances balances;

		TwoDesks(Balances balances) {
			this.balances = balances;
		}

		@Cacheable("remembered")
		Object remembered(String first, String second) {
			return new Object();
		}

		@Cacheable(cacheNames = "both", cacheResolver = "everywhere")
		Balance both(String id) {
			return this.balances.stored(id);
		}

		@CachePut(cacheNames = "balances", key = "#id", cacheManager = "ours")
		@Transactional
		Balance add(String id, String delta) {
			this.balances.addOutsideOfCache(id, delta);
			return this.balances.stored(id);
		}

	}

	@Configuration(proxyBeanMethods = false)
	static class Behind extends SpringBalances.Configuration {

		@Bean
		BehindDesk behindDesk() {
			return new BehindDesk();
		}

	}

	static class BehindDesk {

		private final List<String> loads = new CopyOnWriteArrayList<>();

		List<String> loads() {
			return this.loads;
		}

		@Cacheable("behind")
		String find(String id) {
			this.loads.add(id);
			return "database";
		}

		@Cacheable(cacheNames = "behind", sync = true)
		String findInSync(String id) {
			this.loads.add(id);
			return "database";
		}

	}

}
