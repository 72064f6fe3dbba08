// SPDX-License-Identifier: Apache-2.0

package io.ge.redis.cache.read;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;

import io.ge.redis.cache.CacheEvent;
import io.ge.redis.cache.CacheEvent.Access;
import io.ge.redis.cache.UncacheableValueException;
import io.ge.redis.cache.behind.PendingChange;
import io.ge.redis.cache.codec.CacheType;
import io.ge.redis.cache.engine.CacheFlights.Loaded;
import io.ge.redis.cache.engine.CacheKey;
import io.ge.redis.cache.engine.CacheLookup.Load;
import io.ge.redis.cache.engine.CacheLookup.Permit;
import io.ge.redis.cache.engine.CacheTags;
import io.ge.redis.cache.engine.NewValue;
import org.jspecify.annotations.Nullable;

/**
 * Values that are being loaded in one go, from before that begins until they are stored.
 * All permits are used up or released at most once: by whatever ends it, or, if the
 * promise of the values is never kept, at the end of the lease.
 * <p>
 * Where the cache is written behind, changes that wait for the store are newer than the
 * database: they are taken first, and the database is asked for the rest.
 */
final class CacheLoad {

	private static final CompletableFuture<Void> DONE = CompletableFuture.completedFuture(null);

	private final CacheRead read;

	private final CacheSource source;

	private final CacheReadParts parts;

	private final List<Missing> open;

	private final List<CacheKey> missing;

	private final Map<CacheKey, @Nullable PendingChange> changes;

	private final long stamp;

	/** The age of the reader's transaction when the load began, as scripts want it. */
	private final long age;

	private final @Nullable CacheTags tags;

	/** Whether there is a value that stands in for each of them. */
	private final boolean replaceable;

	private final AtomicBoolean over = new AtomicBoolean();

	private final AtomicBoolean spent = new AtomicBoolean();

	private final CompletableFuture<Void> end = new CompletableFuture<>();

	private Map<CacheKey, @Nullable Object> waiting = Map.of();

	private List<CacheKey> rest;

	private boolean told;

	/** Whether what is loaded is not older than a change that waits for the store. */
	private boolean certain = true;

	private volatile long started = System.nanoTime();

	/**
	 * Begins a load.
	 * @param open what is to be loaded, with the permits to store it
	 * @param changes what waits for the store, {@code null} where that is not known
	 */
	CacheLoad(CacheRead read, List<Missing> open, Map<CacheKey, @Nullable PendingChange> changes) {
		this.read = read;
		this.source = read.source;
		this.parts = read.parts;
		this.open = open;
		this.missing = new ArrayList<>(open.size());
		open.forEach((each) -> this.missing.add(each.key));
		this.rest = this.missing;
		this.changes = changes;
		this.stamp = this.parts.invalidations().stamp(this.source.cache(), read.snapshot);
		this.age = read.snapshot.ageMillis();
		this.tags = isPermitted() ? this.source.tags() : null;
		this.replaceable = isReplaceable(open);
	}

	private static boolean isReplaceable(List<Missing> open) {
		return open.stream().allMatch((each) -> each.load.standIn() != null);
	}

	private boolean isPermitted() {
		return this.open.stream().anyMatch((each) -> each.load.permit() != null);
	}

	/**
	 * Publishes what the caller has asked for in vain, once.
	 */
	void tellMisses() {
		if (this.told) {
			return;
		}
		this.told = true;
		for (Missing each : this.open) {
			if (each.load.replacing()) {
				this.parts.events().publish(new CacheEvent.Unreadable(this.source.cache()));
			}
			this.parts.tell(this.source.cache(),
					each.load.early() ? Access.HIT : each.load.bypassed() ? Access.BYPASS : Access.MISS);
		}
	}

	List<CacheKey> missing() {
		return this.missing;
	}

	/**
	 * Ends it for a caller that loads by itself.
	 * @return what the caller gets, or {@code null} if a change waits for the store
	 */
	@Nullable OpenMiss missed() {
		CacheKey key = this.missing.get(0);
		PendingChange change = this.changes.get(key);
		if (change != null && change.isPresent()) {
			return null;
		}
		if (this.changes.containsKey(key) && change == null) {
			// The database may be older than a change
			giveBack(false);
		}
		Load load = this.spent.get() ? Load.UNSTORED : this.open.get(0).load;
		return new OpenMiss(this.parts, key, this.source.type(), load, this.age, this.stamp);
	}

	/**
	 * Starts the clock, as the source is about to be asked, and takes the changes.
	 */
	List<CacheKey> begin() {
		this.started = System.nanoTime();
		if (!this.changes.isEmpty()) {
			List<CacheKey> asked = new ArrayList<>(this.missing.size());
			for (CacheKey key : this.missing) {
				if (!this.changes.containsKey(key) || !take(key, this.changes.get(key))) {
					asked.add(key);
				}
			}
			this.rest = asked;
		}
		return this.rest;
	}

	private boolean take(CacheKey key, @Nullable PendingChange change) {
		try {
			if (change != null && change.isPresent()) {
				this.waiting = this.waiting.isEmpty() ? new HashMap<>(2) : this.waiting;
				this.waiting.put(key, this.parts.behind().value(change, this.source.type().javaType()));
				return true;
			}
			this.certain = this.certain && change != null;
			return false;
		}
		catch (RuntimeException | StackOverflowError | LinkageError ex) {
			// The database is what is left. It may be older than a change
			this.certain = false;
			return false;
		}
	}

	Map<CacheKey, @Nullable Object> waiting() {
		return this.waiting;
	}

	/**
	 * Releases the permits at their end, unless that was done before: Redis has forgotten
	 * them, but others in this instance wait for values that may never come.
	 */
	void giveBackAtEnd() {
		if (isPermitted()) {
			this.end.completeOnTimeout(null, this.read.settings.leaseTime().toMillis(), TimeUnit.MILLISECONDS)
				.thenRunAsync(() -> giveBack(false));
		}
	}

	/**
	 * Ends it with what was loaded, and stores that. In one transaction a writer may have
	 * begun meanwhile, whose row is not committed: then it is not stored.
	 * @param loaded what was loaded, as the source takes it
	 * @return completes when it is stored, or not to be; never exceptionally
	 * @throws UncacheableValueException if no value of the kind can be stored
	 */
	CompletableFuture<?> loaded(@Nullable Object loaded) {
		if (!this.over.compareAndSet(false, true)) {
			return DONE;
		}
		boolean held = spend();
		boolean done = false;
		try {
			long nanos = System.nanoTime() - this.started;
			if (this.replaceable) {
				tellMisses();
			}
			this.parts.events().publish(new CacheEvent.Load(this.source.cache(), true, nanos));
			long each = nanos / this.missing.size();
			this.parts.values().loadedIn(this.source.cache(), millis(each));
			Map<CacheKey, @Nullable Object> values = this.source.byKey(this.rest, loaded);
			if (!this.waiting.isEmpty()) {
				values = new HashMap<>(values);
				values.putAll(this.waiting);
			}
			this.read.put(values, nanos);
			List<Loaded> stored = (held && this.certain) ? stored(values, millis(each)) : List.of();
			done = true;
			if (held) {
				discardAllBut(stored);
			}
			return stored.isEmpty() ? DONE
					: this.parts.flights().fillAll(stored, this.read.settings, this.age, this.read.budget);
		}
		finally {
			if (!done && held) {
				discardAllBut(List.of());
			}
		}
	}

	static long millis(long nanos) {
		return nanos / 1_000_000 + 1;
	}

	private List<Loaded> stored(Map<CacheKey, @Nullable Object> values, long millis) {
		List<Loaded> stored = new ArrayList<>(this.open.size());
		for (Missing each : this.open) {
			Permit permit = each.load.permit();
			Object value = values.get(each.key);
			if (permit != null && !this.read.isWriting(each.key) && this.source.isStorable(value)) {
				NewValue bytes = this.parts.values()
					.loaded(this.source.cache(), this.source.type(), value, millis, this.stamp, this.tags);
				if (bytes != null) {
					stored.add(new Loaded(permit, bytes));
				}
			}
		}
		return stored;
	}

	private void discardAllBut(List<Loaded> stored) {
		int next = 0;
		for (Missing each : this.open) {
			Permit permit = each.load.permit();
			if (next < stored.size() && stored.get(next).permit() == permit) {
				next++;
			}
			else if (permit != null) {
				this.parts.flights().discard(permit);
			}
		}
	}

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

	boolean isReplaceable() {
		return this.replaceable;
	}

	/**
	 * Lets values that are there stand in, after it has failed.
	 * @param judged whether it is known what was invalidated
	 * @return whether they do: only if there is one for every entry they are of use
	 */
	boolean replace(boolean judged) {
		Map<CacheKey, @Nullable Object> found = new HashMap<>(2);
		for (Missing each : this.open) {
			byte[] old = each.load.standIn();
			CacheType.Content content = (judged && old != null) ? this.read.content(old) : null;
			if (content != null) {
				found.put(each.key, content.value());
			}
		}
		if (found.size() < this.missing.size()) {
			tellMisses();
			return false;
		}
		this.read.put(found, 0);
		this.open
			.forEach((each) -> this.parts.tell(this.source.cache(), each.load.early() ? Access.HIT : Access.STALE));
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
			for (Missing each : this.open) {
				Permit permit = each.load.permit();
				if (permit != null) {
					this.parts.flights().release(permit, failed);
				}
			}
		}
	}

	/**
	 * An entry to load, with the permit to store it.
	 */
	record Missing(CacheKey key, Load load) {
	}

}
