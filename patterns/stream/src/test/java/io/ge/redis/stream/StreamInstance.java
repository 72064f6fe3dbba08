// SPDX-License-Identifier: Apache-2.0

package io.ge.redis.stream;

import java.lang.reflect.Method;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.Executor;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;

import io.ge.redis.core.consume.ConsumerFrame;
import io.ge.redis.core.consume.ConsumerProperties;
import io.ge.redis.core.consume.ConsumerThreads;
import io.ge.redis.core.consume.Consumers;
import io.ge.redis.core.consume.JsonPayloads;
import io.ge.redis.core.event.GuardEvent;
import io.ge.redis.core.event.GuardEvents;
import io.ge.redis.core.invocation.AttributeReader;
import io.ge.redis.core.invocation.GuardedMethod;
import io.ge.redis.stream.StreamEvent.Kind;
import io.ge.redis.test.RedisFixture;
import io.ge.redis.test.TestBackend;
import tools.jackson.databind.json.JsonMapper;

import org.springframework.boot.context.properties.bind.Binder;
import org.springframework.boot.context.properties.source.MapConfigurationPropertySource;
import org.springframework.core.annotation.AnnotatedElementUtils;
import org.springframework.data.redis.connection.RedisConnectionFactory;
import org.springframework.util.unit.DataSize;

/**
 * One instance of an application, as far as streams are concerned.
 */
final class StreamInstance implements AutoCloseable {

	private static final AtomicInteger NUMBER = new AtomicInteger();

	private final String name = "instance-" + NUMBER.incrementAndGet();

	private final Map<String, AtomicInteger> scripts = new ConcurrentHashMap<>();

	private final List<GuardEvent> events = new CopyOnWriteArrayList<>();

	private final ExecutorService handlers = Executors.newCachedThreadPool();

	private final AtomicReference<Executor> executor = new AtomicReference<>(this.handlers);

	private final ScheduledExecutorService scheduler = Executors.newScheduledThreadPool(2);

	private final Consumers consumers = new Consumers(
			new ConsumerThreads((task) -> this.executor.get().execute(task), this.scheduler), false);

	private final TestBackend backend;

	private final StreamPattern pattern;

	private boolean closed;

	/**
	 * Starts an instance.
	 * @param properties below {@code ge.redis.stream.definitions}, keys and values in
	 * turn
	 */
	StreamInstance(RedisFixture redis, String... properties) {
		this.backend = TestBackend.on(redis.connectionFactory(), this.name,
				(script, nanos, failure) -> this.scripts.computeIfAbsent(script.name(), (key) -> new AtomicInteger())
					.incrementAndGet());
		this.pattern = start(properties);
	}

	/**
	 * Starts an instance whose commands may not take long.
	 */
	StreamInstance(RedisConnectionFactory factory, Duration commandTimeout, String... properties) {
		this.backend = TestBackend.on(factory, this.name, commandTimeout);
		this.pattern = start(properties);
	}

	private StreamPattern start(String... properties) {
		StreamProperties streams = properties(properties);
		StreamPattern started = new StreamPattern(() -> streams, this.backend::get,
				new ConsumerFrame(() -> this.consumers,
						() -> new ConsumerProperties(this.name, Duration.ofSeconds(20), Duration.ofHours(1), null,
								DataSize.ofMegabytes(4)),
						new AttributeReader((text) -> text), new JsonPayloads(JsonMapper::shared),
						new GuardEvents(() -> List.of(this.events::add))));
		started.verify();
		this.consumers.start();
		return started;
	}

	TestBackend backend() {
		return this.backend;
	}

	static StreamProperties properties(String... definitions) {
		Map<String, String> values = new HashMap<>();
		for (int i = 0; i < definitions.length; i += 2) {
			values.put("ge.redis.stream.definitions." + definitions[i], definitions[i + 1]);
		}
		return new Binder(new MapConfigurationPropertySource(values)).bindOrCreate("ge.redis.stream",
				StreamProperties.class);
	}

	/**
	 * Has the annotated methods of a bean called.
	 */
	StreamInstance listen(Object bean) {
		for (Method method : bean.getClass().getDeclaredMethods()) {
			RedisStreamListener listener = AnnotatedElementUtils.findMergedAnnotation(method,
					RedisStreamListener.class);
			if (listener != null) {
				this.pattern.listen(bean, new GuardedMethod(method, bean.getClass(), RedisStreamListener.class),
						listener);
			}
		}
		return this;
	}

	/**
	 * Does what an application does once it has connected.
	 */
	void resume() {
		this.pattern.resume();
	}

	/**
	 * Has one handler run at a time, so that others wait for its thread.
	 */
	void useOneThread() {
		ExecutorService one = Executors.newSingleThreadExecutor();
		this.executor.set(one);
		this.scheduler.schedule(one::shutdown, 1, TimeUnit.MINUTES);
	}

	/**
	 * Has nothing begin that is taken from now on.
	 */
	void beginNothing() {
		this.executor.set((task) -> {
		});
	}

	String name() {
		return this.name;
	}

	StreamPublisher publisher() {
		return this.pattern.publisher();
	}

	DeadLetters deadLetters() {
		return this.pattern.deadLetters();
	}

	StreamPattern pattern() {
		return this.pattern;
	}

	Consumers consumers() {
		return this.consumers;
	}

	/**
	 * Returns how often a script was run.
	 */
	int scripts(String name) {
		AtomicInteger count = this.scripts.get("stream/" + name);
		return (count != null) ? count.get() : 0;
	}

	long events(Kind kind) {
		return this.events.stream()
			.map(StreamEvent.class::cast)
			.filter((event) -> event.kind() == kind)
			.mapToLong(StreamEvent::amount)
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
