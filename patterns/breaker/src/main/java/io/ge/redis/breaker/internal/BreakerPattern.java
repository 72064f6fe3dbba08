// SPDX-License-Identifier: Apache-2.0

package io.ge.redis.breaker.internal;

import java.util.List;
import java.util.function.Supplier;

import io.ge.redis.breaker.BreakerProperties;
import io.ge.redis.breaker.CircuitBreakers;
import io.ge.redis.breaker.CircuitState;
import io.ge.redis.core.RedisBackend;
import io.ge.redis.core.call.GuardedCalls;
import io.ge.redis.core.event.GuardEvents;
import io.ge.redis.core.guard.GuardAdvisor;
import io.ge.redis.core.guard.GuardPattern;
import io.ge.redis.core.invocation.AttributeReader;
import io.ge.redis.core.invocation.ExpressionCompiler;
import org.jspecify.annotations.Nullable;

import org.springframework.util.function.SingletonSupplier;

/**
 * Assembles circuit breakers: the advisor for annotated methods and the API for code use
 * one engine, which is made when the first of them is used.
 */
public final class BreakerPattern implements GuardPattern {

	private final BreakerRegistry registry;

	private final BreakerOperationSource source;

	private final Supplier<BreakerEngine> engine;

	private final GuardEvents events;

	private final GuardedCalls calls;

	private volatile @Nullable BreakerEngine started;

	public BreakerPattern(Supplier<BreakerProperties> properties, AttributeReader attributes,
			ExpressionCompiler expressions, Supplier<RedisBackend> backend, GuardEvents events, GuardedCalls calls) {
		this.registry = new BreakerRegistry(SingletonSupplier.of(properties));
		this.source = new BreakerOperationSource(this.registry, attributes, expressions);
		this.engine = SingletonSupplier.of(() -> start(backend.get()));
		this.events = events;
		this.calls = calls;
	}

	// An open circuit outlives a restart: its state is there before the first call
	private BreakerEngine start(RedisBackend backend) {
		BreakerEngine made = new BreakerEngine(backend, this.events, System::nanoTime);
		this.registry.names().forEach((name) -> made.get(this.registry.get(name), List.of(name)));
		backend.await(made.read());
		made.resume();
		this.started = made;
		return made;
	}

	public GuardAdvisor advisor(int order) {
		return new GuardAdvisor(this.source, this.calls, new BreakerGuard(this.engine, this.events), order,
				this.engine);
	}

	public CircuitBreakers circuitBreakers() {
		return new DefaultCircuitBreakers(this.registry, this.engine, this.events, this.calls);
	}

	public BreakerControl control() {
		return new BreakerControl(this.registry, this.engine);
	}

	/**
	 * Returns the figure of a gauge: 0 closed, 1 open, 2 half-open.
	 * @param shared whether it is that of the state of all instances, else of this one's
	 * own breaker
	 */
	public double figure(String name, boolean shared) {
		BreakerEngine made = this.started;
		double figure = 0;
		if (made != null) {
			for (InstanceBreaker breaker : made.all()) {
				InstanceBreaker.State state = breaker.state();
				if (breaker.settings().name().equals(name) && state.isShared() == shared) {
					figure = Math.max(figure, figure(state.circuit()));
				}
			}
		}
		return figure;
	}

	private static int figure(CircuitState circuit) {
		return switch (circuit) {
			case CLOSED, DISABLED -> 0;
			case OPEN, FORCED_OPEN -> 1;
			case HALF_OPEN -> 2;
		};
	}

	@Override
	public void resume() {
		BreakerEngine made = this.started;
		if (made != null) {
			made.resume();
		}
	}

	@Override
	public void pause() {
		BreakerEngine made = this.started;
		if (made != null) {
			made.pause();
		}
	}

}
