/*
 * Copyright 2026 the GE Redis authors
 * SPDX-License-Identifier: Apache-2.0
 */

package io.ge.redis.cache.read;

import java.util.concurrent.CompletableFuture;

import io.ge.redis.cache.codec.CacheHeader;
import io.ge.redis.cache.codec.CacheType;
import io.ge.redis.cache.engine.CacheFlights;
import io.ge.redis.cache.engine.CacheInvalidations;
import io.ge.redis.cache.engine.CacheKey;
import io.ge.redis.cache.engine.CacheLookup;
import io.ge.redis.cache.engine.CacheQuestion;
import io.ge.redis.cache.engine.CacheTags;
import io.ge.redis.core.outage.CallBudget;
import org.jspecify.annotations.Nullable;

/**
 * Looks entries up and judges what is found, for readers of every kind: asking is
 * asynchronous and does not block, judging reads the value and is for a thread of the
 * application.
 */
public final class CacheSearch {

	private static final byte[] NOTHING = {};

	private final CacheFlights flights;

	private final CacheInvalidations invalidations;

	public CacheSearch(CacheFlights flights, CacheInvalidations invalidations) {
		this.flights = flights;
		this.invalidations = invalidations;
	}

	/**
	 * Asks for an entry, and for what was invalidated.
	 * @return completes with what there is, perhaps on a thread of the driver
	 */
	CompletableFuture<CacheLookup> look(CacheQuestion question, CallBudget budget) {
		String cache = question.key().cache();
		CompletableFuture<Void> ready = this.invalidations.ready(cache, budget);
		return this.flights.lookup(question, budget)
			// Once more, since what is known has grown older for whoever has waited
			.thenCompose((lookup) -> ready.thenCompose((none) -> this.invalidations.ready(cache, budget))
				.handle((none, failure) -> (failure == null) ? lookup : passBy(lookup)));
	}

	private CacheLookup passBy(CacheLookup unjudged) {
		giveBack(unjudged);
		return CacheLookup.Load.BYPASS;
	}

	/**
	 * Gives back what a reader was given who does not go on.
	 */
	void giveBack(CacheLookup lookup) {
		CacheLookup.Permit permit = null;
		if (lookup instanceof CacheLookup.Load load) {
			permit = load.permit();
		}
		else if (lookup instanceof CacheLookup.Found found) {
			permit = found.refresh();
		}
		if (permit != null) {
			this.flights.release(permit, false);
		}
	}

	/**
	 * Reads the value of an entry.
	 * @return the value, or {@code null} if there is none that is of any use
	 */
	CacheType.@Nullable Content content(CacheSource source, byte[] entry) {
		return isOutdated(source, entry) ? null : source.type().read(entry);
	}

	/**
	 * Returns whether an entry is of no use to a reader although it may be readable: it
	 * was invalidated, or has no tags and should have some.
	 */
	boolean isOutdated(CacheSource source, byte[] entry) {
		CacheHeader header = source.type().header(entry);
		return header != null && (this.invalidations.isOutdated(source.key().cache(), header.stamp(), header.tags())
				|| (header.tags().length == 0 && isTagged(source)));
	}

	/**
	 * Returns whether a reader names tags: an entry that was stored before anybody said
	 * what its tags are would be out of reach.
	 */
	static boolean isTagged(CacheSource source) {
		CacheTags tags = source.tags();
		return tags != null && !tags.isEmpty();
	}

	/**
	 * Reads the value of an entry for a reader that says nothing of tags.
	 * @return the value, or {@code null} if there is none that is of any use
	 */
	CacheType.@Nullable Content content(CacheKey key, CacheType type, byte[] entry) {
		return isOutdated(key, type, entry) ? null : type.read(entry);
	}

	/**
	 * Returns whether an entry was invalidated, by its tags or with all of its cache.
	 */
	boolean isOutdated(CacheKey key, CacheType type, byte[] entry) {
		CacheHeader header = type.header(entry);
		return header != null && this.invalidations.isOutdated(key.cache(), header.stamp(), header.tags());
	}

	/**
	 * Returns whether an entry was found, fresh or expired.
	 */
	static boolean isEntry(CacheLookup lookup) {
		return lookup instanceof CacheLookup.Found || lookup instanceof CacheLookup.Expired;
	}

	/**
	 * Returns the bytes of the entry that was found, none if there is no entry.
	 */
	static byte[] entry(CacheLookup lookup) {
		if (lookup instanceof CacheLookup.Found found) {
			return found.value();
		}
		return (lookup instanceof CacheLookup.Expired expired) ? expired.value() : NOTHING;
	}

	/**
	 * Returns what is loaded by a reader whose entry has turned out to be of no use.
	 * @param second what it was told when it asked to replace the entry
	 * @param unreadable whether the entry could not be read
	 */
	static CacheLookup.Load replaceable(CacheLookup second, boolean unreadable) {
		CacheLookup.Load load = (second instanceof CacheLookup.Load granted) ? granted : CacheLookup.Load.UNSTORED;
		return new CacheLookup.Load(load.permit(), load.bypassed(), unreadable, null);
	}

}
