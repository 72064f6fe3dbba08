// SPDX-License-Identifier: Apache-2.0

package io.ge.redis.test.scenario;

import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.ScheduledFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;

import io.ge.redis.autoconfigure.BreakerAutoConfiguration;
import io.ge.redis.autoconfigure.GeRedisAutoConfiguration;
import io.ge.redis.breaker.CircuitBreakers;
import io.ge.redis.breaker.CircuitOpenException;
import io.ge.redis.breaker.CircuitState;
import io.ge.redis.breaker.internal.BreakerPattern;
import io.ge.redis.core.endpoint.GuardRequest;
import io.ge.redis.test.instance.Operation;

import org.springframework.boot.SpringBootConfiguration;
import org.springframework.boot.autoconfigure.ImportAutoConfiguration;
import org.springframework.boot.data.redis.autoconfigure.DataRedisAutoConfiguration;
import org.springframework.context.annotation.Bean;

/**
 * Calls a supplier that is good, bad or hangs, as often as it is told to.
 */
@SpringBootConfiguration(proxyBeanMethods = false)
@ImportAutoConfiguration({ DataRedisAutoConfiguration.class, GeRedisAutoConfiguration.class,
		BreakerAutoConfiguration.class })
public class BreakerApplication {

	static final String NAME = "supplier";

	@Bean
	Supplier supplier(CircuitBreakers breakers, BreakerPattern pattern) {
		return new Supplier(breakers, pattern);
	}

	/**
	 * Takes good, bad or hang.
	 */
	@Bean
	Operation become(Supplier supplier) {
		return (arguments) -> supplier.state = arguments[0];
	}

	/**
	 * Takes the calls per second from now on, and forgets the slowest one.
	 */
	@Bean
	Operation load(Supplier supplier) {
		return (arguments) -> {
			supplier.load(Integer.parseInt(arguments[0]));
			return "";
		};
	}

	/**
	 * Returns the state of the circuit, ALONE if that is not the state of all instances,
	 * then calls that have ended, failures, refusals, calls in flight and the
	 * milliseconds of the slowest one that did not hang.
	 */
	@Bean
	Operation look(Supplier supplier) {
		return (arguments) -> supplier.circuit() + "," + supplier.calls + "," + supplier.failed + "," + supplier.refused
				+ "," + supplier.inFlight + "," + supplier.slowest;
	}

	static final class Supplier implements AutoCloseable {

		private final CircuitBreakers breakers;

		private final BreakerPattern pattern;

		private final ScheduledExecutorService clock = Executors.newSingleThreadScheduledExecutor();

		private final ExecutorService callers = Executors.newCachedThreadPool();

		private final AtomicInteger calls = new AtomicInteger();

		private final AtomicInteger failed = new AtomicInteger();

		private final AtomicInteger refused = new AtomicInteger();

		private final AtomicInteger inFlight = new AtomicInteger();

		private final AtomicLong slowest = new AtomicLong();

		private volatile long forgotten;

		private volatile String state = "good";

		private volatile ScheduledFuture<?> ticking;

		Supplier(CircuitBreakers breakers, BreakerPattern pattern) {
			this.breakers = breakers;
			this.pattern = pattern;
		}

		String circuit() {
			CircuitState circuit = this.breakers.state(NAME);
			boolean isAlone = circuit != CircuitState.CLOSED && !isShared();
			return isAlone ? "ALONE" : circuit.name();
		}

		private boolean isShared() {
			return this.pattern.control()
				.read(new GuardRequest(List.of(), Map.of()))
				.toString()
				.contains("shared=true");
		}

		void load(int perSecond) {
			this.forgotten = System.nanoTime();
			this.slowest.set(0);
			if (this.ticking != null) {
				this.ticking.cancel(false);
			}
			if (perSecond > 0) {
				this.ticking = this.clock.scheduleAtFixedRate(() -> this.callers.execute(this::call), 0,
						Duration.ofSeconds(1).toNanos() / perSecond, TimeUnit.NANOSECONDS);
			}
		}

		private void call() {
			long begun = System.nanoTime();
			try {
				this.breakers.call(NAME, this::quote);
				note(begun);
			}
			catch (CircuitOpenException ex) {
				this.refused.incrementAndGet();
				note(begun);
			}
			catch (IllegalStateException ex) {
				this.failed.incrementAndGet();
			}
			finally {
				this.calls.incrementAndGet();
			}
		}

		private void note(long begun) {
			long millis = TimeUnit.NANOSECONDS.toMillis(System.nanoTime() - begun);
			if (begun - this.forgotten > 0) {
				this.slowest.accumulateAndGet(millis, Math::max);
			}
		}

		private String quote() {
			this.inFlight.incrementAndGet();
			try {
				while (this.state.equals("hang")) {
					TimeUnit.MILLISECONDS.sleep(5);
				}
			}
			catch (InterruptedException ex) {
				throw new IllegalStateException(ex);
			}
			finally {
				this.inFlight.decrementAndGet();
			}
			if (this.state.equals("bad")) {
				throw new IllegalStateException("The supplier fails");
			}
			return "quote";
		}

		@Override
		public void close() {
			this.clock.shutdownNow();
			this.callers.shutdownNow();
		}

	}

}
