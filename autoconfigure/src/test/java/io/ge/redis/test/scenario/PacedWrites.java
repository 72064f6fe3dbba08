// SPDX-License-Identifier: Apache-2.0

package io.ge.redis.test.scenario;

import java.util.Arrays;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.locks.LockSupport;
import java.util.function.Consumer;

import io.ge.redis.test.instance.Operation;

/**
 * Writes of rows at a steady rate, within one instance.
 * <p>
 * Arguments are the prefix of the rows, their number, how many writes, and how many of
 * them a second; the result is how many have failed and the 99th percentile of their
 * durations in microseconds.
 */
public final class PacedWrites implements Operation {

	private static final int THREADS = 8;

	private final Consumer<String> write;

	/**
	 * Creates the operation.
	 * @param write changes a row in a transaction of its own, by its id
	 */
	public PacedWrites(Consumer<String> write) {
		this.write = write;
	}

	@Override
	public String run(String... arguments) throws Exception {
		String prefix = arguments[0];
		int rows = Integer.parseInt(arguments[1]);
		int writes = Integer.parseInt(arguments[2]);
		long pause = 1_000_000_000L / Long.parseLong(arguments[3]);
		long[] micros = new long[writes];
		AtomicLong begun = new AtomicLong();
		AtomicLong failed = new AtomicLong();
		long first = System.nanoTime();
		Load.together(THREADS, (thread) -> {
			for (int number = (int) begun.getAndIncrement(); number < writes; number = (int) begun.getAndIncrement()) {
				awaitTime(first + number * pause);
				long started = System.nanoTime();
				try {
					this.write.accept(prefix + number % rows);
				}
				catch (RuntimeException ex) {
					failed.incrementAndGet();
				}
				micros[number] = (System.nanoTime() - started) / 1000;
			}
		});
		Arrays.sort(micros);
		return failed + " " + micros[writes * 99 / 100];
	}

	private static void awaitTime(long time) {
		for (long left = time - System.nanoTime(); left > 0; left = time - System.nanoTime()) {
			LockSupport.parkNanos(left);
		}
	}

}
