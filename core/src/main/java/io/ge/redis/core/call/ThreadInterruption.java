// SPDX-License-Identifier: Apache-2.0

package io.ge.redis.core.call;

import java.util.concurrent.CompletionStage;
import java.util.concurrent.locks.Lock;
import java.util.concurrent.locks.ReentrantLock;

import org.jspecify.annotations.Nullable;

/**
 * Interrupts the working thread when a stage fails, but not after the work.
 */
final class ThreadInterruption implements AutoCloseable {

	private static final ThreadInterruption NONE = new ThreadInterruption();

	private final Lock lock = new ReentrantLock();

	private @Nullable Thread working;

	private boolean interrupted;

	private ThreadInterruption() {
	}

	/**
	 * Interrupts this thread.
	 * @return to be closed by this thread when it has ended its work
	 */
	static ThreadInterruption by(@Nullable CompletionStage<?> stage) {
		if (stage == null) {
			return NONE;
		}
		ThreadInterruption interruption = new ThreadInterruption();
		interruption.working = Thread.currentThread();
		stage.whenComplete((value, failure) -> {
			if (failure != null) {
				interruption.interrupt();
			}
		});
		return interruption;
	}

	private void interrupt() {
		this.lock.lock();
		try {
			if (this.working != null) {
				this.interrupted = true;
				this.working.interrupt();
			}
		}
		finally {
			this.lock.unlock();
		}
	}

	@Override
	public void close() {
		if (this == NONE) {
			return;
		}
		this.lock.lock();
		try {
			this.working = null;
			if (this.interrupted) {
				Thread.interrupted();
			}
		}
		finally {
			this.lock.unlock();
		}
	}

}
