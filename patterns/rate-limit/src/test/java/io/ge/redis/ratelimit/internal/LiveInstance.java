// SPDX-License-Identifier: Apache-2.0

package io.ge.redis.ratelimit.internal;

import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CopyOnWriteArrayList;

import io.ge.redis.core.event.GuardEvent;
import io.ge.redis.core.event.GuardEvents;
import io.ge.redis.core.event.GuardFigures;
import io.ge.redis.core.guard.GuardedMethods;
import io.ge.redis.core.invocation.AttributeReader;
import io.ge.redis.core.invocation.ExpressionCompiler;
import io.ge.redis.ratelimit.RateLimitProperties;
import io.ge.redis.ratelimit.RateLimitResolver;
import io.ge.redis.ratelimit.RateLimiter;
import io.ge.redis.test.RedisFixture;
import io.ge.redis.test.TestBackend;
import io.ge.redis.test.TestCalls;
import org.jspecify.annotations.Nullable;

import org.springframework.beans.factory.support.DefaultListableBeanFactory;
import org.springframework.boot.context.properties.bind.Binder;
import org.springframework.boot.context.properties.source.MapConfigurationPropertySource;

/**
 * One instance of an application with rate limits in its properties, without the
 * application.
 */
final class LiveInstance implements AutoCloseable {

	private final TestBackend backend;

	private final RateLimitPattern guard;

	private final List<GuardEvent> events = new CopyOnWriteArrayList<>();

	LiveInstance(RedisFixture redis, String id, @Nullable RateLimitResolver resolver, String... properties) {
		this.backend = TestBackend.on(redis, id);
		this.guard = new RateLimitPattern(() -> properties(properties), new AttributeReader((text) -> text),
				new ExpressionCompiler(new DefaultListableBeanFactory()), this.backend::get, () -> resolver,
				new GuardEvents(() -> List.of(this.events::add)), TestCalls.plain());
		this.guard.verify();
	}

	static RateLimitProperties properties(String... pairs) {
		Map<String, String> values = new LinkedHashMap<>();
		for (String pair : pairs) {
			int equals = pair.indexOf('=');
			values.put("ge.redis.rate-limit." + pair.substring(0, equals), pair.substring(equals + 1));
		}
		return new Binder(new MapConfigurationPropertySource(values)).bindOrCreate("ge.redis.rate-limit",
				RateLimitProperties.class);
	}

	RateLimitPattern guard() {
		return this.guard;
	}

	RateLimiter limiter() {
		return this.guard.rateLimiter();
	}

	RateLimitControl control() {
		return (RateLimitControl) this.guard.control(new GuardedMethods(), new GuardFigures());
	}

	boolean isSubscribed() {
		return this.backend.get().bus().isSubscribed();
	}

	/**
	 * Returns the limit that applies to a key, without asking Redis for a permit.
	 */
	long limitOf(String name, Object key) {
		return limiter().tryAcquire(name, key, 0).quotas().get(0).limit().limit();
	}

	<T extends GuardEvent> List<T> events(Class<T> type) {
		return this.events.stream().filter(type::isInstance).map(type::cast).toList();
	}

	@Override
	public void close() {
		this.guard.pause();
		this.backend.close();
	}

}
