// SPDX-License-Identifier: Apache-2.0

package io.ge.redis.actuate;

import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.function.Supplier;

import io.ge.redis.core.guard.GuardedMethods;
import io.ge.redis.core.invocation.InvalidSettingException;
import io.ge.redis.core.invocation.Setting;
import io.ge.redis.ratelimit.RateLimitChange;
import io.ge.redis.ratelimit.RateLimitProperties;
import io.ge.redis.ratelimit.RateLimitRule;
import io.ge.redis.ratelimit.internal.RateLimitControl;
import io.ge.redis.ratelimit.internal.RateLimitRules;
import org.jspecify.annotations.Nullable;

import org.springframework.aot.hint.annotation.RegisterReflectionForBinding;

/**
 * {@code /actuator/geredis/rate-limit} lists the limits as they are now, and the keys
 * denied most often. {@code /actuator/geredis/rate-limit/<limit>?key=anna} shows one key.
 * A write changes a limit on all instances, for all keys or for one, or it resets,
 * refunds, blocks or unblocks a key. A delete restores the limit.
 * <p>
 * A key of several parts is given by repeating the parameter. A key that the list shows
 * can be given as it is shown there, as {@code hash}, to the instance that has answered.
 * Without a key, the request is about all callers together.
 */
@RegisterReflectionForBinding({ RateLimitResource.LimitsReport.class, RateLimitResource.RuleReport.class,
		RateLimitResource.KeyReport.class, RateLimitResource.ActionReport.class })
class RateLimitResource extends GuardResource {

	/** The name of the pattern in events and meters. */
	private static final String PATTERN = "ratelimit";

	private static final String KEY = "key";

	private static final String HASH = "hash";

	private static final String ACTION = "action";

	private final Supplier<RateLimitControl> control;

	private final Supplier<RateLimitRules> rules;

	private final GuardedMethods methods;

	private final GuardFigures figures;

	public RateLimitResource(Supplier<RateLimitControl> control, Supplier<RateLimitRules> rules, GuardedMethods methods,
			GuardFigures figures) {
		super("rate-limit", PATTERN);
		this.control = control;
		this.rules = rules;
		this.methods = methods;
		this.figures = figures;
	}

	@Override
	public Object read(GuardRequest request) {
		request.allowOnly(Set.of(KEY, HASH));
		if (request.path().isEmpty()) {
			return list();
		}
		String name = limit(request);
		return look(name, key(name, request));
	}

	private LimitsReport list() {
		RateLimitControl control = this.control.get();
		return new LimitsReport(control.list(), control.mostDenied());
	}

	private KeyReport look(String name, List<String> key) {
		requireKeyWhereCounted(name, key);
		return new KeyReport(shown(key), this.control.get().look(name, key));
	}

	@Override
	public Object write(GuardRequest request) {
		String name = limit(request);
		List<String> key = key(name, request);
		String action = request.text(ACTION);
		try {
			return (action != null) ? act(action, name, key, request) : change(name, key, request);
		}
		catch (InvalidSettingException ex) {
			throw GuardRequestException.invalid(ex.setting(), ex.problem(), ex.remedy());
		}
	}

	private ActionReport change(String name, List<String> key, GuardRequest request) {
		request.allowOnly(Set.of(KEY, HASH, ACTION, "limit", "window", "burst"));
		RateLimitChange change = new RateLimitChange(request.number("limit"), request.duration("window"),
				request.number("burst"));
		this.control.get().change(name, key, change);
		return new ActionReport(name, shown(key), "changed", true, change.toString());
	}

	private ActionReport act(String action, String name, List<String> key, GuardRequest request) {
		requireKeyWhereCounted(name, key);
		RateLimitControl control = this.control.get();
		return switch (action) {
			case "reset" -> {
				request.allowOnly(Set.of(KEY, HASH, ACTION));
				control.reset(name, key);
				yield new ActionReport(name, shown(key), action, true, "");
			}
			case "refund" -> {
				request.allowOnly(Set.of(KEY, HASH, ACTION, "permits"));
				Long permits = request.number("permits");
				long given = control.refund(name, key, (permits != null) ? permits : 1);
				yield new ActionReport(name, shown(key), action, given > 0, "permits=" + given);
			}
			case "block" -> {
				request.allowOnly(Set.of(KEY, HASH, ACTION, "duration"));
				Duration duration = request.duration("duration");
				if (duration == null) {
					throw GuardRequestException.invalid("duration", "duration is missing.",
							"Set it to a time such as 10m.");
				}
				control.block(name, key, duration);
				yield new ActionReport(name, shown(key), action, true, "duration=" + duration);
			}
			case "unblock" -> {
				request.allowOnly(Set.of(KEY, HASH, ACTION));
				yield new ActionReport(name, shown(key), action, control.unblock(name, key), "");
			}
			default -> throw GuardRequestException.invalid(ACTION, "action is '" + action + "'.",
					"Set it to reset, refund, block or unblock, or leave it out to change burst, limit, window.");
		};
	}

	@Override
	public Object delete(GuardRequest request) {
		request.allowOnly(Set.of(KEY, HASH));
		String name = limit(request);
		List<String> key = key(name, request);
		try {
			return new ActionReport(name, shown(key), "restored", this.control.get().restore(name, key), "");
		}
		catch (InvalidSettingException ex) {
			throw GuardRequestException.invalid(ex.setting(), ex.problem(), ex.remedy());
		}
	}

	private String limit(GuardRequest request) {
		RateLimitControl control = this.control.get();
		String name = request.name(control::exists);
		if (!control.exists(name)) {
			throw GuardRequestException.notFound("There is no rate limit '" + name + "'.", "The limits are "
					+ String.join(", ", control.list().stream().map(RateLimitControl.Overview::name).toList()) + ".");
		}
		return name;
	}

	private List<String> key(String name, GuardRequest request) {
		String hash = request.text(HASH);
		if (hash == null) {
			return request.texts(KEY);
		}
		List<String> key = this.control.get().shownKey(name, hash);
		if (key.isEmpty()) {
			throw GuardRequestException.notFound("This instance knows no key of '" + name + "' by this hash.",
					"Give the key itself, such as ?key=anna, or ask the instance that lists it.");
		}
		return key;
	}

	private void requireKeyWhereCounted(String name, List<String> key) {
		boolean counted = key.isEmpty() && this.methods.all()
			.stream()
			.anyMatch((entry) -> entry.guard().pattern().equals(PATTERN) && entry.guard().name().equals(name)
					&& entry.guard().settings().containsKey(KEY));
		if (counted) {
			throw GuardRequestException.invalid(KEY, "key is missing: '" + name + "' is counted for each key.",
					"Add it, such as ?key=anna, and repeat it for a key of several parts.");
		}
	}

	/**
	 * Returns the rules for paths, one entry for each limit of each rule.
	 */
	List<RuleReport> rules() {
		List<RateLimitRule> rules = this.rules.get().all();
		if (rules.isEmpty()) {
			return List.of();
		}
		Map<String, Map<String, Setting>> settings = new HashMap<>();
		this.control.get().list().forEach((limit) -> settings.put(limit.name(), limit.settings()));
		List<RuleReport> reports = new ArrayList<>();
		for (RateLimitRule rule : rules) {
			RateLimitProperties.Rule written = rule.settings();
			rule.limits()
				.forEach((limit) -> reports.add(new RuleReport(rule.place(), written.path(), written.methods(),
						written.key(), limit.name(), new TreeMap<>(settings.getOrDefault(limit.name(), Map.of())),
						this.figures.of(PATTERN, limit.name()))));
		}
		return reports;
	}

	private @Nullable String shown(List<String> key) {
		return key.isEmpty() ? null : this.control.get().show(String.join(":", key));
	}

	/**
	 * The limits.
	 */
	public record LimitsReport(List<RateLimitControl.Overview> limits, List<RateLimitControl.DeniedKey> mostDenied) {
	}

	/**
	 * A limit that a rule for paths applies.
	 *
	 * @param property the property that describes the rule
	 * @param path path patterns within the application
	 * @param methods HTTP methods, all if empty
	 * @param key the key expression, as it is written, or {@code null} if all requests
	 * are counted together
	 * @param name the name of the limit
	 * @param settings its settings and the origin of each
	 * @param figures counts by outcome, on this instance since it started, of all uses of
	 * this name
	 */
	public record RuleReport(String property, List<String> path, List<String> methods, @Nullable String key,
			String name, Map<String, Setting> settings, Map<String, Long> figures) {
	}

	/**
	 * A key.
	 */
	public record KeyReport(@Nullable String key, List<RateLimitControl.Look> limits) {
	}

	/**
	 * The result of an action.
	 */
	public record ActionReport(String name, @Nullable String key, String action, boolean effective, String detail) {
	}

}
