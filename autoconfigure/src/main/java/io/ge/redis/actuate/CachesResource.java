// SPDX-License-Identifier: Apache-2.0

package io.ge.redis.actuate;

import java.util.List;
import java.util.Locale;
import java.util.Set;
import java.util.function.Supplier;

import io.ge.redis.cache.CacheEvent;
import io.ge.redis.cache.internal.CacheControl;
import io.ge.redis.cache.internal.CachePattern;
import io.ge.redis.core.endpoint.GuardRequest;
import io.ge.redis.core.endpoint.GuardRequestException;
import io.ge.redis.core.endpoint.GuardResource;
import org.jspecify.annotations.Nullable;

import org.springframework.aot.hint.annotation.RegisterReflectionForBinding;
import org.springframework.util.function.SingletonSupplier;

/**
 * {@code /actuator/geredis/cache} lists the caches with their settings, the counts of all
 * instances, and the warm-ups. {@code /actuator/geredis/cache/<cache>} shows one of them.
 * A delete with {@code ?key=42} removes the entry, with {@code ?tag=toys} all entries
 * that have the tag, with {@code
 * ?all=true} all entries.
 * <p>
 * A key of several parts is given by repeating the parameter, and so are several tags.
 */
@RegisterReflectionForBinding({ CacheControl.Listing.class, CachesResource.RemovalReport.class })
class CachesResource extends GuardResource {

	private static final String NAME = "cache";

	private static final String KEY = "key";

	private static final String TAG = "tag";

	private static final String ALL = "all";

	private final Supplier<CacheControl> control;

	public CachesResource(CachePattern guard) {
		super(NAME, "caches");
		this.control = SingletonSupplier.of(guard::control);
	}

	@Override
	public Object read(GuardRequest request) {
		request.allowOnly();
		CacheControl.Listing listing = this.control.get().list();
		String name = request.name((cache) -> find(listing, cache) != null);
		if (name.isEmpty()) {
			return listing;
		}
		CacheControl.Cache cache = find(listing, name);
		if (cache == null) {
			throw unknown(name);
		}
		return cache;
	}

	private static GuardRequestException unknown(String name) {
		return GuardRequestException.notFound("No cache '" + name + "' is known.",
				"List them, without a name in the path.");
	}

	private static CacheControl.@Nullable Cache find(CacheControl.Listing listing, String name) {
		return listing.caches().stream().filter((cache) -> cache.name().equals(name)).findFirst().orElse(null);
	}

	@Override
	public Object delete(GuardRequest request) {
		request.allowOnly(KEY, TAG, ALL);
		request.allowOneOf(KEY, TAG, ALL);
		CacheControl control = this.control.get();
		String name = request.name(NAME, control::exists);
		// Code of another instance may use it
		if (!control.exists(name) && find(control.list(), name) == null) {
			throw unknown(name);
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
		if (request.text(ALL) == null) {
			throw GuardRequestException.invalid(KEY, "key is missing.",
					"Add it, such as ?key=42, and repeat it for a key of several parts; or ?tag=toys for all entries"
							+ " that have the tag, or ?all=true for all entries.");
		}
		if (!"true".equals(request.text(ALL))) {
			throw GuardRequestException.invalid(ALL, "all is '" + request.text(ALL) + "'.",
					"Set it to true, or leave it out.");
		}
		return this.control.get().clear(name);
	}

	/**
	 * The result of an action.
	 */
	public record RemovalReport(String cache, String outcome) {
	}

}
