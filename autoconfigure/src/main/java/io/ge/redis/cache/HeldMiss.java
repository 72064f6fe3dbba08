/*
 * Copyright 2026 the GE Redis authors
 * SPDX-License-Identifier: Apache-2.0
 */

package io.ge.redis.cache;

import java.util.concurrent.CancellationException;
import java.util.concurrent.CompletableFuture;

import io.ge.redis.cache.CacheEvent.Access;
import org.jspecify.annotations.Nullable;

/**
 * A miss of one call, and the operation that missed.
 *
 * @param miss what was not found
 * @param view the cache as the operation sees it that has asked
 */
record HeldMiss(SplitMiss miss, SpringCacheView view) {

	private SplitReader split() {
		return this.view.parts().split();
	}

	void giveBackAtEnd() {
		split().giveBackAtEnd(this.miss);
	}

	void loaded() {
		split().loaded(this.miss, true);
		split().tell(this.miss, this.miss.access());
	}

	void failed() {
		split().loaded(this.miss, false);
		split().giveBack(this.miss, true);
	}

	CompletableFuture<@Nullable Expired> expired() {
		return split().expired(this.miss).thenApply((content) -> {
			if (content == null) {
				return null;
			}
			split().tell(this.miss, Access.STALE);
			return new Expired(this.view, content);
		});
	}

	void end(@Nullable Throwable failure, boolean ran) {
		if (ran) {
			split().loaded(this.miss, failure == null);
		}
		split().tell(this.miss, this.miss.access());
		if (failure == null && ran) {
			split().discard(this.miss);
		}
		else {
			split().giveBack(this.miss, ran && !(failure instanceof CancellationException));
		}
	}

	/**
	 * A value that has expired, for a method that has failed.
	 *
	 * @param view the cache as the operation sees it that has asked
	 * @param content the value
	 */
	record Expired(SpringCacheView view, CacheType.Content content) {
	}

}
