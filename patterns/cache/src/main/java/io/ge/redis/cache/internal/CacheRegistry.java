// SPDX-License-Identifier: Apache-2.0

package io.ge.redis.cache.internal;

import java.time.Duration;
import java.util.Collection;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.BiFunction;
import java.util.function.Predicate;
import java.util.function.Supplier;

import io.ge.redis.GuardConfigurationException;
import io.ge.redis.cache.CacheProperties;
import io.ge.redis.cache.CacheProperties.Near;
import io.ge.redis.cache.OnRedisDown;
import io.ge.redis.cache.internal.behind.WriteBehind;
import io.ge.redis.cache.internal.engine.CacheCodec;
import io.ge.redis.cache.internal.engine.CacheType;
import io.ge.redis.core.invocation.GuardedMethod;
import io.ge.redis.core.invocation.NamedSettings;
import io.ge.redis.core.invocation.Settings;
import org.jspecify.annotations.Nullable;
import tools.jackson.databind.JavaType;

/**
 * The caches of the application by name: what annotations say about each, which must not
 * contradict, and the settings that result.
 */
final class CacheRegistry {

	private static final String BEHIND = "write-behind";

	private static final Duration MARGIN = Duration.ofMinutes(1);

	private final Supplier<CacheProperties> properties;

	private final Supplier<? extends Collection<String>> otherNames;

	private final NamedSettings<String> types = new NamedSettings<>();

	private final NamedSettings<Duration> ttls = new NamedSettings<>();

	private final NamedSettings<Duration> negativeTtls = new NamedSettings<>();

	private final Map<String, CacheType> typeByCache = new ConcurrentHashMap<>();

	private final Map<String, GuardedMethod> permanentByCache = new ConcurrentHashMap<>();

	private final Map<String, CacheSettings> settings = new ConcurrentHashMap<>();

	/** Number of declarations that have changed the settings. */
	private final AtomicInteger changes = new AtomicInteger();

	private final NamedSettings<String> writing = new NamedSettings<>();

	private final Map<String, GuardedMethod> writers = new ConcurrentHashMap<>();

	private final Set<String> tagged = ConcurrentHashMap.newKeySet();

	/** Named by Spring's annotations. */
	private final Set<String> readBySpring = ConcurrentHashMap.newKeySet();

	private final Set<String> writtenBySpring = ConcurrentHashMap.newKeySet();

	CacheRegistry(Supplier<CacheProperties> properties, Supplier<? extends Collection<String>> otherNames) {
		this.properties = properties;
		this.otherNames = otherNames;
	}

	/**
	 * Returns whether a cache may have a name.
	 */
	boolean isAllowed(String cache) {
		return !this.properties.get().strictNames() || listedNames().contains(cache);
	}

	/**
	 * Checks that a cache may have a name.
	 * @param problem makes the exception, of problem and remedy
	 */
	void requireAllowed(String cache, BiFunction<String, String, GuardConfigurationException> problem) {
		if (!isAllowed(cache)) {
			throw problem.apply(
					"there is no cache '" + cache + "', and ge.redis.cache.strict-names is on. Known are "
							+ listedNames() + ".",
					"Correct the name, or list it: with a setting under ge.redis.cache.caches." + cache
							+ ", such as ge.redis.cache.caches." + cache + ".ttl=10m, or in spring.cache.cache-names.");
		}
	}

	void requireAllowed(String cache) {
		requireAllowed(cache,
				(problem, remedy) -> new GuardConfigurationException("Cache '" + cache + "'", problem, remedy));
	}

	Set<String> configuredNames() {
		return this.properties.get().caches().keySet();
	}

	Set<String> listedNames() {
		Set<String> names = new TreeSet<>(configuredNames());
		names.addAll(this.otherNames.get());
		return names;
	}

	void declareConfiguredTypes(CacheCodec codec) {
		this.properties.get().caches().forEach((cache, settings) -> {
			String type = settings.type();
			if (type != null) {
				String place = "ge.redis.cache.caches." + cache + ".type";
				CacheType known = codec.named(type,
						(problem, remedy) -> new GuardConfigurationException(place, problem, remedy));
				this.types.register(cache, known.javaType().toCanonical(), place,
						(problem, remedy) -> new GuardConfigurationException(place, problem, remedy));
				this.typeByCache.putIfAbsent(cache, known);
			}
		});
	}

	void declareType(String cache, CacheType type, GuardedMethod method) {
		this.types.register(cache, type.javaType().toCanonical(), method);
		this.typeByCache.putIfAbsent(cache, type);
	}

	void declareTtl(String cache, @Nullable Duration ttl, GuardedMethod method) {
		if (ttl != null) {
			if (ttl.toMillis() <= 0) {
				throw method.problem("ttl = \"" + ttl + "\" is too short.", "Give it at least a millisecond.");
			}
			this.ttls.register(cache, ttl, method);
			requireOneTerm(cache, method);
			changed();
		}
	}

	void declarePermanent(String cache, boolean permanent, GuardedMethod method) {
		if (permanent) {
			this.permanentByCache.putIfAbsent(cache, method);
			requireOneTerm(cache, method);
			changed();
		}
	}

	// First the number: a thread that has merged older settings then sees it, or puts
	// them in before the map is cleared
	private void changed() {
		this.changes.incrementAndGet();
		this.settings.clear();
	}

	private void requireOneTerm(String cache, GuardedMethod method) {
		GuardedMethod permanent = this.permanentByCache.get(cache);
		if (permanent != null && this.ttls.find(cache) != null) {
			throw method.problem("cache '" + cache + "' has both a ttl and permanent = true, the latter on "
					+ permanent.displayName() + ".", "Leave one of them out.");
		}
	}

	void declareNegativeTtl(String cache, @Nullable Duration ttl, GuardedMethod method) {
		if (ttl != null) {
			if (ttl.isNegative()) {
				throw method.problem("negativeTtl = \"" + ttl + "\" is negative.",
						"Use \"0s\" to not cache that there is no value.");
			}
			this.negativeTtls.register(cache, ttl, method);
			changed();
		}
	}

	/**
	 * Notes the type that code uses a cache with, for writers that do not say.
	 */
	void usedAs(String cache, CacheType type) {
		this.typeByCache.putIfAbsent(cache, type);
	}

	/**
	 * Returns the type that readers and writers of a cache have in common, if one is
	 * known.
	 */
	@Nullable CacheType type(String cache) {
		return this.typeByCache.get(cache);
	}

	void named(String cache, boolean read) {
		(read ? this.readBySpring : this.writtenBySpring).add(cache);
	}

	/**
	 * Returns the names that annotations or properties know, or that were used so far.
	 */
	Set<String> names() {
		Set<String> names = new TreeSet<>(configuredNames());
		names.addAll(this.typeByCache.keySet());
		names.addAll(this.settings.keySet());
		names.addAll(this.readBySpring);
		names.addAll(this.writtenBySpring);
		return names;
	}

	/**
	 * Returns the names in the properties that are unused: by annotations of ours or
	 * Spring's, and so far by code. Names with a type for code are not among them.
	 */
	Set<String> unusedNames() {
		Set<String> names = new TreeSet<>(configuredNames());
		names.removeAll(this.typeByCache.keySet());
		names.removeAll(this.otherNames.get());
		names.removeAll(this.readBySpring);
		names.removeAll(this.writtenBySpring);
		return names;
	}

	/**
	 * Returns the names that Spring's annotations read, or write and evict.
	 */
	Set<String> namesBySpring(boolean read) {
		return Set.copyOf(read ? this.readBySpring : this.writtenBySpring);
	}

	long maxValueSize() {
		return this.properties.get().maxValueSize().toBytes();
	}

	CacheSettings settings(String cache) {
		CacheSettings known = this.settings.get(cache);
		if (known == null) {
			requireAllowed(cache);
			int before = this.changes.get();
			known = settings(cache, new Settings());
			this.settings.put(cache, known);
			if (this.changes.get() != before) {
				this.settings.remove(cache, known);
			}
		}
		return known;
	}

	void declareTagged(String cache) {
		this.tagged.add(cache);
	}

	/**
	 * Returns whether entries of a cache have tags, so that one without any would miss
	 * invalidations.
	 */
	boolean isTagged(String cache) {
		return this.tagged.contains(cache);
	}

	/**
	 * Returns the time that an entry of a cache may stay after its loader began.
	 */
	Duration longestStamped(String cache) {
		CacheSettings known = settings(cache);
		return known.longestTtl().plus(known.leaseTime()).plus(MARGIN);
	}

	/**
	 * Returns whether nothing is committed that cannot be announced.
	 */
	boolean isStrict() {
		return this.properties.get().onRedisDown() == OnRedisDown.FAIL_TX;
	}

	CacheSettings settings(String cache, Settings origins) {
		CacheProperties all = this.properties.get();
		CacheProperties.Cache named = all.cache(cache);
		Duration ttl = origins.pick("ttl", named.ttl(), this.ttls.find(cache), all.ttl());
		return new CacheSettings(ttl, origins.pick("permanent", permanent(named), permanent(cache), false),
				origins.pick("negativeTtl", named.negativeTtl(), this.negativeTtls.find(cache), all.negativeTtl()),
				origins.pick("ttlJitter", named.ttlJitter(), null, all.ttlJitter()),
				origins.pick("staleIfError", named.staleIfError(), null, all.staleIfError()),
				origins.pick("leaseTime", named.leaseTime(), null, all.leaseTime()),
				origins.pick("loadWait", named.loadWait(), null, all.loadWait()),
				origins.pick("onLoadTimeout", named.onLoadTimeout(), null, all.onLoadTimeout()), refreshBeta(all,
						origins.pick("earlyRefresh", named.earlyRefreshMode(), null, all.earlyRefresh().mode())));
	}

	// A TTL in the properties wins over the annotation
	private static @Nullable Boolean permanent(CacheProperties.Cache named) {
		return (named.permanent() == null && named.ttl() != null) ? Boolean.FALSE : named.permanent();
	}

	private @Nullable Boolean permanent(String cache) {
		return this.permanentByCache.containsKey(cache) ? Boolean.TRUE : null;
	}

	private static double refreshBeta(CacheProperties all, CacheProperties.EarlyRefreshMode mode) {
		return (mode == CacheProperties.EarlyRefreshMode.XFETCH) ? all.earlyRefresh().beta() : 0;
	}

	// Values in memory: no annotation says anything of them

	Near near(String cache, Settings origins) {
		Near all = this.properties.get().near();
		CacheProperties.CacheNear set = this.properties.get().cache(cache).near();
		CacheProperties.CacheNear named = (set != null) ? set : CacheProperties.CacheNear.UNSET;
		boolean enabled = origins.pick("near", named.enabled(), null, all.enabled());
		Settings details = enabled ? origins : new Settings();
		return new Near(enabled, details.pick("nearMaxEntries", named.maxEntries(), null, all.maxEntries()),
				details.pick("nearTtl", named.ttl(), null, all.ttl()));
	}

	boolean isNear(String cache) {
		// Asked for by every write: origins are of no interest
		CacheProperties.CacheNear set = this.properties.get().cache(cache).near();
		Boolean named = (set != null) ? set.enabled() : null;
		return (named != null) ? named : this.properties.get().near().enabled();
	}

	/**
	 * Returns whether a cache has such settings, be it one that no property names.
	 */
	boolean isAnyNear(Predicate<Near> such) {
		return such.test(near("", new Settings()))
				|| configuredNames().stream().anyMatch((cache) -> such.test(near(cache, new Settings())));
	}

	/**
	 * Checks that Caffeine is present if this instance keeps values in memory.
	 */
	void verifyNear(boolean available) {
		if (!available && isAnyNear(Near::isKeeping)) {
			throw new GuardConfigurationException("ge.redis.cache.near",
					"values of caches are to be kept in memory, but Caffeine is not on the class path.",
					"Add the dependency com.github.ben-manes.caffeine:caffeine, whose version Spring Boot manages,"
							+ " or set max-entries to 0 where an instance keeps none and only notifies the others.");
		}
	}

	// Writers, which must not contradict each other or writers behind

	void declareWriteThrough(String cache, GuardedMethod method) {
		declare(cache, "write-through", method);
	}

	void declareWriteBehind(String cache, GuardedMethod method) {
		declare(cache, BEHIND, method);
	}

	private void declare(String cache, String way, GuardedMethod method) {
		this.writing.register(cache, way, method);
		this.writers.putIfAbsent(cache, method);
	}

	/**
	 * Checks that caches are written behind where annotations say so, that others are
	 * not, and that stores have the types of their caches.
	 */
	void verify(WriteBehind actual) {
		this.writers.forEach((cache, method) -> verify(cache, method, actual.isBehind(cache)));
		Set<String> names = new TreeSet<>(configuredNames());
		names.addAll(actual.storedCaches());
		for (String cache : names) {
			requireAllowed(cache);
			if (actual.isBehind(cache) && isNear(cache)) {
				throw new GuardConfigurationException("ge.redis.cache.caches." + cache + ".near.enabled",
						"cache '" + cache + "' is written behind, and such values are not kept in memory.",
						"Set it to false, or leave out the WriteBehindStore and ge.redis.cache.caches." + cache
								+ ".write-behind.");
			}
			CacheType declared = type(cache);
			JavaType stored = actual.storedType(cache);
			if (declared != null && stored != null && !declared.javaType().equals(stored)) {
				throw new IllegalStateException("Cache '" + cache + "' holds " + declared.javaType().toCanonical()
						+ ", but its WriteBehindStore writes " + stored);
			}
		}
	}

	private void verify(String cache, GuardedMethod method, boolean behind) {
		boolean declared = BEHIND.equals(this.writing.find(cache));
		if (declared && !behind) {
			throw method.problem("nothing writes the changes of cache '" + cache + "'.",
					"Define a WriteBehindStore bean for it, or set ge.redis.cache.caches." + cache
							+ ".write-behind=true where another application has it.");
		}
		if (behind && !declared) {
			throw method.problem(
					"cache '" + cache + "' is written behind, and older changes that wait would overwrite what this"
							+ " method writes.",
					"Use @CacheWriteBehind, or leave out the WriteBehindStore and ge.redis.cache.caches." + cache
							+ ".write-behind.");
		}
	}

}
