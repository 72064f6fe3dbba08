// SPDX-License-Identifier: Apache-2.0

package io.ge.redis.benchmark.fault;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Function;

import io.ge.redis.test.fault.Fault;
import io.ge.redis.test.fault.FaultRun;
import io.ge.redis.test.scenario.CacheApplication;
import io.ge.redis.test.scenario.CacheChurnScenario;
import io.ge.redis.test.scenario.CacheScenario;
import io.ge.redis.test.scenario.Fleet;
import io.ge.redis.test.scenario.ScenarioDatabase;
import io.ge.redis.test.scenario.Site;

/**
 * The scenarios of caches. All implementations wait for Redis up to two seconds.
 */
final class CacheFaults implements AutoCloseable {

	private static final String FRESH = "no call fails, at rest the cache holds what the database holds";

	private static final Duration OUTAGE = Duration.ofMillis(700);

	private static final Duration TTL = Duration.ofSeconds(1);

	private static final Duration REST = Duration.ofSeconds(10);

	private static final int INSTANCES = 4;

	private static final long OPERATIONS = Long.getLong("ge.test.operations", 20_000);

	/** One in so many operations. */
	private static final long FAULT_EVERY = Long.getLong("ge.test.fault-every", 8_000);

	private final List<Play> plays = new ArrayList<>();

	private final List<Site> sites = new ArrayList<>();

	/** With the handler that Spring offers for callers who are not to see errors. */
	private final Site tolerant;

	CacheFaults() {
		Subject ours = new Subject(Outcome.OURS, CacheApplication.class, "ge.redis.cache.intent-timeout=1s",
				"ge.redis.cache.lease-time=600ms", "ge.redis.cache.load-wait=2s", "ge.redis.outage.command-timeout=2s");
		Subject peer = new Subject("Spring Data Redis", SpringDataCache.class, "spring.data.redis.timeout=2s");
		Site oursAt = site(ours);
		Site peerAt = site(peer);
		this.tolerant = site(new Subject("Spring Data Redis, errors logged", SpringDataCache.class,
				"spring.data.redis.timeout=2s", "peer.log-errors=true"));
		underLoad(oursAt, peerAt, Site::redisKilled, OUTAGE);
		underLoad(oursAt, peerAt, Site::redisHung, OUTAGE);
		underLoad(oursAt, peerAt, Site::networkCut, OUTAGE);
		underLoad(oursAt, peerAt, (site) -> site.latency(Duration.ofMillis(500)), Duration.ofMillis(1200));
		underLoad(oursAt, peerAt, Site::connectionsKilled, Duration.ZERO);
		add(oursAt, peerAt, "kill -9 between commit and after-commit", FRESH,
				(run, site) -> CacheScenario.writerKilled(run, one(site), second(site), REST));
		add(oursAt, peerAt, "writer paused between commit and publication", FRESH,
				(run, site) -> CacheScenario.writerHeld(run, one(site), second(site), Fault.of("paused", () -> {
				}), REST));
		add(oursAt, peerAt, "FLUSHALL under load", FRESH,
				(run, site) -> CacheScenario.throughout(run, two(site), site.flushed(), REST));
		add(oursAt, peerAt, "maxmemory with allkeys-lru under load", FRESH,
				(run, site) -> CacheScenario.throughout(run, two(site), site.evicting(), REST));
		add(oursAt, peerAt, "failover to a lagging replica", "what is lost is stale no longer than the TTL",
				(run, site) -> failover(run, site));
		add(oursAt, peerAt, "loader paused beyond its lease and resumed", FRESH,
				(run, site) -> CacheScenario.loaderPaused(run, one(site), second(site), REST));
		add(oursAt, peerAt, "REPEATABLE READ reader across a commit", FRESH, (run, site) -> CacheScenario
			.snapshotReader(run, one(site), second(site), Fault.of("entries expired", () -> expire(site)), REST));
		String churn = "random operations, expiry, kill -9 and cuts";
		add(oursAt, peerAt, churn, FRESH, CacheFaults::churn);
		Site redisson = site(new Subject("Redisson", RedissonCache.class));
		add("Redisson", redisson, churn, FRESH, CacheFaults::churn);
	}

	private static void churn(FaultRun run, Site site) throws Exception {
		List<Fleet> slots = new ArrayList<>();
		for (int i = 0; i < INSTANCES; i++) {
			slots.add(site.with().one());
		}
		CacheChurnScenario.play(run, slots, OPERATIONS, (int) Math.max(6, OPERATIONS / FAULT_EVERY),
				Fault.of("entries expired", () -> expire(site)), site.networkCut(), REST);
	}

	List<Play> plays() {
		return this.plays;
	}

	private Site site(Subject subject) {
		List<String> properties = new ArrayList<>(ScenarioDatabase.properties());
		properties.addAll(List.of(subject.properties()));
		Site site = Site.of(subject.application(), properties.toArray(String[]::new));
		this.sites.add(site);
		return site;
	}

	private void underLoad(Site ours, Site peer, Function<Site, Fault> fault, Duration lasting) {
		String name = fault.apply(ours).name() + " under load";
		Scene scene = (run, site) -> CacheScenario.underLoad(run, two(site), fault.apply(site), lasting, REST);
		add(ours, peer, name, FRESH, scene);
		add("Spring Data Redis, errors logged", this.tolerant, name, FRESH, scene);
	}

	private void add(Site ours, Site peer, String fault, String promise, Scene scene) {
		add(Outcome.OURS, ours, fault, promise, scene);
		add("Spring Data Redis", peer, fault, promise, scene);
	}

	private void add(String subject, Site site, String fault, String promise, Scene scene) {
		FaultRun run = FaultRun.of("cache", fault, promise).subject(subject);
		this.plays.add(new Play(run, () -> {
			site.reset();
			scene.play(run, site);
		}));
	}

	private static void failover(FaultRun run, Site site) throws Exception {
		Site shortLived = site.with("ge.redis.cache.ttl=" + TTL.toMillis() + "ms", "peer.ttl=" + TTL.toMillis() + "ms");
		Fleet instances = () -> {
			site.replicate();
			return shortLived.instances(2);
		};
		CacheScenario.underLoad(run, instances, site.failover(), Duration.ofMillis(150), TTL.plusMillis(300));
	}

	/**
	 * Removes what can be read of the cache, and no more, of either implementation.
	 */
	private static void expire(Site site) {
		for (String pattern : List.of("*:e1", "items::*", "items")) {
			for (Object key : (List<?>) site.redis().command("KEYS", pattern)) {
				site.redis().command("DEL", key.toString());
			}
		}
	}

	private static Fleet one(Site of) {
		return () -> of.instances(1);
	}

	private static Fleet second(Site of) {
		return () -> of.instances(2).subList(1, 2);
	}

	private static Fleet two(Site of) {
		return () -> of.instances(2);
	}

	@Override
	public void close() {
		this.sites.forEach(Site::close);
	}

	/**
	 * A scenario at a site.
	 */
	@FunctionalInterface
	private interface Scene {

		void play(FaultRun run, Site site) throws Exception;

	}

}
