// SPDX-License-Identifier: Apache-2.0

package io.ge.redis.benchmark;

import java.util.Locale;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.atomic.AtomicLong;

/**
 * Which keys the callers of a scenario use. Texts of keys have one length, so that
 * recorded calls can be repeated with another key.
 */
enum Keys {

	/** All callers use one key. */
	HOT {

		@Override
		String next(int thread, int threads, int keys) {
			return text(0);
		}

	},

	/** Callers pick among all keys at random. */
	MANY {

		@Override
		String next(int thread, int threads, int keys) {
			return text(ThreadLocalRandom.current().nextInt(keys));
		}

	},

	/** Callers pick at random, each among keys that no other caller uses. */
	OWN {

		@Override
		String next(int thread, int threads, int keys) {
			return text(thread + (long) threads * ThreadLocalRandom.current().nextInt(keys / threads));
		}

	},

	/** No key is used twice. */
	FRESH {

		@Override
		String next(int thread, int threads, int keys) {
			return text(fresh.incrementAndGet());
		}

	};

	static final int LENGTH = 8;

	private static final int RADIX = 36;

	private static final AtomicLong fresh = new AtomicLong(10_000_000);

	abstract String next(int thread, int threads, int keys);

	String describe(int keys) {
		return switch (this) {
			case HOT -> "1";
			case MANY -> String.format(Locale.ROOT, "%,d", keys);
			case OWN -> String.format(Locale.ROOT, "%,d, apart", keys);
			case FRESH -> "new";
		};
	}

	static String text(long number) {
		String digits = Long.toString(number, RADIX);
		return "k" + "0".repeat(LENGTH - 1 - digits.length()) + digits;
	}

}
