// SPDX-License-Identifier: Apache-2.0

package io.ge.redis.cache;

import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;

import io.ge.redis.test.OnRedis;
import io.ge.redis.test.RedisFixture;
import io.ge.redis.test.Wide;
import io.ge.redis.test.instance.Instance;
import io.ge.redis.test.instance.Instances;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * A thousand callers in four processes want the same value, which is not there. Repeated
 * more often with {@code -Dge.test.cache.stampedes}.
 */
@Wide
@OnRedis
class CacheStampedeIntegrationTests {

	private static final int PROCESSES = 4;

	private static final int CALLERS = 250;

	private static final int STAMPEDES = Integer.getInteger("ge.test.cache.stampedes", 3);

	/** On a machine that is busy, until all were fast enough once. */
	private static final int MOST = Math.max(STAMPEDES, 10);

	private static final Duration LOAD = Duration.ofMillis(200);

	/** Who was not woken looks by itself after a second, and so this late. */
	private static final Duration POLLED = Duration.ofSeconds(1).minus(LOAD);

	@Test
	void oneLoadsAndAllOthersAreWokenByThePush(RedisFixture redis) {
		try (Instances instances = Instances.of(StampedeApplication.class)
			.with(redis.properties())
			// Four processes on a few cores are slow, which is no outage
			.with("ge.redis.outage.command-timeout=5s", "ge.redis.cache.load-wait=20s",
					"ge.redis.cache.lease-time=20s")) {
			List<Instance> all = new ArrayList<>();
			for (int i = 0; i < PROCESSES; i++) {
				// One after the other, which a busy machine can bear
				all.add(instances.start());
			}
			stampede(all, "warm-up");
			List<Duration> waits = new ArrayList<>();
			for (int i = 0; i < STAMPEDES || (i < MOST && Collections.min(waits).compareTo(POLLED) >= 0); i++) {
				waits.add(stampede(all, "key-" + i));
			}
			waits.sort(null);
			System.out.println("Of " + PROCESSES * CALLERS + " callers in " + PROCESSES
					+ " processes one loaded, and the last one had the value " + waits.get(waits.size() / 2).toMillis()
					+ " ms after it (median of " + waits.size() + ")");
			assertThat(waits.get(0)).as("the value, after it was loaded").isLessThan(POLLED);
		}
	}

	/**
	 * Returns how long after the load the last caller had the value.
	 */
	private static Duration stampede(List<Instance> all, String key) {
		String start = String.valueOf(System.nanoTime() + TimeUnit.MILLISECONDS.toNanos(700));
		List<CompletableFuture<String>> calls = new ArrayList<>();
		for (Instance instance : all) {
			calls.add(instance.call("stampede", key, String.valueOf(CALLERS), start, String.valueOf(LOAD.toMillis())));
		}
		int loads = 0;
		long loaded = 0;
		long done = 0;
		for (CompletableFuture<String> call : calls) {
			String[] answer = call.orTimeout(60, TimeUnit.SECONDS).join().split(" ");
			if (Integer.parseInt(answer[0]) > 0) {
				loads += Integer.parseInt(answer[0]);
				loaded = Long.parseLong(answer[1]);
			}
			done = Math.max(done, Long.parseLong(answer[2]));
			assertThat(answer[3]).as("callers with another value").isEqualTo("0");
		}
		assertThat(loads).as("loads of %s", key).isEqualTo(1);
		return Duration.ofNanos(done - loaded);
	}

}
