// SPDX-License-Identifier: Apache-2.0

package io.ge.redis.core.guard;

import java.util.Arrays;
import java.util.List;

import io.ge.redis.core.RedisBackends;

import org.springframework.beans.factory.config.ConfigurableListableBeanFactory;
import org.springframework.context.SmartLifecycle;

/**
 * Starts and stops what patterns do in the background, of those that are in use. Stops
 * after everything that serves requests or runs tasks, and before the connections are
 * closed.
 */
public final class PatternLifecycle implements SmartLifecycle {

	/**
	 * Before the connections are closed, after servers and executors have stopped.
	 */
	public static final int PHASE = RedisBackends.PHASE + 1000;

	private final ConfigurableListableBeanFactory beans;

	private volatile boolean running;

	public PatternLifecycle(ConfigurableListableBeanFactory beans) {
		this.beans = beans;
	}

	static List<GuardPattern> patterns(ConfigurableListableBeanFactory beans) {
		return Arrays.stream(beans.getBeanNamesForType(GuardPattern.class, false, false))
			.filter(beans::containsSingleton)
			.map((name) -> beans.getBean(name, GuardPattern.class))
			.toList();
	}

	@Override
	public void start() {
		patterns(this.beans).forEach(GuardPattern::resume);
		this.running = true;
	}

	@Override
	public void stop() {
		this.running = false;
		patterns(this.beans).forEach(GuardPattern::pause);
	}

	@Override
	public boolean isRunning() {
		return this.running;
	}

	@Override
	public int getPhase() {
		return PHASE;
	}

}
