/*
 * Copyright 2026 the GE Redis authors
 * SPDX-License-Identifier: Apache-2.0
 */

package io.ge.redis.lock;

import java.util.concurrent.atomic.AtomicInteger;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Tests for {@link Worker}.
 */
class WorkerTests {

	private final Worker worker = new Worker();

	@AfterEach
	void clear() {
		Thread.interrupted();
	}

	@Test
	void workIsInterruptedWhenItsLockIsLost() {
		this.worker.begin();
		this.worker.interrupt();
		assertThat(Thread.currentThread().isInterrupted()).isTrue();
	}

	@Test
	void workIsInterruptedThatBeginsAfterTheLoss() {
		this.worker.interrupt();
		assertThat(Thread.currentThread().isInterrupted()).isFalse();
		this.worker.begin();
		assertThat(Thread.currentThread().isInterrupted()).isTrue();
	}

	@Test
	void workWithoutThreadIsStoppedOnceWhenItsLockIsLostAlsoBeforeItBegins() {
		AtomicInteger stopped = new AtomicInteger();
		this.worker.begin(stopped::incrementAndGet);
		assertThat(stopped).hasValue(0);
		this.worker.interrupt();
		this.worker.interrupt();
		assertThat(stopped).hasValue(1);
		this.worker.begin(stopped::incrementAndGet);
		assertThat(stopped).hasValue(2);
		assertThat(Thread.currentThread().isInterrupted()).isFalse();
	}

	@Test
	void workWithoutThreadIsNotStoppedAfterItsEnd() {
		AtomicInteger stopped = new AtomicInteger();
		this.worker.begin(stopped::incrementAndGet);
		this.worker.end();
		this.worker.interrupt();
		assertThat(stopped).hasValue(0);
	}

	@Test
	void interruptDoesNotOutliveTheWork() {
		this.worker.begin();
		this.worker.interrupt();
		this.worker.end();
		assertThat(Thread.currentThread().isInterrupted()).isFalse();
		this.worker.interrupt();
		assertThat(Thread.currentThread().isInterrupted()).isFalse();
	}

}
