/*
 * Copyright 2026 the GE Redis authors
 * SPDX-License-Identifier: Apache-2.0
 */

package io.ge.redis.lock;

import java.util.concurrent.locks.Lock;
import java.util.concurrent.locks.ReentrantLock;

import org.jspecify.annotations.Nullable;

/**
 * The work under a lock, which is interrupted when the lock is lost, but not when it has
 * gone on to other work: a thread, or work that is not bound to one.
 */
final class Worker {

	private final Lock lock = new ReentrantLock();

	private @Nullable Thread thread;

	private @Nullable Runnable stop;

	private boolean lost;

	private boolean interrupted;

	/**
	 * Begins work on this thread.
	 */
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
	 * Begins work that is not bound to a thread.
	 * @param stop stops it; called at most once
	 */
	void begin(Runnable stop) {
		this.lock.lock();
		try {
			if (!this.lost) {
				this.stop = stop;
				return;
			}
		}
		finally {
			this.lock.unlock();
		}
		stop.run();
	}

	/**
	 * Ends the work; an interrupt that was meant for it does not outlive it.
	 */
	void end() {
		this.lock.lock();
		try {
			this.thread = null;
			this.stop = null;
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
		Runnable stopping;
		this.lock.lock();
		try {
			this.lost = true;
			stopping = this.stop;
			this.stop = null;
			if (this.thread != null) {
				interruptThread(this.thread);
			}
		}
		finally {
			this.lock.unlock();
		}
		if (stopping != null) {
			stopping.run();
		}
	}

	private void interruptThread(Thread working) {
		this.interrupted = true;
		working.interrupt();
	}

}
