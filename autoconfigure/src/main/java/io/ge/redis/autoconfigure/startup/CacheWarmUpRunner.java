/*
 * Copyright 2026 the GE Redis authors
 * SPDX-License-Identifier: Apache-2.0
 */

package io.ge.redis.autoconfigure.startup;

import io.ge.redis.cache.warmup.CacheWarmUp;

import org.springframework.boot.ApplicationArguments;
import org.springframework.boot.ApplicationRunner;
import org.springframework.context.SmartLifecycle;
import org.springframework.core.Ordered;

/**
 * Starts the warm-up when the application has started, after its own runners, and ends it
 * before anything else is stopped. Spring Boot accepts traffic when all runners have
 * returned, so waiting here is all that readiness needs.
 */
public final class CacheWarmUpRunner implements ApplicationRunner, Ordered, SmartLifecycle {

	private final CacheWarmUp warmUp;

	private volatile boolean running;

	public CacheWarmUpRunner(CacheWarmUp warmUp) {
		this.warmUp = warmUp;
	}

	@Override
	public void run(ApplicationArguments arguments) {
		this.warmUp.start();
	}

	@Override
	public int getOrder() {
		return LOWEST_PRECEDENCE;
	}

	@Override
	public void start() {
		this.running = true;
	}

	@Override
	public void stop() {
		this.running = false;
		this.warmUp.close();
	}

	@Override
	public boolean isRunning() {
		return this.running;
	}

}
