// SPDX-License-Identifier: Apache-2.0

package io.ge.redis.ratelimit.internal;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;

import io.ge.redis.core.invocation.Setting;
import io.ge.redis.core.key.KeyPart;
import io.ge.redis.core.key.KeySpace;
import io.ge.redis.core.key.RedisKey;
import io.ge.redis.core.outage.GuardedRedis;
import io.ge.redis.core.script.LuaScript;
import io.ge.redis.core.script.ScriptCall;
import io.ge.redis.core.script.ScriptReply;
import io.ge.redis.ratelimit.RateLimitChange;
import io.ge.redis.ratelimit.RateLimiter;
import org.apache.commons.logging.Log;
import org.apache.commons.logging.LogFactory;
import org.jspecify.annotations.Nullable;

/**
 * The live changes in Redis: the hash {@code prefix:ratelimit:{settings}:changes}.
 * <p>
 * A field is a letter for its kind, the length of the limit's name and the name. For a
 * single key a colon and the key follow: {@code c5:tasks}, {@code b5:tasks:anna}. The
 * value of a change is limit, window in microseconds and burst, each empty where it does
 * not differ; the value of a block is the server time of its end. Fields of a kind that
 * this version does not know are skipped.
 */
final class RedisLimitChanges {

	public static final int CAPACITY = 10_000;

	/** Renewed by every reading, of which each instance does several a day. */
	static final Duration TTL = Duration.ofDays(30);

	private static final Log logger = LogFactory.getLog(RedisLimitChanges.class);

	private static final LuaScript WRITE = LuaScript.load(RateLimiter.class, "change.lua");

	private static final LuaScript READ = LuaScript.load(RateLimiter.class, "changes.lua");

	private static final String CHANGE = "c";

	private static final String BLOCK = "b";

	private final GuardedRedis redis;

	private final RedisKey hash;

	private final String notificationChannel;

	public RedisLimitChanges(GuardedRedis redis, KeySpace keys, String notificationChannel) {
		this.redis = redis;
		this.hash = keys.entity(KeyPart.of("settings")).with(KeyPart.of("changes"));
		this.notificationChannel = notificationChannel;
	}

	CompletableFuture<List<LiveChange>> load() {
		return this.redis.run(ScriptCall.of(READ, this.hash, TTL.toMillis(), BLOCK), this.redis.newBudget())
			.thenApply(RedisLimitChanges::read);
	}

	/**
	 * Completes with whether there was room for the change, as {@link #block} does.
	 */
	public CompletableFuture<Boolean> change(String name, @Nullable String key, RateLimitChange change) {
		return write(field(CHANGE, name, key), write(change), 0, false);
	}

	public CompletableFuture<Boolean> block(String name, String key, Duration duration) {
		return write(field(BLOCK, name, key), "", micros(duration), false);
	}

	/**
	 * Completes with whether there was such a change, as {@link #removeBlock} does.
	 */
	public CompletableFuture<Boolean> removeChange(String name, @Nullable String key) {
		return write(field(CHANGE, name, key), "", 0, true);
	}

	public CompletableFuture<Boolean> removeBlock(String name, String key) {
		return write(field(BLOCK, name, key), "", 0, true);
	}

	private CompletableFuture<Boolean> write(String field, String value, long block, boolean remove) {
		ScriptCall call = ScriptCall.of(WRITE, this.hash, this.notificationChannel, TTL.toMillis(), CAPACITY, field,
				value, block, remove ? 1 : 0);
		return this.redis.run(call, this.redis.newBudget()).thenApply((reply) -> reply.number(0) == 1);
	}

	private static String field(String kind, String name, @Nullable String key) {
		String field = kind + name.length() + ":" + name;
		return (key != null) ? field + ":" + key : field;
	}

	private static String write(RateLimitChange change) {
		Long window = (change.window() != null) ? micros(change.window()) : null;
		return text(change.limit()) + "," + text(window) + "," + text(change.burst());
	}

	private static String text(@Nullable Long number) {
		return (number != null) ? number.toString() : "";
	}

	private static long micros(Duration duration) {
		return duration.toNanos() / 1000;
	}

	private static List<LiveChange> read(ScriptReply reply) {
		List<LiveChange> changes = new ArrayList<>(reply.size() / 2);
		for (int i = 0; i + 1 < reply.size(); i += 2) {
			String field = reply.text(i);
			try {
				LiveChange change = read(field, reply.text(i + 1));
				if (change != null) {
					changes.add(change);
				}
			}
			catch (IllegalArgumentException | IndexOutOfBoundsException ex) {
				logger.warn("A live change of a rate limit cannot be read and is ignored: "
						+ field.substring(0, Math.min(field.length(), 40)));
			}
		}
		return changes;
	}

	private static @Nullable LiveChange read(String field, String value) {
		String kind = field.substring(0, 1);
		if (!kind.equals(CHANGE) && !kind.equals(BLOCK)) {
			return null;
		}
		int colon = field.indexOf(':');
		int end = colon + 1 + Integer.parseInt(field.substring(1, colon));
		String name = field.substring(colon + 1, end);
		String key = (end < field.length()) ? field.substring(end + 1) : null;
		if (kind.equals(BLOCK)) {
			return (key != null) ? LiveChange.block(name, key, System.nanoTime() + Long.parseLong(value) * 1000) : null;
		}
		String[] parts = value.split(",", -1);
		Long window = number(parts[1]);
		RateLimitChange change = new RateLimitChange(number(parts[0]),
				(window != null) ? Duration.ofNanos(window * 1000) : null, number(parts[2]));
		return LiveChange.of(name, key, (key != null) ? Setting.Origin.ENDPOINT_FOR_KEY : Setting.Origin.ENDPOINT,
				change);
	}

	private static @Nullable Long number(String text) {
		return text.isEmpty() ? null : Long.valueOf(text);
	}

}
