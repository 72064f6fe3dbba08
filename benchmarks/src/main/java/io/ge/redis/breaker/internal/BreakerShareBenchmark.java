// SPDX-License-Identifier: Apache-2.0

package io.ge.redis.breaker.internal;

import java.time.Duration;
import java.util.List;
import java.util.concurrent.TimeUnit;

import io.ge.redis.core.event.GuardEvents;
import io.github.resilience4j.circuitbreaker.CircuitBreaker;
import io.github.resilience4j.circuitbreaker.CircuitBreakerConfig;
import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.BenchmarkMode;
import org.openjdk.jmh.annotations.Mode;
import org.openjdk.jmh.annotations.OutputTimeUnit;
import org.openjdk.jmh.annotations.Scope;
import org.openjdk.jmh.annotations.State;

/**
 * Admission and record of a successful call under a closed circuit, beside those of
 * resilience4j with a window of as much time. Neither asks for anything. In the package
 * of what it measures, which has no public part.
 */
@State(Scope.Benchmark)
@BenchmarkMode(Mode.AverageTime)
@OutputTimeUnit(TimeUnit.NANOSECONDS)
@SuppressWarnings("NullAway")
public class BreakerShareBenchmark {

	private static final int WINDOW_SECONDS = 10;

	private static final int LEAST = 20;

	private static final int HALF = 50;

	private static final int PROBES = 3;

	private final InstanceBreaker ours = new InstanceBreaker(
			new BreakerSettings("name", HALF, 0, null, Duration.ofSeconds(WINDOW_SECONDS), LEAST,
					Duration.ofSeconds(WINDOW_SECONDS), Duration.ofMinutes(2), PROBES,
					Duration.ofSeconds(WINDOW_SECONDS), new FailureRule(List.of(), List.of()), false),
			null, System.nanoTime(), new GuardEvents(List::of), () -> {
			});

	private final CircuitBreaker peer = CircuitBreaker.of("name",
			CircuitBreakerConfig.custom()
				.slidingWindow(WINDOW_SECONDS, LEAST, CircuitBreakerConfig.SlidingWindowType.TIME_BASED)
				.build());

	private final CircuitBreaker counting = CircuitBreaker.ofDefaults("name");

	/**
	 * The clock alone, which all of them read twice.
	 * @return the time between
	 */
	@Benchmark
	public long clock() {
		long begun = System.nanoTime();
		return System.nanoTime() - begun;
	}

	/**
	 * GE Redis.
	 * @return the permit
	 */
	@Benchmark
	public Object ours() {
		InstanceBreaker.Permit permit = this.ours.acquire(System.nanoTime());
		this.ours.end(permit, InstanceBreaker.Outcome.SUCCESS, System.nanoTime());
		return permit;
	}

	/**
	 * Resilience4j with a window of time, as ours is.
	 */
	@Benchmark
	public void resilience4j() {
		use(this.peer);
	}

	/**
	 * Resilience4j with its default, a window of 100 calls.
	 */
	@Benchmark
	public void resilience4jCounting() {
		use(this.counting);
	}

	private static void use(CircuitBreaker breaker) {
		breaker.acquirePermission();
		long begun = breaker.getCurrentTimestamp();
		breaker.onSuccess(breaker.getCurrentTimestamp() - begun, breaker.getTimestampUnit());
	}

}
