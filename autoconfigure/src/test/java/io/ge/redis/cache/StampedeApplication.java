// SPDX-License-Identifier: Apache-2.0

package io.ge.redis.cache;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.locks.LockSupport;

import io.ge.redis.autoconfigure.CacheAutoConfiguration;
import io.ge.redis.autoconfigure.GeRedisAutoConfiguration;
import io.ge.redis.test.instance.Operation;

import org.springframework.boot.SpringBootConfiguration;
import org.springframework.boot.autoconfigure.ImportAutoConfiguration;
import org.springframework.boot.data.redis.autoconfigure.DataRedisAutoConfiguration;
import org.springframework.boot.jackson.autoconfigure.JacksonAutoConfiguration;
import org.springframework.context.annotation.Bean;

/**
 * Many callers at once for one key. Instants are those of {@link System#nanoTime()},
 * which all processes of a machine share.
 */
@SpringBootConfiguration(proxyBeanMethods = false)
@ImportAutoConfiguration({ DataRedisAutoConfiguration.class, JacksonAutoConfiguration.class,
		GeRedisAutoConfiguration.class, CacheAutoConfiguration.class })
public class StampedeApplication {

	private final AtomicInteger loads = new AtomicInteger();

	private final AtomicLong loadedAt = new AtomicLong();

	/**
	 * {@code key threads instant loadMillis}: all threads ask at the instant.
	 * @return the number of loads, when the last one ended, when the last caller had its
	 * value, and how many did not get the value that was loaded
	 */
	@Bean
	Operation stampede(GeCaches caches) {
		return (arguments) -> {
			int callers = Integer.parseInt(arguments[1]);
			long start = Long.parseLong(arguments[2]);
			long loadMillis = Long.parseLong(arguments[3]);
			this.loads.set(0);
			AtomicLong done = new AtomicLong();
			AtomicInteger wrong = new AtomicInteger();
			ExecutorService threads = Executors.newFixedThreadPool(callers);
			List<CompletableFuture<Void>> calls = new ArrayList<>();
			for (int i = 0; i < callers; i++) {
				calls.add(CompletableFuture.runAsync(() -> {
					awaitInstant(start);
					String value = caches.get("stampede", arguments[0], String.class,
							() -> load(arguments[0], loadMillis));
					done.accumulateAndGet(System.nanoTime(), Math::max);
					wrong.addAndGet(arguments[0].equals(value) ? 0 : 1);
				}, threads));
			}
			for (CompletableFuture<Void> call : calls) {
				call.get(30, TimeUnit.SECONDS);
			}
			threads.shutdown();
			return this.loads + " " + this.loadedAt + " " + done + " " + wrong;
		};
	}

	private String load(String value, long millis) {
		this.loads.incrementAndGet();
		awaitInstant(System.nanoTime() + TimeUnit.MILLISECONDS.toNanos(millis));
		this.loadedAt.set(System.nanoTime());
		return value;
	}

	private static void awaitInstant(long instant) {
		for (long left = instant - System.nanoTime(); left > 0; left = instant - System.nanoTime()) {
			LockSupport.parkNanos(left);
		}
	}

}
