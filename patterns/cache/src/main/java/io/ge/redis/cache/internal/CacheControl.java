// SPDX-License-Identifier: Apache-2.0

package io.ge.redis.cache.internal;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.stream.Stream;

import io.ge.redis.cache.CacheEvent;
import io.ge.redis.cache.internal.engine.CacheKey;
import io.ge.redis.cache.internal.engine.CacheTags;
import io.ge.redis.core.bus.Reports;
import io.ge.redis.core.invocation.Setting;
import io.ge.redis.core.invocation.Settings;
import org.jspecify.annotations.Nullable;

/**
 * View of caches for operators, and their actions, while the application runs. Keys are
 * never shown.
 */
public final class CacheControl {

	private final CacheRegistry definitions;

	private final CacheWriter writer;

	private final Reports<CacheReport> reports;

	CacheControl(CacheRegistry definitions, CacheWriter writer, Reports<CacheReport> reports) {
		this.definitions = definitions;
		this.writer = writer;
		this.reports = reports;
	}

	/**
	 * Returns whether an annotation or a property knows a cache of a name, or code has
	 * used it on this instance.
	 * @return whether it is known
	 */
	public boolean exists(String name) {
		return this.definitions.names().contains(name);
	}

	/**
	 * Lists the caches. One message, one from each instance, which are waited for half a
	 * second at most.
	 * @return the reports of the instances
	 */
	public Listing list() {
		Reports.Collected<CacheReport> collected = this.reports.collect(Reports.Filter.ALL);
		List<Instance> instances = new ArrayList<>();
		List<WarmUp> warmUps = new ArrayList<>();
		Map<String, Map<String, Long>> counts = new TreeMap<>();
		this.definitions.names().forEach((name) -> counts.put(name, new TreeMap<>()));
		collected.reports().forEach((id, report) -> {
			instances.add(new Instance(id, report.process(), report.journal()));
			report.warmUps()
				.forEach((warmUp) -> warmUps.add(new WarmUp(warmUp.name(), id, warmUp.state(), warmUp.read())));
			report.caches().forEach((cache) -> {
				Map<String, Long> sums = counts.computeIfAbsent(cache.cache(), (name) -> new TreeMap<>());
				cache.results().forEach((result, count) -> sums.merge(result, count, Long::sum));
			});
		});
		List<Cache> all = new ArrayList<>();
		counts.forEach((cache, figures) -> all.add(cache(cache, figures)));
		return new Listing(collected.instance(), instances, collected.silent(), all, warmUps);
	}

	private Cache cache(String name, Map<String, Long> figures) {
		Long near = figures.remove(CacheReport.NEAR);
		long hits = count(figures, "hit", "stale");
		long reads = hits + count(figures, "miss", "bypass");
		return new Cache(name, settings(name), near, (reads > 0) ? (double) hits / reads : null,
				count(figures, "loaded", "load_failed"), count(figures, "stale"), figures);
	}

	private static long count(Map<String, Long> figures, String... results) {
		return Stream.of(results).mapToLong((result) -> figures.getOrDefault(result, 0L)).sum();
	}

	private Map<String, Setting> settings(String cache) {
		Settings settings = new Settings();
		this.definitions.settings(cache, settings);
		this.definitions.near(cache, settings);
		return settings.toMap();
	}

	/**
	 * Removes an entry, and all leases to fill it: one script call. While Redis is
	 * unavailable the removal is deferred, and lost if this instance ends before.
	 */
	public CacheEvent.Outcome invalidate(String cache, List<String> key) {
		return this.writer.removeNow(new CacheKey(cache, List.copyOf(key)), CacheTags.ALL);
	}

	/**
	 * Makes all entries with one of some tags count as outdated: one script call, and one
	 * message to all instances.
	 */
	public CacheEvent.Outcome invalidateTags(String cache, List<String> tags) {
		return this.writer.removeNow(CacheKey.whole(cache), CacheTags.of(tags, "A tag of cache '" + cache + "'"));
	}

	public CacheEvent.Outcome clear(String cache) {
		return this.writer.removeNow(CacheKey.whole(cache), CacheTags.ALL);
	}

	/**
	 * The caches of all instances.
	 *
	 * @param instance the id of the instance that has asked
	 * @param silent the ids of those that are known and have not answered in time
	 */
	public record Listing(String instance, List<Instance> instances, Set<String> silent, List<Cache> caches,
			List<WarmUp> warmUps) {
	}

	/**
	 * The report of an instance.
	 *
	 * @param journal how many entries it is to remove, and how many caches to invalidate,
	 * as soon as Redis is back
	 */
	public record Instance(String id, String process, int journal) {
	}

	/**
	 * A cache.
	 *
	 * @param settings the settings on the instance that has asked, and where each comes
	 * from
	 * @param nearEntries about how many values the instances that have answered have in
	 * memory, or {@code null} if they keep none
	 * @param hitRatio the share of reads that were answered with a value that was there,
	 * {@code null} if there were none
	 * @param loads how many values were loaded, or failed to be
	 * @param staleServes how many reads were answered with a value past its time
	 * @param figures the counts of all instances that have answered since they started,
	 * by result
	 */
	public record Cache(String name, Map<String, Setting> settings, @Nullable Long nearEntries,
			@Nullable Double hitRatio, long loads, long staleServes, Map<String, Long> figures) {
	}

	/**
	 * A warm-up on one instance.
	 *
	 * @param state {@code waiting}, {@code running}, {@code done} or {@code failed}
	 * @param read how many keys the instance has read
	 */
	public record WarmUp(String name, String instance, String state, long read) {
	}

}
