/*
 * Copyright 2026 the GE Redis authors
 * SPDX-License-Identifier: Apache-2.0
 */

package io.ge.redis.cache.read;

import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.IdentityHashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Predicate;

import io.ge.redis.cache.CacheEvent.Access;
import io.ge.redis.cache.CacheEvent;
import io.ge.redis.cache.UncacheableValueException;
import io.ge.redis.cache.codec.CacheType;
import io.ge.redis.cache.engine.CacheKey;
import io.ge.redis.cache.engine.CacheLookup.Load;
import io.ge.redis.cache.engine.CacheLookup.Permit;
import io.ge.redis.cache.behind.PendingChange;
import io.ge.redis.cache.engine.NewValue;
import io.ge.redis.cache.engine.Snapshot;
import org.jspecify.annotations.Nullable;

/**
 * Several values that are being loaded in one go, as {@link CacheLoad} is one: all
 * permits are used up or given back at most once, by whatever ends it.
 * <p>
 * Where the cache is written behind, changes that wait for the store are newer than the
 * database: they are asked for first, all at once, and the database for the rest.
 */
final class CacheBulkLoad {

	private static final CompletableFuture<Void> DONE = CompletableFuture.completedFuture(null);

	private final CacheBulkRead read;

	private final CacheBulkSource source;

	private final CacheBulkParts parts;

	private final Map<CacheKey, Load> open;

	private final List<CacheKey> missing;

	private final long age;

	private final long stamp;

	/** Whether there is a value that has expired for each of them. */
	private final boolean replaceable;

	private final AtomicBoolean over = new AtomicBoolean();

	private final AtomicBoolean spent = new AtomicBoolean();

	private final CompletableFuture<Void> end = new CompletableFuture<>();

	private Map<CacheKey, CompletableFuture<PendingChange>> changes = Map.of();

	private final Map<CacheKey, @Nullable Object> waiting = new HashMap<>();

	private List<CacheKey> rest;

	/** Whether what is loaded is not older than a change that waits for the store. */
	private boolean certain = true;

	private volatile long started = System.nanoTime();

	/**
	 * Begins a load.
	 * @param read whose load it is
	 * @param open what is to be loaded, with the permits to store it
	 * @param snapshot as of when the database is seen
	 */
	CacheBulkLoad(CacheBulkRead read, Map<CacheKey, Load> open, Snapshot snapshot) {
		this.read = read;
		this.source = read.source();
		this.parts = read.parts();
		this.open = open;
		this.missing = List.copyOf(open.keySet());
		this.rest = this.missing;
		this.age = snapshot.ageMillis();
		this.stamp = this.parts.invalidations().stamp(this.source.cache(), snapshot);
		this.replaceable = expired().size() == this.missing.size();
		if (!this.replaceable) {
			tellMisses();
		}
	}

	/**
	 * Returns the values that have expired and stand in if loading fails. Only if there
	 * is one for every entry they are of use.
	 */
	private Map<CacheKey, @Nullable Object> expired() {
		Map<CacheKey, @Nullable Object> expired = new HashMap<>();
		this.open.forEach((key, load) -> {
			byte[] old = load.expired();
			CacheType.Content content = (old != null) ? this.read.content(old) : null;
			if (content != null) {
				expired.put(key, content.value());
			}
		});
		return expired;
	}

	private void tellMisses() {
		this.open.forEach((key, load) -> {
			if (load.replacing()) {
				this.parts.events().publish(new CacheEvent.Unreadable(this.source.cache()));
			}
			this.parts.tell(this.source.cache(), load.bypassed() ? Access.BYPASS : Access.MISS);
		});
	}

	/**
	 * Returns what is loaded.
	 */
	List<CacheKey> missing() {
		return this.missing;
	}

	/**
	 * Asks for changes that wait for the store.
	 * @return completes when it is known what there is of them; never exceptionally
	 */
	CompletableFuture<Void> prepare() {
		if (!this.parts.behind().isBehind(this.source.cache())) {
			return DONE;
		}
		Map<CacheKey, CompletableFuture<PendingChange>> asked = new LinkedHashMap<>();
		this.missing.forEach((key) -> asked.put(key, this.parts.behind().pending(this.source.cache(), key.parts())));
		this.changes = asked;
		return CompletableFuture.allOf(asked.values().toArray(CompletableFuture[]::new))
			.handle((none, failure) -> null);
	}

	/**
	 * Starts the clock, as the source is about to be asked, and takes the changes.
	 * @return what the source is to be asked for
	 */
	List<CacheKey> begin() {
		this.started = System.nanoTime();
		List<CacheKey> asked = new ArrayList<>();
		for (CacheKey key : this.missing) {
			CompletableFuture<PendingChange> change = this.changes.get(key);
			if (change == null || !take(key, change)) {
				asked.add(key);
			}
		}
		this.rest = asked;
		return asked;
	}

	private boolean take(CacheKey key, CompletableFuture<PendingChange> answer) {
		try {
			PendingChange change = answer.join();
			if (change.isPresent()) {
				this.waiting.put(key, this.parts.behind().value(change, this.source.type().javaType()));
			}
			return change.isPresent();
		}
		catch (RuntimeException | StackOverflowError | LinkageError ex) {
			// The database is what is left. It may be older than a change
			this.certain = false;
			return false;
		}
	}

	/**
	 * Has the permits given back at their end, should nobody have done so by then: Redis
	 * has forgotten them, but others in this instance wait for values that may never
	 * come.
	 */
	void giveBackAtEnd(Duration lease) {
		this.end.completeOnTimeout(null, lease.toMillis(), TimeUnit.MILLISECONDS).thenRunAsync(() -> giveBack(false));
	}

	/**
	 * Ends it with what was loaded, and stores that.
	 * @param loaded what was loaded, as the source takes it
	 * @param storable which of it may be stored
	 * @return completes when it is stored, or not to be
	 * @throws UncacheableValueException if no value of the kind can be stored
	 */
	CompletableFuture<Void> loaded(@Nullable Object loaded, Predicate<CacheKey> storable) {
		if (!this.over.compareAndSet(false, true)) {
			return DONE;
		}
		boolean held = spend();
		boolean done = false;
		try {
			long nanos = System.nanoTime() - this.started;
			this.parts.events().publish(new CacheEvent.Load(this.source.cache(), true, nanos));
			if (this.replaceable) {
				tellMisses();
			}
			this.read.loaded(nanos);
			Map<CacheKey, @Nullable Object> values = new HashMap<>(this.waiting);
			values.putAll(this.source.byKey(this.rest, loaded));
			this.read.put(values);
			Map<Permit, NewValue> stored = held ? stored(values, storable, nanos) : Map.of();
			done = true;
			if (held) {
				discardAllBut(stored);
			}
			return stored.isEmpty() ? DONE
					: this.parts.flights().fillAll(stored, this.read.settings(), this.age, this.read.budget());
		}
		finally {
			if (!done && held) {
				releaseAll(true);
			}
		}
	}

	private Map<Permit, NewValue> stored(Map<CacheKey, @Nullable Object> values, Predicate<CacheKey> storable,
			long nanos) {
		Map<Permit, NewValue> stored = new IdentityHashMap<>();
		this.open.forEach((key, load) -> {
			boolean wanted = load.permit() != null && this.certain && storable.test(key);
			NewValue bytes = wanted
					? this.parts.loads().stored(this.source, values.get(key), this.stamp, nanos, this.missing.size())
					: null;
			if (load.permit() != null && bytes != null) {
				stored.put(load.permit(), bytes);
			}
		});
		return stored;
	}

	private void discardAllBut(Map<Permit, NewValue> stored) {
		this.open.values().forEach((load) -> {
			if (load.permit() != null && !stored.containsKey(load.permit())) {
				this.parts.flights().discard(load.permit());
			}
		});
	}

	/**
	 * Ends it without values.
	 */
	void failed() {
		if (this.over.compareAndSet(false, true)) {
			try {
				long nanos = System.nanoTime() - this.started;
				this.parts.events().publish(new CacheEvent.Load(this.source.cache(), false, nanos));
			}
			finally {
				giveBack(true);
			}
		}
	}

	/**
	 * Ends it because nobody wants the values any more: the next one in line may load.
	 */
	void abandoned() {
		if (this.over.compareAndSet(false, true)) {
			giveBack(false);
		}
	}

	/**
	 * Returns whether values that have expired may stand in for those that could not be
	 * loaded.
	 */
	boolean isReplaceable() {
		return this.replaceable;
	}

	/**
	 * Lets values that have expired stand in, after it has failed.
	 * @param judged whether it is known what was invalidated
	 * @return whether they do
	 */
	boolean replace(boolean judged) {
		Map<CacheKey, @Nullable Object> expired = judged ? expired() : Map.of();
		if (expired.size() < this.missing.size()) {
			tellMisses();
			return false;
		}
		this.read.put(expired);
		expired.forEach((key, value) -> this.parts.tell(this.source.cache(), Access.STALE));
		return true;
	}

	private boolean spend() {
		if (!this.spent.compareAndSet(false, true)) {
			return false;
		}
		this.end.complete(null);
		return true;
	}

	private void giveBack(boolean failed) {
		if (spend()) {
			releaseAll(failed);
		}
	}

	private void releaseAll(boolean failed) {
		this.open.values().forEach((load) -> {
			if (load.permit() != null) {
				this.parts.flights().release(load.permit(), failed);
			}
		});
	}

}
