/*
 * Copyright 2026 the GE Redis authors
 * SPDX-License-Identifier: Apache-2.0
 */

package io.ge.redis.actuate;

import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.function.Supplier;

import io.ge.redis.cache.CacheControl;
import io.ge.redis.cache.CacheEvent;
import io.ge.redis.cache.CacheGuard;
import io.ge.redis.core.invocation.Setting;
import org.jspecify.annotations.Nullable;

import org.springframework.aot.hint.annotation.RegisterReflectionForBinding;
import org.springframework.boot.actuate.endpoint.OperationResponseBody;
import org.springframework.util.function.SingletonSupplier;

/**
 * {@code /actuator/geredis/caches}: the caches with their settings, an estimate of their
 * size, what all instances have counted, and the warm-ups;
 * {@code /actuator/geredis/caches/<cache>}: one of them. Deleted with {@code ?key=42},
 * the entry is removed; with {@code ?tag=toys}, all entries that have the tag; with
 * {@code ?all=true}, all entries.
 * <p>
 * A key of several parts is given by repeating the parameter, and so are several tags.
 */
@RegisterReflectionForBinding({ CachesResource.CachesReport.class, CachesResource.CacheReport.class,
		CachesResource.RemovalReport.class })
public class CachesResource implements GuardResource {

	private static final String NAME = "caches";

	private static final String PATTERN = "cache";

	private static final String KEY = "key";

	private static final String TAG = "tag";

	private static final String ALL = "all";

	private final Supplier<CacheControl> control;

	/**
	 * Creates the resource.
	 * @param guard tells and does what is asked for
	 * @param figures counts what happens on this instance
	 */
	public CachesResource(CacheGuard guard, GuardFigures figures) {
		guard.countBy((cache) -> figures.of(PATTERN, cache));
		this.control = SingletonSupplier.of(guard::control);
	}

	@Override
	public String name() {
		return NAME;
	}

	@Override
	public Object read(GuardRequest request) {
		request.allowOnly(Set.of());
		CacheControl.Listing listing = this.control.get().list();
		String name = request.name((cache) -> find(listing, cache) != null);
		if (name.isEmpty()) {
			return new CachesReport(listing.instance(), listing.instances(), listing.silent(),
					listing.caches().stream().map(CachesResource::report).toList(), listing.warmUps());
		}
		CacheControl.Cache cache = find(listing, name);
		if (cache == null) {
			throw GuardRequestException.notFound("No cache '" + name + "' is known.",
					"List them, without a name in the path.");
		}
		return report(cache);
	}

	private static CacheControl.@Nullable Cache find(CacheControl.Listing listing, String name) {
		return listing.caches().stream().filter((cache) -> cache.name().equals(name)).findFirst().orElse(null);
	}

	private static CacheReport report(CacheControl.Cache cache) {
		return new CacheReport(cache.name(), cache.settings(), cache.size(), cache.nearEntries(), cache.hitRatio(),
				cache.loads(), cache.counts().getOrDefault("stale", 0L), cache.counts());
	}

	@Override
	public Object delete(GuardRequest request) {
		request.allowOnly(Set.of(KEY, TAG, ALL));
		request.allowOneOf(KEY, TAG);
		request.allowOneOf(KEY, ALL);
		request.allowOneOf(TAG, ALL);
		String name = request.name(this.control.get()::exists);
		if (name.isEmpty()) {
			throw GuardRequestException.notFound("No cache is named.", "Add its name to the path.");
		}
		return new RemovalReport(name, remove(name, request).name().toLowerCase(Locale.ROOT));
	}

	private CacheEvent.Outcome remove(String name, GuardRequest request) {
		List<String> key = request.texts(KEY);
		if (!key.isEmpty()) {
			return this.control.get().invalidate(name, key);
		}
		List<String> tags = request.texts(TAG);
		if (!tags.isEmpty()) {
			return this.control.get().invalidateTags(name, tags);
		}
		String all = request.text(ALL);
		if (all == null) {
			throw GuardRequestException.invalid(KEY, "key is missing.",
					"Add it, such as ?key=42, and repeat it for a key of several parts; or ?tag=toys for all entries"
							+ " that have the tag, or ?all=true for all entries.");
		}
		if (!all.equals("true")) {
			throw GuardRequestException.invalid(ALL, "all is '" + all + "'.", "Set it to true, or leave it out.");
		}
		return this.control.get().clear(name);
	}

	/**
	 * The caches of all instances.
	 *
	 * @param instance the id of the instance that was asked
	 * @param instances what each has told; {@code journal} is the number of entries that
	 * it is to remove, and of caches that it is to invalidate, as soon as Redis is back
	 * @param silent the ids of instances that are known and did not answer in time; what
	 * they have counted is missing
	 * @param caches the caches by name
	 * @param warmUps the warm-ups of each instance
	 */
	public record CachesReport(String instance, List<CacheControl.Instance> instances, Set<String> silent,
			List<CacheReport> caches, List<CacheControl.WarmUp> warmUps) implements OperationResponseBody {
	}

	/**
	 * A cache.
	 *
	 * @param name the name
	 * @param settings effective settings and their origins
	 * @param size estimate of the entries in Redis, {@code null} if Redis did not tell
	 * @param nearEntries about how many values the instances have in memory, {@code null}
	 * if they keep none
	 * @param hitRatio the share of reads that were answered with a value that was there,
	 * {@code null} if there were none
	 * @param loads how many values were loaded, or failed to be
	 * @param staleServes how many reads were answered with a value past its time
	 * @param figures counts by outcome, of all instances since they started
	 */
	public record CacheReport(String name, Map<String, Setting> settings, CacheControl.@Nullable Size size,
			@Nullable Long nearEntries, @Nullable Double hitRatio, long loads, long staleServes,
			Map<String, Long> figures) implements OperationResponseBody {
	}

	/**
	 * The result of an action.
	 *
	 * @param cache the name of the cache
	 * @param outcome {@code invalidated}, or {@code deferred} until Redis is back
	 */
	public record RemovalReport(String cache, String outcome) implements OperationResponseBody {
	}

}
