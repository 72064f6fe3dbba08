// SPDX-License-Identifier: Apache-2.0

package io.ge.redis.ratelimit.internal;

import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HexFormat;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.TreeMap;
import java.util.concurrent.CompletableFuture;
import java.util.function.Supplier;

import io.ge.redis.core.endpoint.GuardRequest;
import io.ge.redis.core.endpoint.GuardRequestException;
import io.ge.redis.core.endpoint.GuardResource;
import io.ge.redis.core.event.GuardEvents;
import io.ge.redis.core.event.GuardFigures;
import io.ge.redis.core.guard.GuardedMethods;
import io.ge.redis.core.hash.Sha256;
import io.ge.redis.core.invocation.InvalidSettingException;
import io.ge.redis.core.invocation.Setting;
import io.ge.redis.core.outage.Waiting;
import io.ge.redis.ratelimit.RateLimit;
import io.ge.redis.ratelimit.RateLimitChange;
import io.ge.redis.ratelimit.RateLimitChangeEvent;
import io.ge.redis.ratelimit.RateLimitChangeEvent.Action;
import io.ge.redis.ratelimit.RateLimitProperties;
import io.ge.redis.ratelimit.RateLimitRule;
import org.jspecify.annotations.Nullable;

/**
 * {@code /actuator/geredis/rate-limit} lists the limits as they are now, and the keys
 * denied most often. {@code /actuator/geredis/rate-limit/<limit>?key=anna} shows one key.
 * A write changes a limit on all instances, for all keys or for one, or it resets,
 * refunds, blocks or unblocks a key. A delete restores the limit.
 * <p>
 * A key of several parts is given by repeating the parameter. A key that the list shows
 * can be given as it is shown there, as {@code hash}, to the instance that has answered.
 * Without a key, the request is about all callers together. For settings and blocks the
 * parts are joined with colons, as in properties.
 * <p>
 * A change is in effect on this instance when the method returns and on all others within
 * a second. It holds also for instances that start later, until it is reverted or no
 * instance has run for 30 days. Used permits stay counted. Each change costs two script
 * calls here and one on each instance; decisions cost nothing more. A change that ended
 * by an outage may be in effect nevertheless.
 */
final class RateLimitControl extends GuardResource {

	/** The name of the pattern in events and meters. */
	private static final String PATTERN = "ratelimit";

	private static final String KEY = "key";

	private static final String HASH = "hash";

	private static final String ACTION = "action";

	private static final String DURATION = "duration";

	private static final int HASH_BYTES = 8;

	private static final Duration SHORTEST_BLOCK = Duration.ofMillis(1);

	private static final Duration LONGEST_BLOCK = Duration.ofDays(366);

	private static final int LONGEST_KEY = 1_000;

	private final RateLimitRegistry limits;

	private final Supplier<RateLimitPattern.Parts> parts;

	private final GuardEvents events;

	private final RateLimitRules rules;

	private final GuardedMethods methods;

	private final GuardFigures figures;

	RateLimitControl(RateLimitRegistry limits, Supplier<RateLimitPattern.Parts> parts, GuardEvents events,
			RateLimitRules rules, GuardedMethods methods, GuardFigures figures) {
		super("rate-limit", PATTERN);
		this.limits = limits;
		this.parts = parts;
		this.events = events;
		this.rules = rules;
		this.methods = methods;
		this.figures = figures;
	}

	private RateLimitEngine engine() {
		return this.parts.get().limiter().engine();
	}

	@Override
	public Object read(GuardRequest request) {
		request.allowOnly(KEY, HASH);
		if (request.path().isEmpty()) {
			request.allowOnly();
			return new LimitsReport(list(), mostDenied());
		}
		String name = limit(request);
		List<String> key = key(name, request);
		requireKeyWhereCounted(name, key);
		requireParts(name, key, request);
		return new KeyReport(shown(key), look(name, key));
	}

	@Override
	public Object write(GuardRequest request) {
		String name = limit(request);
		List<String> key = key(name, request);
		String action = request.text(ACTION);
		return answer(() -> (action != null) ? act(action, name, key, request) : change(name, key, request));
	}

	@Override
	public Object delete(GuardRequest request) {
		request.allowOnly(KEY, HASH);
		String name = limit(request);
		List<String> key = key(name, request);
		return answer(() -> new ActionReport(name, shown(key), "restored", restore(name, key), ""));
	}

	private static ActionReport answer(Supplier<ActionReport> action) {
		try {
			return action.get();
		}
		catch (InvalidSettingException ex) {
			throw GuardRequestException.invalid(ex.setting(), ex.problem(), ex.remedy());
		}
	}

	private ActionReport change(String name, List<String> key, GuardRequest request) {
		request.allowOnly(KEY, HASH, ACTION, "limit", "window", "burst");
		RateLimitChange change = new RateLimitChange(request.number("limit"), request.duration("window"),
				request.number("burst"));
		change(name, key, change);
		return new ActionReport(name, shown(key), "changed", true, change.toString());
	}

	private ActionReport act(String action, String name, List<String> key, GuardRequest request) {
		requireKeyWhereCounted(name, key);
		boolean effective = true;
		String detail = "";
		switch (action) {
			case "reset" -> {
				request.allowOnly(KEY, HASH, ACTION);
				requireParts(name, key, request);
				reset(name, key);
			}
			case "refund" -> {
				request.allowOnly(KEY, HASH, ACTION, "permits");
				requireParts(name, key, request);
				Long permits = request.number("permits");
				long given = refund(name, key, (permits != null) ? permits : 1);
				effective = given > 0;
				detail = "permits=" + given;
			}
			case "block" -> {
				request.allowOnly(KEY, HASH, ACTION, DURATION);
				request.required(DURATION, "Set it to a time such as 10m.");
				Duration duration = Objects.requireNonNull(request.duration(DURATION));
				block(name, key, duration);
				detail = "duration=" + duration;
			}
			case "unblock" -> {
				request.allowOnly(KEY, HASH, ACTION);
				effective = unblock(name, key);
			}
			default -> throw GuardRequestException.invalid(ACTION, "action is '" + action + "'.",
					"Set it to reset, refund, block or unblock, or leave it out to change burst, limit, window.");
		}
		return new ActionReport(name, shown(key), action, effective, detail);
	}

	private String limit(GuardRequest request) {
		String name = request.name(this::exists);
		if (!exists(name)) {
			throw GuardRequestException.notFound("There is no rate limit '" + name + "'.",
					"The limits are " + String.join(", ", this.limits.current().all().keySet()) + ".");
		}
		return name;
	}

	private List<String> key(String name, GuardRequest request) {
		request.allowOneOf(HASH, KEY);
		String hash = request.text(HASH);
		if (hash == null) {
			return request.texts(KEY);
		}
		List<String> key = shownKey(name, hash);
		if (key.isEmpty()) {
			throw GuardRequestException.notFound("This instance knows no key of '" + name + "' by this hash.",
					"Give the key itself, such as ?key=anna, or ask the instance that lists it.");
		}
		return key;
	}

	/**
	 * Refuses a hash that does not show the parts of its key, since permits are counted
	 * by parts. Changes and blocks do not know them, and denied keys with colons may
	 * differ in them alone.
	 */
	private void requireParts(String name, List<String> key, GuardRequest request) {
		String text = LiveChange.text(key);
		long known = denied(name).stream().filter((denied) -> LiveChange.text(denied).equals(text)).distinct().count();
		if (request.text(HASH) != null && (known > 1 || (known == 0 && text.contains(":")))) {
			throw GuardRequestException.invalid(HASH, "hash does not show of which parts this key is made.",
					"Give the key itself, each part as key=.");
		}
	}

	boolean exists(String name) {
		return !this.limits.current().limits(name).isEmpty();
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

	@Override
	public List<PathRule> rules() {
		List<RateLimitRule> rules = this.rules.all();
		if (rules.isEmpty()) {
			return List.of();
		}
		Map<String, Map<String, Setting>> settings = new HashMap<>();
		list().forEach((limit) -> settings.put(limit.name(), limit.settings()));
		List<PathRule> reports = new ArrayList<>();
		for (RateLimitRule rule : rules) {
			RateLimitProperties.Rule written = rule.settings();
			rule.limits()
				.forEach((limit) -> reports.add(new PathRule(rule.place(), written.path(), written.methods(),
						written.key(), limit.name(), new TreeMap<>(settings.getOrDefault(limit.name(), Map.of())),
						this.figures.of(PATTERN, limit.name()))));
		}
		return reports;
	}

	List<Overview> list() {
		List<Overview> all = new ArrayList<>();
		this.limits.current().all().forEach((name, limit) -> all.add(overview(limit)));
		return all;
	}

	private Overview overview(RateLimit limit) {
		Map<String, Setting> settings = new LinkedHashMap<>(this.limits.current().settings(limit.name()));
		Map<String, String> changes = new TreeMap<>();
		Map<String, String> blocks = new TreeMap<>();
		int overrides = 0;
		for (List<LiveChange> live : this.parts.get().live().of(limit.name()).values()) {
			for (LiveChange change : live) {
				String key = change.key();
				if (key == null) {
					put(settings, change);
				}
				else if (change.origin() == Setting.Origin.PROPERTIES_FOR_KEY) {
					overrides++;
				}
				else if (change.blockedUntil() == null) {
					changes.put(show(key), change.change().toString());
				}
				else if (!change.remainingBlock(System.nanoTime()).isZero()) {
					blocks.put(show(key), change.remainingBlock(System.nanoTime()).toString());
				}
			}
		}
		return new Overview(limit.name(), settings, overrides, changes, blocks);
	}

	private static void put(Map<String, Setting> settings, LiveChange applied) {
		RateLimitChange change = applied.change();
		Setting.Origin origin = applied.origin();
		Setting limit = settings.get("limit");
		Setting burst = settings.get("burst");
		boolean burstIsLimit = limit != null && burst != null && limit.value().equals(burst.value());
		put(settings, "limit", change.limit(), origin);
		put(settings, "burst", burstIsLimit ? change.limit() : null, origin);
		put(settings, "window", (change.window() != null) ? change.window().toString() : null, origin);
		put(settings, "burst", change.burst(), origin);
	}

	private static void put(Map<String, Setting> settings, String name, @Nullable Object value, Setting.Origin origin) {
		if (value != null) {
			settings.put(name, new Setting(value, origin));
		}
	}

	/**
	 * Reads the state of a key without taking permits: one script call for each limit of
	 * the name.
	 */
	List<Look> look(String name, List<String> key) {
		List<Look> looks = new ArrayList<>();
		for (RateLimit base : this.limits.get(name)) {
			RedisDecision answer = Waiting.await(engine().look(base, key));
			Map<String, Setting> settings = new LinkedHashMap<>(this.limits.current().settings(base.name()));
			this.parts.get().live().changes(base, key).forEach((change) -> put(settings, change));
			Duration blocked = this.parts.get().live().blockedFor(base, key);
			looks.add(new Look(base.name(), settings, answer.left(0), Duration.ofNanos(answer.restoredNanos(0)),
					blocked.isZero() ? null : blocked));
		}
		return looks;
	}

	/**
	 * Changes a limit, for all keys or for one. Replaces an earlier change of the same
	 * limit and key; settings that the change does not name are as configured.
	 * @throws InvalidSettingException if the limit cannot have these settings
	 */
	void change(String name, List<String> key, RateLimitChange change) {
		RateLimit base = single(name);
		require(!change.isEmpty(), "limit", "nothing is to be changed.",
				"Set limit, window or burst, or an action: reset, refund, block or unblock.");
		this.limits.current().changed(base, change);
		requireRoom(written(this.parts.get().changes().change(base.name(), textOrNull(key), change), base,
				Action.CHANGED, key, change.toString()));
	}

	boolean restore(String name, List<String> key) {
		RateLimit base = single(name);
		return written(this.parts.get().changes().removeChange(base.name(), textOrNull(key)), base, Action.RESTORED,
				key, "");
	}

	/**
	 * Refuses all calls of a key for a time, whatever it has used. A trial refuses no
	 * call, and so no blocked key either.
	 * @param name the name of a limit, or of several, of which one that refuses is enough
	 * @param key the parts of the key, none for a limit of all callers together
	 * @param duration the time of the block, by the server's clock; replaces an earlier
	 * block
	 * @throws InvalidSettingException if the time is not above zero or above a year
	 */
	void block(String name, List<String> key, Duration duration) {
		require(duration.compareTo(SHORTEST_BLOCK) >= 0 && duration.compareTo(LONGEST_BLOCK) <= 0, DURATION,
				"duration must be between 1ms and " + LONGEST_BLOCK.toDays() + "d, but is " + duration + ".",
				"Set it to a time such as 10m.");
		RateLimit base = this.limits.get(name).get(0);
		requireRoom(written(this.parts.get().changes().block(base.name(), text(key), duration), base, Action.BLOCKED,
				key, "duration=" + duration));
	}

	boolean unblock(String name, List<String> key) {
		RateLimit base = this.limits.get(name).get(0);
		return written(this.parts.get().changes().removeBlock(base.name(), text(key)), base, Action.UNBLOCKED, key, "");
	}

	private static @Nullable String textOrNull(List<String> key) {
		return key.isEmpty() ? null : text(key);
	}

	private static String text(List<String> key) {
		String text = LiveChange.text(key);
		require(text.length() <= LONGEST_KEY, "key",
				"key is longer than " + LONGEST_KEY + " characters, which no setting can be for.",
				"Change the limit for all keys.");
		return text;
	}

	private static void requireRoom(boolean written) {
		require(written, "key", "there are " + RedisLimitChanges.CAPACITY + " live changes and blocks already.",
				"Revert some of them, or write them into the properties under overrides.");
	}

	private static void require(boolean fulfilled, String setting, String problem, String remedy) {
		if (!fulfilled) {
			throw new InvalidSettingException(setting, problem, remedy);
		}
	}

	void reset(String name, List<String> key) {
		for (RateLimit base : this.limits.get(name)) {
			Waiting.await(engine().reset(engine().requests(List.of(base), key, 0)));
			publish(base, Action.RESET, key, "");
		}
	}

	/**
	 * Refunds permits of a key, those that it took last, but not more than it has taken.
	 * @return the number of refunded permits, the most of all limits of that name
	 */
	long refund(String name, List<String> key, long permits) {
		require(permits > 0, "permits", "permits must be above zero, but is " + permits + ".",
				"Set it to the number of permits to refund, such as 1.");
		long most = 0;
		for (RateLimit base : this.limits.get(name)) {
			long given = Waiting.await(engine().refund(base, key, permits));
			publish(base, Action.REFUNDED, key, "permits=" + given);
			most = Math.max(most, given);
		}
		return most;
	}

	/**
	 * Returns the keys that this instance denied most often lately, of all limits.
	 */
	private List<DeniedKey> mostDenied() {
		List<DeniedKey> keys = new ArrayList<>();
		for (MostDenied.Denied denied : this.parts.get().denied().list()) {
			keys.add(new DeniedKey(denied.limit(), show(LiveChange.text(denied.key())), denied.denials()));
		}
		return keys;
	}

	/**
	 * Returns a key, its parts joined with colons, as it may be shown: itself with
	 * {@code ge.redis.rate-limit.show-denied-keys}, else its hash.
	 */
	String show(String key) {
		return this.limits.properties().showDeniedKeys() ? key : hash(key);
	}

	/**
	 * Returns a key that {@link #list()} or {@link #mostDenied()} of this instance shows.
	 * @param shown the key as {@link #show} returns it
	 * @return its parts, none if there is no such key
	 */
	private List<String> shownKey(String name, String shown) {
		List<List<String>> keys = denied(name);
		for (String changed : this.parts.get().live().of(name).keySet()) {
			if (changed != null) {
				keys.add(List.of(changed));
			}
		}
		return keys.stream().filter((key) -> show(LiveChange.text(key)).equals(shown)).findFirst().orElse(List.of());
	}

	private List<List<String>> denied(String name) {
		List<List<String>> keys = new ArrayList<>();
		for (MostDenied.Denied denied : this.parts.get().denied().list()) {
			if (denied.limit().equals(name)) {
				keys.add(denied.key());
			}
		}
		return keys;
	}

	private @Nullable String shown(List<String> key) {
		return key.isEmpty() ? null : show(LiveChange.text(key));
	}

	private RateLimit single(String name) {
		List<RateLimit> found = this.limits.get(name);
		require(found.size() == 1, "limit", "'" + name + "' names several limits.",
				"Name the one to change: " + String.join(" or ", found.stream().map(RateLimit::name).toList()) + ".");
		return found.get(0);
	}

	/**
	 * Waits for a change, lets it take effect here and publishes it.
	 * @return whether it was written
	 */
	private boolean written(CompletableFuture<Boolean> write, RateLimit base, Action action, List<String> key,
			String detail) {
		boolean written = Waiting.await(write);
		if (written) {
			try {
				Waiting.await(this.parts.get().feed().read());
			}
			finally {
				publish(base, action, key, detail);
			}
		}
		return written;
	}

	private void publish(RateLimit base, Action action, List<String> key, String detail) {
		this.events.publish(new RateLimitChangeEvent(base.name(), action,
				key.isEmpty() ? null : hash(LiveChange.text(key)), detail));
	}

	/**
	 * Names a key where it must not be readable, in the same way on all instances. A
	 * guess of the key can be verified.
	 */
	static String hash(String key) {
		return HexFormat.of().formatHex(Sha256.of(key), 0, HASH_BYTES);
	}

	/**
	 * A limit as it is now.
	 *
	 * @param overrides the number of keys with properties of their own
	 * @param changes changes at run time, by key as it may be shown
	 */
	public record Overview(String name, Map<String, Setting> settings, int overrides, Map<String, String> changes,
			Map<String, String> blocks) {
	}

	/**
	 * One limit for one key.
	 *
	 * @param restoredAfter time until the next permit is restored, zero if none is
	 * missing
	 * @param blockedFor {@code null} if the key is not blocked
	 */
	public record Look(String name, Map<String, Setting> settings, long remaining, Duration restoredAfter,
			@Nullable Duration blockedFor) {
	}

	/**
	 * A key as it may be shown, and roughly how often it was denied; halved every 20
	 * minutes.
	 */
	public record DeniedKey(String limit, String key, long denials) {
	}

	public record LimitsReport(List<Overview> limits, List<DeniedKey> mostDenied) {
	}

	public record KeyReport(@Nullable String key, List<Look> limits) {
	}

	public record ActionReport(String name, @Nullable String key, String action, boolean effective, String detail) {
	}

}
