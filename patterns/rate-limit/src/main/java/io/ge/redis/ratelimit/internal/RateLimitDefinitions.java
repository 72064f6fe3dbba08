// SPDX-License-Identifier: Apache-2.0

package io.ge.redis.ratelimit.internal;

import java.time.Duration;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;

import io.ge.redis.GuardConfigurationException;
import io.ge.redis.core.invocation.InvalidSettingException;
import io.ge.redis.core.invocation.Setting;
import io.ge.redis.core.invocation.Settings;
import io.ge.redis.core.invocation.SettingsRegistry;
import io.ge.redis.core.outage.OutagePolicy;
import io.ge.redis.ratelimit.RateLimit;
import io.ge.redis.ratelimit.RateLimitAlgorithm;
import io.ge.redis.ratelimit.RateLimitChange;
import io.ge.redis.ratelimit.RateLimitProperties;
import io.ge.redis.ratelimit.RateLimitRule;
import org.jspecify.annotations.Nullable;

/**
 * The limits as one reading of the properties defines them, by the name that annotations
 * and code use. Usually that is one limit. If the properties list several limits, these
 * replace limit, window and burst of the annotation, and each has a name of its own as
 * well.
 */
final class RateLimitDefinitions extends SettingsRegistry<RateLimitProperties.Limit, List<RateLimit>> {

	private static final Duration DEFAULT_WINDOW = Duration.ofMinutes(1);

	private static final int BYTES_PER_PERMIT = 10;

	private static final TimeUnit[] UNITS = { TimeUnit.DAYS, TimeUnit.HOURS, TimeUnit.MINUTES, TimeUnit.SECONDS,
			TimeUnit.MILLISECONDS, TimeUnit.MICROSECONDS };

	private static final String[] SUFFIXES = { "d", "h", "m", "s", "ms", "us" };

	private final RateLimitProperties properties;

	private final Map<String, Definition> definitions = new ConcurrentHashMap<>();

	/** Read once all annotations are known. */
	@Nullable List<RateLimitRule> rules;

	RateLimitDefinitions(RateLimitProperties properties) {
		super("rate limit", "ge.redis.rate-limit.limits", () -> properties.limits().keySet(),
				RateLimitProperties.Limit.UNSET);
		this.properties = properties;
	}

	public RateLimitProperties properties() {
		return this.properties;
	}

	/**
	 * Returns the limits of a name, or one of a list by its own name.
	 */
	public List<RateLimit> limits(String name) {
		List<RateLimit> limits = annotated(name);
		if (limits == null && this.properties.limits().containsKey(name)) {
			limits = get(name);
		}
		if (limits != null && !limits.isEmpty()) {
			return limits;
		}
		if (!this.definitions.containsKey(name)) {
			this.properties.limits().keySet().forEach(this::get);
		}
		Definition listed = this.definitions.get(name);
		return (listed != null) ? List.of(listed.limit()) : List.of();
	}

	public Map<String, RateLimit> all() {
		Map<String, RateLimit> all = new TreeMap<>();
		this.definitions.forEach((name, definition) -> all.put(name, definition.limit()));
		return all;
	}

	/**
	 * Returns the settings of a limit, with their origins.
	 */
	public Map<String, Setting> settings(String limitName) {
		Definition definition = this.definitions.get(limitName);
		return (definition != null) ? definition.settings() : Map.of();
	}

	/**
	 * Notes a limit that a rule of the properties describes. It is merged like the limit
	 * of an annotation.
	 */
	void ofRule(RateLimit limit) {
		this.definitions.computeIfPresent(limit.name(), (name, definition) -> {
			definition.settings()
				.replaceAll((setting, value) -> (value.origin() == Setting.Origin.ANNOTATION)
						? new Setting(value.value(), Setting.Origin.PROPERTIES) : value);
			return definition;
		});
	}

	/**
	 * Checks the properties of names that no annotation has. To be called when all
	 * annotations are known.
	 */
	public void verify() {
		for (String name : this.properties.limits().keySet()) {
			if (annotated(name) != null || !get(name).isEmpty()) {
				continue;
			}
			String place = RateLimitProperties.path(name);
			List<RateLimit> listed = limits(name);
			if (listed.isEmpty()) {
				throw new GuardConfigurationException(place,
						"there is no limit '" + name + "' whose settings it could change.",
						"Correct the name, which may be one of " + names() + ", or set " + place + ".limit.");
			}
			RateLimitProperties.Limit property = this.properties.limit(name);
			if (!property.equals(new RateLimitProperties.Limit(null, null, null, null, null, null, null, List.of(),
					property.overrides()))) {
				throw new GuardConfigurationException(place,
						"only overrides can be set for one of the limits of '" + owner(name) + "'.",
						"Set the others beside its list of limits.");
			}
			checked(name, () -> checkOverrides(name, listed));
		}
	}

	/**
	 * Returns the names in the properties that neither an annotation nor a rule uses. To
	 * be called when all annotations are known.
	 */
	public Set<String> unusedNames() {
		Set<String> names = new TreeSet<>(this.properties.limits().keySet());
		this.properties.rules().forEach((rule) -> rule.limits().forEach((limit) -> names.remove(owner(limit))));
		// A single limit of a list can only have overrides
		names.removeIf((name) -> annotated(name) != null || !owner(name).equals(name));
		return names;
	}

	private String owner(String limitName) {
		Definition definition = this.definitions.get(limitName);
		return (definition != null) ? definition.owner() : limitName;
	}

	private String names() {
		Set<String> names = new TreeSet<>();
		this.definitions.values().forEach((definition) -> names.add(definition.owner()));
		names.addAll(this.definitions.keySet());
		return names.isEmpty() ? "none yet" : String.join(", ", names);
	}

	@Override
	protected List<RateLimit> merge(String name, RateLimitProperties.Limit attributes, Settings origins) {
		RateLimitProperties.Limit property = this.properties.limit(name);
		List<RateLimit> merged = property.limits().isEmpty() ? one(name, name, property, attributes, "")
				: listed(name, property, attributes);
		return checkOverrides(name, merged);
	}

	private List<RateLimit> listed(String name, RateLimitProperties.Limit property,
			RateLimitProperties.Limit attributes) {
		if (property.limit() != null || property.window() != null || property.burst() != null) {
			throw new IllegalArgumentException(
					RateLimitProperties.path(name) + ".limits cannot be set together with a limit, window or burst of '"
							+ name + "'. Add it to the list as one more limit, or remove the list.");
		}
		RateLimitProperties.Limit common = new RateLimitProperties.Limit(null, null, attributes.algorithm(), null,
				attributes.waitTime(), attributes.onOutage(), attributes.shadow(), List.of(), Map.of());
		List<RateLimit> merged = new ArrayList<>(property.limits().size());
		Set<Duration> windows = new HashSet<>();
		for (int i = 0; i < property.limits().size(); i++) {
			RateLimitProperties.Band band = property.limits().get(i);
			String place = "limits[" + i + "].";
			String window = RateLimitProperties.path(name) + "." + place + "window";
			if (band.window() == null) {
				throw new InvalidSettingException("window", window + " is missing.",
						"Set it to a time such as 10s or 1h.");
			}
			if (!windows.add(band.window())) {
				throw new InvalidSettingException("window",
						window + " is " + text(band.window()) + ", like the window of another limit of '" + name + "'.",
						"Keep the smaller limit of the two.");
			}
			merged.addAll(one(name, name + "-" + text(band.window()), each(property, band), common, place));
		}
		return merged;
	}

	private static RateLimitProperties.Limit each(RateLimitProperties.Limit common, RateLimitProperties.Band band) {
		return new RateLimitProperties.Limit(band.limit(), band.window(),
				(band.algorithm() != null) ? band.algorithm() : common.algorithm(), band.burst(), common.waitTime(),
				common.onOutage(), common.shadow(), List.of(), Map.of());
	}

	// Uses the largest unit without a fraction, as users write it: 1h or 90s
	private static String text(Duration window) {
		long nanos = window.toNanos();
		for (int i = 0; i < UNITS.length; i++) {
			long unit = UNITS[i].toNanos(1);
			if (nanos % unit == 0) {
				return nanos / unit + SUFFIXES[i];
			}
		}
		return nanos + "ns";
	}

	private List<RateLimit> one(String owner, String name, RateLimitProperties.Limit property,
			RateLimitProperties.Limit attributes, String place) {
		Settings settings = new Settings();
		Long limit = settings.pickOptional("limit", property.limit(), attributes.limit());
		if (limit == null) {
			return List.of();
		}
		Duration window = settings.pick("window", property.window(), attributes.window(), DEFAULT_WINDOW);
		RateLimitAlgorithm algorithm = settings.pick("algorithm", property.algorithm(), attributes.algorithm(),
				RateLimitAlgorithm.SLIDING_WINDOW);
		// A burst in the annotation belongs to the algorithm there
		boolean hasBurst = algorithm == RateLimitAlgorithm.TOKEN_BUCKET || property.algorithm() == null
				|| property.algorithm() == attributes.algorithm();
		long burst = settings.pick("burst", property.burst(), hasBurst ? attributes.burst() : null, limit);
		Duration waitTime = settings.pick("waitTime", property.waitTime(), attributes.waitTime(), Duration.ZERO);
		OutagePolicy onOutage = settings.pick("onOutage", property.onOutage(), attributes.onOutage(),
				this.properties.onOutage());
		Boolean trial = (property.shadow() == null && this.properties.shadow()) ? Boolean.TRUE : property.shadow();
		boolean shadow = settings.pick("shadow", trial, attributes.shadow(), false);
		try {
			RateLimit merged = exact(new RateLimit(name, limit, window, algorithm, burst, waitTime, onOutage, shadow));
			keep(merged, owner, settings);
			return List.of(merged);
		}
		catch (InvalidSettingException ex) {
			Setting wrong = settings.toMap().get(ex.setting());
			String path = RateLimitProperties.path(owner) + ".";
			throw (wrong == null || wrong.origin() != Setting.Origin.PROPERTIES) ? ex
					: ex.at(ex.setting().equals("waitTime") ? path + "wait-time" : path + place + ex.setting());
		}
	}

	private void keep(RateLimit limit, String owner, Settings settings) {
		Definition other = this.definitions.put(limit.name(), new Definition(limit, owner, settings.toMap()));
		if (other != null && !other.owner().equals(owner)) {
			throw new InvalidSettingException("name",
					"the name '" + limit.name() + "' would belong to limits of both '" + other.owner() + "' and '"
							+ owner + "'.",
					"Use another name than the one of " + RateLimitProperties.path(owner)
							+ ", since the same name means the same state.");
		}
	}

	private List<RateLimit> checkOverrides(String name, List<RateLimit> limits) {
		RateLimitProperties.Limit property = this.properties.limit(name);
		property.overrides().forEach((key, override) -> {
			String segment = ".overrides" + RateLimitProperties.segment(key);
			if (!property.limits().isEmpty()) {
				throw new InvalidSettingException(key,
						RateLimitProperties.path(name) + segment + " could mean any of the limits of '" + name + "'.",
						"Name the one that differs, as in " + RateLimitProperties.path(limits.get(0).name()) + segment
								+ ".");
			}
			try {
				limits.forEach((limit) -> changed(limit, override));
			}
			catch (InvalidSettingException ex) {
				throw ex.at(RateLimitProperties.path(name) + segment + "." + ex.setting());
			}
		});
		return limits;
	}

	/**
	 * Returns a limit as a change makes it, for all keys or for one.
	 * @throws InvalidSettingException if the limit cannot have these settings
	 */
	public RateLimit changed(RateLimit limit, RateLimitChange change) {
		return exact(change.applyTo(limit));
	}

	/**
	 * Returns a limit, unless it would need too much memory.
	 */
	RateLimit exact(RateLimit limit) {
		long largest = this.properties.largestExactLimit();
		InvalidSettingException.require(
				limit.algorithm() != RateLimitAlgorithm.SLIDING_WINDOW || limit.limit() <= largest, "limit",
				() -> "is " + limit.limit() + ", too large to be counted exactly: SLIDING_WINDOW needs about "
						+ BYTES_PER_PERMIT + " bytes in Redis for each call of each key.",
				"Set the algorithm to SLIDING_WINDOW_COUNTER, which needs the same memory for any limit, or raise "
						+ "ge.redis.rate-limit.largest-exact-limit, which is " + largest + ".");
		return limit;
	}

	private record Definition(RateLimit limit, String owner, Map<String, Setting> settings) {
	}

}
