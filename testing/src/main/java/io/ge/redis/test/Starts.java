// SPDX-License-Identifier: Apache-2.0

package io.ge.redis.test;

import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Supplier;

/**
 * Starts applications one after the other. Spring Boot sets up what belongs to the whole
 * JVM, such as logging, while one starts, and now and then fails where several do that at
 * the same time.
 */
public final class Starts {

	private static final ReentrantLock ONE = new ReentrantLock();

	private Starts() {
	}

	public static <T> T alone(Supplier<T> start) {
		ONE.lock();
		try {
			return start.get();
		}
		finally {
			ONE.unlock();
		}
	}

}
