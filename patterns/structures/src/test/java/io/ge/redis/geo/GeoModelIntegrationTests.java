// SPDX-License-Identifier: Apache-2.0

package io.ge.redis.geo;

import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.TreeMap;

import io.ge.redis.core.script.LuaScript;
import io.ge.redis.core.structure.StructureCalls;
import io.ge.redis.core.structure.TimedScripts;
import io.ge.redis.test.RedisServers;
import io.ge.redis.test.Sized;
import io.ge.redis.test.StandaloneRedis;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.ShrinkingMode;
import net.jqwik.api.lifecycle.AfterContainer;
import net.jqwik.api.lifecycle.BeforeContainer;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

/**
 * The scripts of a geo index against a model in memory, in random traces at random times,
 * with more members that expire at once than a call removes.
 */
@Sized
class GeoModelIntegrationTests {

	private static final int STEPS = 25;

	private static final int MEMBERS = 30;

	private static final int REMOVED_AT_ONCE = 5;

	/** Long enough that no key expires while a trace is played. */
	private static final long TTL = 1_000_000;

	private static final String KEY = "ge:geo:{m}";

	private static StandaloneRedis redis;

	/** Milliseconds. */
	private long now;

	/**
	 * When each member in the index expires. The lower its number, the nearer it is.
	 */
	private final TreeMap<Integer, Long> members = new TreeMap<>();

	@BeforeContainer
	static void start() {
		redis = RedisServers.standalone();
	}

	@AfterContainer
	static void stop() {
		redis.close();
	}

	@Property(shrinking = ShrinkingMode.OFF)
	void repliesAreThoseOfTheModel(@ForAll long seed) {
		Random random = new Random(seed);
		redis.flushAll();
		this.members.clear();
		this.now = 1_800_000_000_000L;
		for (int step = 0; step < STEPS; step++) {
			this.now += List.of(0L, 1L, TTL / 4, TTL / 2).get(random.nextInt(4));
			int member = random.nextInt(MEMBERS);
			switch (random.nextInt(12)) {
				case 0, 5, 6 -> random.ints(0, MEMBERS).distinct().limit(15).forEach((each) -> put(each, TTL));
				case 1 -> put(member, TTL);
				case 2 -> put(member, random.nextBoolean() ? TTL : 0);
				case 3 -> assertThat(run("remove", "m" + member)).containsExactly(remove(member) ? "1" : "0");
				case 4 -> assertThat(run("position", "m" + member)).hasSize(lives(member) ? 2 : 0);
				default -> search(1 + random.nextInt(6));
			}
			assertThat(redis.primary().command("ZCARD", KEY)).isEqualTo((long) this.members.size());
			assertThat(redis.primary().command("ZCARD", KEY + ":expiry")).isEqualTo(expiring());
		}
	}

	private void put(int member, long ttl) {
		boolean known = lives(member);
		this.members.put(member, (ttl > 0) ? this.now + ttl : Long.MAX_VALUE);
		removeExpired();
		assertThat(run("put", longitude(member), 0, "m" + member, ttl)).containsExactly(known ? "0" : "1");
		boolean permanent = expiring() < this.members.size();
		assertThat((Long) redis.primary().command("PTTL", KEY)).isCloseTo(permanent ? -1 : TTL,
				within(permanent ? 0 : TTL / 2));
	}

	private void removeExpired() {
		Comparator<Map.Entry<Integer, Long>> first = Map.Entry.comparingByValue();
		this.members.entrySet()
			.stream()
			.filter((member) -> member.getValue() <= this.now)
			.sorted(first.thenComparing((member) -> "m" + member.getKey()))
			.limit(REMOVED_AT_ONCE)
			.toList()
			.forEach((member) -> this.members.remove(member.getKey()));
	}

	private long expiring() {
		return this.members.values().stream().filter((expires) -> expires < Long.MAX_VALUE).count();
	}

	private boolean remove(int member) {
		boolean known = lives(member);
		this.members.remove(member);
		return known;
	}

	private void search(int most) {
		removeExpired();
		List<String> reply = run("search", "FROMLONLAT", 0, 0, "BYRADIUS", 25_000, "km", "ASC", "COUNT", most,
				"WITHDIST", "WITHCOORD");
		List<String> found = new ArrayList<>();
		for (int i = 0; i < reply.size(); i += 4) {
			found.add(reply.get(i));
		}
		assertThat(found).isEqualTo(
				this.members.keySet().stream().filter(this::lives).limit(most).map((member) -> "m" + member).toList());
	}

	private boolean lives(int member) {
		Long expires = this.members.get(member);
		return expires != null && expires > this.now;
	}

	private static double longitude(int member) {
		return 0.1 * (member + 1);
	}

	private List<String> run(String script, Object... arguments) {
		LuaScript functions = LuaScript.functions(RedisGeoIndexes.class, "expiry.lua", StructureCalls.KEEP);
		byte[] text = LuaScript.load(RedisGeoIndexes.class, script + ".lua", functions).text();
		return TimedScripts.run(redis,
				new String(text, StandardCharsets.UTF_8).replace("'LIMIT', 0, 100", "'LIMIT', 0, " + REMOVED_AT_ONCE),
				this.now * 1000, KEY, arguments);
	}

}
