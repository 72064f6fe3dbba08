// SPDX-License-Identifier: Apache-2.0

package io.ge.redis.ratelimit.internal;

import java.time.Duration;
import java.util.ArrayList;
import java.util.HexFormat;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.CompletableFuture;

import io.ge.redis.core.event.GuardEvents;
import io.ge.redis.core.hash.Sha256;
import io.ge.redis.core.invocation.InvalidSettingException;
import io.ge.redis.core.invocation.Setting;
import io.ge.redis.core.outage.Waiting;
import io.ge.redis.ratelimit.RateLimit;
import io.ge.redis.ratelimit.RateLimitChange;
import io.ge.redis.ratelimit.RateLimitChangeEvent;
import io.ge.redis.ratelimit.RateLimitChangeEvent.Action;
import io.ge.redis.ratelimit.RateLimiter;
import org.jspecify.annotations.Nullable;

/**
 * View of the limits for operators, and their actions, while the application runs.
 * <p>
 * A change is in effect on this instance when the method returns and on all others within
 * a second. It holds also for instances that start later, until it is reverted or no
 * instance has run for 30 days. Used permits stay counted. Each change costs two script
 * calls here and one on each instance; decisions cost nothing more.
 * <p>
 * A key is given as its parts: one, or one for each element of a list; none means all
 * callers. For settings and blocks the parts are joined with colons, as in properties.
 * Methods that ask Redis throw {@link io.ge.redis.RedisUnavailableException} while it is
 * unavailable, and a change that ended so may be in effect nevertheless.
 */
public final class RateLimitControl {

	private static final int HASH_BYTES = 8;

	private static final Duration SHORTEST_BLOCK = Duration.ofMillis(1);

	private static final Duration LONGEST_BLOCK = Duration.ofDays(366);

	private static final int LONGEST_KEY = 1_000;

	private final RateLimitRegistry limits;

	private final RateLimitPattern.Parts parts;

	private final GuardEvents events;

	RateLimitControl(RateLimitRegistry limits, RateLimitPattern.Parts parts, GuardEvents events) {
		this.limits = limits;
		this.parts = parts;
		this.events = events;
	}

	private RateLimitEngine engine() {
		return this.parts.limiter().engine();
	}

	public boolean exists(String name) {
		return !this.limits.current().limits(name).isEmpty();
	}

	public List<Overview> list() {
		List<Overview> all = new ArrayList<>();
		this.limits.current().all().forEach((name, limit) -> all.add(overview(limit)));
		return all;
	}

	private Overview overview(RateLimit limit) {
		Map<String, Setting> settings = new LinkedHashMap<>(this.limits.current().settings(limit.name()));
		Map<String, String> changes = new TreeMap<>();
		Map<String, String> blocks = new TreeMap<>();
		int overrides = 0;
		for (List<LiveChange> live : this.parts.live().of(limit.name()).values()) {
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
		if (change.limit() != null) {
			settings.put("limit", new Setting(change.limit(), origin));
			if (burstIsLimit) {
				settings.put("burst", new Setting(change.limit(), origin));
			}
		}
		if (change.window() != null) {
			settings.put("window", new Setting(change.window().toString(), origin));
		}
		if (change.burst() != null) {
			settings.put("burst", new Setting(change.burst(), origin));
		}
	}

	/**
	 * Reads the state of a key without taking permits: one script call for each limit of
	 * the name.
	 */
	public List<Look> look(String name, List<String> key) {
		List<Look> looks = new ArrayList<>();
		for (RateLimit base : this.limits.get(name)) {
			RedisDecision answer = Waiting.await(engine().look(base, key));
			Map<String, Setting> settings = new LinkedHashMap<>(this.limits.current().settings(base.name()));
			this.parts.live().changes(base, key).forEach((change) -> put(settings, change));
			Duration blocked = this.parts.live().blockedFor(base, key);
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
	public void change(String name, List<String> key, RateLimitChange change) {
		RateLimit base = single(name);
		require(!change.isEmpty(), "limit", "nothing is to be changed.",
				"Set limit, window or burst, or an action: reset, refund, block or unblock.");
		this.limits.current().changed(base, change);
		requireRoom(written(this.parts.changes().change(base.name(), textOrNull(key), change), base, Action.CHANGED,
				key, change.toString()));
	}

	public boolean restore(String name, List<String> key) {
		RateLimit base = single(name);
		return written(this.parts.changes().removeChange(base.name(), textOrNull(key)), base, Action.RESTORED, key, "");
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
	public void block(String name, List<String> key, Duration duration) {
		require(duration.compareTo(SHORTEST_BLOCK) >= 0 && duration.compareTo(LONGEST_BLOCK) <= 0, "duration",
				"duration must be between 1ms and " + LONGEST_BLOCK.toDays() + "d, but is " + duration + ".",
				"Set it to a time such as 10m.");
		RateLimit base = this.limits.get(name).get(0);
		requireRoom(written(this.parts.changes().block(base.name(), text(key), duration), base, Action.BLOCKED, key,
				"duration=" + duration));
	}

	public boolean unblock(String name, List<String> key) {
		RateLimit base = this.limits.get(name).get(0);
		return written(this.parts.changes().removeBlock(base.name(), text(key)), base, Action.UNBLOCKED, key, "");
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

	/**
	 * Forgets what a key has used, as {@link RateLimiter#reset}.
	 */
	public void reset(String name, List<String> key) {
		for (RateLimit base : this.limits.get(name)) {
			Waiting.await(engine().reset(engine().requests(List.of(base), key, 0)));
			publish(base, Action.RESET, key, "");
		}
	}

	/**
	 * Refunds permits of a key, those that it took last, but not more than it has taken.
	 * @return the number of refunded permits, the most of all limits of that name
	 */
	public long refund(String name, List<String> key, long permits) {
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
	public List<DeniedKey> mostDenied() {
		List<DeniedKey> keys = new ArrayList<>();
		for (MostDenied.Denied denied : this.parts.denied().list()) {
			keys.add(new DeniedKey(denied.limit(), show(LiveChange.text(denied.key())), denied.denials()));
		}
		return keys;
	}

	/**
	 * Returns a key, its parts joined with colons, as it may be shown: itself with
	 * {@code ge.redis.rate-limit.show-denied-keys}, else its hash.
	 */
	public String show(String key) {
		return this.limits.properties().showDeniedKeys() ? key : hash(key);
	}

	/**
	 * Returns a key that {@link #list()} or {@link #mostDenied()} of this instance shows.
	 * @param shown the key as {@link #show} returns it
	 * @return its parts, none if there is no such key
	 */
	public List<String> shownKey(String name, String shown) {
		List<List<String>> keys = new ArrayList<>();
		for (MostDenied.Denied denied : this.parts.denied().list()) {
			if (denied.limit().equals(name)) {
				keys.add(denied.key());
			}
		}
		for (String changed : this.parts.live().of(name).keySet()) {
			if (changed != null) {
				keys.add(List.of(changed));
			}
		}
		return keys.stream().filter((key) -> show(LiveChange.text(key)).equals(shown)).findFirst().orElse(List.of());
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
				Waiting.await(this.parts.feed().read());
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

}
