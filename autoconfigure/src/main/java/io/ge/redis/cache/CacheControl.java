/*
 * Copyright 2026 the GE Redis authors
 * SPDX-License-Identifier: Apache-2.0
 */

package io.ge.redis.cache;

import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;

import io.ge.redis.core.bus.Answers;
import io.ge.redis.core.bus.InstanceBus;
import io.ge.redis.core.invocation.Setting;
import io.ge.redis.core.invocation.Settings;
import io.ge.redis.core.outage.RedisUnavailableException;
import io.ge.redis.core.outage.Waiting;
import org.jspecify.annotations.Nullable;

/**
 * View of caches for operators, and their actions, while the application runs. Keys are
 * never shown.
 */
public final class CacheControl {

	private final CacheDefinitions definitions;

	private final CacheWriter writer;

	private final RedisCacheSizes sizes;

	private final InstanceBus bus;

	CacheControl(CacheDefinitions definitions, CacheWriter writer, RedisCacheSizes sizes, InstanceBus bus) {
		this.definitions = definitions;
		this.writer = writer;
		this.sizes = sizes;
		this.bus = bus;
	}

	/**
	 * Returns whether an annotation or a property knows a cache of a name, or code has
	 * used it on this instance.
	 * @param name the name
	 * @return whether it is known
	 */
	public boolean exists(String name) {
		return this.definitions.names().contains(name);
	}

	/**
	 * Lists the caches. One message, one from each instance, which are waited for half a
	 * second at most, and one script call for each server, which looks at 500 random keys
	 * there.
	 * @return what the instances have told, and what was seen
	 */
	public Listing list() {
		Answers answers = Waiting.await(this.bus.ask(CacheInventory.TOPIC, ""));
		List<Instance> instances = new ArrayList<>();
		List<WarmUp> warmUps = new ArrayList<>();
		Map<String, Map<String, Long>> counts = new TreeMap<>();
		this.definitions.names().forEach((name) -> counts.put(name, new TreeMap<>()));
		answers.texts().forEach((id, answer) -> {
			CacheInventory inventory = CacheInventory.parse(answer);
			if (inventory == null) {
				return;
			}
			instances.add(new Instance(id, inventory.process(), inventory.journal()));
			inventory.warmUps()
				.forEach((warmUp) -> warmUps.add(new WarmUp(warmUp.name(), id, warmUp.state(), warmUp.read())));
			inventory.counts().forEach((cache, results) -> {
				Map<String, Long> sums = counts.computeIfAbsent(cache, (key) -> new TreeMap<>());
				results.forEach((result, count) -> sums.merge(result, count, Long::sum));
			});
		});
		Map<String, Size> found = sizes(counts.keySet());
		List<Cache> all = new ArrayList<>();
		counts.forEach((cache, results) -> all
			.add(new Cache(cache, settings(cache), found.get(cache), results.remove(CacheInventory.NEAR), results)));
		return new Listing(this.bus.instanceId(), instances, new TreeSet<>(answers.silent()), all, warmUps);
	}

	private Map<String, Size> sizes(Collection<String> names) {
		try {
			return this.sizes.estimate(names);
		}
		catch (RedisUnavailableException ex) {
			return Map.of();
		}
	}

	private Map<String, Setting> settings(String cache) {
		Settings settings = new Settings();
		this.definitions.consistency(cache, settings);
		this.definitions.settings(cache, settings);
		this.definitions.near().settings(cache, settings);
		return settings.toMap();
	}

	/**
	 * Removes an entry, and all leave to fill it: one script call. While Redis is away it
	 * is removed as soon as it is back, if this instance lives so long.
	 * @param cache the cache's name
	 * @param key the parts of the key
	 * @return {@link CacheEvent.Outcome#INVALIDATED} or
	 * {@link CacheEvent.Outcome#DEFERRED}
	 */
	public CacheEvent.Outcome invalidate(String cache, List<String> key) {
		return this.writer.remove(new CacheKey(cache, List.copyOf(key)));
	}

	/**
	 * Makes all entries count as outdated that have one of some tags: one script call,
	 * and one message to all instances. While Redis is away it is done as soon as it is
	 * back, if this instance lives so long.
	 * @param cache the cache's name
	 * @param tags the tags, each of one part
	 * @return {@link CacheEvent.Outcome#INVALIDATED} or
	 * {@link CacheEvent.Outcome#DEFERRED}
	 */
	public CacheEvent.Outcome invalidateTags(String cache, List<String> tags) {
		return this.writer.remove(cache, CacheTags.of(tags, "A tag of cache '" + cache + "'"));
	}

	/**
	 * Makes all entries of a cache count as outdated, as {@link #invalidateTags}.
	 * @param cache the cache's name
	 * @return {@link CacheEvent.Outcome#INVALIDATED} or
	 * {@link CacheEvent.Outcome#DEFERRED}
	 */
	public CacheEvent.Outcome clear(String cache) {
		return this.writer.remove(cache, CacheTags.ALL);
	}

	/**
	 * The caches of all instances.
	 *
	 * @param instance the id of the instance that has asked
	 * @param instances those that have answered
	 * @param silent the ids of those that are known and have not answered in time
	 * @param caches the caches by name
	 * @param warmUps the warm-ups of each instance
	 */
	public record Listing(String instance, List<Instance> instances, Set<String> silent, List<Cache> caches,
			List<WarmUp> warmUps) {
	}

	/**
	 * The report of an instance.
	 *
	 * @param id the id of the instance
	 * @param process number and host of its process
	 * @param journal how many entries it is to remove, and how many caches to invalidate,
	 * as soon as Redis is back
	 */
	public record Instance(String id, String process, int journal) {
	}

	/**
	 * A cache.
	 *
	 * @param name the name
	 * @param settings the settings on the instance that has asked, and where each comes
	 * from
	 * @param size how many entries it has in Redis, or {@code null} if that is not known
	 * @param nearEntries about how many values the instances that have answered have in
	 * memory, or {@code null} if they keep none
	 * @param counts what all instances that have answered have counted since they
	 * started, by result
	 */
	public record Cache(String name, Map<String, Setting> settings, @Nullable Size size, @Nullable Long nearEntries,
			Map<String, Long> counts) {

		private static final List<String> HITS = List.of("hit", "stale");

		private static final List<String> MISSES = List.of("miss", "bypass");

		private static final List<String> LOADS = List.of("loaded", "load_failed");

		/**
		 * Returns how many calls of readers were answered with a value that was there.
		 * @return the share of all calls, from 0 to 1, or {@code null} if there were none
		 */
		public @Nullable Double hitRatio() {
			long hits = count(HITS);
			long all = hits + count(MISSES);
			return (all > 0) ? (double) hits / all : null;
		}

		/**
		 * Returns how many values were loaded, or failed to be.
		 * @return the number
		 */
		public long loads() {
			return count(LOADS);
		}

		private long count(List<String> results) {
			return results.stream().mapToLong((result) -> this.counts.getOrDefault(result, 0L)).sum();
		}

	}

	/**
	 * How many entries a cache has in Redis at present, be they values or being loaded:
	 * an estimate from the share that they have among random keys.
	 *
	 * @param entries the estimate
	 * @param margin by how much it may be wrong, in nineteen of twenty cases
	 * @param looks how many keys were looked at
	 */
	public record Size(long entries, long margin, long looks) {

		static final Size NONE = new Size(0, 0, 0);

		/**
		 * Adds what was seen on one more server.
		 * @param keys how many keys it has
		 * @param looked how many of them were looked at
		 * @param seen how many of those were entries
		 */
		Size plus(long keys, long looked, long seen) {
			if (looked == 0) {
				return this;
			}
			double share = (double) seen / looked;
			// Where all are alike the rule of three says how many of the other kind there
			// may be
			double deviation = (seen == 0 || seen == looked) ? 3.0 / looked
					: 1.96 * Math.sqrt(share * (1 - share) / looked);
			long wrong = (long) Math.ceil(Math.min(1, deviation) * keys);
			return new Size(this.entries + Math.round(share * keys), this.margin + wrong, this.looks + looked);
		}

	}

	/**
	 * A warm-up on one instance.
	 *
	 * @param name the name
	 * @param instance the id of the instance
	 * @param state {@code waiting}, {@code running}, {@code done} or {@code failed}
	 * @param read how many keys were read, by the instance or by the one that it waits
	 * for
	 */
	public record WarmUp(String name, String instance, String state, long read) {
	}

}
