// SPDX-License-Identifier: Apache-2.0

package io.ge.redis.ratelimit.internal;

import java.util.ArrayList;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.BiFunction;

import io.ge.redis.GuardConfigurationException;
import io.ge.redis.core.invocation.GuardedMethod;
import io.ge.redis.core.invocation.NamedSettings;
import io.ge.redis.core.invocation.Setting;
import io.ge.redis.ratelimit.RateLimit;
import io.ge.redis.ratelimit.RateLimitChange;
import io.ge.redis.ratelimit.RateLimitProperties;
import io.ge.redis.ratelimit.RateLimitRule;
import org.jspecify.annotations.Nullable;

/**
 * The limits as one reading of the properties defines them, by the name that annotations
 * and code use. A name with bands stands for several limits, each of which has a name of
 * its own as well.
 */
final class RateLimitDefinitions {

	private final RateLimitProperties properties;

	private final NamedSettings<Object> settings = new NamedSettings<>();

	private final Map<String, List<RateLimit>> annotated = new ConcurrentHashMap<>();

	private final Map<String, List<RateLimit>> unannotated = new ConcurrentHashMap<>();

	/** The name under which each limit is defined. */
	private final Map<String, String> owners = new ConcurrentHashMap<>();

	/** The settings of each limit, with their origins. */
	private final Map<String, Map<String, Setting>> origins = new ConcurrentHashMap<>();

	private @Nullable List<RateLimitRule> rules;

	RateLimitDefinitions(RateLimitProperties properties) {
		this.properties = properties;
	}

	public RateLimitProperties properties() {
		return this.properties;
	}

	List<RateLimitMerge.Merged> add(Use use) {
		List<RateLimitMerge.Merged> merged = merge(use);
		List<RateLimit> limits = limits(merged);
		if (limits.isEmpty()) {
			throw use.problem("it has no limit anywhere.",
					"Set " + use.limit() + " or " + RateLimitProperties.path(use.name()) + ".limit.");
		}
		this.settings.register(use.name(), (limits.size() == 1) ? limits.get(0) : limits, use.place(), use::problem);
		keep(use, merged, this.annotated);
		return merged;
	}

	private List<RateLimitMerge.Merged> merge(Use use) {
		try {
			List<RateLimitMerge.Merged> merged = new RateLimitMerge(use.name(), this.properties, use.attributes())
				.merge();
			List<RateLimit> limits = limits(merged);
			for (RateLimit limit : limits) {
				new RateLimitChecks((attribute) -> attribute).cost(use.cost(), limit);
			}
			checkOverrides(use.name(), limits);
			return merged;
		}
		catch (InvalidRateLimitException ex) {
			throw use.problem(ex.problem(), ex.remedy());
		}
	}

	private void keep(Use use, List<RateLimitMerge.Merged> merged, Map<String, List<RateLimit>> kept) {
		List<RateLimit> limits = limits(merged);
		for (RateLimit limit : limits) {
			String owner = this.owners.putIfAbsent(limit.name(), use.name());
			if (owner != null && !owner.equals(use.name())) {
				throw use.problem("the name '" + limit.name() + "' would belong to limits of both '" + owner + "' and '"
						+ use.name() + "'.", "Use another name, since the same name means the same state.");
			}
		}
		merged.forEach((one) -> this.origins.put(one.limit().name(),
				Collections.unmodifiableMap(new LinkedHashMap<>(one.settings().toMap()))));
		kept.put(use.name(), limits);
	}

	/**
	 * Returns the rules, and adds what they say the first time. To be called when all
	 * annotations are known, and not by two threads at once.
	 */
	public List<RateLimitRule> rules() {
		if (this.rules == null) {
			List<RateLimitProperties.Rule> written = this.properties.rules();
			List<RateLimitRule> read = new ArrayList<>(written.size());
			for (int i = 0; i < written.size(); i++) {
				read.add(rule(written.get(i), RateLimitRules.PROPERTY + "[" + i + "]"));
			}
			this.rules = List.copyOf(read);
		}
		return this.rules;
	}

	private RateLimitRule rule(RateLimitProperties.Rule rule, String place) {
		if (rule.path().isEmpty()) {
			throw new GuardConfigurationException(place + ".path", "it is missing.",
					"Set a pattern such as /api/**, or /** for all requests.");
		}
		if (rule.cost() < 0) {
			throw new GuardConfigurationException(place + ".cost", "it is " + rule.cost() + ".",
					"Set it to the number of permits that a request takes, zero to only look.");
		}
		return new RateLimitRule(place, rule, rule.limits().isEmpty() ? described(rule, place) : named(rule, place));
	}

	private List<RateLimit> described(RateLimitProperties.Rule rule, String place) {
		List<RateLimit> limits = new ArrayList<>();
		add(RateLimitDefinitions.Use.of(place, name(rule), attributes(rule), rule.cost())).forEach((merged) -> {
			limits.add(merged.limit());
			this.origins.computeIfPresent(merged.limit().name(), (limit, settings) -> ofRule(settings));
		});
		return List.copyOf(limits);
	}

	// Merged like those of an annotation, but written as properties
	private static Map<String, Setting> ofRule(Map<String, Setting> settings) {
		Map<String, Setting> all = new LinkedHashMap<>(settings);
		all.replaceAll((name, setting) -> (setting.origin() == Setting.Origin.ANNOTATION)
				? new Setting(setting.value(), Setting.Origin.PROPERTIES) : setting);
		return Collections.unmodifiableMap(all);
	}

	private List<RateLimit> named(RateLimitProperties.Rule rule, String place) {
		if (rule.limit() != null || rule.window() != null || rule.algorithm() != null || rule.burst() != null) {
			throw new GuardConfigurationException(place,
					"it describes a limit of its own and names other limits as well.",
					"Remove " + place + ".limits, or limit, window, algorithm and burst.");
		}
		List<RateLimit> limits = new ArrayList<>();
		for (int i = 0; i < rule.limits().size(); i++) {
			limits.addAll(named(rule.limits().get(i), rule.cost(), place + ".limits[" + i + "]"));
		}
		return List.copyOf(limits);
	}

	private List<RateLimit> named(String name, long cost, String place) {
		List<RateLimit> limits = get(name);
		if (limits.isEmpty()) {
			throw new GuardConfigurationException(place, "there is no limit '" + name + "'.",
					"Set " + RateLimitProperties.path(name) + ".limit, or correct the name.");
		}
		try {
			for (RateLimit limit : limits) {
				new RateLimitChecks((attribute) -> attribute).cost(cost, limit);
			}
		}
		catch (InvalidRateLimitException ex) {
			throw new GuardConfigurationException(place, ex.problem(), ex.remedy(), ex);
		}
		return limits;
	}

	private static String name(RateLimitProperties.Rule rule) {
		if (rule.name() != null) {
			return rule.name();
		}
		String paths = String.join(",", rule.path());
		return rule.methods().isEmpty() ? paths : String.join(",", rule.methods()) + " " + paths;
	}

	private static RateLimitProperties.Limit attributes(RateLimitProperties.Rule rule) {
		return new RateLimitProperties.Limit(rule.limit(), rule.window(), rule.algorithm(), rule.burst(), null, null,
				null, List.of(), Map.of());
	}

	public Map<String, Setting> settings(String limitName) {
		return this.origins.getOrDefault(limitName, Map.of());
	}

	/**
	 * Checks what the properties say of names that no annotation has. To be called when
	 * all annotations are known.
	 */
	public void verify() {
		for (String name : this.properties.limits().keySet()) {
			if (this.annotated.containsKey(name) || !define(name).isEmpty()) {
				continue;
			}
			List<RateLimit> band = band(name);
			if (band.isEmpty()) {
				throw new GuardConfigurationException(RateLimitProperties.path(name),
						"there is no limit '" + name + "' whose settings it could change.",
						"Correct the name, which may be one of " + names() + ", or set "
								+ RateLimitProperties.path(name) + ".limit.");
			}
			verifyBand(name, band);
		}
	}

	private void verifyBand(String name, List<RateLimit> band) {
		RateLimitProperties.Limit property = this.properties.limit(name);
		try {
			if (!property.equals(new RateLimitProperties.Limit(null, null, null, null, null, null, null, List.of(),
					property.overrides()))) {
				throw new InvalidRateLimitException("only overrides can be set for one of the limits of '"
						+ this.owners.getOrDefault(name, name) + "'.", "Set the others beside its list of limits.");
			}
			checkOverrides(name, band);
		}
		catch (InvalidRateLimitException ex) {
			throw new GuardConfigurationException(RateLimitProperties.path(name), ex.problem(), ex.remedy(), ex);
		}
	}

	/**
	 * Returns the limits of a name, or one band by its own name.
	 */
	public List<RateLimit> get(String name) {
		List<RateLimit> limits = this.annotated.get(name);
		if (limits == null) {
			limits = this.unannotated.get(name);
		}
		if (limits == null) {
			limits = define(name);
		}
		return limits.isEmpty() ? band(name) : limits;
	}

	public Map<String, RateLimit> all() {
		Map<String, RateLimit> all = new TreeMap<>();
		this.unannotated.values().forEach((limits) -> limits.forEach((limit) -> all.put(limit.name(), limit)));
		this.annotated.values().forEach((limits) -> limits.forEach((limit) -> all.put(limit.name(), limit)));
		return all;
	}

	/**
	 * Returns the names in the properties that neither an annotation nor a rule uses. To
	 * be called when all annotations are known.
	 */
	public Set<String> unusedNames() {
		Set<String> names = new TreeSet<>(this.properties.limits().keySet());
		names.removeAll(this.annotated.keySet());
		this.properties.rules().forEach((rule) -> rule.limits().forEach((limit) -> names.remove(owner(limit))));
		// Of a band only overrides are set
		names.removeIf((name) -> !owner(name).equals(name));
		return names;
	}

	private String owner(String limitName) {
		return this.owners.getOrDefault(limitName, limitName);
	}

	private List<RateLimit> define(String name) {
		Use use = Use.of(RateLimitProperties.path(name), name, RateLimitProperties.Limit.UNSET, 0);
		List<RateLimitMerge.Merged> merged = merge(use);
		if (!merged.isEmpty()) {
			keep(use, merged, this.unannotated);
		}
		return limits(merged);
	}

	private List<RateLimit> band(String bandName) {
		for (Map.Entry<String, RateLimitProperties.Limit> candidate : this.properties.limits().entrySet()) {
			if (!candidate.getValue().limits().isEmpty() && bandName.startsWith(candidate.getKey() + "-")) {
				for (RateLimit band : get(candidate.getKey())) {
					if (band.name().equals(bandName)) {
						return List.of(band);
					}
				}
			}
		}
		return List.of();
	}

	private void checkOverrides(String name, List<RateLimit> limits) {
		this.properties.limit(name).overrides().forEach((key, override) -> {
			String place = RateLimitProperties.path(name) + ".overrides" + RateLimitProperties.segment(key);
			if (!this.properties.limit(name).limits().isEmpty()) {
				throw new InvalidRateLimitException(place + " could mean any of the limits of '" + name + "'.",
						"Name the one that differs, as in " + RateLimitProperties.path(limits.get(0).name())
								+ ".overrides" + RateLimitProperties.segment(key) + ".");
			}
			for (RateLimit limit : limits) {
				checkOverride(place + ".", limit, override);
			}
		});
	}

	private void checkOverride(String place, RateLimit limit, RateLimitChange override) {
		RateLimitChecks checks = new RateLimitChecks(place::concat);
		if (override.limit() != null) {
			checks.limit(override.limit());
		}
		if (override.window() != null) {
			checks.window(override.window());
		}
		if (override.burst() != null) {
			checks.burst(override.burst(), limit.algorithm());
		}
		try {
			checks.exact(override.applyTo(limit), this.properties.largestExactLimit());
		}
		catch (InvalidRateLimitException ex) {
			throw ex;
		}
		catch (IllegalArgumentException ex) {
			throw new InvalidRateLimitException(place + "limit: " + ex.getMessage(), "Lower the limit.");
		}
	}

	private String names() {
		Set<String> names = new TreeSet<>(this.owners.keySet());
		names.addAll(this.annotated.keySet());
		return names.isEmpty() ? "none yet" : String.join(", ", names);
	}

	private static List<RateLimit> limits(List<RateLimitMerge.Merged> merged) {
		List<RateLimit> limits = new ArrayList<>(merged.size());
		merged.forEach((one) -> limits.add(one.limit()));
		return List.copyOf(limits);
	}

	/**
	 * An annotation or a rule that uses a name.
	 *
	 * @param cost permits that each call takes, as far as it is known before any call
	 * @param problems makes the exception for a mistake there
	 */
	public record Use(String name, RateLimitProperties.Limit attributes, long cost, String place, String limit,
			BiFunction<String, String, GuardConfigurationException> problems) {

		public static Use of(GuardedMethod method, String name, RateLimitProperties.Limit attributes, long cost) {
			return new Use(name, attributes, cost, method.displayName(), "limit = ... in the annotation",
					method::problem);
		}

		static Use of(String property, String name, RateLimitProperties.Limit attributes, long cost) {
			return new Use(name, attributes, cost, property, property + ".limit",
					(problem, remedy) -> new GuardConfigurationException(property, problem, remedy));
		}

		GuardConfigurationException problem(String problem, String remedy) {
			return this.problems.apply(problem, remedy);
		}

	}

}
