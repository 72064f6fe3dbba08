// SPDX-License-Identifier: Apache-2.0

package io.ge.redis.outage;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.AtomicInteger;

import io.ge.redis.actuate.GeRedisHealthAutoConfiguration;
import io.ge.redis.actuate.GeRedisMetricsAutoConfiguration;
import io.ge.redis.autoconfigure.BlacklistAutoConfiguration;
import io.ge.redis.autoconfigure.CacheAutoConfiguration;
import io.ge.redis.autoconfigure.GeRedisAutoConfiguration;
import io.ge.redis.autoconfigure.IdempotencyAutoConfiguration;
import io.ge.redis.autoconfigure.LockAutoConfiguration;
import io.ge.redis.autoconfigure.RateLimitAutoConfiguration;
import io.ge.redis.cache.CacheAside;
import io.ge.redis.cache.CacheWriteThrough;
import io.ge.redis.core.event.GuardEvent;
import io.ge.redis.core.event.GuardListener;
import io.ge.redis.idempotency.Idempotent;
import io.ge.redis.lock.DistributedLock;
import io.ge.redis.lock.FencingToken;
import io.ge.redis.ratelimit.RateLimited;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;

import org.springframework.boot.SpringBootConfiguration;
import org.springframework.boot.WebApplicationType;
import org.springframework.boot.autoconfigure.ImportAutoConfiguration;
import org.springframework.boot.builder.SpringApplicationBuilder;
import org.springframework.boot.data.redis.autoconfigure.DataRedisAutoConfiguration;
import org.springframework.boot.jackson.autoconfigure.JacksonAutoConfiguration;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.context.annotation.Bean;

/**
 * An application with a guarded method of every pattern, and the default policies.
 */
class Shop {

	static final int LIMIT = 5;

	private final Map<String, AtomicInteger> executions = new ConcurrentHashMap<>();

	private final Map<String, String> database = new ConcurrentHashMap<>();

	private final AtomicInteger loads = new AtomicInteger();

	private final List<GuardEvent> events;

	Shop(List<GuardEvent> events) {
		this.events = events;
	}

	static ConfigurableApplicationContext open(String[] redis, Duration budget, String... properties) {
		return open(Configuration.class, redis, budget, properties);
	}

	static ConfigurableApplicationContext open(Class<?> configuration, String[] redis, Duration budget,
			String... properties) {
		List<String> all = new ArrayList<>(List.of(redis));
		all.addAll(List.of("spring.main.banner-mode=off", "spring.main.log-startup-info=false",
				"spring.jmx.enabled=false", "ge.redis.outage.command-timeout=" + budget.toMillis() + "ms",
				"ge.redis.outage.probe-interval=50ms"));
		all.addAll(List.of(properties));
		return new SpringApplicationBuilder(configuration).web(WebApplicationType.NONE)
			.registerShutdownHook(false)
			.properties(all.toArray(String[]::new))
			.run();
	}

	@RateLimited(name = "visits", key = "#visitor", limit = LIMIT, window = "1h")
	public void visit(String visitor) {
	}

	@DistributedLock(name = "till", key = "#number")
	public long count(String number, @FencingToken long token) {
		return token;
	}

	@Idempotent(name = "orders", key = "#key")
	public String order(String key) {
		return key + " " + this.executions.computeIfAbsent(key, (absent) -> new AtomicInteger()).incrementAndGet();
	}

	@CacheAside(cache = "prices", key = "#article", ttl = "1m")
	public String price(String article) {
		this.loads.incrementAndGet();
		return storedPrice(article);
	}

	@CacheWriteThrough(cache = "prices", key = "#article")
	public String setPrice(String article, String price) {
		this.database.put(article, price);
		return price;
	}

	public String storedPrice(String article) {
		return this.database.getOrDefault(article, "none");
	}

	public int executions(String key) {
		AtomicInteger count = this.executions.get(key);
		return (count != null) ? count.get() : 0;
	}

	public int loads() {
		return this.loads.get();
	}

	public <T extends GuardEvent> List<T> events(Class<T> type) {
		return this.events.stream().filter(type::isInstance).map(type::cast).toList();
	}

	@SpringBootConfiguration(proxyBeanMethods = false)
	@ImportAutoConfiguration({ DataRedisAutoConfiguration.class, JacksonAutoConfiguration.class,
			GeRedisAutoConfiguration.class, GeRedisMetricsAutoConfiguration.class, GeRedisHealthAutoConfiguration.class,
			RateLimitAutoConfiguration.class, LockAutoConfiguration.class, IdempotencyAutoConfiguration.class,
			CacheAutoConfiguration.class, BlacklistAutoConfiguration.class })
	static class Configuration {

		@Bean
		MeterRegistry meters() {
			return new SimpleMeterRegistry();
		}

		@Bean
		Shop shop(Events events) {
			return new Shop(events.all());
		}

		@Bean
		Events events() {
			return new Events(new CopyOnWriteArrayList<>());
		}

	}

	/**
	 * What the guards told.
	 *
	 * @param all in the order in which it happened
	 */
	record Events(List<GuardEvent> all) implements GuardListener {

		@Override
		public void onEvent(GuardEvent event) {
			this.all.add(event);
		}

	}

}
