// SPDX-License-Identifier: Apache-2.0

package io.ge.redis.test;

import java.lang.annotation.Annotation;
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
import java.util.function.BiConsumer;
import java.util.stream.Stream;

import io.ge.redis.core.consume.ConsumerFrame;
import io.ge.redis.core.consume.ConsumerProperties;
import io.ge.redis.core.consume.ConsumerThreads;
import io.ge.redis.core.consume.Consumers;
import io.ge.redis.core.consume.JsonPayloads;
import io.ge.redis.core.event.GuardEvent;
import io.ge.redis.core.event.GuardEvents;
import io.ge.redis.core.invocation.AttributeReader;
import io.ge.redis.core.invocation.GuardedMethod;
import org.jspecify.annotations.Nullable;
import tools.jackson.databind.json.JsonMapper;

import org.springframework.boot.context.properties.bind.Binder;
import org.springframework.boot.context.properties.source.MapConfigurationPropertySource;
import org.springframework.core.annotation.AnnotatedElementUtils;
import org.springframework.data.redis.connection.RedisConnectionFactory;
import org.springframework.util.unit.DataSize;

/**
 * One instance of an application, as far as one pattern that consumes is concerned.
 */
public abstract class ConsumerInstance implements AutoCloseable {

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

	private boolean closed;

	protected ConsumerInstance(RedisConnectionFactory factory) {
		this.backend = TestBackend.on(factory, this.name,
				(script, nanos, failure) -> this.scripts.computeIfAbsent(script.name(), (key) -> new AtomicInteger())
					.incrementAndGet());
	}

	/**
	 * Connects an instance whose commands may not take long.
	 */
	protected ConsumerInstance(RedisConnectionFactory factory, Duration commandTimeout) {
		this.backend = TestBackend.on(factory, this.name, commandTimeout);
	}

	/**
	 * Returns what the pattern is made with.
	 * @param id the id of the consumer, if the test is to know it
	 */
	protected final ConsumerFrame frame(@Nullable String id) {
		return new ConsumerFrame(() -> this.consumers,
				() -> new ConsumerProperties(id, Duration.ofSeconds(20), Duration.ofHours(1), null,
						DataSize.ofMegabytes(4)),
				new AttributeReader((text) -> text), new JsonPayloads(JsonMapper::shared),
				new GuardEvents(() -> List.of(this.events::add)));
	}

	/**
	 * Binds properties.
	 * @param prefix what their names begin with in full, such as
	 * {@code ge.redis.queue.queues}; the type is bound without its last part
	 * @param values keys below the prefix and values in turn
	 */
	protected static <T> T bind(String prefix, Class<T> type, String... values) {
		Map<String, String> properties = new HashMap<>();
		for (int i = 0; i < values.length; i += 2) {
			properties.put(prefix + "." + values[i], values[i + 1]);
		}
		return new Binder(new MapConfigurationPropertySource(properties))
			.bindOrCreate(prefix.substring(0, prefix.lastIndexOf('.')), type);
	}

	/**
	 * Gives each method of a bean that has an annotation to a pattern.
	 */
	protected static <A extends Annotation> void listen(Object bean, Class<A> type,
			BiConsumer<GuardedMethod, A> pattern) {
		for (Method method : bean.getClass().getDeclaredMethods()) {
			A annotation = AnnotatedElementUtils.findMergedAnnotation(method, type);
			if (annotation != null) {
				pattern.accept(new GuardedMethod(method, bean.getClass(), type), annotation);
			}
		}
	}

	/**
	 * Has one handler run at a time, so that others wait for its thread.
	 */
	public void useOneThread() {
		ExecutorService one = Executors.newSingleThreadExecutor();
		this.executor.set(one);
		this.scheduler.schedule(one::shutdown, 1, TimeUnit.MINUTES);
	}

	/**
	 * Has nothing begin that is taken from now on.
	 */
	public void beginNothing() {
		this.executor.set((task) -> {
		});
	}

	public String name() {
		return this.name;
	}

	public TestBackend backend() {
		return this.backend;
	}

	public Consumers consumers() {
		return this.consumers;
	}

	/**
	 * Returns how often a script was run.
	 * @param script its name, with that of the pattern before it
	 */
	protected final int runs(String script) {
		AtomicInteger count = this.scripts.get(script);
		return (count != null) ? count.get() : 0;
	}

	protected final <E extends GuardEvent> Stream<E> events(Class<E> type) {
		return this.events.stream().map(type::cast);
	}

	/**
	 * Ends as a killed process does: nothing is settled and nobody leaves.
	 */
	public void crash() {
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
