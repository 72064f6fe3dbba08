// SPDX-License-Identifier: Apache-2.0

package io.ge.redis.actuate;

import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.stream.Collectors;

import io.ge.redis.OutageCause;
import io.ge.redis.core.RedisBackend;
import io.ge.redis.core.RedisBackends;
import io.ge.redis.core.endpoint.GuardResource.PathRule;
import io.ge.redis.core.event.GuardFigures;
import io.ge.redis.core.guard.GuardedMethods;
import io.ge.redis.core.invocation.Setting;
import org.jspecify.annotations.Nullable;

import org.springframework.aot.hint.annotation.RegisterReflectionForBinding;
import org.springframework.boot.actuate.endpoint.Access;
import org.springframework.boot.actuate.endpoint.OperationResponseBody;
import org.springframework.boot.actuate.endpoint.annotation.Endpoint;
import org.springframework.boot.actuate.endpoint.annotation.ReadOperation;

/**
 * {@code /actuator/geredis}: every guarded method with its effective settings, the origin
 * of each, and its decisions on this instance. No keys, principals or secrets. Over HTTP,
 * {@link GeRedisEndpointWebExtension} adds the resources of the patterns.
 */
@RegisterReflectionForBinding({ GeRedisEndpoint.GeRedisReport.class, PathRule.class })
@Endpoint(id = GeRedisEndpoint.ID, defaultAccess = Access.READ_ONLY)
public class GeRedisEndpoint {

	static final String ID = "geredis";

	private static final List<String> GUARDS = List.of("blacklist", "breaker", "cache", "idempotency", "lock",
			"ratelimit", "refresh");

	private static final int MOST_NAMES = 100;

	private final GuardedMethods methods;

	private final GuardFigures figures;

	private final RedisBackends backends;

	private final GuardResources resources;

	GeRedisEndpoint(GuardedMethods methods, GuardFigures figures, RedisBackends backends, GuardResources resources) {
		this.methods = methods;
		this.figures = figures;
		this.backends = backends;
		this.resources = resources;
	}

	public GeRedisReport report() {
		return report(View.ALL);
	}

	/**
	 * Reports on all guards.
	 * @param view {@link View#ALL} if {@code null}
	 */
	@ReadOperation
	public GeRedisReport report(@Nullable View view) {
		boolean changed = view == View.CHANGED;
		Map<String, ConnectionReport> connections = new TreeMap<>();
		this.backends.all().forEach((name, backend) -> connections.put(name, report(backend)));
		List<GuardReport> guards = this.methods.all()
			.stream()
			.map((entry) -> new GuardReport(this.resources.nameOf(entry.guard().pattern()), entry.bean(),
					entry.method(), entry.guard().annotation(), entry.guard().name(),
					settings(entry.guard().settings(), changed),
					this.figures.of(entry.guard().pattern(), entry.guard().name())))
			.toList();
		List<PathRule> rules = this.resources.rules()
			.stream()
			.map((rule) -> new PathRule(rule.property(), rule.path(), rule.methods(), rule.key(), rule.name(),
					settings(rule.settings(), changed), rule.figures()))
			.toList();
		return new GeRedisReport(connections, guards, rules, names(guards, rules), this.resources.links());
	}

	private List<NameReport> names(List<GuardReport> guards, List<PathRule> rules) {
		Set<String> ruled = rules.stream().map(PathRule::name).collect(Collectors.toSet());
		return GUARDS.stream()
			.flatMap((pattern) -> this.figures.names(pattern)
				.stream()
				.map((name) -> new NameReport(this.resources.nameOf(pattern), name, this.figures.of(pattern, name))))
			.filter((each) -> !(each.pattern().equals("rate-limit") && ruled.contains(each.name())))
			.filter((each) -> guards.stream()
				.noneMatch((guard) -> guard.pattern().equals(each.pattern()) && guard.name().equals(each.name())))
			.limit(MOST_NAMES)
			.toList();
	}

	private static Map<String, Setting> settings(Map<String, Setting> all, boolean changed) {
		Map<String, Setting> settings = new TreeMap<>(all);
		if (changed) {
			settings.values().removeIf((setting) -> setting.origin() == Setting.Origin.DEFAULT);
		}
		return settings;
	}

	// Read once, since it may close meanwhile
	private static ConnectionReport report(RedisBackend backend) {
		OutageCause cause = backend.breaker().openCause();
		return new ConnectionReport((cause != null) ? "unavailable" : "available", (cause != null) ? cause.tag() : null,
				backend.bus().liveInstances());
	}

	/**
	 * The settings to report.
	 */
	public enum View {

		/** All settings. */
		ALL,

		/** The settings whose origin is not the default. */
		CHANGED

	}

	/**
	 * The report.
	 *
	 * @param guards one entry for each annotation on each method of each bean
	 * @param rules one entry for each limit of each rule for paths
	 * @param names one entry for each other name that was used, at most
	 * {@value GeRedisEndpoint#MOST_NAMES}: names that only code uses, and {@code tokens},
	 * the check of tokens by Spring Security
	 * @param links the resources of the patterns by name, relative to the address of this
	 * report
	 */
	public record GeRedisReport(Map<String, ConnectionReport> connections, List<GuardReport> guards,
			List<PathRule> rules, List<NameReport> names, Map<String, String> links) implements OperationResponseBody {
	}

	/**
	 * A name without an annotated method or a rule.
	 *
	 * @param figures counts by outcome, on this instance since it started
	 */
	public record NameReport(String pattern, String name, Map<String, Long> figures) {
	}

	/**
	 * A connection of the guards.
	 */
	public record ConnectionReport(String state, @Nullable String cause, int instances) {
	}

	/**
	 * A guard on a method.
	 *
	 * @param pattern the pattern, spelled as in its properties
	 * @param figures counts by outcome, on this instance since it started, of all methods
	 * that use this name
	 */
	public record GuardReport(String pattern, String bean, String method, String annotation, String name,
			Map<String, Setting> settings, Map<String, Long> figures) {
	}

}
