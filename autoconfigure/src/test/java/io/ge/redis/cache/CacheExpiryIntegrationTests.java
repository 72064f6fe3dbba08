// SPDX-License-Identifier: Apache-2.0

package io.ge.redis.cache;

import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;

import io.ge.redis.test.OnRedis;
import io.ge.redis.test.RedisEndpoint;
import io.ge.redis.test.RedisFixture;
import io.ge.redis.test.Wide;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * A value that two instances read six times in the time that it takes to load, while it
 * comes to its expiry again and again. More often with {@code -Dge.test.cache.expiries}.
 * <p>
 * The value takes half a minute to load, says its entry, and between two reads the test
 * takes five seconds off its TTL: so it does not matter how slow the machine is.
 */
@OnRedis
@Wide
class CacheExpiryIntegrationTests {

	private static final int EXPIRIES = Integer.getInteger("ge.test.cache.expiries", 40);

	private static final String ENTRY = "ge:cache:{hot:key}:e1";

	private static final String LEAVE = "ge:cache:{hot:key}:r1";

	private static final int READS_PER_LOAD = 6;

	private static final int STEP_MILLIS = 30_000 / READS_PER_LOAD;

	/** From so early that chance begins no refresh there, once in 10 billion expiries. */
	private static final int STEPS = 25 * READS_PER_LOAD;

	private static final String[] PROPERTIES = { "ge.redis.cache.ttl=2h", "ge.redis.cache.lease-time=1h",
			"ge.redis.cache.load-wait=0s", "ge.redis.cache.on-load-timeout=fail" };

	private final AtomicInteger loads = new AtomicInteger();

	private final Semaphore loaded = new Semaphore(0);

	@Test
	void valueThatIsReadIsLoadedOncePerExpiryAndNobodyWaits(RedisFixture redis) {
		try (CacheApplication one = CacheApplication.start(redis.properties(), PROPERTIES).connected();
				CacheApplication other = CacheApplication
					.start(CacheApplication.Configuration.class, redis.properties(), one.database(), PROPERTIES)
					.connected()) {
			List<GeCaches> caches = List.of(one.caches(), other.caches());
			caches.get(0).get("hot", "key", String.class, () -> "value 0");
			int earliest = 0;
			for (int i = 0; i < EXPIRIES; i++) {
				earliest = Math.max(earliest, expire(redis.endpoints().get(0), caches, "value " + i));
			}
			System.out.println("A value that expired " + EXPIRIES + " times was loaded " + this.loads
					+ " times, and nobody waited; the earliest load began " + earliest / READS_PER_LOAD
					+ " load times before the expiry");
			assertThat(this.loads).hasValue(EXPIRIES);
			assertThat(earliest).as("not always as early as can be").isLessThan(STEPS);
		}
	}

	/**
	 * Reads until the value is replaced.
	 * @return how many reads before the expiry its refresh began
	 */
	private int expire(RedisEndpoint server, List<GeCaches> caches, String value) {
		server.command("SETRANGE", ENTRY, "6", "\0\0u0");
		int began = 0;
		int left = STEPS;
		CompletableFuture<String> refresh = CompletableFuture.completedFuture(value);
		while (began == 0 || left > began - READS_PER_LOAD) {
			assertThat(left).as("reads before the expiry").isPositive();
			CacheContract.expireIn(server, ENTRY, (long) left * STEP_MILLIS);
			GeCaches next = caches.get(left % 2);
			int before = this.loads.get();
			CompletableFuture<String> read = CompletableFuture
				.supplyAsync(() -> next.get("hot", "key", String.class, this::load));
			if (began == 0) {
				Awaitility.await().until(() -> read.isDone() || this.loads.get() > before);
				if (!read.isDone()) {
					assertThat(server.command("EXISTS", LEAVE)).isEqualTo(1L);
					began = left;
					refresh = read;
				}
			}
			// A reader that had to wait would fail, and one that had to load never end
			assertThat((refresh != read) ? read.join() : value).isEqualTo(value);
			left--;
		}
		this.loaded.release();
		refresh.join();
		assertThat((Long) server.command("PTTL", ENTRY)).isGreaterThan(TimeUnit.HOURS.toMillis(1));
		return began;
	}

	private String load() {
		int number = this.loads.incrementAndGet();
		this.loaded.acquireUninterruptibly();
		return "value " + number;
	}

}
