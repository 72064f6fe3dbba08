// SPDX-License-Identifier: Apache-2.0

package io.ge.redis.core.consume;

import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.Executor;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.atomic.AtomicBoolean;

/**
 * Runs tasks on as few threads as there is work for at a time. A thread that begins a
 * task has another one started first if more wait, so a task that blocks keeps none of
 * the others. Until that thread runs, the first one does further tasks: short ones cost
 * no change of threads each.
 */
final class Relay implements Executor, AutoCloseable {

	private final ExecutorService threads;

	private final Queue<Runnable> waiting = new ConcurrentLinkedQueue<>();

	/** Whether a thread was requested and does not run yet. */
	private final AtomicBoolean starting = new AtomicBoolean();

	Relay(ExecutorService threads) {
		this.threads = threads;
	}

	@Override
	public void execute(Runnable task) {
		this.waiting.add(task);
		try {
			startIfNeeded();
		}
		catch (RuntimeException | Error ex) {
			// Unless another thread has it meanwhile
			if (this.waiting.remove(task)) {
				throw ex;
			}
		}
	}

	private void startIfNeeded() {
		if (!this.waiting.isEmpty() && this.starting.compareAndSet(false, true)) {
			try {
				this.threads.execute(this::work);
			}
			catch (RuntimeException | Error ex) {
				this.starting.set(false);
				throw ex;
			}
		}
	}

	private void work() {
		this.starting.set(false);
		for (Runnable task = this.waiting.poll(); task != null; task = this.waiting.poll()) {
			try {
				startIfNeeded();
			}
			catch (RuntimeException | Error ex) {
				// The others wait for this thread
			}
			// An interrupt that one task leaves must not reach the next
			Thread.interrupted();
			task.run();
		}
	}

	@Override
	public void close() {
		this.threads.shutdown();
	}

}
