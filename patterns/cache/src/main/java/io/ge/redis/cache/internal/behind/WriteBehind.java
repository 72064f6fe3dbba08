// SPDX-License-Identifier: Apache-2.0

package io.ge.redis.cache.internal.behind;

import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.function.Predicate;
import java.util.function.Supplier;

import io.ge.redis.cache.WriteBehindEvent;
import io.ge.redis.cache.WriteBehindProperties;
import io.ge.redis.cache.WriteBehindStore;
import io.ge.redis.core.consume.ConsumerThreads;
import io.ge.redis.core.event.GuardEvents;
import io.ge.redis.core.json.StoredJson;
import io.ge.redis.core.outage.CallBudget;
import org.jspecify.annotations.Nullable;
import tools.jackson.databind.JavaType;
import tools.jackson.databind.ObjectReader;
import tools.jackson.databind.json.JsonMapper;

import org.springframework.aop.support.AopUtils;
import org.springframework.context.SmartLifecycle;
import org.springframework.core.ResolvableType;
import org.springframework.util.Assert;
import org.springframework.util.function.SingletonSupplier;

/**
 * The caches that are written behind. Every instance takes changes, and instances that
 * have the store write them. Writing starts after the connections. It stops before them,
 * and after everything that serves requests.
 * <p>
 * An instance that puts the first change into a partition without a holder becomes its
 * holder, if it has the store. Else all instances that have the store are notified. The
 * holder keeps the partition as long as changes come, and is notified of them. Every
 * third of the lease each instance reads all partitions, in case an instance has died or
 * a message was lost.
 */
public final class WriteBehind implements SmartLifecycle {

	/** Between the connections, at 1000, and whatever serves requests. */
	static final int PHASE = 2000;

	private final Supplier<WriteBehindProperties> properties;

	private final Predicate<String> declared;

	private final Supplier<JsonMapper> mapper;

	private final Supplier<RedisWriteBehind> redis;

	private final GuardEvents events;

	/** The writers to the stores, by cache. */
	private final Supplier<Map<String, StoreWriter<?>>> stores;

	private final Supplier<RedisWriteBehindSource> source;

	private volatile boolean running;

	public WriteBehind(Supplier<WriteBehindProperties> properties, Predicate<String> declared,
			Supplier<List<WriteBehindStore<?>>> stores, Supplier<JsonMapper> mapper, Supplier<RedisWriteBehind> redis,
			GuardEvents events, Supplier<ConsumerThreads> threads) {
		this.properties = properties;
		this.declared = declared;
		this.mapper = SingletonSupplier.of(() -> StoredJson.mapper(mapper.get()));
		this.redis = SingletonSupplier.of(redis);
		this.events = events;
		this.stores = SingletonSupplier.of(() -> writers(stores.get()));
		this.source = SingletonSupplier.of(() -> new RedisWriteBehindSource(this.redis.get(), properties.get(),
				this.stores.get(), events::publish, threads.get()));
	}

	private Map<String, StoreWriter<?>> writers(List<WriteBehindStore<?>> stores) {
		Map<String, StoreWriter<?>> byCache = new LinkedHashMap<>();
		for (WriteBehindStore<?> store : stores) {
			StoreWriter<?> other = byCache.putIfAbsent(store.cache(),
					new StoreWriter<>(store, reader(valueType(store)), this.properties.get()));
			Assert.state(other == null, () -> "Cache '" + store.cache()
					+ "' has two stores, which would write its changes in no order. Leave one WriteBehindStore bean");
		}
		return byCache;
	}

	private JavaType valueType(WriteBehindStore<?> store) {
		Class<?> type = AopUtils.getTargetClass(store);
		ResolvableType value = ResolvableType.forClass(type).as(WriteBehindStore.class).getGeneric(0);
		Assert.state(value.resolve() != null && !value.hasUnresolvableGenerics(), () -> type.getName()
				+ " does not say which values it writes. Make it a class that implements WriteBehindStore<TheType>");
		return this.mapper.get().constructType(value.getType());
	}

	/**
	 * Returns whether a cache is written behind, by this application or another one.
	 */
	public boolean isBehind(String cache) {
		return this.declared.test(cache) || this.stores.get().containsKey(cache);
	}

	/**
	 * Returns the type of values that the store of a cache writes.
	 * @return the type, or {@code null} if this application has no store of it
	 */
	public @Nullable JavaType storedType(String cache) {
		StoreWriter<?> writer = this.stores.get().get(cache);
		return (writer != null) ? writer.reader().getValueType() : null;
	}

	/**
	 * Returns the caches whose changes this application writes.
	 */
	public List<String> storedCaches() {
		return List.copyOf(this.stores.get().keySet());
	}

	// Writers and readers

	/**
	 * Returns a change of a key: its value as JSON, empty for none.
	 */
	public byte[] change(JavaType type, @Nullable Object value) {
		return (value != null) ? this.mapper.get().writerFor(type).writeValueAsBytes(value) : new byte[0];
	}

	/**
	 * Puts a value into the cache and its change into the queue.
	 * @param entry the new content of the entry; empty to remove it
	 * @param ttl time to live of the entry; zero for none
	 * @return completes with the version, or with
	 * {@link io.ge.redis.cache.WriteBehindFullException} or the failure of Redis
	 */
	public CompletableFuture<Long> append(String cache, List<String> key, byte[] change, byte[] entry, Duration ttl,
			CallBudget budget) {
		int bound = this.properties.get().maxPending() / RedisWriteBehind.PARTITIONS;
		boolean here = this.running && this.stores.get().containsKey(cache);
		return this.redis.get().append(cache, key, change, entry, ttl, bound, here, budget);
	}

	/**
	 * Returns the change of a key that its store has not confirmed.
	 * @return completes with the change, or with the failure of Redis
	 */
	public CompletableFuture<PendingChange> pending(String cache, List<String> key, CallBudget budget) {
		return this.redis.get().pending(cache, key, budget);
	}

	/**
	 * Reads a change.
	 * @return the value, or {@code null} for none
	 * @throws tools.jackson.core.JacksonException if it is none of the type
	 */
	public @Nullable Object value(PendingChange change, JavaType type) {
		byte[] json = change.json();
		return (json != null && json.length > 0) ? reader(type).readValue(json) : null;
	}

	public ObjectReader reader(JavaType type) {
		return this.mapper.get().readerFor(type);
	}

	/**
	 * Returns how many keys of a cache wait for the store of this application. The number
	 * is at most a third of the lease old.
	 */
	public long waiting(String cache) {
		return this.running ? this.source.get().waiting(cache) : 0;
	}

	// Lifecycle

	@Override
	public void start() {
		if (!this.running && !this.stores.get().isEmpty()) {
			RedisWriteBehindSource source = this.source.get();
			this.running = true;
			storedCaches().forEach(
					(cache) -> this.events.publish(new WriteBehindEvent(cache, WriteBehindEvent.Outcome.STARTED, 0)));
			source.start();
		}
	}

	@Override
	public void stop() {
		if (this.running) {
			this.running = false;
			this.source.get().stop();
		}
	}

	@Override
	public boolean isRunning() {
		return this.running;
	}

	@Override
	public int getPhase() {
		return PHASE;
	}

}
