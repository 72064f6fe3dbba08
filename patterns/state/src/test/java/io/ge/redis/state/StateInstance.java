// SPDX-License-Identifier: Apache-2.0

package io.ge.redis.state;

import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.atomic.AtomicInteger;

import io.ge.redis.core.RedisBackend;
import io.ge.redis.core.consume.ConsumerThreads;
import io.ge.redis.core.event.GuardEvent;
import io.ge.redis.core.event.GuardEvents;
import io.ge.redis.core.structure.StructureCalls;
import io.ge.redis.test.RedisFixture;
import io.ge.redis.test.TestBackend;
import tools.jackson.databind.json.JsonMapper;

import org.springframework.boot.context.properties.bind.Binder;
import org.springframework.boot.context.properties.source.MapConfigurationPropertySource;
import org.springframework.data.redis.connection.RedisConnectionFactory;
import org.springframework.util.function.SingletonSupplier;

/**
 * One instance of an application, as far as shared state is concerned.
 */
final class StateInstance implements AutoCloseable {

	private static final AtomicInteger NUMBER = new AtomicInteger();

	private final Map<String, AtomicInteger> scripts = new ConcurrentHashMap<>();

	private final List<GuardEvent> events = new CopyOnWriteArrayList<>();

	private final ExecutorService handlers = Executors.newCachedThreadPool();

	private final ScheduledExecutorService scheduler = Executors.newScheduledThreadPool(2);

	private final TestBackend backend;

	private final Workspaces workspaces;

	/**
	 * Starts an instance.
	 * @param properties below {@code ge.redis.state}, keys and values in turn
	 */
	StateInstance(RedisFixture redis, String... properties) {
		this(redis.connectionFactory(), properties);
	}

	StateInstance(RedisConnectionFactory factory, String... properties) {
		this.backend = TestBackend.on(factory, "instance-" + NUMBER.incrementAndGet(),
				(script, nanos, failure) -> this.scripts.computeIfAbsent(script.name(), (name) -> new AtomicInteger())
					.incrementAndGet());
		StateProperties bound = properties(properties);
		ConsumerThreads threads = new ConsumerThreads(this.handlers, this.scheduler);
		this.workspaces = new RedisWorkspaces(bound, new StructureCalls("state", this.backend.get()), () -> threads,
				JsonMapper.shared(), new GuardEvents(() -> List.of(this.events::add)));
	}

	/**
	 * Returns workspaces with threads of their own.
	 */
	static Workspaces workspaces(RedisBackend backend, String... properties) {
		return workspaces(backend, JsonMapper.shared(), properties);
	}

	static Workspaces workspaces(RedisBackend backend, JsonMapper mapper, String... properties) {
		return new RedisWorkspaces(properties(properties), new StructureCalls("state", backend),
				SingletonSupplier.of(() -> ConsumerThreads.create(false)), mapper, new GuardEvents(List::of));
	}

	static StateProperties properties(String... properties) {
		Map<String, String> values = new HashMap<>();
		for (int i = 0; i < properties.length; i += 2) {
			values.put("ge.redis.state." + properties[i], properties[i + 1]);
		}
		return new Binder(new MapConfigurationPropertySource(values)).bindOrCreate("ge.redis.state",
				StateProperties.class);
	}

	Workspace open(String id) {
		return this.workspaces.open("session", id);
	}

	/**
	 * Returns how many scripts of the pattern were run.
	 */
	int scripts() {
		return this.scripts.entrySet()
			.stream()
			.filter((script) -> script.getKey().startsWith("state/"))
			.mapToInt((script) -> script.getValue().get())
			.sum();
	}

	long events(StateEvent.Outcome outcome) {
		return this.events.stream()
			.map(StateEvent.class::cast)
			.filter((event) -> event.outcome() == outcome)
			.mapToLong((event) -> 1)
			.sum();
	}

	@Override
	public void close() {
		this.scheduler.shutdownNow();
		this.handlers.shutdownNow();
		this.backend.close();
	}

}
