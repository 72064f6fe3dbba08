/*
 * Copyright 2026 the GE Redis authors
 * SPDX-License-Identifier: Apache-2.0
 */

package io.ge.redis.lock;

import java.util.concurrent.ThreadLocalRandom;

/**
 * When a waiter asks again that nobody has told anything: within a second, since messages
 * may be lost, and as soon as what it waits for is said to end.
 */
final class Backstop {

	/** With the jitter and the question less than a second. */
	private static final long MILLIS = 900;

	private static final long JITTER_MILLIS = 50;

	/** Lets what ends with a millisecond be gone when it is asked for. */
	private static final long EXPIRY_MILLIS = 2;

	private Backstop() {
	}

	/**
	 * Returns in how many nanoseconds to ask again.
	 * @param leaseMillis when what is waited for ends, or less than 0 if that is unknown
	 */
	static long nanos(long leaseMillis) {
		long jittered = MILLIS + ThreadLocalRandom.current().nextLong(JITTER_MILLIS);
		long millis = (leaseMillis >= 0) ? Math.min(leaseMillis + EXPIRY_MILLIS, jittered) : jittered;
		return millis * 1_000_000;
	}

}
