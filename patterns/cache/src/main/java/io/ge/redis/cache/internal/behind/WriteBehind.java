// SPDX-License-Identifier: Apache-2.0

package io.ge.redis.cache.internal.behind;

import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicLongArray;
import java.util.function.Consumer;
import java.util.function.Predicate;
import java.util.function.Supplier;

import io.ge.redis.cache.WriteBehindEvent;
import io.ge.redis.cache.WriteBehindFullException;
import io.ge.redis.cache.WriteBehindProperties;
import io.ge.redis.cache.WriteBehindStore;
import io.ge.redis.core.consume.ConsumerContainer;
import io.ge.redis.core.consume.ConsumerSettings;
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

	/**
	 * Between the connections, at 1000, and whatever serves requests.
	 */
	static final int PHASE = 2000;

	private final Supplier<WriteBehindProperties> properties;

	private final Predicate<String> declared;

	private final Supplier<JsonMapper> mapper;

	private final Supplier<RedisWriteBehind> redis;

	private final GuardEvents events;

	private final Supplier<ConsumerThreads> threads;

	private final Supplier<Map<String, Store>> stores;

	private final Map<String, AtomicLongArray> versions = new ConcurrentHashMap<>();

	private volatile @Nullable Running running;

	private boolean listening;

	public WriteBehind(Supplier<WriteBehindProperties> properties, Predicate<String> declared,
			Supplier<List<WriteBehindStore<?>>> stores, Supplier<JsonMapper> mapper, Supplier<RedisWriteBehind> redis,
			GuardEvents events, Supplier<ConsumerThreads> threads) {
		this.properties = properties;
		this.declared = declared;
		this.mapper = SingletonSupplier.of(() -> StoredJson.mapper(mapper.get()));
		this.redis = SingletonSupplier.of(redis);
		this.events = events;
		this.threads = threads;
		this.stores = SingletonSupplier.of(() -> storesByCache(stores.get()));
	}

	private Map<String, Store> storesByCache(List<WriteBehindStore<?>> stores) {
		Map<String, Store> byCache = new LinkedHashMap<>();
		for (WriteBehindStore<?> store : stores) {
			Store other = byCache.putIfAbsent(store.cache(), new Store(store, valueType(store)));
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
	 * @return whether
	 */
	public boolean isBehind(String cache) {
		return this.declared.test(cache) || this.stores.get().containsKey(cache);
	}

	/**
	 * Returns the type of values that the store of a cache writes.
	 * @return the type, or {@code null} if this application has no store of it
	 */
	public @Nullable JavaType storedType(String cache) {
		Store store = this.stores.get().get(cache);
		return (store != null) ? store.type() : null;
	}

	/**
	 * Returns the caches whose changes this application writes.
	 */
	public List<String> storedCaches() {
		return List.copyOf(this.stores.get().keySet());
	}

	// Writers and readers

	/**
	 * Makes a change.
	 * @param value the value, or {@code null} for none
	 * @return the value as JSON, empty for none
	 */
	public byte[] change(JavaType type, @Nullable Object value) {
		return (value != null) ? this.mapper.get().writerFor(type).writeValueAsBytes(value) : new byte[0];
	}

	/**
	 * Puts a value into the cache and its change into the queue.
	 * @param entry the new content of the entry; empty to remove it
	 * @param ttl time to live of the entry; zero for none
	 * @return completes with the version, or with {@link WriteBehindFullException} or the
	 * failure of Redis
	 */
	public CompletableFuture<Long> append(String cache, List<String> key, byte[] change, byte[] entry, Duration ttl,
			CallBudget budget) {
		Partition partition = Partition.of(cache, key);
		AtomicLongArray seen = this.versions.computeIfAbsent(cache,
				(name) -> new AtomicLongArray(RedisWriteBehind.PARTITIONS));
		int bound = this.properties.get().maxPending() / RedisWriteBehind.PARTITIONS;
		boolean here = this.running != null && this.stores.get().containsKey(cache);
		return this.redis.get()
			.append(partition, key, change, entry, ttl, bound, seen.get(partition.number()), here, budget)
			.thenApply((appended) -> {
				if (!appended.taken()) {
					throw new WriteBehindFullException(cache, appended.number());
				}
				seen.accumulateAndGet(partition.number(), appended.number(), Math::max);
				return appended.number();
			});
	}

	/**
	 * Returns the change of a key that its store has not confirmed.
	 * @return completes with the change, or with the failure of Redis
	 */
	public CompletableFuture<PendingChange> pending(String cache, List<String> key) {
		RedisWriteBehind asked = this.redis.get();
		return asked.pending(Partition.of(cache, key), key, asked.newBudget());
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

	/**
	 * Returns the reader of changes of a type.
	 */
	public ObjectReader reader(JavaType type) {
		return this.mapper.get().readerFor(type);
	}

	/**
	 * Returns how many keys of a cache wait for the store of this application, as this
	 * instance has last seen.
	 * @return the number, at most a third of the lease old
	 */
	public long waiting(String cache) {
		Running current = this.running;
		return (current != null) ? current.source.waiting(cache) : 0;
	}

	// Lifecycle

	@Override
	public void start() {
		if (this.running != null || this.stores.get().isEmpty()) {
			return;
		}
		Running started = new Running(this.properties.get(), this.redis.get(), this.threads.get());
		this.running = started;
		listen();
		this.stores.get()
			.keySet()
			.forEach((cache) -> this.events.publish(new WriteBehindEvent(cache, WriteBehindEvent.Outcome.STARTED, 0)));
		started.container.start();
	}

	/**
	 * Listens once, however often it is started, since a listener cannot be removed.
	 */
	private void listen() {
		if (this.listening) {
			return;
		}
		this.listening = true;
		this.redis.get().onWake((cache, partition) -> wake((source) -> source.rung(cache, partition)));
		this.redis.get().onRecovery(() -> wake(RedisWriteBehindSource::scheduleAll));
	}

	private void wake(Consumer<RedisWriteBehindSource> action) {
		Running current = this.running;
		if (current != null) {
			action.accept(current.source);
			current.container.wake();
		}
	}

	@Override
	public void stop() {
		Running stopped = this.running;
		this.running = null;
		if (stopped != null) {
			stopped.end();
		}
	}

	@Override
	public boolean isRunning() {
		return this.running != null;
	}

	@Override
	public int getPhase() {
		return PHASE;
	}

	/**
	 * The writers of the changes of one cache.
	 */
	private record Store(WriteBehindStore<?> store, JavaType type) {
	}

	/**
	 * The consumer that writes, and where its work comes from.
	 */
	private final class Running {

		private final boolean drains;

		private final RedisWriteBehindSource source;

		private final ConsumerContainer<RedisWriteBehindSource.Batch> container;

		Running(WriteBehindProperties properties, RedisWriteBehind redis, ConsumerThreads threads) {
			Map<String, StoreWriter<?>> writers = new LinkedHashMap<>();
			WriteBehind.this.stores.get()
				.forEach((cache, store) -> writers.put(cache,
						new StoreWriter<>(store.store(), reader(store.type()), properties)));
			this.drains = !properties.drainTimeout().isZero();
			this.source = new RedisWriteBehindSource(redis, properties, writers, WriteBehind.this.events::publish);
			this.container = new ConsumerContainer<>(
					this.source, this.source, new ConsumerSettings(properties.threads(), 1, properties.leaseTime(),
							Duration.ZERO, false, properties.drainTimeout(), properties.drainTimeout(), true, null),
					threads, null);
		}

		void end() {
			if (this.drains) {
				this.source.drain();
			}
			this.container.stop().join();
		}

	}

}
