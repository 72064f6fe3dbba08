/*
 * Copyright 2026 the GE Redis authors
 * SPDX-License-Identifier: Apache-2.0
 */

package io.ge.redis.geo;

import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;

import io.ge.redis.core.RedisBackend;
import io.ge.redis.core.script.LuaScript;
import io.ge.redis.core.script.ScriptReply;
import io.ge.redis.core.structure.Arguments;
import io.ge.redis.core.structure.StructureCalls;

/**
 * Geo indexes in Redis: {@code prefix:geo:{name}} and its sibling; {@code put.lua} says
 * what each is.
 */
final class RedisGeoIndexes implements GeoIndexes {

	private static final LuaScript EXPIRY = LuaScript.load(RedisGeoIndexes.class, "expiry.lua");

	private static final LuaScript PUT = LuaScript.load(RedisGeoIndexes.class, "put.lua", EXPIRY);

	private static final LuaScript REMOVE = LuaScript.load(RedisGeoIndexes.class, "remove.lua", EXPIRY);

	private static final LuaScript POSITION = LuaScript.load(RedisGeoIndexes.class, "position.lua", EXPIRY);

	private static final LuaScript SEARCH = LuaScript.load(RedisGeoIndexes.class, "search.lua", EXPIRY);

	private static final double MAX_RADIUS = 25_000;

	private static final double MAX_SIDE = 50_000;

	private final GeoProperties properties;

	private final StructureCalls calls;

	RedisGeoIndexes(GeoProperties properties, RedisBackend backend) {
		this.properties = properties;
		this.calls = new StructureCalls("geo", backend);
	}

	private CompletableFuture<ScriptReply> run(LuaScript script, String index, Object... arguments) {
		return this.calls.run(script, this.calls.key(index), arguments);
	}

	@Override
	public CompletableFuture<Boolean> putAsync(String name, String member, GeoPoint point) {
		GeoProperties.Index index = this.properties.index(name);
		return run(PUT, name, Arguments.member("member", member), index.timeToLive(), text(point.longitude()),
				text(point.latitude()))
			.thenApply((reply) -> reply.number(0) == 1);
	}

	@Override
	public CompletableFuture<Boolean> removeAsync(String name, String member) {
		this.properties.index(name);
		return run(REMOVE, name, Arguments.member("member", member)).thenApply((reply) -> reply.number(0) == 1);
	}

	@Override
	public CompletableFuture<Optional<GeoPoint>> positionAsync(String name, String member) {
		this.properties.index(name);
		return run(POSITION, name, Arguments.member("member", member))
			.thenApply((reply) -> (reply.size() > 0) ? Optional.of(point(reply, 0)) : Optional.empty());
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
		this.properties.index(name);
		List<Object> arguments = new ArrayList<>(
				List.of(Arguments.count("limit", limit, 1), text(center.longitude()), text(center.latitude())));
		arguments.addAll(List.of(area));
		return run(SEARCH, name, arguments.toArray()).thenApply((reply) -> {
			List<GeoMember> members = new ArrayList<>();
			for (int i = 0; i < reply.size(); i += 4) {
				members.add(new GeoMember(reply.text(i), point(reply, i + 2), Double.parseDouble(reply.text(i + 1))));
			}
			return members;
		});
	}

	private static GeoPoint point(ScriptReply reply, int index) {
		return new GeoPoint(Double.parseDouble(reply.text(index)), Double.parseDouble(reply.text(index + 1)));
	}

	private static String text(double number) {
		return String.valueOf(number);
	}

}
