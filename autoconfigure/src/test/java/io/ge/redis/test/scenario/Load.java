// SPDX-License-Identifier: Apache-2.0

package io.ge.redis.test.scenario;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.SplittableRandom;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicLong;

/**
 * Threads that do the same step again and again until they are stopped.
 */
final class Load implements AutoCloseable {

	private static final Duration PATIENCE = Duration.ofSeconds(120);

	private final ExecutorService threads;

	private final List<Future<?>> running = new ArrayList<>();

	private final AtomicLong numbers = new AtomicLong();

	private final AtomicLong done = new AtomicLong();

	private volatile boolean stopped;

	private Load(int threads) {
		this.threads = Executors.newFixedThreadPool(threads);
	}

	/**
	 * Starts threads.
	 * @param step called with 0, 1, 2 and so on, on whichever thread is free
	 */
	static Load start(int threads, Step step) {
		Load load = new Load(threads);
		for (int i = 0; i < threads; i++) {
			load.running.add(load.threads.submit(() -> load.run(step)));
		}
		return load;
	}

	private Void run(Step step) throws Exception {
		while (!this.stopped) {
			step.run(this.numbers.getAndIncrement());
			this.done.incrementAndGet();
		}
		return null;
	}

	/**
	 * The randomness of one step. Sources with neighbouring seeds begin alike, so the
	 * seed is mixed.
	 */
	static Random random(long seed, long number) {
		return new Random(new SplittableRandom(seed + number).nextLong());
	}

	/**
	 * How many steps were begun.
	 */
	long begun() {
		return this.numbers.get();
	}

	/**
	 * Waits until so many more steps have ended.
	 */
	void awaitSteps(long number) throws Exception {
		long target = this.done.get() + number;
		long deadline = System.nanoTime() + PATIENCE.toNanos();
		while (this.done.get() < target) {
			for (Future<?> thread : this.running) {
				if (thread.isDone()) {
					thread.get();
				}
			}
			if (System.nanoTime() - deadline > 0) {
				throw new TimeoutException("Only " + this.done.get() + " of " + target + " steps");
			}
			TimeUnit.MILLISECONDS.sleep(2);
		}
	}

	/**
	 * Begins no more steps and waits for those under way.
	 */
	void stop() throws Exception {
		this.stopped = true;
		for (Future<?> thread : this.running) {
			join(thread);
		}
	}

	private static void join(Future<?> thread) throws Exception {
		try {
			thread.get(PATIENCE.toMillis(), TimeUnit.MILLISECONDS);
		}
		catch (ExecutionException ex) {
			if (ex.getCause() instanceof Exception cause) {
				throw cause;
			}
			throw ex;
		}
	}

	/**
	 * Does one step on each of several threads, all at the same time.
	 * @param step called with 0, 1, 2 and so on
	 */
	static void together(int threads, Step step) throws Exception {
		CountDownLatch start = new CountDownLatch(1);
		ExecutorService pool = Executors.newFixedThreadPool(threads);
		try {
			List<Future<?>> running = new ArrayList<>();
			for (int i = 0; i < threads; i++) {
				long number = i;
				running.add(pool.submit(() -> {
					start.await();
					step.run(number);
					return null;
				}));
			}
			start.countDown();
			for (Future<?> thread : running) {
				join(thread);
			}
		}
		finally {
			pool.shutdownNow();
		}
	}

	@Override
	public void close() {
		this.stopped = true;
		this.threads.shutdownNow();
	}

	/**
	 * What is done.
	 */
	@FunctionalInterface
	interface Step {

		void run(long number) throws Exception;

	}

}
