/*
 * Copyright 2026 the GE Redis authors
 * SPDX-License-Identifier: Apache-2.0
 */

package io.ge.redis.core.guard;

import io.ge.redis.core.RedisBackends;

import org.springframework.context.SmartLifecycle;

/**
 * Starts and stops what a pattern does in the background. Stops after everything that
 * serves requests or runs tasks, and before the connections are closed.
 */
public abstract class PatternLifecycle implements SmartLifecycle {

	/**
	 * Before the connections are closed, after servers and executors have stopped.
	 */
	public static final int PHASE = RedisBackends.PHASE + 1000;

	private volatile boolean running;

	@Override
	public final void start() {
		resume();
		this.running = true;
	}

	@Override
	public final void stop() {
		this.running = false;
		pause();
	}

	/**
	 * Starts what was made before, for the first time or again.
	 */
	protected abstract void resume();

	/**
	 * Stops what was made.
	 */
	protected abstract void pause();

	@Override
	public final boolean isRunning() {
		return this.running;
	}

	@Override
	public final int getPhase() {
		return PHASE;
	}

}
