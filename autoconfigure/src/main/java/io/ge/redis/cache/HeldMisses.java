/*
 * Copyright 2026 the GE Redis authors
 * SPDX-License-Identifier: Apache-2.0
 */

package io.ge.redis.cache;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;

import io.ge.redis.core.call.Handover;
import org.jspecify.annotations.Nullable;

/**
 * The misses of one call with Spring's annotations, until they are stored or their leases
 * are released. Several threads may come to it, as an asynchronous method does.
 */
final class HeldMisses {

	private final Map<CacheKey, HeldMiss> held = new ConcurrentHashMap<>(2);

	/**
	 * Keeps a miss. Of several of one entry only the first is of any use.
	 */
	void add(SplitMiss miss, SpringCacheView view) {
		if (miss.expired() == null) {
			view.parts().split().tell(miss, miss.access());
		}
		if (this.held.putIfAbsent(miss.key(), new HeldMiss(miss, view)) != null) {
			view.parts().split().giveBack(miss, false);
		}
	}

	boolean contains(CacheKey key) {
		return this.held.containsKey(key);
	}

	@Nullable SplitMiss take(CacheKey key) {
		HeldMiss taken = this.held.remove(key);
		return (taken != null) ? taken.miss() : null;
	}

	/**
	 * Begins the loading of all, on the current thread.
	 * @return how many loads the thread has entered, which it is to leave again
	 */
	int begin(CacheTransactions transactions) {
		int entered = 0;
		for (HeldMiss each : this.held.values()) {
			each.miss().begin();
			if (transactions.beginLoad(each.miss().key())) {
				entered++;
			}
		}
		return entered;
	}

	void loaded() {
		this.held.values().forEach(HeldMiss::loaded);
	}

	/**
	 * Gives all leases back, since the method has failed.
	 * @return what was not found
	 */
	List<HeldMiss> fail() {
		List<HeldMiss> all = new ArrayList<>(this.held.values());
		all.forEach(HeldMiss::failed);
		return all;
	}

	/**
	 * Looks for a value that has expired, for a method that has failed.
	 * @return completes with the first one, or with {@code null}
	 */
	static CompletableFuture<HeldMiss.@Nullable Expired> expired(List<HeldMiss> failed) {
		CompletableFuture<HeldMiss.@Nullable Expired> found = Handover.done(null);
		for (HeldMiss each : failed) {
			found = found.thenCompose((before) -> (before != null) ? Handover.done(before) : each.expired());
		}
		return found;
	}

	/**
	 * Has all leases given back at their end, for a call whose end may not be seen.
	 */
	void giveBackAtEnd() {
		this.held.values().forEach(HeldMiss::giveBackAtEnd);
	}

	/**
	 * Ends what was not stored.
	 * @param failure why the call has no value, or {@code null}
	 * @param ran whether the method has run
	 */
	void end(@Nullable Throwable failure, boolean ran) {
		for (CacheKey key : this.held.keySet()) {
			HeldMiss left = this.held.remove(key);
			if (left != null) {
				left.end(failure, ran);
			}
		}
	}

}
