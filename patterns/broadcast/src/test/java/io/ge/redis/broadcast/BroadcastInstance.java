// SPDX-License-Identifier: Apache-2.0

package io.ge.redis.broadcast;

import java.lang.reflect.Method;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.atomic.AtomicInteger;

import io.ge.redis.core.consume.ConsumerFrame;
import io.ge.redis.core.consume.ConsumerProperties;
import io.ge.redis.core.consume.ConsumerThreads;
import io.ge.redis.core.consume.Consumers;
import io.ge.redis.core.consume.JsonPayloads;
import io.ge.redis.core.event.GuardEvent;
import io.ge.redis.core.event.GuardEvents;
import io.ge.redis.core.invocation.AttributeReader;
import io.ge.redis.core.invocation.GuardedMethod;
import io.ge.redis.test.RedisFixture;
import io.ge.redis.test.TestBackend;
import tools.jackson.databind.json.JsonMapper;

import org.springframework.boot.context.properties.bind.Binder;
import org.springframework.boot.context.properties.source.MapConfigurationPropertySource;
import org.springframework.data.redis.connection.RedisConnectionFactory;
import org.springframework.util.unit.DataSize;

/**
 * One instance of an application, as far as broadcasts are concerned.
 */
final class BroadcastInstance implements AutoCloseable {

	private static final AtomicInteger NUMBER = new AtomicInteger();

	private final Map<String, AtomicInteger> scripts = new ConcurrentHashMap<>();

	private final List<GuardEvent> events = new CopyOnWriteArrayList<>();

	private final ExecutorService handlers = Executors.newCachedThreadPool();

	private final ScheduledExecutorService scheduler = Executors.newScheduledThreadPool(2);

	private final Consumers consumers = new Consumers(new ConsumerThreads(this.handlers, this.scheduler), false);

	private final TestBackend backend;

	private final BroadcastPattern pattern;

	private boolean closed;

	/**
	 * Starts an instance.
	 * @param properties below {@code ge.redis.broadcast.channels}, keys and values in
	 * turn
	 */
	BroadcastInstance(RedisFixture redis, String... properties) {
		this(redis.connectionFactory(), properties);
	}

	BroadcastInstance(RedisConnectionFactory factory, String... properties) {
		this.backend = TestBackend.on(factory, "instance-" + NUMBER.incrementAndGet(),
				(script, nanos, failure) -> this.scripts.computeIfAbsent(script.name(), (name) -> new AtomicInteger())
					.incrementAndGet());
		BroadcastProperties bound = properties(properties);
		this.pattern = new BroadcastPattern(() -> bound, this.backend::get,
				new ConsumerFrame(() -> this.consumers,
						() -> new ConsumerProperties(null, Duration.ofSeconds(20), Duration.ofHours(1), null,
								DataSize.ofMegabytes(4)),
						new AttributeReader((text) -> text), new JsonPayloads(JsonMapper::shared),
						new GuardEvents(() -> List.of(this.events::add))));
		this.consumers.start();
	}

	static BroadcastProperties properties(String... properties) {
		Map<String, String> values = new HashMap<>();
		for (int i = 0; i < properties.length; i += 2) {
			values.put("ge.redis.broadcast.channels." + properties[i], properties[i + 1]);
		}
		return new Binder(new MapConfigurationPropertySource(values)).bindOrCreate("ge.redis.broadcast",
				BroadcastProperties.class);
	}

	/**
	 * Has the annotated methods of a bean called.
	 */
	BroadcastInstance listen(Object bean) {
		for (Method method : bean.getClass().getDeclaredMethods()) {
			RedisBroadcastListener annotation = method.getAnnotation(RedisBroadcastListener.class);
			if (annotation != null) {
				this.pattern.listen(bean, new GuardedMethod(method, bean.getClass(), RedisBroadcastListener.class),
						annotation);
			}
		}
		return this;
	}

	Broadcaster broadcaster() {
		return this.pattern.broadcaster();
	}

	BroadcastPattern pattern() {
		return this.pattern;
	}

	Consumers consumers() {
		return this.consumers;
	}

	int scripts(String name) {
		AtomicInteger count = this.scripts.get("broadcast/" + name);
		return (count != null) ? count.get() : 0;
	}

	long events(BroadcastEvent.Outcome outcome) {
		return this.events.stream()
			.map(BroadcastEvent.class::cast)
			.filter((event) -> event.outcome() == outcome)
			.mapToLong((event) -> event.amount())
			.sum();
	}

	/**
	 * Ends as a killed process does: nothing is settled and nobody leaves.
	 */
	void crash() {
		this.closed = true;
		this.scheduler.shutdownNow();
		this.backend.close();
		this.handlers.shutdownNow();
	}

	@Override
	public void close() {
		if (!this.closed) {
			this.closed = true;
			this.consumers.stop();
			this.scheduler.shutdownNow();
			this.handlers.shutdownNow();
			this.backend.close();
		}
	}

}
