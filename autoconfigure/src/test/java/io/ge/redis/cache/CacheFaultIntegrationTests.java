// SPDX-License-Identifier: Apache-2.0

package io.ge.redis.cache;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.function.LongSupplier;

import io.ge.redis.cache.internal.CacheEngine;
import io.ge.redis.cache.internal.RedisCache;
import io.ge.redis.cache.internal.engine.CacheInvalidations;
import io.ge.redis.test.FirstRun;
import io.ge.redis.test.Wide;
import io.ge.redis.test.fault.Fault;
import io.ge.redis.test.fault.FaultRun;
import io.ge.redis.test.instance.Sabotage;
import io.ge.redis.test.scenario.CacheApplication;
import io.ge.redis.test.scenario.CacheScenario;
import io.ge.redis.test.scenario.ScenarioDatabase;
import io.ge.redis.test.scenario.Site;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/**
 * What the cache holds, beside the database, after things have gone wrong.
 */
@Wide
class CacheFaultIntegrationTests {

	static final String FRESH = "at rest the cache holds what the database holds";

	private static final String SCRIPTS = "io/ge/redis/cache/";

	private static final Duration INTENT = Duration.ofSeconds(1);

	private static final Duration LEASE = Duration.ofMillis(600);

	private static final Duration LOAD_WAIT = Duration.ofSeconds(2);

	private static final Duration TTL = Duration.ofSeconds(1);

	static final boolean FULL = "full".equals(System.getProperty("ge.test.numbers"));

	private static final int WRITES_A_SECOND = 500;

	private static final int OUTAGE_SECONDS = FULL ? 30 : 1;

	/**
	 * By how much writes may be slower without Redis; a build, which runs beside others,
	 * only tells.
	 */
	private static final Duration SLOWER = FULL ? Duration.ofMillis(5) : Duration.ofHours(1);

	static final Duration REST = Duration.ofSeconds(10);

	/** Publishers read and write instead of threads. */
	private static final String REACTIVE = "test.reactive=true";

	/** Enough for a cache that would be right by itself. */
	static final Duration SABOTAGED_REST = INTENT.plusMillis(200);

	static final Sabotage LATE = Sabotage.script(SCRIPTS + "publish.lua",
			"redis.call('DEL', entry, refresh)\nnotify(invalidation)", "publish = true\nnotify(invalidation)");

	/**
	 * Versions that are lost make all entries count as outdated, also one that was
	 * published too late.
	 */
	static final Sabotage UNJUDGED = Sabotage.answer(CacheInvalidations.class, "isOutdated", false);

	/** Leaves the old value in the cache when a change is announced. */
	static final Sabotage SILENT = Sabotage.script(SCRIPTS + "intent.lua",
			"redis.call('DEL', entry, refresh)\nwake(waiters)", "wake(waiters)");

	static final Sabotage STUBBORN = Sabotage.script(SCRIPTS + "fill.lua",
			(text) -> text.replace("redis.call('GET', entry) ~= 'L' .. token", "false")
				.replace("if age < 0 then", "if true then"));

	/** Waits long enough for Redis on the slowest machine. */
	private static Site site;

	/** Waits for Redis as long as applications do. */
	private static Site hurried;

	/** Forgets what Redis could not be told. */
	private static Site forgetful;

	/** The same for publishers. */
	private static Site publishing;

	private static Site forgetfullyPublishing;

	/** As {@link #SILENT}. */
	private static Site silent;

	/** Publishes whatever has happened since its announcement. */
	private static Site late;

	/** Takes all entries for current. */
	private static Site credulous;

	/** Stores what was loaded whatever has happened since. */
	private static Site stubborn;

	@BeforeAll
	static void build() {
		site = newSite();
		hurried = site.with("ge.redis.outage.command-timeout=200ms");
		forgetful = hurried.sabotaged(Sabotage.answer(CacheEngine.class, "remove", CacheEvent.Outcome.INVALIDATED));
		publishing = hurried.with(REACTIVE);
		forgetfullyPublishing = forgetful.with(REACTIVE);
		silent = site.sabotaged(SILENT);
		late = site.sabotaged(LATE, UNJUDGED);
		credulous = site.sabotaged(UNJUDGED);
		stubborn = site.sabotaged(STUBBORN);
	}

	static Site newSite() {
		return newSite(CacheApplication.class);
	}

	static Site newSite(Class<?> application, String... further) {
		List<String> properties = new ArrayList<>(ScenarioDatabase.properties());
		properties.addAll(List.of("ge.redis.cache.intent-timeout=" + INTENT.toMillis() + "ms",
				"ge.redis.cache.lease-time=" + LEASE.toMillis() + "ms",
				"ge.redis.cache.load-wait=" + LOAD_WAIT.toMillis() + "ms", "ge.redis.outage.command-timeout=2s"));
		properties.addAll(List.of(further));
		return Site.of(application, properties.toArray(String[]::new));
	}

	@AfterAll
	static void close() {
		site.close();
	}

	@BeforeEach
	void mend() {
		site.reset();
	}

	@Test
	void redisKilledUnderWrites() throws Exception {
		underLoad(site.redisKilled(), Site.outage(Duration.ofMillis(700)));
	}

	@Test
	@FirstRun
	void redisHungUnderWritesAndResumed() throws Exception {
		underLoad(site.redisHung(), Duration.ofMillis(700));
	}

	@Test
	@FirstRun
	void networkCutUnderWrites() throws Exception {
		underLoad(site.networkCut(), Duration.ofMillis(700));
	}

	@Test
	void halfASecondOfLatency() throws Exception {
		underLoad(site.latency(Duration.ofMillis(500)), Duration.ofMillis(1200));
	}

	@Test
	void allConnectionsKilled() throws Exception {
		underLoad(site.connectionsKilled(), Duration.ZERO);
	}

	@Test
	@FirstRun
	void writerKilledBetweenCommitAndPublication() throws Exception {
		writerKilled("kill -9 between commit and after-commit", site, silent, site);
	}

	/**
	 * Kills writers and shows that it is missed where changes are announced in vain.
	 * @param others those that go on
	 */
	static void writerKilled(String fault, Site sound, Site silent, Site others) throws Exception {
		FaultRun run = FaultRun.of("cache", fault, FRESH).atLeast(24, 1);
		CacheScenario.writerKilled(run, sound.one(), others.second(), REST);
		run.verify();
		withoutProtection(fault,
				(sabotaged) -> CacheScenario.writerKilled(sabotaged, silent.one(), others.one(), SABOTAGED_REST));
	}

	@Test
	void writerPausedBetweenCommitAndPublicationAndResumed() throws Exception {
		Fault none = Fault.of("writer paused between commit and publication", () -> {
		});
		writerHeld(none);
	}

	@Test
	void everythingFlushed() throws Exception {
		FaultRun run = FaultRun.of("cache", "FLUSHALL under load", FRESH).atLeast(72, 1);
		CacheScenario.throughout(run, site.two(), site.flushed(), REST);
		run.verify();
		writerHeld(site.flushed());
	}

	@Test
	void evictionWithAllkeysLru() throws Exception {
		FaultRun run = FaultRun.of("cache", "maxmemory with allkeys-lru under load", FRESH).atLeast(72, 1);
		CacheScenario.throughout(run, site.two(), site.evicting(), REST);
		run.verify();
		writerHeld(site.evicting());
	}

	@Test
	void failoverToALaggingReplica() throws Exception {
		Site shortLived = site.with("ge.redis.cache.ttl=" + TTL.toMillis() + "ms");
		Fault failover = site.failover();
		FaultRun run = FaultRun.of("cache", failover.name(), "what is lost is stale no longer than the TTL")
			.atLeast(48, 1);
		CacheScenario.underLoad(run, site.replicated(shortLived.two()), failover, Duration.ofMillis(150),
				TTL.plusMillis(300));
		run.verify();
		Site everlasting = shortLived.sabotaged(Sabotage.script(SCRIPTS + "internal/behind/messages.lua",
				"redis.pcall('SET', entry, value, 'PX', ttl)", "redis.pcall('SET', entry, value)"));
		withoutProtection(failover.name(),
				(sabotaged) -> CacheScenario.underLoad(sabotaged,
						site.replicated(everlasting.one().and(shortLived.one())), failover, Duration.ofMillis(150),
						TTL.plusMillis(300)));
	}

	@Test
	void loaderPausedBeyondItsLeaseAndResumed() throws Exception {
		loaderPaused("loader paused beyond its lease and resumed", site, stubborn);
	}

	static void loaderPaused(String fault, Site site, Site stubborn) throws Exception {
		FaultRun run = FaultRun.of("cache", fault, FRESH).atLeast(28, 1);
		CacheScenario.loaderPaused(run, site.one(), site.second(), REST);
		run.verify();
		withoutProtection(fault,
				(sabotaged) -> CacheScenario.loaderPaused(sabotaged, stubborn.one(), site.one(), SABOTAGED_REST));
	}

	@Test
	void snapshotReaderAcrossACommit() throws Exception {
		snapshotReader("REPEATABLE READ reader across a commit", site, stubborn);
	}

	static void snapshotReader(String fault, Site site, Site stubborn) throws Exception {
		Fault expiry = Fault.of("entries expired", () -> {
			for (Object key : (List<?>) site.redis().command("KEYS", "*:e1")) {
				site.redis().command("DEL", key.toString());
			}
		});
		FaultRun run = FaultRun.of("cache", fault, FRESH).atLeast(26, 1);
		CacheScenario.snapshotReader(run, site.one(), site.second(), expiry, REST);
		run.verify();
		withoutProtection(fault, (sabotaged) -> CacheScenario.snapshotReader(sabotaged, stubborn.one(), site.one(),
				expiry, SABOTAGED_REST));
	}

	@Test
	void loaderKilledWithItsLeases() throws Exception {
		String fault = "kill -9 while it holds load leases";
		String promise = "one load of each row, by another instance after the lease";
		FaultRun run = FaultRun.of("cache", fault, promise).atLeast(40, 1);
		// However slow the machine, nobody takes over from a loader that lives, or stops
		// waiting for it
		Duration lease = Duration.ofSeconds(5);
		Site steady = site.with("ge.redis.cache.lease-time=" + lease.toMillis() + "ms", "ge.redis.cache.load-wait=20s");
		CacheScenario.loaderKilled(run, steady.one(), steady.second(), lease);
		run.verify();
		Site greedy = site.with("ge.redis.cache.lease-time=60s");
		withoutProtection(fault, (sabotaged) -> CacheScenario.loaderKilled(sabotaged, greedy.one(), site.one(), LEASE));
	}

	@Test
	void onlyThePushConnectionCut() throws Exception {
		String promise = "those who wait for a loader get its value all the same";
		Site patient = site.with("ge.redis.cache.lease-time=30s", "ge.redis.cache.load-wait=25s");
		LongSupplier questions = () -> site.network().commands("evalsha");
		FaultRun run = FaultRun.of("cache", "push connection cut", promise).atLeast(30, 1);
		CacheScenario.messageLost(run, patient.one(), patient.second(), site.pushCut(), questions);
		run.verify();
		Site trusting = patient.sabotaged(Sabotage.answer(RedisCache.class, "isWoken", true));
		withoutProtection("push connection cut", (sabotaged) -> CacheScenario.messageLost(sabotaged, patient.one(),
				trusting.one(), site.pushCut(), questions));
	}

	@Test
	void oneClockFiveMinutesAhead() throws Exception {
		// However slow the machine, the announcement stands while it is read past
		Site steady = site.with("ge.redis.cache.intent-timeout=10s");
		FaultRun run = FaultRun.of("cache", "clock 5 minutes ahead", FRESH).atLeast(70, 1);
		CacheScenario.clocksDisagree(run, steady.clockAhead(Duration.ofMinutes(5)).one(), steady.one(), REST);
		run.verify();
		String clock = "local clock = redis.call('TIME')";
		Site clientTime = steady.sabotaged(Sabotage.script(SCRIPTS + "lookup.lua",
				(text) -> text.replace(clock, clock + "\nclock[1] = clock[1] + 300")));
		withoutProtection("clock 5 minutes ahead",
				(sabotaged) -> CacheScenario.clocksDisagree(sabotaged, clientTime.one(), steady.one(), SABOTAGED_REST));
	}

	@Test
	void redisAwayAtASteadyRate() throws Exception {
		String fault = "Redis killed at " + WRITES_A_SECOND + " writes a second";
		FaultRun run = FaultRun.of("cache", fault, FRESH).atLeast(OUTAGE_SECONDS * WRITES_A_SECOND, 1).once();
		CacheScenario.outage(run, hurried.one(), site.second(), site.redisKilled(), OUTAGE_SECONDS, WRITES_A_SECOND,
				SLOWER, REST);
		run.verify();
		withoutProtection(fault, (sabotaged) -> CacheScenario.outage(sabotaged, forgetful.one(), site.one(),
				site.redisKilled(), 1, WRITES_A_SECOND, SLOWER, SABOTAGED_REST));
	}

	private static void writerHeld(Fault meanwhile) throws Exception {
		FaultRun run = FaultRun.of("cache", meanwhile.name(), FRESH).atLeast(30, 1);
		CacheScenario.writerHeld(run, site.one(), site.second(), meanwhile, REST);
		run.verify();
		withoutProtection(meanwhile.name(), (sabotaged) -> CacheScenario.writerHeld(sabotaged, late.one(),
				credulous.one(), meanwhile, SABOTAGED_REST));
	}

	@Test
	void redisKilledUnderWritesOfPublishers() throws Exception {
		underLoadOfPublishers(site.redisKilled(), Site.outage(Duration.ofMillis(700)));
	}

	@Test
	void redisHungUnderWritesOfPublishersAndResumed() throws Exception {
		underLoadOfPublishers(site.redisHung(), Duration.ofMillis(700));
	}

	@Test
	void networkCutUnderWritesOfPublishers() throws Exception {
		underLoadOfPublishers(site.networkCut(), Duration.ofMillis(700));
	}

	private static void underLoadOfPublishers(Fault fault, Duration lasting) throws Exception {
		underLoad("publishers: " + fault.name(), publishing, forgetfullyPublishing, fault, lasting);
	}

	private static void underLoad(Fault fault, Duration lasting) throws Exception {
		underLoad(fault.name(), hurried, forgetful, fault, lasting);
	}

	private static void underLoad(String name, Site sound, Site unsound, Fault fault, Duration lasting)
			throws Exception {
		FaultRun run = FaultRun.of("cache", name, FRESH).atLeast(48, 1);
		CacheScenario.underLoad(run, sound.two(), fault, lasting, REST);
		run.verify();
		withoutProtection(name, (sabotaged) -> CacheScenario.underLoad(sabotaged, sound.one().and(unsound.one()), fault,
				lasting, SABOTAGED_REST));
	}

	private static void withoutProtection(String fault, FaultRun.Body body) throws Exception {
		FaultRun.of("cache", fault, FRESH).assertMissed(body);
	}

}
