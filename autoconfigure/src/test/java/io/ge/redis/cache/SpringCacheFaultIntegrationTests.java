// SPDX-License-Identifier: Apache-2.0

package io.ge.redis.cache;

import io.ge.redis.test.Wide;
import io.ge.redis.test.fault.Fault;
import io.ge.redis.test.fault.FaultRun;
import io.ge.redis.test.scenario.CacheScenario;
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

	private static Site site;

	private static Site silent;

	private static Site stubborn;

	@BeforeAll
	static void build() {
		site = CacheFaultIntegrationTests.newSite(SpringCacheApplication.class, "spring.cache.type=redis",
				SpringCacheApplication.EVICTING + "=false");
		silent = site.sabotaged(CacheFaultIntegrationTests.SILENT);
		stubborn = site.sabotaged(CacheFaultIntegrationTests.STUBBORN);
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
		CacheFaultIntegrationTests.writerKilled(fault, site.with(how), silent.with(how), site);
	}

	@Test
	void writerHeldBetweenItsCommitAndWhatFollows() throws Exception {
		Fault none = Fault.of("writer with Spring's @CachePut paused between commit and publication", () -> {
		});
		FaultRun run = FaultRun.of("cache", none.name(), CacheFaultIntegrationTests.FRESH).atLeast(30, 1);
		CacheScenario.writerHeld(run, site.one(), site.second(), none, CacheFaultIntegrationTests.REST);
		run.verify();
	}

	@Test
	void loaderPausedBeyondItsLease() throws Exception {
		CacheFaultIntegrationTests.loaderPaused("loader with Spring's @Cacheable paused beyond its lease and resumed",
				site, stubborn);
	}

	@Test
	void snapshotReaderAcrossACommit() throws Exception {
		CacheFaultIntegrationTests.snapshotReader("REPEATABLE READ reader with Spring's @Cacheable across a commit",
				site, stubborn);
	}

}
