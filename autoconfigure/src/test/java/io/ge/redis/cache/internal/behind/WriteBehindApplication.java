// SPDX-License-Identifier: Apache-2.0

package io.ge.redis.cache.internal.behind;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Consumer;

import io.ge.redis.autoconfigure.CacheAutoConfiguration;
import io.ge.redis.autoconfigure.GeRedisAutoConfiguration;
import io.ge.redis.cache.CacheAside;
import io.ge.redis.cache.CacheInvalidate;
import io.ge.redis.cache.CacheWriteBehind;
import io.ge.redis.cache.Change;
import io.ge.redis.cache.GeCaches;
import io.ge.redis.cache.WriteBehindStore;
import io.ge.redis.core.RedisBackend;
import io.ge.redis.core.RedisBackends;
import io.ge.redis.core.event.GuardEvent;
import io.ge.redis.core.event.GuardListener;
import io.ge.redis.test.Starts;
import org.awaitility.Awaitility;
import org.jspecify.annotations.Nullable;

import org.springframework.boot.SpringBootConfiguration;
import org.springframework.boot.WebApplicationType;
import org.springframework.boot.autoconfigure.ImportAutoConfiguration;
import org.springframework.boot.builder.SpringApplicationBuilder;
import org.springframework.boot.data.redis.autoconfigure.DataRedisAutoConfiguration;
import org.springframework.boot.jackson.autoconfigure.JacksonAutoConfiguration;
import org.springframework.boot.jdbc.autoconfigure.DataSourceAutoConfiguration;
import org.springframework.boot.jdbc.autoconfigure.DataSourceTransactionManagerAutoConfiguration;
import org.springframework.boot.transaction.autoconfigure.TransactionAutoConfiguration;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Import;
import org.springframework.transaction.PlatformTransactionManager;
import org.springframework.transaction.support.TransactionTemplate;

/**
 * Scores of players, which are written behind into rows in memory.
 */
final class WriteBehindApplication implements AutoCloseable {

	static final String CACHE = "scores";

	private final ConfigurableApplicationContext context;

	private WriteBehindApplication(ConfigurableApplicationContext context) {
		this.context = context;
	}

	/**
	 * Starts an instance that has the store.
	 */
	static WriteBehindApplication start(String[] redis, String... properties) {
		return start(WithStore.class, redis, properties);
	}

	/**
	 * Starts an instance that leaves the writing to others.
	 */
	static WriteBehindApplication startWithoutStore(String[] redis, String... properties) {
		List<String> all = new ArrayList<>(List.of(properties));
		all.add("ge.redis.cache.caches.scores.write-behind=true");
		return start(WithoutStore.class, redis, all.toArray(String[]::new));
	}

	/**
	 * Starts an instance that has the store, and reads with tags.
	 */
	static WriteBehindApplication startWithTags(String[] redis) {
		return start(WithTags.class, redis);
	}

	private static WriteBehindApplication start(Class<?> configuration, String[] redis, String... properties) {
		List<String> all = new ArrayList<>(List.of(redis));
		all.addAll(List.of("spring.datasource.url=jdbc:h2:mem:" + UUID.randomUUID(), "spring.main.banner-mode=off",
				"spring.main.log-startup-info=false", "spring.jmx.enabled=false",
				"spring.datasource.hikari.register-mbeans=false", "ge.redis.outage.command-timeout=5s",
				"ge.redis.cache.max-staleness=10m", "ge.redis.cache.write-behind.linger=20ms",
				"ge.redis.cache.write-behind.retry-delay=20ms", "ge.redis.cache.write-behind.max-retry-delay=100ms",
				"ge.redis.cache.write-behind.lease-time=6s"));
		all.addAll(List.of(properties));
		WriteBehindApplication started = new WriteBehindApplication(
				Starts.alone(() -> new SpringApplicationBuilder(configuration).web(WebApplicationType.NONE)
					.registerShutdownHook(false)
					.properties(all.toArray(String[]::new))
					.run()));
		RedisBackend backend = started.context.getBean(RedisBackends.class).get(null);
		// Who cannot be woken looks after half of a lease
		Awaitility.await()
			.atMost(Duration.ofSeconds(30))
			.until(() -> !backend.breaker().isOpen() && backend.bus().isSubscribed());
		return started;
	}

	Scores scores() {
		return this.context.getBean(Scores.class);
	}

	Rows rows() {
		return this.context.getBean(Rows.class);
	}

	Teams teams() {
		return this.context.getBean(Teams.class);
	}

	GeCaches caches() {
		return this.context.getBean(GeCaches.class);
	}

	Events events() {
		return this.context.getBean(Events.class);
	}

	WriteBehind writeBehind() {
		return this.context.getBean(WriteBehind.class);
	}

	TransactionTemplate transaction() {
		return new TransactionTemplate(this.context.getBean(PlatformTransactionManager.class));
	}

	@Override
	public void close() {
		this.context.close();
	}

	/**
	 * A score.
	 *
	 * @param player whose
	 * @param points how many
	 */
	record Score(String player, int points) {
	}

	@SpringBootConfiguration(proxyBeanMethods = false)
	@ImportAutoConfiguration({ GeRedisAutoConfiguration.class, CacheAutoConfiguration.class,
			DataRedisAutoConfiguration.class, JacksonAutoConfiguration.class, DataSourceAutoConfiguration.class,
			DataSourceTransactionManagerAutoConfiguration.class, TransactionAutoConfiguration.class })
	static class WithoutStore {

		@Bean
		Scores scores() {
			return new Scores();
		}

		@Bean
		Events events() {
			return new Events();
		}

	}

	@SpringBootConfiguration(proxyBeanMethods = false)
	@Import(WithoutStore.class)
	static class WithStore {

		@Bean
		Rows rows() {
			return new Rows();
		}

	}

	@SpringBootConfiguration(proxyBeanMethods = false)
	@Import(WithStore.class)
	static class WithTags {

		@Bean
		Teams teams(Scores scores) {
			return new Teams(scores);
		}

	}

	/**
	 * Readers of players, whose team is their first letter.
	 */
	static class Teams {

		private final Scores scores;

		Teams(Scores scores) {
			this.scores = scores;
		}

		@CacheAside(cache = CACHE, key = "#player", tags = "#player.substring(0, 1)")
		public @Nullable Score find(String player) {
			this.scores.loads.incrementAndGet();
			return this.scores.database.get(player);
		}

	}

	/**
	 * Writers and readers.
	 */
	static class Scores {

		private final Map<String, Score> database = new ConcurrentHashMap<>();

		private final AtomicInteger loads = new AtomicInteger();

		private Runnable whileLoading = () -> {
		};

		@CacheWriteBehind(cache = CACHE, key = "#player")
		public Score set(String player, int points) {
			return new Score(player, points);
		}

		@CacheWriteBehind(cache = CACHE, key = "#player", value = "null")
		public void forget(String player) {
		}

		@CacheInvalidate(cache = CACHE, key = "#player")
		public void invalidate(String player) {
		}

		@CacheInvalidate(cache = CACHE, all = true)
		public void invalidateAll() {
		}

		@CacheAside(cache = CACHE, key = "#player")
		public @Nullable Score find(String player) {
			this.loads.incrementAndGet();
			Score found = this.database.get(player);
			this.whileLoading.run();
			return found;
		}

		Map<String, Score> database() {
			return this.database;
		}

		AtomicInteger loads() {
			return this.loads;
		}

		void whileLoading(Runnable action) {
			this.whileLoading = action;
		}

	}

	/**
	 * What was written, and how writing goes wrong.
	 */
	static class Rows implements WriteBehindStore<Score> {

		private final Map<String, Change<Score>> rows = new ConcurrentHashMap<>();

		private final List<Change<Score>> written = new CopyOnWriteArrayList<>();

		private volatile Consumer<List<Change<Score>>> obstacle = (changes) -> {
		};

		@Override
		public String cache() {
			return CACHE;
		}

		@Override
		public void writeAll(List<Change<Score>> changes) {
			this.obstacle.accept(changes);
			for (Change<Score> change : changes) {
				// Who sees the row finds how it came about
				this.written.add(change);
				this.rows.put(change.key(), change);
			}
		}

		void obstacle(Consumer<List<Change<Score>>> obstacle) {
			this.obstacle = obstacle;
		}

		void noObstacle() {
			this.obstacle = (changes) -> {
			};
		}

		int points(String player) {
			Change<Score> change = this.rows.get(player);
			return (change != null && change.value() != null) ? change.value().points() : -1;
		}

		boolean has(String player) {
			return this.rows.containsKey(player);
		}

		List<Change<Score>> written(String player) {
			return this.written.stream().filter((change) -> change.key().equals(player)).toList();
		}

	}

	/**
	 * What the guards told.
	 */
	static class Events implements GuardListener {

		private final List<GuardEvent> all = new CopyOnWriteArrayList<>();

		@Override
		public void onEvent(GuardEvent event) {
			this.all.add(event);
		}

		List<String> results() {
			return this.all.stream().map(GuardEvent::result).toList();
		}

		void clear() {
			this.all.clear();
		}

	}

}
