// SPDX-License-Identifier: Apache-2.0

package io.ge.redis.sample;

import java.util.ArrayList;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;

import io.ge.redis.test.RedisServers;
import io.ge.redis.test.StandaloneRedis;

/**
 * Instances that suites share, one for each database. They run until the JVM ends. Each
 * has a Redis of its own, as all on one Redis share the work that arrives.
 */
final class SharedDesk {

	static final String JWT_KEY = "a-key-that-all-instances-of-the-desk-share";

	private static final Map<Database, StandaloneRedis> REDIS = new EnumMap<>(Database.class);

	private static final Map<Database, Desk> DESKS = new EnumMap<>(Database.class);

	private SharedDesk() {
	}

	/**
	 * The instance on a database, with the database and Redis as after a first start.
	 */
	static Desk fresh(Database database) {
		Desk desk = DESKS.computeIfAbsent(database, (missing) -> Desk.start(properties(missing)));
		database.reset();
		redis(database).flushAll();
		return desk;
	}

	/**
	 * What a further instance needs to be one of the same fleet.
	 */
	static List<String> properties(Database database) {
		return properties(database, redis(database));
	}

	static List<String> properties(Database database, StandaloneRedis redis) {
		List<String> properties = new ArrayList<>(database.properties());
		properties.addAll(List.of(redis.properties()));
		properties.add("sample.jwt-key=" + JWT_KEY);
		// A machine that has much else to do is not an outage
		properties.add("ge.redis.outage.command-timeout=10s");
		// Nobody looks for what was invalidated between what a test empties and what it
		// asks
		properties.add("ge.redis.cache.max-staleness=10m");
		return properties;
	}

	static StandaloneRedis redis(Database database) {
		return REDIS.computeIfAbsent(database, (missing) -> RedisServers.standalone());
	}

}
