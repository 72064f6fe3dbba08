// SPDX-License-Identifier: Apache-2.0

package io.ge.redis.cache;

import java.util.List;
import java.util.UUID;
import java.util.function.BiConsumer;

import io.ge.redis.test.SharedRedis;
import io.ge.redis.test.Wide;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;

/**
 * What a caller gets who reads several values, and Redis or the database does not answer.
 */
@Wide
class CacheBatchTroubleIntegrationTests {

	private static final List<String> IDS = List.of("a", "b", "c");

	private static final String[] AWAY = { "spring.data.redis.port=1" };

	@Test
	void loadsEverythingInOneGoWhileRedisIsAway() {
		run(AWAY, (application, batches) -> {
			assertThat(batches.findAll(IDS)).hasSize(3);
			assertThat(batches.findAll(IDS)).hasSize(3);
			assertThat(batches.loaded()).containsExactly(IDS, IDS);
			assertThat(application.events().takeResults()).containsExactly("bypass", "bypass", "bypass", "loaded",
					"bypass", "bypass", "bypass", "loaded");
		}, "ge.redis.outage.command-timeout=100ms");
	}

	@Test
	void valuesThatHaveExpiredStandInForThoseThatCannotBeLoaded() {
		run(SharedRedis.standalone().properties(), (application, batches) -> {
			batches.findAll(IDS);
			batches.whileLoading(() -> {
				throw new IllegalStateException("no database");
			});
			IDS.forEach((id) -> Awaitility.await("the value has expired")
				.until(() -> (Long) SharedRedis.standalone()
					.primary()
					.command("PTTL", "ge:cache:{balances:" + id + "}:e1") <= 60_000));
			application.events().takeResults();
			assertThat(batches.findAll(IDS)).hasSize(3);
			assertThat(application.events().takeResults()).containsExactly("load_failed", "stale", "stale", "stale");
			assertThatIllegalStateException().isThrownBy(() -> batches.findAll(List.of("a", "none")));
		}, "ge.redis.cache.caches.balances.ttl=1s", "ge.redis.cache.ttl-jitter=0",
				"ge.redis.cache.caches.balances.stale-if-error=1m");
	}

	private static void run(String[] redis, BiConsumer<CacheApplication, CacheBatchContract.Batches> use,
			String... properties) {
		SharedRedis.standalone().flushAll();
		try (CacheApplication application = CacheApplication.start(CacheBatchContract.Configuration.class, redis,
				"jdbc:h2:mem:" + UUID.randomUUID() + ";DB_CLOSE_DELAY=-1", properties)) {
			IDS.forEach((id) -> application.balances().insert(id, "1"));
			if (redis != AWAY) {
				application.connected();
			}
			use.accept(application, application.bean(CacheBatchContract.Batches.class));
		}
	}

}
