// SPDX-License-Identifier: Apache-2.0

package io.ge.redis.cache;

import java.util.ArrayList;
import java.util.List;

import io.ge.redis.cache.internal.RedisCache;
import io.ge.redis.test.Wide;
import io.ge.redis.test.fault.Fault;
import io.ge.redis.test.fault.FaultRun;
import io.ge.redis.test.instance.Sabotage;
import io.ge.redis.test.scenario.CacheChurnScenario;
import io.ge.redis.test.scenario.Fleet;
import io.ge.redis.test.scenario.Site;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/**
 * What the cache holds after random operations of many instances, faults among them.
 * Beside the other faults, and not after them, since these take the longest.
 */
@Wide
class RandomOperationsFaultIntegrationTests {

	private static final int INSTANCES = CacheFaultIntegrationTests.FULL ? 4 : 2;

	private static final long OPERATIONS = Long.getLong("ge.test.operations",
			CacheFaultIntegrationTests.FULL ? 1_000_000 : 3_000);

	private static final int FAULTS = CacheFaultIntegrationTests.FULL ? 120 : 3;

	private static Site site;

	@BeforeAll
	static void build() {
		site = CacheFaultIntegrationTests.newSite();
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
	void randomOperationsOfManyInstances() throws Exception {
		String fault = "random operations, expiry, kill -9 and cuts";
		List<Fleet> slots = new ArrayList<>();
		for (int i = 0; i < INSTANCES; i++) {
			slots.add(site.with().one());
		}
		FaultRun run = FaultRun.of("cache", fault, CacheFaultIntegrationTests.FRESH)
			.atLeast(OPERATIONS, FAULTS / 2)
			.once();
		CacheChurnScenario.play(run, slots, OPERATIONS, FAULTS, expiry(), site.networkCut(),
				CacheFaultIntegrationTests.REST);
		run.verify();
		Site careless = site.sabotaged(CacheFaultIntegrationTests.STUBBORN, CacheFaultIntegrationTests.LATE,
				CacheFaultIntegrationTests.UNJUDGED);
		slots.replaceAll((slot) -> careless.with().one());
		FaultRun.of("cache", fault, CacheFaultIntegrationTests.FRESH)
			.assertMissed((sabotaged) -> CacheChurnScenario.play(sabotaged, slots, OPERATIONS, FAULTS, expiry(),
					site.networkCut(), CacheFaultIntegrationTests.SABOTAGED_REST));
	}

	@Test
	void randomOperationsOfInstancesThatKeepValuesInMemory() throws Exception {
		String fault = "random operations, expiry, kill -9 and cuts, with values in memory";
		Site near = site.with("ge.redis.cache.near.enabled=true");
		List<Fleet> slots = new ArrayList<>();
		for (int i = 0; i < INSTANCES; i++) {
			slots.add(near.with().one());
		}
		FaultRun run = FaultRun.of("cache", fault, CacheFaultIntegrationTests.FRESH)
			.atLeast(OPERATIONS, FAULTS / 2)
			.once();
		CacheChurnScenario.play(run, slots, OPERATIONS, FAULTS, expiry(), site.networkCut(),
				CacheFaultIntegrationTests.REST);
		run.verify();
		Site silent = near.sabotaged(Sabotage.answer(RedisCache.class, "invalidation", ""));
		slots.replaceAll((slot) -> silent.with().one());
		FaultRun.of("cache", fault, CacheFaultIntegrationTests.FRESH)
			.assertMissed((sabotaged) -> CacheChurnScenario.play(sabotaged, slots, OPERATIONS, FAULTS, expiry(),
					site.networkCut(), CacheFaultIntegrationTests.SABOTAGED_REST));
	}

	/**
	 * Half of the entries expire.
	 */
	private static Fault expiry() {
		return Fault.of("entries expired", () -> {
			List<?> keys = (List<?>) site.redis().command("KEYS", "*:e1");
			for (int i = 0; i < keys.size(); i += 2) {
				site.redis().command("DEL", keys.get(i).toString());
			}
		});
	}

}
