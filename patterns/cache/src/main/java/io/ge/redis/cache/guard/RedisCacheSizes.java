/*
 * Copyright 2026 the GE Redis authors
 * SPDX-License-Identifier: Apache-2.0
 */

package io.ge.redis.cache.guard;

import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;

import io.ge.redis.cache.GeCaches;
import io.ge.redis.core.RedisBackend;
import io.ge.redis.core.connection.Shard;
import io.ge.redis.core.key.KeyPart;
import io.ge.redis.core.key.KeySpace;
import io.ge.redis.core.key.RedisKey;
import io.ge.redis.core.outage.GuardedRedis;
import io.ge.redis.core.outage.Waiting;
import io.ge.redis.core.script.LuaScript;
import io.ge.redis.core.script.ScriptCall;
import io.ge.redis.core.script.ScriptReply;
import org.jspecify.annotations.Nullable;

/**
 * Estimates how many entries each cache has in Redis, from {@value #LOOKS} random keys of
 * each server: their share of entries, times the number of keys of the server.
 */
public final class RedisCacheSizes {

	public static final int LOOKS = 500;

	/** Enough different slots to find every server of a cluster. */
	private static final int SLOTS = 500;

	private static final LuaScript SAMPLE = LuaScript.load(GeCaches.class, "sample.lua");

	private final GuardedRedis redis;

	private final KeySpace keys;

	private final RedisBackend backend;

	RedisCacheSizes(GuardedRedis redis, KeySpace keys, RedisBackend backend) {
		this.redis = redis;
		this.keys = keys;
		this.backend = backend;
	}

	/**
	 * Estimates: one script call for each server, all at once.
	 * @return by cache, in their order; empty if a server refuses to tell
	 */
	Map<String, CacheControl.Size> estimate(Collection<String> caches) {
		List<Object> arguments = new ArrayList<>();
		arguments.add(LOOKS);
		caches.forEach((cache) -> arguments.add(beginning(cache)));
		List<CompletableFuture<ScriptReply>> calls = new ArrayList<>();
		for (RedisKey server : servers()) {
			calls.add(this.redis.run(ScriptCall.of(SAMPLE, server, arguments.toArray()), this.redis.newBudget()));
		}
		List<ScriptReply> replies = new ArrayList<>();
		for (CompletableFuture<ScriptReply> call : calls) {
			ScriptReply reply = Waiting.await(call);
			if (reply.number(0) < 0) {
				return Map.of();
			}
			replies.add(reply);
		}
		return sizes(caches, replies);
	}

	private static Map<String, CacheControl.Size> sizes(Collection<String> caches, List<ScriptReply> replies) {
		Map<String, CacheControl.Size> sizes = new LinkedHashMap<>();
		int index = 2;
		for (String cache : caches) {
			CacheControl.Size size = CacheControl.Size.NONE;
			for (ScriptReply reply : replies) {
				size = size.plus(reply.number(0), reply.number(1), reply.number(index));
			}
			sizes.put(cache, size);
			index++;
		}
		return sizes;
	}

	private Collection<RedisKey> servers() {
		Map<String, RedisKey> servers = new LinkedHashMap<>();
		for (int slot = 0; slot < SLOTS; slot++) {
			RedisKey key = this.keys.entity(KeyPart.of("sizes"), KeyPart.of(String.valueOf(slot)));
			@Nullable Shard shard = this.backend.connection().shardOf(key.bytes());
			if (shard == null) {
				return List.of(key);
			}
			servers.putIfAbsent(shard.server(), key);
		}
		return servers.values();
	}

	/**
	 * Returns how the names of a cache's entries begin: the brace that ends the name of
	 * the cache alone becomes the colon that stands before the key.
	 */
	private byte[] beginning(String cache) {
		byte[] name = this.keys.entity(KeyPart.of(cache)).bytes();
		byte[] beginning = Arrays.copyOf(name, name.length);
		beginning[name.length - 1] = ":".getBytes(StandardCharsets.US_ASCII)[0];
		return beginning;
	}

}
