/*
 * Copyright 2026 the GE Redis authors
 * SPDX-License-Identifier: Apache-2.0
 */

package io.ge.redis.cache;

import java.util.Optional;
import java.util.concurrent.Callable;
import java.util.function.Supplier;

import io.ge.redis.core.invocation.InvalidKeyException;
import io.ge.redis.core.outage.Waiting;
import org.apache.commons.logging.Log;
import org.apache.commons.logging.LogFactory;
import org.jspecify.annotations.Nullable;

import org.springframework.util.ClassUtils;
import org.springframework.util.ObjectUtils;

/**
 * A cache as one operation of one call of a method sees it: the method says what type the
 * values are of, the annotation whether a put fills the cache or changes it, and the
 * lease of what was not there is kept by the call, whatever threads it runs on.
 */
final class SpringCacheView extends SpringCacheBase {

	/** Stands for the key of a writer that is none when the method has run. */
	static final Object NO_KEY = new Object();

	private static final Log logger = LogFactory.getLog(SpringCacheView.class);

	private final SpringCache cache;

	private final SpringInvocation invocation;

	private final SpringOperation operation;

	private @Nullable SpringValue value;

	SpringCacheView(SpringCache cache, Supplier<SpringCacheParts> parts, SpringCacheCounts counts,
			SpringInvocation invocation, SpringOperation operation) {
		super(cache.getName(), parts, counts);
		this.cache = cache;
		this.invocation = invocation;
		this.operation = operation;
	}

	static <T> @Nullable T cast(String cache, @Nullable Object value, @Nullable Class<T> wanted) {
		if (value != null && wanted != null && !ClassUtils.resolvePrimitiveIfNecessary(wanted).isInstance(value)) {
			throw new IllegalStateException("Cache '" + cache + "' holds a " + value.getClass().getName()
					+ " under the key, not a " + wanted.getName());
		}
		@SuppressWarnings("unchecked")
		T result = (T) value;
		return result;
	}

	SpringOperation operation() {
		return this.operation;
	}

	SpringProbe probe() {
		return this.invocation.probe(this.operation);
	}

	boolean isAsynchronous() {
		return this.invocation.isAsynchronous();
	}

	private SpringValue value() {
		SpringValue known = this.value;
		if (known == null) {
			known = parts().types()
				.value(getName(), SpringTypes.place(this.operation.operation(), this.operation.method(),
						this.operation.targetClass()), this.invocation.proxyClass());
			this.value = known;
		}
		return known;
	}

	@Override
	CacheKey key(Object key) {
		return SpringKeys.of(getName(), key, this.operation.args());
	}

	// The change may be committed already: the caller must not take a bad key for a
	// failure
	private @Nullable CacheKey changed(Object key) {
		if (key != NO_KEY) {
			try {
				return key(key);
			}
			catch (InvalidKeyException ex) {
				if (!ex.isCausedByArguments()) {
					throw ex;
				}
			}
		}
		logger.warn("The key of " + this.operation.operation() + " is null or blank when " + this.operation.method()
				+ " has run. Nothing is put into cache '" + getName() + "' or removed from it");
		return null;
	}

	@Override
	CacheType type() {
		return value().type();
	}

	@Override
	boolean isLoading(CacheKey entry) {
		return this.invocation.isHeld(entry);
	}

	@Override
	void missed(SplitMiss miss) {
		this.invocation.missed(miss, this);
	}

	@Override
	void missedLater(SplitMiss miss) {
		parts().split().giveBackAtEnd(miss);
		this.invocation.missed(miss, this);
	}

	@Override
	@Nullable Object stored(@Nullable Object loaded) {
		return value().optional() ? ObjectUtils.unwrapOptional(loaded) : loaded;
	}

	@Override
	@Nullable Object promised(@Nullable Object found) {
		return value().optional() ? Optional.ofNullable(found) : found;
	}

	@Override
	CacheSource source(CacheKey entry, Callable<? extends @Nullable Object> loader) {
		return this.invocation.source(entry, type(), loader, this);
	}

	@Override
	public <T> @Nullable T get(Object key, @Nullable Class<T> wanted) {
		ValueWrapper found = get(key);
		return cast(getName(), (found != null) ? found.get() : null, wanted);
	}

	@Override
	public void put(Object key, @Nullable Object loaded) {
		if (!this.operation.isPut()) {
			counts().puts.increment();
			fill(key(key), stored(loaded));
			return;
		}
		CacheKey entry = changed(key);
		if (entry == null) {
			return;
		}
		counts().puts.increment();
		if (!this.invocation.isDone(entry)) {
			change(entry, stored(loaded));
		}
	}

	private void fill(CacheKey entry, @Nullable Object loaded) {
		SplitMiss miss = this.invocation.take(entry);
		if (miss == null) {
			return;
		}
		SplitReader split = parts().split();
		split.loaded(miss, true);
		split.tell(miss, miss.access());
		if (!this.invocation.isAsynchronous() && parts().transactions().isWriting(entry)) {
			split.discard(miss);
		}
		else if (this.invocation.isAsynchronous()) {
			split.fill(miss, loaded);
		}
		else {
			Waiting.await(split.fill(miss, loaded));
		}
	}

	// The key was not known before the method ran, so nothing was announced
	private void change(CacheKey entry, @Nullable Object changed) {
		parts().writer().requireWrittenThrough(entry);
		if (this.invocation.isAsynchronous()) {
			parts().removeSoon(entry);
		}
		else {
			parts().writer().put(entry, changed);
		}
	}

	@Override
	public @Nullable ValueWrapper putIfAbsent(Object key, @Nullable Object loaded) {
		return this.cache.putIfAbsent(key, loaded);
	}

	@Override
	public void evict(Object key) {
		CacheKey entry = changed(key);
		if (entry == null) {
			return;
		}
		counts().removals.increment();
		if (this.invocation.isDone(entry)) {
			return;
		}
		if (this.invocation.isAsynchronous()) {
			parts().removeSoon(entry);
		}
		else {
			parts().writer().evict(entry);
		}
	}

	// Before the method: the entry goes at once, and once more when the method is done,
	// since somebody may load the old value meanwhile
	@Override
	public boolean evictIfPresent(Object key) {
		counts().removals.increment();
		removeNow(key(key));
		return false;
	}

	@Override
	public void clear() {
		CacheKey all = CacheKey.whole(getName());
		counts().removals.increment();
		if (this.invocation.isDone(all)) {
			return;
		}
		if (this.invocation.isAsynchronous()) {
			parts().removeSoon(all);
		}
		else {
			parts().writer().invalidate(getName(), CacheTags.ALL);
		}
	}

	@Override
	public boolean invalidate() {
		counts().removals.increment();
		removeNow(CacheKey.whole(getName()));
		return false;
	}

	private void removeNow(CacheKey target) {
		if (this.invocation.isAsynchronous()) {
			parts().removeSoon(target);
		}
		else {
			parts().writer().remove(target);
		}
	}

}
