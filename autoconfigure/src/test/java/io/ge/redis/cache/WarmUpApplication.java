// SPDX-License-Identifier: Apache-2.0

package io.ge.redis.cache;

import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.IntStream;
import java.util.stream.Stream;

import io.ge.redis.autoconfigure.CacheAutoConfiguration;
import io.ge.redis.autoconfigure.GeRedisAutoConfiguration;
import io.ge.redis.test.instance.Operation;

import org.springframework.beans.factory.annotation.Value;
import org.springframework.boot.SpringBootConfiguration;
import org.springframework.boot.autoconfigure.ImportAutoConfiguration;
import org.springframework.boot.autoconfigure.availability.ApplicationAvailabilityAutoConfiguration;
import org.springframework.boot.data.redis.autoconfigure.DataRedisAutoConfiguration;
import org.springframework.boot.jackson.autoconfigure.JacksonAutoConfiguration;
import org.springframework.context.annotation.Bean;

/**
 * An application that warms up a cache of as many words as {@code test.words} says.
 */
@SpringBootConfiguration(proxyBeanMethods = false)
@ImportAutoConfiguration({ DataRedisAutoConfiguration.class, GeRedisAutoConfiguration.class,
		CacheAutoConfiguration.class, JacksonAutoConfiguration.class, ApplicationAvailabilityAutoConfiguration.class })
class WarmUpApplication {

	@Bean
	Words words(GeCaches caches, @Value("${test.words:20}") int number, @Value("${test.stop-at:-1}") int stopAt,
			@Value("${test.fail-at:-1}") int failAt) {
		return new Words(caches, number, stopAt, failAt);
	}

	@Bean
	Operation warmed(Words words) {
		return (arguments) -> words.warmed() + " " + words.loaded();
	}

	/**
	 * The words.
	 */
	static class Words implements CacheWarmer<String> {

		private final GeCaches caches;

		private final int number;

		private final int stopAt;

		private final int failAt;

		private final AtomicInteger warmed = new AtomicInteger();

		private final AtomicInteger loaded = new AtomicInteger();

		private final CountDownLatch stopped = new CountDownLatch(1);

		private final CountDownLatch goOn = new CountDownLatch(1);

		Words(GeCaches caches, int number, int stopAt, int failAt) {
			this.caches = caches;
			this.number = number;
			this.stopAt = stopAt;
			this.failAt = failAt;
		}

		int warmed() {
			return this.warmed.get();
		}

		int loaded() {
			return this.loaded.get();
		}

		void awaitStopped() throws InterruptedException {
			if (!this.stopped.await(30, TimeUnit.SECONDS)) {
				throw new IllegalStateException("Nobody came");
			}
		}

		void goOn() {
			this.goOn.countDown();
		}

		@Override
		public String name() {
			return "words";
		}

		@Override
		public Stream<String> keys() {
			return IntStream.range(0, this.number).mapToObj((i) -> "word" + i);
		}

		@Override
		public void warm(String key) {
			int position = this.warmed.incrementAndGet();
			if (position == this.failAt) {
				throw new IllegalStateException("no word " + key);
			}
			if (position == this.stopAt) {
				this.stopped.countDown();
				try {
					this.goOn.await(2, TimeUnit.MINUTES);
				}
				catch (InterruptedException ex) {
					throw new IllegalStateException(ex);
				}
			}
			this.caches.get("words", key, String.class, () -> {
				this.loaded.incrementAndGet();
				return "value of " + key;
			});
		}

	}

}
