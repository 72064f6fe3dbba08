/*
 * Copyright 2026 the GE Redis authors
 * SPDX-License-Identifier: Apache-2.0
 */

package io.ge.redis.ratelimit.live;

import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.locks.Lock;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.LongSupplier;
import java.util.function.Supplier;

import io.ge.redis.core.invocation.Setting;
import io.ge.redis.ratelimit.RateLimit;
import io.ge.redis.ratelimit.RateLimitChange;
import io.ge.redis.ratelimit.RateLimitResolver;
import io.ge.redis.ratelimit.engine.EffectiveLimits;
import org.apache.commons.logging.Log;
import org.apache.commons.logging.LogFactory;
import org.jspecify.annotations.Nullable;

/**
 * The limits of a key now. Of what is said about it, in rising order: the annotation, the
 * properties of the limit, a change of the limit at the endpoint, the
 * {@link RateLimitResolver}, the properties for that key, a change for that key at the
 * endpoint; each may set some of the settings and leave the others.
 * <p>
 * Answers from memory: one look into a map for a limit about which nothing is said, one
 * more for each kind of thing that is said about single keys. The map is replaced as a
 * whole, whenever the properties or the changes that all instances share are read anew.
 */
public final class LiveLimits implements EffectiveLimits {

	private static final Log logger = LogFactory.getLog(LiveLimits.class);

	private final Supplier<@Nullable RateLimitResolver> resolvers;

	private final LongSupplier nanoTime;

	private final List<Runnable> changeActions = new CopyOnWriteArrayList<>();

	private final AtomicBoolean resolverFailed = new AtomicBoolean();

	private final Lock lock = new ReentrantLock();

	private volatile @Nullable Resolver resolver;

	private Map<String, Map<String, RateLimitChange>> overrides = Map.of();

	private List<StoredChange> stored = List.of();

	private long storedAt;

	private volatile Map<String, LiveLimit> limits = Map.of();

	public LiveLimits(Supplier<@Nullable RateLimitResolver> resolvers, LongSupplier nanoTime) {
		this.resolvers = resolvers;
		this.nanoTime = nanoTime;
	}

	@Override
	public RateLimit effective(RateLimit base, List<String> key) {
		LiveLimit live = of(base.name());
		RateLimit limit = live.forAll(base);
		RateLimitResolver asked = resolver();
		return live.forKey((asked != null) ? resolve(asked, limit, key) : limit, key);
	}

	@Override
	public Duration blockedFor(RateLimit base, List<String> key) {
		return of(base.name()).blockedFor(key, this.nanoTime);
	}

	// Not before the first call, since the bean may need the rate limiter itself
	private @Nullable RateLimitResolver resolver() {
		Resolver known = this.resolver;
		if (known == null) {
			known = new Resolver(this.resolvers.get());
			this.resolver = known;
		}
		return known.bean();
	}

	// A resolver that fails leaves the caller with the limit that all others have
	private RateLimit resolve(RateLimitResolver asked, RateLimit limit, List<String> key) {
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
					+ "' as it is for all. ExtraPermits failures are not logged as warnings");
		}
	}

	/**
	 * Returns what is said about a limit.
	 */
	public LiveLimit of(String name) {
		return this.limits.getOrDefault(name, LiveLimit.NONE);
	}

	/**
	 * Returns which settings each source sets for a key, the strongest last.
	 */
	public List<Layer> layers(RateLimit base, List<String> key) {
		LiveLimit live = of(base.name());
		List<Layer> layers = new ArrayList<>();
		add(layers, Setting.Origin.ENDPOINT, live.change());
		RateLimitResolver asked = resolver();
		if (asked != null) {
			RateLimit limit = live.forAll(base);
			RateLimit resolved = resolve(asked, limit, key);
			layers.add(new Layer(Setting.Origin.BEAN, difference(limit, resolved)));
		}
		String text = LiveLimit.text(key);
		add(layers, Setting.Origin.PROPERTIES_FOR_KEY, live.overrides().get(text));
		add(layers, Setting.Origin.ENDPOINT_FOR_KEY, live.keyChanges().get(text));
		return layers;
	}

	private static void add(List<Layer> layers, Setting.Origin source, @Nullable AppliedChange change) {
		if (change != null) {
			layers.add(new Layer(source, change.change()));
		}
	}

	private static RateLimitChange difference(RateLimit before, RateLimit after) {
		return new RateLimitChange((after.limit() != before.limit()) ? after.limit() : null,
				after.window().equals(before.window()) ? null : after.window(),
				(after.burst() != before.burst()) ? after.burst() : null);
	}

	/**
	 * Adds something to do after every change, such as to forget what was decided before.
	 * @param action must not block
	 */
	public void onChange(Runnable action) {
		this.changeActions.add(action);
	}

	/**
	 * Takes over what the properties say about single keys.
	 * @param overrides what differs, by limit and key
	 */
	public void override(Map<String, Map<String, RateLimitChange>> overrides) {
		replace(() -> this.overrides = overrides);
	}

	/**
	 * Takes over the changes that all instances share.
	 */
	public void share(List<StoredChange> changes) {
		long now = this.nanoTime.getAsLong();
		replace(() -> {
			this.stored = List.copyOf(changes);
			this.storedAt = now;
		});
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

	private Map<String, LiveLimit> build() {
		Set<String> names = new HashSet<>(this.overrides.keySet());
		this.stored.forEach((change) -> names.add(change.name()));
		Map<String, LiveLimit> limits = new HashMap<>();
		for (String name : names) {
			limits.put(name, build(name));
		}
		return limits;
	}

	private LiveLimit build(String name) {
		AppliedChange change = null;
		Map<String, AppliedChange> keyChanges = new HashMap<>();
		Map<String, Long> blocks = new HashMap<>();
		for (StoredChange each : this.stored) {
			if (!each.name().equals(name)) {
				continue;
			}
			if (each.blockedFor() != null && each.key() != null) {
				blocks.put(each.key(), this.storedAt + each.blockedFor().toNanos());
			}
			else if (each.change() != null && each.key() != null) {
				keyChanges.put(each.key(), new AppliedChange(each.change()));
			}
			else if (each.change() != null) {
				change = new AppliedChange(each.change());
			}
		}
		Map<String, AppliedChange> overridden = new HashMap<>();
		this.overrides.getOrDefault(name, Map.of())
			.forEach((key, override) -> overridden.put(key, new AppliedChange(override)));
		return new LiveLimit(change, overridden, keyChanges, blocks);
	}

	/**
	 * The settings of one source for a key.
	 *
	 * @param source who says it
	 * @param change what differs
	 */
	public record Layer(Setting.Origin source, RateLimitChange change) {
	}

	private record Resolver(@Nullable RateLimitResolver bean) {
	}

}
