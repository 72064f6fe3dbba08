// SPDX-License-Identifier: Apache-2.0

package io.ge.redis.cache.internal.engine;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;

import io.ge.redis.cache.GeCaches;
import io.ge.redis.core.bus.InstanceBus;
import io.ge.redis.core.key.KeyPart;
import io.ge.redis.core.key.KeySpace;
import io.ge.redis.core.key.RedisKey;
import io.ge.redis.core.outage.CallBudget;
import io.ge.redis.core.outage.GuardedRedis;
import io.ge.redis.core.script.LuaScript;
import io.ge.redis.core.script.ScriptCall;
import io.ge.redis.core.script.ScriptReply;

/**
 * The versions of tags in Redis. The key {@code prefix:cache:{cache}:i1} is a sorted set
 * of the tags of a cache, with {@code *} for all entries. Each has the version of its
 * last invalidation. One call invalidates any number of entries.
 */
public record RedisInvalidations(GuardedRedis redis, KeySpace keys, InstanceBus bus) {

	private static final String TOPIC = "cache.tags";

	private static final LuaScript OUTDATE = LuaScript.load(GeCaches.class, "outdate.lua");

	private static final LuaScript VERSIONS = LuaScript.load(GeCaches.class, "versions.lua");

	private static final KeyPart NAME = KeyPart.of("i1");

	public CallBudget newBudget() {
		return this.redis.newBudget();
	}

	public void onRecovery(Runnable action) {
		this.redis.onRecovery(action);
	}

	/**
	 * Calls a listener with the versions that any instance has given. Messages may be
	 * lost.
	 */
	public void onInvalidation(InvalidationHandler handler) {
		this.bus.handle(TOPIC, (message) -> {
			String[] parts = message.split(" ", 3);
			handler.heard(parts[2], Long.parseLong(parts[0]), CacheTags.named(List.of(parts[1].split(","))));
		});
	}

	/**
	 * Makes entries count as outdated.
	 * @param known the highest version that this instance knows
	 * @param kept the time that an entry may stay after it was stamped
	 * @return the version, and the tags that have it now: all, if versions were lost
	 */
	CompletableFuture<Outdated> outdate(String cache, CacheTags tags, long known, Duration kept, CallBudget budget) {
		List<Object> arguments = new ArrayList<>(
				List.of(known, kept.toMillis(), this.bus.notificationChannel(), TOPIC, cache));
		arguments.addAll(tags.names());
		return this.redis.run(ScriptCall.of(OUTDATE, keys(cache), arguments.toArray()), budget)
			.thenApply((reply) -> new Outdated(reply.number(0), (reply.number(1) == 1) ? CacheTags.ALL : tags));
	}

	/**
	 * Reads the versions in Redis.
	 * @param seen the last version at the last read
	 * @param heard the highest version that this instance knows
	 */
	CompletableFuture<Versions> read(String cache, long seen, long heard, Duration kept, CallBudget budget) {
		return this.redis
			.run(ScriptCall.of(VERSIONS, keys(cache), seen, heard, kept.toMillis(), this.bus.notificationChannel(),
					TOPIC, cache), budget)
			.thenApply(RedisInvalidations::versions);
	}

	private static Versions versions(ScriptReply reply) {
		List<Versions.One> changed = new ArrayList<>();
		for (int i = 3; i + 1 < reply.size(); i += 2) {
			changed.add(new Versions.One(CacheTags.named(List.of(reply.text(i))), reply.number(i + 1)));
		}
		return new Versions(reply.number(0), 1000 * reply.number(1), reply.number(2) / 1000, changed);
	}

	private List<RedisKey> keys(String cache) {
		return List.of(this.keys.entity(KeyPart.of(cache)).with(NAME));
	}

	@FunctionalInterface
	interface InvalidationHandler {

		void heard(String cache, long version, CacheTags tags);

	}

	record Outdated(long version, CacheTags tags) {
	}

	/**
	 * The result of a read.
	 *
	 * @param silentNanos the least time before it in which no version was given
	 * @param serverMillis the server time
	 */
	record Versions(long last, long silentNanos, long serverMillis, List<One> changed) {

		record One(CacheTags tag, long version) {
		}

	}

}
