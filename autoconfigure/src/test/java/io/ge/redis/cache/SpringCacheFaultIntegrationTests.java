// SPDX-License-Identifier: Apache-2.0

package io.ge.redis.cache;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;

import io.ge.redis.test.Wide;
import io.ge.redis.test.fault.Fault;
import io.ge.redis.test.fault.FaultRun;
import io.ge.redis.test.instance.Sabotage;
import io.ge.redis.test.scenario.CacheScenario;
import io.ge.redis.test.scenario.ScenarioDatabase;
import io.ge.redis.test.scenario.Site;
import io.ge.redis.test.scenario.SpringCacheApplication;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * What the cache holds behind Spring's own annotations, beside the database, after things
 * have gone wrong.
 */
@Wide
class SpringCacheFaultIntegrationTests {

	private static final String FRESH = "at rest the cache holds what the database holds";

	private static final Duration INTENT = Duration.ofSeconds(1);

	private static final Duration REST = Duration.ofSeconds(10);

	/** Enough for a cache that would be right by itself. */
	private static final Duration SABOTAGED_REST = INTENT.plusMillis(200);

	private static Site site;

	/** Leaves the old value in the cache when a change is announced. */
	private static Site silent;

	/** Stores what was loaded whatever has happened since. */
	private static Site stubborn;

	@BeforeAll
	static void build() {
		List<String> properties = new ArrayList<>(ScenarioDatabase.properties());
		properties.addAll(List.of("ge.redis.cache.intent-timeout=" + INTENT.toMillis() + "ms",
				"ge.redis.cache.lease-time=600ms", "ge.redis.cache.load-wait=2s", "ge.redis.outage.command-timeout=2s",
				"spring.cache.type=redis", SpringCacheApplication.EVICTING + "=false"));
		site = Site.of(SpringCacheApplication.class, properties.toArray(String[]::new));
		silent = site.sabotaged(Sabotage.script("io/ge/redis/cache/intent.lua",
				"redis.call('DEL', entry, refresh)\nwake(waiters)", "wake(waiters)"));
		stubborn = site.sabotaged(Sabotage.script("io/ge/redis/cache/fill.lua",
				(text) -> text.replace("redis.call('GET', entry) ~= 'L' .. token", "false")
					.replace("if age < 0 then", "if true then")));
	}

	@AfterAll
	static void close() {
		site.close();
	}

	@BeforeEach
	void mend() {
		site.reset();
	}

	@ParameterizedTest
	@ValueSource(booleans = { false, true })
	void writerKilledBetweenItsCommitAndWhatFollows(boolean evicting) throws Exception {
		String how = SpringCacheApplication.EVICTING + "=" + evicting;
		String fault = "kill -9 between commit and Spring's " + (evicting ? "@CacheEvict" : "@CachePut");
		FaultRun run = FaultRun.of("cache", fault, FRESH).atLeast(24, 1);
		CacheScenario.writerKilled(run, site.with(how).one(), site.second(), REST);
		run.verify();
		withoutProtection(fault, (sabotaged) -> CacheScenario.writerKilled(sabotaged, silent.with(how).one(),
				site.one(), SABOTAGED_REST));
	}

	@Test
	void writerHeldBetweenItsCommitAndWhatFollows() throws Exception {
		Fault none = Fault.of("writer with Spring's @CachePut paused between commit and publication", () -> {
		});
		FaultRun run = FaultRun.of("cache", none.name(), FRESH).atLeast(30, 1);
		CacheScenario.writerHeld(run, site.one(), site.second(), none, REST);
		run.verify();
	}

	@Test
	void loaderPausedBeyondItsLease() throws Exception {
		String fault = "loader with Spring's @Cacheable paused beyond its lease and resumed";
		FaultRun run = FaultRun.of("cache", fault, FRESH).atLeast(28, 1);
		CacheScenario.loaderPaused(run, site.one(), site.second(), REST);
		run.verify();
		withoutProtection(fault,
				(sabotaged) -> CacheScenario.loaderPaused(sabotaged, stubborn.one(), site.one(), SABOTAGED_REST));
	}

	@Test
	void snapshotReaderAcrossACommit() throws Exception {
		String fault = "REPEATABLE READ reader with Spring's @Cacheable across a commit";
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

	private static void withoutProtection(String fault, FaultRun.Body body) throws Exception {
		FaultRun.of("cache", fault, FRESH).assertMissed(body);
	}

}
