// SPDX-License-Identifier: Apache-2.0

package io.ge.redis.ratelimit.internal;

import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.locks.Lock;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.LongSupplier;
import java.util.function.Supplier;
import java.util.stream.Stream;

import io.ge.redis.core.invocation.Setting;
import io.ge.redis.ratelimit.RateLimit;
import io.ge.redis.ratelimit.RateLimitChange;
import io.ge.redis.ratelimit.RateLimitResolver;
import org.apache.commons.logging.Log;
import org.apache.commons.logging.LogFactory;
import org.jspecify.annotations.Nullable;

/**
 * The limits of a key now. They have four sources: the annotation, the properties, a bean
 * ({@link RateLimitResolver}) and the endpoint. Properties and endpoint may set a limit
 * and a single key. In rising order: the annotation, the properties of the limit, a
 * change of it at the endpoint; the bean; the properties for that key, a change for it at
 * the endpoint. Each may set some of the settings and leave the others.
 * <p>
 * Answers from memory: one read of a map for a limit without changes, one more for a
 * limit with changes for single keys. The map is replaced as a whole, whenever the
 * properties or the changes that all instances share are read anew.
 */
final class LiveLimits {

	private static final Log logger = LogFactory.getLog(LiveLimits.class);

	private final Supplier<@Nullable RateLimitResolver> resolvers;

	private final LongSupplier nanoTime;

	private final List<Runnable> changeActions = new CopyOnWriteArrayList<>();

	private final AtomicBoolean resolverFailed = new AtomicBoolean();

	private final Lock lock = new ReentrantLock();

	private volatile @Nullable Optional<RateLimitResolver> resolver;

	private List<LiveChange> overrides = List.of();

	private List<LiveChange> shared = List.of();

	/**
	 * For each limit and key the weakest change first; without a key, for all callers.
	 */
	private volatile Map<String, Map<@Nullable String, List<LiveChange>>> limits = Map.of();

	public LiveLimits(Supplier<@Nullable RateLimitResolver> resolvers, LongSupplier nanoTime) {
		this.resolvers = resolvers;
		this.nanoTime = nanoTime;
	}

	/**
	 * Returns the settings that apply to a key.
	 */
	public RateLimit effective(RateLimit base, List<String> key) {
		Map<@Nullable String, List<LiveChange>> changes = of(base.name());
		if (changes.isEmpty()) {
			return resolve(base, key);
		}
		RateLimit limit = resolve(apply(base, changes.get(null)), key);
		return apply(limit, changes.get(LiveChange.text(key)));
	}

	private static RateLimit apply(RateLimit base, @Nullable List<LiveChange> changes) {
		RateLimit limit = base;
		if (changes != null) {
			for (LiveChange change : changes) {
				limit = change.applyTo(limit);
			}
		}
		return limit;
	}

	public Duration blockedFor(RateLimit base, List<String> key) {
		Map<@Nullable String, List<LiveChange>> changes = of(base.name());
		List<LiveChange> ofKey = changes.isEmpty() ? null : changes.get(LiveChange.text(key));
		if (ofKey != null) {
			for (LiveChange change : ofKey) {
				if (change.blockedUntil() != null) {
					return change.remainingBlock(this.nanoTime.getAsLong());
				}
			}
		}
		return Duration.ZERO;
	}

	// Not before the first call, since the bean may need the rate limiter itself
	private @Nullable RateLimitResolver resolver() {
		Optional<RateLimitResolver> known = this.resolver;
		if (known == null) {
			known = Optional.ofNullable(this.resolvers.get());
			this.resolver = known;
		}
		return known.orElse(null);
	}

	// A resolver that fails leaves the caller with the limit that all others have
	private RateLimit resolve(RateLimit limit, List<String> key) {
		RateLimitResolver asked = resolver();
		if (asked == null) {
			return limit;
		}
		try {
			RateLimit resolved = asked.resolve(limit, key);
			if (resolved == limit || (resolved != null && resolved.name().equals(limit.name())
					&& resolved.algorithm() == limit.algorithm())) {
				return resolved;
			}
			resolverFailed(limit, "answered with another name or algorithm: " + resolved);
		}
		catch (RuntimeException ex) {
			resolverFailed(limit, "failed: " + ex);
			logger.debug("The RateLimitResolver failed", ex);
		}
		return limit;
	}

	private void resolverFailed(RateLimit limit, String how) {
		if (this.resolverFailed.compareAndSet(false, true)) {
			logger.warn("The RateLimitResolver " + how + "; callers get rate limit '" + limit.name()
					+ "' as it is for all. Further failures are not logged as warnings");
		}
	}

	/**
	 * Returns all that differs from the definition of a limit, by key; {@code null} is
	 * the key of settings for all callers.
	 */
	public Map<@Nullable String, List<LiveChange>> of(String name) {
		return this.limits.getOrDefault(name, Map.of());
	}

	/**
	 * Returns the settings that each source changes for a key, the strongest last.
	 */
	public List<LiveChange> changes(RateLimit base, List<String> key) {
		Map<@Nullable String, List<LiveChange>> live = new HashMap<>(of(base.name()));
		List<LiveChange> changes = new ArrayList<>(live.getOrDefault(null, List.of()));
		RateLimit limit = apply(base, changes);
		changes.add(LiveChange.of(base.name(), null, Setting.Origin.BEAN, difference(limit, resolve(limit, key))));
		changes.addAll(live.getOrDefault(LiveChange.text(key), List.of()));
		return changes;
	}

	private static RateLimitChange difference(RateLimit before, RateLimit after) {
		return new RateLimitChange((after.limit() != before.limit()) ? after.limit() : null,
				after.window().equals(before.window()) ? null : after.window(),
				(after.burst() != before.burst()) ? after.burst() : null);
	}

	/**
	 * Adds a listener to every change, such as one that drops cached denials.
	 */
	public void onChange(Runnable action) {
		this.changeActions.add(action);
	}

	public void override(Map<String, Map<String, RateLimitChange>> overrides) {
		List<LiveChange> changes = new ArrayList<>();
		overrides.forEach((name, keys) -> keys.forEach(
				(key, change) -> changes.add(LiveChange.of(name, key, Setting.Origin.PROPERTIES_FOR_KEY, change))));
		replace(() -> this.overrides = changes);
	}

	public void share(List<LiveChange> changes) {
		replace(() -> this.shared = changes);
	}

	private void replace(Runnable change) {
		this.lock.lock();
		try {
			change.run();
			this.limits = build();
		}
		finally {
			this.lock.unlock();
		}
		this.changeActions.forEach(Runnable::run);
	}

	private Map<String, Map<@Nullable String, List<LiveChange>>> build() {
		Map<String, Map<@Nullable String, List<LiveChange>>> limits = new HashMap<>();
		Stream.concat(this.overrides.stream(), this.shared.stream())
			.forEach((change) -> limits.computeIfAbsent(change.name(), (name) -> new HashMap<>())
				.computeIfAbsent(change.key(), (key) -> new ArrayList<>(2))
				.add(change));
		return limits;
	}

}
