/*
 * Copyright 2026 the GE Redis authors
 * SPDX-License-Identifier: Apache-2.0
 */

package io.ge.redis.geo;

import java.util.ArrayList;
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
final class RedisGeoIndexes implements GeoIndexes {

	private static final LuaScript EXPIRY = LuaScript.functions(RedisGeoIndexes.class, "expiry.lua");

	private static final LuaScript PUT = LuaScript.load(RedisGeoIndexes.class, "put.lua", EXPIRY);

	private static final LuaScript REMOVE = LuaScript.load(RedisGeoIndexes.class, "remove.lua", EXPIRY);

	private static final LuaScript POSITION = LuaScript.load(RedisGeoIndexes.class, "position.lua", EXPIRY);

	private static final LuaScript SEARCH = LuaScript.load(RedisGeoIndexes.class, "search.lua", EXPIRY);

	private static final LuaScript GEOADD = LuaScript.command(RedisGeoIndexes.class, "put", "GEOADD");

	private static final LuaScript ZREM = LuaScript.command(RedisGeoIndexes.class, "remove", "ZREM");

	private static final LuaScript GEOPOS = LuaScript.command(RedisGeoIndexes.class, "position", "GEOPOS");

	private static final LuaScript GEOSEARCH = LuaScript.command(RedisGeoIndexes.class, "search", "GEOSEARCH");

	private static final double MAX_RADIUS = 25_000;

	private static final double MAX_SIDE = 50_000;

	private final GeoProperties properties;

	private final StructureCalls calls;

	/** Permanent indexes of which a script has said that commands will do. */
	private final Set<String> settled = ConcurrentHashMap.newKeySet();

	RedisGeoIndexes(GeoProperties properties, RedisBackend backend) {
		this.properties = properties;
		this.calls = new StructureCalls("geo", backend);
	}

	@Override
	public CompletableFuture<Boolean> putAsync(String name, String member, GeoPoint point) {
		long ttl = this.properties.index(name).timeToLive();
		Arguments.member("member", member);
		RedisKey key = this.calls.key(name);
		if (this.settled.contains(name)) {
			return this.calls.run(GEOADD, key, RedisGeoIndexes::isOne, text(point.longitude()), text(point.latitude()),
					member);
		}
		return this.calls.run(PUT, key, (reply) -> {
			settle(name, reply);
			return isOne(reply);
		}, member, ttl, text(point.longitude()), text(point.latitude()));
	}

	private void settle(String name, ScriptReply reply) {
		if (reply.number(reply.size() - 1) == 1) {
			this.settled.add(name);
		}
	}

	private static boolean isOne(ScriptReply reply) {
		return reply.number(0) == 1;
	}

	@Override
	public CompletableFuture<Boolean> removeAsync(String name, String member) {
		return run(REMOVE, ZREM, name, member, RedisGeoIndexes::isOne);
	}

	@Override
	public CompletableFuture<Optional<GeoPoint>> positionAsync(String name, String member) {
		return run(POSITION, GEOPOS, name, member,
				(reply) -> reply.has(1) ? Optional.of(point(reply, 0)) : Optional.empty());
	}

	private <T> CompletableFuture<T> run(LuaScript script, LuaScript command, String name, String member,
			Function<ScriptReply, T> reader) {
		this.properties.index(name);
		return this.calls.run(this.settled.contains(name) ? command : script, this.calls.key(name), reader,
				Arguments.member("member", member));
	}

	@Override
	public CompletableFuture<List<GeoMember>> nearestAsync(String name, GeoPoint center, double radiusKm, int limit) {
		Arguments.range("radiusKm", radiusKm, 0, MAX_RADIUS);
		return search(name, center, limit, "BYRADIUS", text(radiusKm), "km");
	}

	@Override
	public CompletableFuture<List<GeoMember>> inBoxAsync(String name, GeoPoint center, double widthKm, double heightKm,
			int limit) {
		Arguments.range("widthKm", widthKm, 0, MAX_SIDE);
		Arguments.range("heightKm", heightKm, 0, MAX_SIDE);
		return search(name, center, limit, "BYBOX", text(widthKm), text(heightKm), "km");
	}

	private CompletableFuture<List<GeoMember>> search(String name, GeoPoint center, int limit, String... area) {
		long ttl = this.properties.index(name).timeToLive();
		Arguments.count("limit", limit, 1);
		RedisKey key = this.calls.key(name);
		List<Object> arguments = new ArrayList<>(List.of(text(center.longitude()), text(center.latitude())));
		arguments.addAll(List.of(area));
		if (this.settled.contains(name)) {
			arguments.add(0, "FROMLONLAT");
			arguments.addAll(List.of("ASC", "COUNT", limit, "WITHDIST", "WITHCOORD"));
			return this.calls.run(GEOSEARCH, key, (reply) -> members(reply, reply.size()), arguments.toArray());
		}
		arguments.addAll(0, List.of(ttl, limit));
		return this.calls.run(SEARCH, key, (reply) -> {
			settle(name, reply);
			return members(reply, reply.size() - 1);
		}, arguments.toArray());
	}

	private static List<GeoMember> members(ScriptReply reply, int end) {
		List<GeoMember> members = new ArrayList<>(end / 4);
		for (int i = 0; i < end; i += 4) {
			members.add(new GeoMember(reply.text(i), point(reply, i + 2), reply.decimal(i + 1)));
		}
		return members;
	}

	private static GeoPoint point(ScriptReply reply, int index) {
		return new GeoPoint(reply.decimal(index), reply.decimal(index + 1));
	}

	private static String text(double number) {
		return String.valueOf(number);
	}

}
