// SPDX-License-Identifier: Apache-2.0

package io.ge.redis.ratelimit.internal;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.AtomicReference;
import java.util.concurrent.locks.Lock;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.BiFunction;
import java.util.function.Supplier;

import io.ge.redis.GuardConfigurationException;
import io.ge.redis.core.invocation.GuardedMethod;
import io.ge.redis.core.invocation.InvalidSettingException;
import io.ge.redis.core.invocation.Settings;
import io.ge.redis.ratelimit.RateLimit;
import io.ge.redis.ratelimit.RateLimitProperties;
import io.ge.redis.ratelimit.RateLimitRule;
import org.jspecify.annotations.Nullable;

/**
 * The limits of the application by name: merged from properties, annotations and
 * defaults, in that order. Reads them again if the properties change. {@link LiveLimits}
 * decides what applies to one key at present.
 */
final class RateLimitRegistry {

	/** The property of the rules. */
	public static final String RULES = "ge.redis.rate-limit.rules";

	private final Supplier<RateLimitProperties> properties;

	private final List<Use> uses = new ArrayList<>();

	private final List<BiFunction<List<RateLimitRule>, RateLimitProperties, Runnable>> refreshActions = new CopyOnWriteArrayList<>();

	private final Lock lock = new ReentrantLock();

	private final AtomicReference<@Nullable RateLimitDefinitions> current = new AtomicReference<>();

	public RateLimitRegistry(Supplier<RateLimitProperties> properties) {
		this.properties = properties;
	}

	/**
	 * Returns the limits as the properties define them now.
	 */
	public RateLimitDefinitions current() {
		RateLimitDefinitions existing = this.current.get();
		if (existing != null) {
			return existing;
		}
		// A bean: asked for without a lock, since making it may need locks of Spring
		RateLimitDefinitions first = new RateLimitDefinitions(this.properties.get());
		RateLimitDefinitions other = this.current.compareAndExchange(null, first);
		return (other != null) ? other : first;
	}

	public RateLimitProperties properties() {
		return current().properties();
	}

	/**
	 * Merges an annotation with the properties, and registers the result.
	 * @param cost permits that each call takes, as far as it is known before any call
	 */
	public List<RateLimit> define(GuardedMethod method, String name, RateLimitProperties.Limit attributes, long cost) {
		current();
		this.lock.lock();
		try {
			Use use = new Use(name, attributes, cost, method.displayName(), "limit = ... in the annotation",
					method::problem);
			List<RateLimit> limits = use.define(current());
			this.uses.add(use);
			return limits;
		}
		finally {
			this.lock.unlock();
		}
	}

	/**
	 * Returns the limits of a name: one, or several where the properties have a list.
	 * Each of those has a name of its own, too.
	 * @throws IllegalArgumentException if there is no such limit
	 */
	public List<RateLimit> get(String name) {
		List<RateLimit> limits = current().limits(name);
		if (limits.isEmpty()) {
			throw new IllegalArgumentException("There is no rate limit '" + name + "': set "
					+ RateLimitProperties.path(name) + ".limit, or use the name of an annotated limit");
		}
		return limits;
	}

	/**
	 * Takes a limit that code has put together.
	 */
	public RateLimit admit(RateLimit limit) {
		try {
			current().exact(limit);
		}
		catch (InvalidSettingException ex) {
			throw ex.at("The limit of rate limit '" + limit.name() + "'");
		}
		return (properties().shadow() && !limit.shadow()) ? limit.withShadow(true) : limit;
	}

	/**
	 * Adds an action for each time when other properties are read.
	 * @param action checks the rules and properties, and fails if they cannot work; its
	 * result is run once they are in effect
	 */
	public void onRefresh(BiFunction<List<RateLimitRule>, RateLimitProperties, Runnable> action) {
		this.refreshActions.add(action);
	}

	/**
	 * Reads other properties from now on, rules included. If one of them cannot work,
	 * nothing changes.
	 */
	public void refresh(RateLimitProperties changed) {
		this.lock.lock();
		try {
			RateLimitDefinitions next = new RateLimitDefinitions(changed);
			this.uses.forEach((use) -> use.define(next));
			List<RateLimitRule> rules = rules(next);
			next.verify();
			List<Runnable> ready = this.refreshActions.stream().map((action) -> action.apply(rules, changed)).toList();
			this.current.set(next);
			ready.forEach(Runnable::run);
		}
		finally {
			this.lock.unlock();
		}
	}

	/**
	 * Returns the rules, and defines their limits on first use. To be called when all
	 * annotations are known.
	 */
	public List<RateLimitRule> rules() {
		current();
		this.lock.lock();
		try {
			return rules(current());
		}
		finally {
			this.lock.unlock();
		}
	}

	private static List<RateLimitRule> rules(RateLimitDefinitions limits) {
		List<RateLimitRule> rules = limits.rules;
		if (rules == null) {
			rules = new ArrayList<>();
			for (RateLimitProperties.Rule rule : limits.properties().rules()) {
				rules.add(rule(rule, RULES + "[" + rules.size() + "]", limits));
			}
			limits.rules = List.copyOf(rules);
		}
		return rules;
	}

	private static RateLimitRule rule(RateLimitProperties.Rule rule, String place, RateLimitDefinitions limits) {
		if (rule.path().isEmpty()) {
			throw new GuardConfigurationException(place + ".path", "it is missing.",
					"Set a pattern such as /api/**, or /** for all requests.");
		}
		if (rule.cost() < 0) {
			throw new GuardConfigurationException(place + ".cost", "it is " + rule.cost() + ".",
					"Set it to the number of permits that a request takes, zero to only look.");
		}
		return new RateLimitRule(place, rule,
				rule.limits().isEmpty() ? described(rule, place, limits) : named(rule, place, limits));
	}

	private static List<RateLimit> described(RateLimitProperties.Rule rule, String place, RateLimitDefinitions all) {
		String path = (rule.methods().isEmpty() ? "" : String.join(",", rule.methods()) + " ")
				+ String.join(",", rule.path());
		Use use = new Use((rule.name() != null) ? rule.name() : path,
				new RateLimitProperties.Limit(rule.limit(), rule.window(), rule.algorithm(), rule.burst(), null, null,
						null, List.of(), Map.of()),
				rule.cost(), place, place + ".limit",
				(problem, remedy) -> new GuardConfigurationException(place, problem, remedy));
		List<RateLimit> limits = use.define(all);
		limits.forEach(all::ofRule);
		return limits;
	}

	private static List<RateLimit> named(RateLimitProperties.Rule rule, String place, RateLimitDefinitions all) {
		if (rule.limit() != null || rule.window() != null || rule.algorithm() != null || rule.burst() != null) {
			throw new GuardConfigurationException(place,
					"it describes a limit of its own and names other limits as well.",
					"Remove " + place + ".limits, or limit, window, algorithm and burst.");
		}
		List<RateLimit> limits = new ArrayList<>();
		for (int i = 0; i < rule.limits().size(); i++) {
			String name = rule.limits().get(i);
			String property = place + ".limits[" + i + "]";
			List<RateLimit> named = all.limits(name);
			if (named.isEmpty()) {
				throw new GuardConfigurationException(property, "there is no limit '" + name + "'.",
						"Set " + RateLimitProperties.path(name) + ".limit, or correct the name.");
			}
			checkCost(named, rule.cost(),
					(problem, remedy) -> new GuardConfigurationException(property, problem, remedy));
			limits.addAll(named);
		}
		return List.copyOf(limits);
	}

	private static void checkCost(List<RateLimit> limits, long cost,
			BiFunction<String, String, GuardConfigurationException> problems) {
		for (RateLimit limit : limits) {
			if (!limit.shadow() && cost > limit.largestCost()) {
				throw problems.apply("cost is " + cost + " and can never pass: '" + limit.name()
						+ "' never gives more than " + limit.largestCost() + " at once.",
						"Lower the cost, or raise the limit.");
			}
		}
	}

	/**
	 * An annotation or a rule that describes a limit.
	 *
	 * @param limit where its limit would be set
	 * @param problems makes the exception for a mistake there
	 */
	private record Use(String name, RateLimitProperties.Limit attributes, long cost, String place, String limit,
			BiFunction<String, String, GuardConfigurationException> problems) {

		List<RateLimit> define(RateLimitDefinitions definitions) {
			List<RateLimit> limits = definitions.define(this.name, this.attributes, new Settings(), this.place,
					this.problems);
			if (limits.isEmpty()) {
				throw this.problems.apply("it has no limit anywhere.",
						"Set " + this.limit + " or " + RateLimitProperties.path(this.name) + ".limit.");
			}
			checkCost(limits, this.cost, this.problems);
			return limits;
		}

	}

}
