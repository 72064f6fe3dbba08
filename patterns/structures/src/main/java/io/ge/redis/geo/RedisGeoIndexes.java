/*
 * Copyright 2026 the GE Redis authors
 * SPDX-License-Identifier: Apache-2.0
 */

package io.ge.redis.geo;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Function;

import io.ge.redis.core.RedisBackend;
import io.ge.redis.core.key.RedisKey;
import io.ge.redis.core.script.LuaScript;
import io.ge.redis.core.script.ScriptReply;
import io.ge.redis.core.structure.Arguments;
import io.ge.redis.core.structure.StructureCalls;

/**
 * Geo indexes in Redis: {@code prefix:geo:{name}} and its sibling; {@code put.lua} says
 * what each is.
 */
public final class RedisGeoIndexes implements GeoIndexes {

	private static final LuaScript EXPIRY = LuaScript.functions(RedisGeoIndexes.class, "expiry.lua");

	private static final LuaScript PUT = LuaScript.load(RedisGeoIndexes.class, "put.lua", EXPIRY);

	private static final LuaScript REMOVE = LuaScript.load(RedisGeoIndexes.class, "remove.lua", EXPIRY);

	private static final LuaScript POSITION = LuaScript.load(RedisGeoIndexes.class, "position.lua", EXPIRY);

	private static final LuaScript SEARCH = LuaScript.load(RedisGeoIndexes.class, "search.lua", EXPIRY);

	private static final LuaScript GEOADD = LuaScript.command(RedisGeoIndexes.class, "put", "GEOADD");

	private static final LuaScript GEOSEARCH = LuaScript.command(RedisGeoIndexes.class, "search", "GEOSEARCH");

	private static final double MAX_RADIUS = 25_000;

	private static final double MAX_SIDE = 50_000;

	private final GeoProperties properties;

	private final StructureCalls calls;

	/** Permanent indexes of which a script has said that commands will do for them. */
	private final Set<String> settled = ConcurrentHashMap.newKeySet();

	public RedisGeoIndexes(GeoProperties properties, RedisBackend backend) {
		this.properties = properties;
		this.calls = new StructureCalls("geo", backend);
	}

	/**
	 * Runs a command, or until that will do its script, with the TTL as last argument.
	 */
	private <T> CompletableFuture<T> run(LuaScript command, LuaScript script, String name,
			Function<ScriptReply, T> reader, Object... arguments) {
		long ttl = this.properties.index(name).timeToLive();
		RedisKey key = this.calls.key(name);
		if (this.settled.contains(name)) {
			return this.calls.run(command, key, reader, arguments);
		}
		Object[] all = Arrays.copyOf(arguments, arguments.length + 1);
		all[arguments.length] = ttl;
		return this.calls.run(script, key, (reply) -> {
			if (reply.number(reply.size() - 1) == 1) {
				this.settled.add(name);
			}
			return reader.apply(reply);
		}, all);
	}

	@Override
	public CompletableFuture<Boolean> putAsync(String name, String member, GeoPoint point) {
		return run(GEOADD, PUT, name, (reply) -> reply.number(0) == 1, String.valueOf(point.longitude()),
				String.valueOf(point.latitude()), Arguments.member("member", member));
	}

	@Override
	public CompletableFuture<Boolean> removeAsync(String name, String member) {
		this.properties.index(name);
		return this.calls.run(REMOVE, this.calls.key(name), (reply) -> reply.number(0) == 1,
				Arguments.member("member", member));
	}

	@Override
	public CompletableFuture<Optional<GeoPoint>> positionAsync(String name, String member) {
		this.properties.index(name);
		return this.calls.run(POSITION, this.calls.key(name),
				(reply) -> (reply.size() > 0) ? Optional.of(point(reply, 0)) : Optional.empty(),
				Arguments.member("member", member));
	}

	@Override
	public CompletableFuture<List<GeoMember>> nearestAsync(String name, GeoPoint center, double radiusKm, int limit) {
		Arguments.range("radiusKm", radiusKm, 0, MAX_RADIUS);
		return search(name, center, limit, "BYRADIUS", String.valueOf(radiusKm), "km");
	}

	@Override
	public CompletableFuture<List<GeoMember>> inBoxAsync(String name, GeoPoint center, double widthKm, double heightKm,
			int limit) {
		Arguments.range("widthKm", widthKm, 0, MAX_SIDE);
		Arguments.range("heightKm", heightKm, 0, MAX_SIDE);
		return search(name, center, limit, "BYBOX", String.valueOf(widthKm), String.valueOf(heightKm), "km");
	}

	private CompletableFuture<List<GeoMember>> search(String name, GeoPoint center, int limit, String... area) {
		List<Object> arguments = new ArrayList<>(
				List.of("FROMLONLAT", String.valueOf(center.longitude()), String.valueOf(center.latitude())));
		arguments.addAll(List.of(area));
		arguments.addAll(List.of("ASC", "COUNT", Arguments.count("limit", limit, 1), "WITHDIST", "WITHCOORD"));
		return run(GEOSEARCH, SEARCH, name, (reply) -> {
			List<GeoMember> members = new ArrayList<>();
			for (int i = 0; i + 3 < reply.size(); i += 4) {
				members.add(new GeoMember(reply.text(i), point(reply, i + 2), reply.decimal(i + 1)));
			}
			return members;
		}, arguments.toArray());
	}

	private static GeoPoint point(ScriptReply reply, int index) {
		return new GeoPoint(reply.decimal(index), reply.decimal(index + 1));
	}

}
