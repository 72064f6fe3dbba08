/*
 * Copyright 2026 the GE Redis authors
 * SPDX-License-Identifier: Apache-2.0
 */

package io.ge.redis.lock;

import java.util.concurrent.locks.Lock;
import java.util.concurrent.locks.ReentrantLock;

import org.jspecify.annotations.Nullable;

/**
 * The thread that works under a lock and is interrupted when the lock is lost, but not
 * when it has gone on to other work.
 */
final class Worker {

	private final Lock lock = new ReentrantLock();

	private @Nullable Thread thread;

	private boolean lost;

	private boolean interrupted;

	void begin() {
		this.lock.lock();
		try {
			this.thread = Thread.currentThread();
			if (this.lost) {
				interruptThread(this.thread);
			}
		}
		finally {
			this.lock.unlock();
		}
	}

	/**
	 * Ends the work; an interrupt that was meant for it does not outlive it.
	 */
	void end() {
		this.lock.lock();
		try {
			this.thread = null;
			if (this.interrupted) {
				Thread.interrupted();
			}
		}
		finally {
			this.lock.unlock();
		}
	}

	/**
	 * Interrupts the work, at once or as soon as it begins.
	 */
	void interrupt() {
		this.lock.lock();
		try {
			this.lost = true;
			if (this.thread != null) {
				interruptThread(this.thread);
			}
		}
		finally {
			this.lock.unlock();
		}
	}

	private void interruptThread(Thread working) {
		this.interrupted = true;
		working.interrupt();
	}

}
