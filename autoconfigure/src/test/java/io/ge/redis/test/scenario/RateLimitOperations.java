// SPDX-License-Identifier: Apache-2.0

package io.ge.redis.test.scenario;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;

import io.ge.redis.test.instance.Operation;
import io.ge.redis.test.oracle.Journal;
import org.jspecify.annotations.Nullable;

import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;

/**
 * What instances do in a {@link RateLimitScenario}, for applications that have a
 * {@link RateLimitPort}.
 */
@Configuration(proxyBeanMethods = false)
public class RateLimitOperations {

	private static final long PAUSE_MILLIS = 4;

	/**
	 * One call after the other. Arguments: key, and for how long in milliseconds. Result:
	 * the numbers of calls admitted, admitted locally, denied and failed, and the longest
	 * one in milliseconds.
	 * @param limit the limit
	 * @param journal where admissions are written
	 * @return the operation
	 */
	@Bean
	public Operation take(RateLimitPort limit, Journal journal) {
		return (arguments) -> {
			Taker taker = new Taker(limit, journal, arguments[0], Long.parseLong(arguments[1]));
			taker.run(true);
			return taker.result();
		};
	}

	/**
	 * Calls of several threads, each of them one after the other and without a pause as
	 * long as they are admitted. Arguments: key, for how long in milliseconds, how many
	 * threads. Result as of {@link #take}.
	 * @param limit the limit
	 * @param journal where admissions are written
	 * @return the operation
	 */
	@Bean
	public Operation hammer(RateLimitPort limit, Journal journal) {
		return (arguments) -> {
			int threads = Integer.parseInt(arguments[2]);
			ExecutorService pool = Executors.newFixedThreadPool(threads);
			try {
				List<Future<Taker>> running = new ArrayList<>();
				for (int i = 0; i < threads; i++) {
					Taker taker = new Taker(limit, journal, arguments[0], Long.parseLong(arguments[1]));
					running.add(pool.submit(() -> {
						taker.run(false);
						return taker;
					}));
				}
				Taker sum = running.get(0).get();
				for (Future<Taker> taker : running.subList(1, threads)) {
					sum.add(taker.get());
				}
				return sum.result();
			}
			finally {
				pool.shutdownNow();
			}
		};
	}

	/**
	 * Asks again and again, and counts what is said.
	 */
	private static final class Taker {

		private final RateLimitPort limit;

		private final Journal journal;

		private final String key;

		private final long millis;

		private final long[] counts = new long[4];

		private long longest;

		/** When the last call was asked that was not admitted, none since then. */
		private @Nullable Long refused;

		Taker(RateLimitPort limit, Journal journal, String key, long millis) {
			this.limit = limit;
			this.journal = journal;
			this.key = key;
			this.millis = millis;
		}

		void run(boolean alwaysPauses) throws Exception {
			long end = System.nanoTime() + this.millis * 1_000_000;
			while (System.nanoTime() - end < 0) {
				if (!ask() || alwaysPauses) {
					Thread.sleep(PAUSE_MILLIS);
				}
			}
			writeRefused();
		}

		private void writeRefused() {
			if (this.refused != null) {
				this.journal.write(RateLimitScenario.REFUSED_UNTIL, this.key, this.refused);
				this.refused = null;
			}
		}

		private boolean ask() throws Exception {
			long asked = System.nanoTime();
			boolean admitted = false;
			try {
				RateLimitPort.Decision decision = this.limit.ask(this.key);
				this.counts[decision.ordinal()]++;
				if (decision == RateLimitPort.Decision.ADMITTED) {
					writeRefused();
					this.journal.write(Journal.ADMITTED, this.key, asked);
				}
				else if (decision == RateLimitPort.Decision.ADMITTED_LOCALLY) {
					this.journal.write(RateLimitScenario.ADMITTED_LOCALLY, this.key, asked);
				}
				admitted = decision != RateLimitPort.Decision.DENIED;
			}
			catch (RuntimeException ex) {
				this.counts[3]++;
			}
			if (!admitted) {
				this.refused = asked;
			}
			this.longest = Math.max(this.longest, System.nanoTime() - asked);
			return admitted;
		}

		void add(Taker other) {
			for (int i = 0; i < this.counts.length; i++) {
				this.counts[i] += other.counts[i];
			}
			this.longest = Math.max(this.longest, other.longest);
		}

		String result() {
			return this.counts[0] + " " + this.counts[1] + " " + this.counts[2] + " " + this.counts[3] + " "
					+ this.longest / 1_000_000;
		}

	}

}
