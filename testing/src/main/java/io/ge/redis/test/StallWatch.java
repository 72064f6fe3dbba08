// SPDX-License-Identifier: Apache-2.0

package io.ge.redis.test;

import java.io.PrintStream;
import java.time.Duration;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;

import org.jspecify.annotations.Nullable;
import org.junit.platform.engine.TestExecutionResult;
import org.junit.platform.launcher.TestExecutionListener;
import org.junit.platform.launcher.TestIdentifier;
import org.junit.platform.launcher.TestPlan;

/**
 * Ends a JVM in which no test begins or ends any more, and prints which ones run and what
 * all threads do: a build that hangs until it is cut off tells nothing. JUnit's own
 * timeouts leave out extensions and other engines.
 * <p>
 * Not in runs that ask for long tests.
 */
public class StallWatch implements TestExecutionListener {

	/** A model of the wide run breaks one rule after the other beside all else. */
	private static final Duration LIMIT = Duration.ofMinutes(Long.getLong("ge.test.stall.minutes", Wide.RUN ? 20 : 6));

	private static final boolean IS_LONG = Long.getLong("ge.test.chaos.minutes", 0) > 0
			|| "full".equals(System.getProperty("ge.test.numbers"));

	private static final int EXIT_STATUS = 70;

	private final Set<TestIdentifier> running = ConcurrentHashMap.newKeySet();

	private volatile long lastSign;

	private @Nullable ScheduledExecutorService clock;

	@Override
	public void testPlanExecutionStarted(TestPlan plan) {
		sign();
		if (!IS_LONG) {
			ScheduledExecutorService started = Executors.newSingleThreadScheduledExecutor((task) -> {
				Thread thread = new Thread(task, "stall-watch");
				thread.setDaemon(true);
				return thread;
			});
			started.scheduleWithFixedDelay(this::look, 1, 1, TimeUnit.SECONDS);
			this.clock = started;
		}
	}

	@Override
	public void testPlanExecutionFinished(TestPlan plan) {
		if (this.clock != null) {
			this.clock.shutdownNow();
		}
	}

	@Override
	public void executionStarted(TestIdentifier test) {
		sign();
		this.running.add(test);
	}

	@Override
	public void executionFinished(TestIdentifier test, TestExecutionResult result) {
		sign();
		this.running.remove(test);
	}

	private void sign() {
		this.lastSign = System.nanoTime();
	}

	private void look() {
		if (System.nanoTime() - this.lastSign > LIMIT.toNanos()) {
			report(System.out);
			// The build reads the output of this JVM while it lives
			LockSupport.parkNanos(Duration.ofSeconds(5).toNanos());
			Runtime.getRuntime().halt(EXIT_STATUS);
		}
	}

	private void report(PrintStream out) {
		out.println("[ERROR] No test went on for " + LIMIT + ", running are:");
		this.running.forEach((test) -> out.println("[ERROR] " + test.getUniqueId()));
		Thread.getAllStackTraces().forEach((thread, frames) -> {
			out.println(thread + " " + thread.getState());
			for (StackTraceElement frame : frames) {
				out.println("\tat " + frame);
			}
		});
		out.flush();
	}

}
