// SPDX-License-Identifier: Apache-2.0

package io.ge.redis.benchmark;

import java.util.List;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;

import io.ge.redis.stream.RedisStreamListener;

import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.context.annotation.Configuration;

/**
 * Applications with the starter and listeners of streams.
 */
final class StreamListeners {

	/** As many messages are taken together. */
	static final int BATCH = 100;

	private StreamListeners() {
	}

	/**
	 * Listeners that do nothing, each with a group of its own on one stream.
	 */
	@Configuration(proxyBeanMethods = false)
	@EnableAutoConfiguration
	static class Work {

		static final String KEY = "bench.work";

		static final String[] DEFINITIONS = definitions("work", KEY, "one.concurrency=" + BATCH,
				"many.batch-size=" + BATCH, "many.concurrency=2");

		@RedisStreamListener(stream = "work", group = "one")
		void one(Balance balance) {
		}

		@RedisStreamListener(stream = "work", group = "many", batch = true)
		void many(List<Balance> balances) {
		}

	}

	/**
	 * A listener of a family of streams, most of which are silent.
	 */
	@Configuration(proxyBeanMethods = false)
	@EnableAutoConfiguration
	static class Family {

		static final int STREAMS = 300;

		static final String KEY = "bench.family.";

		static final String GROUP = "members";

		static final String SOURCE = "family/" + GROUP;

		static final String[] DEFINITIONS = definitions("family", KEY + "{member}", GROUP + ".concurrency=4",
				GROUP + ".min-idle=30s");

		/** What the listener has got, and when. */
		final BlockingQueue<Got> got = new LinkedBlockingQueue<>();

		volatile long millis;

		@RedisStreamListener(stream = "family")
		void member(long number) throws InterruptedException {
			this.got.add(new Got(number, System.nanoTime()));
			TimeUnit.MILLISECONDS.sleep(this.millis);
		}

	}

	static String[] definitions(String stream, String key, String... groups) {
		String definition = "ge.redis.stream.definitions." + stream + ".";
		String[] properties = new String[groups.length + 2];
		properties[0] = definition + "key=" + key;
		properties[1] = definition + "max-length=10000000";
		for (int i = 0; i < groups.length; i++) {
			properties[i + 2] = definition + "groups." + groups[i];
		}
		return properties;
	}

	/**
	 * A message that has come.
	 *
	 * @param number its payload
	 * @param nanos when, by the system's nano time
	 */
	record Got(long number, long nanos) {
	}

}
