// SPDX-License-Identifier: Apache-2.0

package io.ge.redis.geo;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CompletableFuture;

import io.ge.redis.core.RedisBackend;
import io.ge.redis.core.script.LuaScript;
import io.ge.redis.core.script.ScriptReply;
import io.ge.redis.core.structure.Arguments;
import io.ge.redis.core.structure.StructureCalls;
import org.jspecify.annotations.Nullable;

import org.springframework.util.Assert;

/**
 * Geo indexes in Redis: {@code prefix:geo:{name}} and its sibling; {@code put.lua} says
 * what each is.
 */
public final class RedisGeoIndexes implements GeoIndexes {

	private static final LuaScript EXPIRY = LuaScript.functions(RedisGeoIndexes.class, "expiry.lua",
			StructureCalls.KEEP);

	private static final LuaScript PUT = LuaScript.load(RedisGeoIndexes.class, "put.lua", EXPIRY);

	private static final LuaScript PUT_EACH = PUT.forEach();

	private static final LuaScript REMOVE = LuaScript.load(RedisGeoIndexes.class, "remove.lua", EXPIRY);

	private static final LuaScript POSITION = LuaScript.load(RedisGeoIndexes.class, "position.lua", EXPIRY);

	private static final LuaScript SEARCH = LuaScript.load(RedisGeoIndexes.class, "search.lua", EXPIRY);

	private static final double MAX_RADIUS = 25_000;

	private static final double MAX_SIDE = 50_000;

	/** The radius of the sphere that Redis measures on, in kilometres. */
	private static final double EARTH_RADIUS = 6372.797560856;

	/** From this radius in kilometres on Redis searches the whole index. */
	private static final double WHOLE_RADIUS = 5010;

	/** Degrees, with a margin for rounding. */
	private static final double POLE = 89.999;

	/** The middle of the outermost of the 2^26 steps that Redis has for each axis. */
	private static final double INSIDE = 1 - 0x1p-26;

	private final GeoProperties properties;

	private final StructureCalls calls;

	public RedisGeoIndexes(GeoProperties properties, RedisBackend backend) {
		this.properties = properties;
		this.calls = new StructureCalls("geo", backend);
	}

	@Override
	public CompletableFuture<Boolean> putAsync(String name, String member, GeoPoint point) {
		long ttl = this.properties.index(name).timeToLive();
		return this.calls.run(PUT, this.calls.key(name), (reply) -> reply.number(0) == 1, put(member, point, ttl));
	}

	private static Object[] put(String member, @Nullable GeoPoint point, long ttl) {
		Arguments.member("member", member);
		Assert.notNull(point, () -> "point must not be null, is for '" + member + "'");
		return new Object[] { longitude(point), latitude(point), member, ttl };
	}

	@Override
	public CompletableFuture<Set<String>> putAllAsync(String name, Map<String, GeoPoint> points) {
		long ttl = this.properties.index(name).timeToLive();
		Assert.notNull(points, "points must not be null");
		return this.calls
			.runEach(PUT_EACH, points.keySet(), (member) -> this.calls.key(name),
					(member) -> put(member, points.get(member), ttl),
					(member, reply) -> (reply.number(0) == 1) ? member : null)
			.thenApply(Map::keySet);
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
		if (radiusKm >= WHOLE_RADIUS || !isBeyondPole(center, radiusKm)) {
			return search(name, center, limit, "BYRADIUS", String.valueOf(radiusKm), "km");
		}
		// The nearest members in a larger circle are the same
		return search(name, center, limit, "BYRADIUS", String.valueOf(WHOLE_RADIUS), "km")
			.thenApply((members) -> members.stream().filter((member) -> member.km() <= radiusKm).toList());
	}

	@Override
	public CompletableFuture<List<GeoMember>> inBoxAsync(String name, GeoPoint center, double widthKm, double heightKm,
			int limit) {
		Arguments.range("widthKm", widthKm, 0, MAX_SIDE);
		Arguments.range("heightKm", heightKm, 0, MAX_SIDE);
		Assert.isTrue(Math.max(widthKm, heightKm) >= 2 * WHOLE_RADIUS || !isBeyondPole(center, heightKm / 2),
				() -> "A box of " + widthKm + " km by " + heightKm + " km around latitude " + center.latitude()
						+ " reaches beyond a pole. Lower heightKm, or search by radius");
		return search(name, center, limit, "BYBOX", String.valueOf(widthKm), String.valueOf(heightKm), "km");
	}

	/** Whether an area reaches beyond a pole, where Redis searches only a part of it. */
	private static boolean isBeyondPole(GeoPoint center, double km) {
		return Math.abs(center.latitude()) + Math.toDegrees(km / EARTH_RADIUS) >= POLE;
	}

	private CompletableFuture<List<GeoMember>> search(String name, GeoPoint center, int limit, String... area) {
		this.properties.index(name);
		List<Object> arguments = new ArrayList<>(List.of("FROMLONLAT", longitude(center), latitude(center)));
		arguments.addAll(List.of(area));
		arguments.addAll(List.of("ASC", "COUNT", Arguments.count("limit", limit, 1), "WITHDIST", "WITHCOORD"));
		return this.calls.run(SEARCH, this.calls.key(name), (reply) -> {
			List<GeoMember> members = new ArrayList<>();
			for (int i = 0; i < reply.size(); i += 4) {
				members.add(new GeoMember(reply.text(i), point(reply, i + 2), reply.decimal(i + 1)));
			}
			return members;
		}, arguments.toArray());
	}

	// Redis misplaces points on the outer edge of its map
	private static String longitude(GeoPoint point) {
		return String.valueOf(Math.min(point.longitude(), GeoPoint.MAX_LONGITUDE * INSIDE));
	}

	private static String latitude(GeoPoint point) {
		double most = GeoPoint.MAX_LATITUDE * INSIDE;
		return String.valueOf(Math.max(-most, Math.min(point.latitude(), most)));
	}

	private static GeoPoint point(ScriptReply reply, int index) {
		return new GeoPoint(reply.decimal(index), reply.decimal(index + 1));
	}

}
