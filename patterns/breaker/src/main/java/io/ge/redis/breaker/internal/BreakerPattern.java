// SPDX-License-Identifier: Apache-2.0

package io.ge.redis.breaker.internal;

import java.util.List;
import java.util.function.Predicate;
import java.util.function.Supplier;

import io.ge.redis.GuardConfigurationException;
import io.ge.redis.breaker.BreakerProperties;
import io.ge.redis.breaker.CircuitBreakers;
import io.ge.redis.core.RedisBackend;
import io.ge.redis.core.call.GuardedCalls;
import io.ge.redis.core.call.ResultForm;
import io.ge.redis.core.endpoint.GuardResource;
import io.ge.redis.core.event.GuardEvents;
import io.ge.redis.core.guard.FirstUse;
import io.ge.redis.core.guard.GuardAdvisor;
import io.ge.redis.core.guard.GuardPattern;
import io.ge.redis.core.invocation.AttributeReader;
import io.ge.redis.core.invocation.ExpressionCompiler;

import org.springframework.aot.hint.annotation.RegisterReflectionForBinding;
import org.springframework.util.function.SingletonSupplier;

/**
 * Assembles circuit breakers: the advisor for annotated methods and the API for code use
 * one engine, which is made when the first of them is used.
 */
@RegisterReflectionForBinding({ BreakerControl.Overview.class, BreakerControl.Look.class,
		BreakerControl.ForceReport.class })
public final class BreakerPattern implements GuardPattern {

	private final BreakerRegistry registry;

	private final BreakerOperationSource source;

	private final FirstUse<BreakerEngine> engine;

	private final GuardedCalls calls;

	private final Predicate<String> connectionFactories;

	/**
	 * Creates the pattern.
	 * @param connectionFactories whether a connection factory has a name
	 */
	public BreakerPattern(Supplier<BreakerProperties> properties, AttributeReader attributes,
			ExpressionCompiler expressions, Supplier<RedisBackend> backend, GuardEvents events, GuardedCalls calls,
			Predicate<String> connectionFactories) {
		this.registry = new BreakerRegistry(SingletonSupplier.of(properties));
		this.source = new BreakerOperationSource(this.registry, attributes, expressions);
		this.engine = new FirstUse<>(() -> start(backend.get(), events));
		this.calls = calls;
		this.connectionFactories = connectionFactories;
	}

	// An open circuit outlives a restart: its state is there before the first call
	private BreakerEngine start(RedisBackend backend, GuardEvents events) {
		BreakerEngine made = new BreakerEngine(backend, events);
		this.registry.names().forEach((name) -> made.get(this.registry.get(name), List.of(name)));
		backend.await(made.read());
		made.resume();
		return made;
	}

	public GuardAdvisor advisor(int order) {
		return new GuardAdvisor(this.source, this.calls, new BreakerGuard(this.engine), order, this.engine);
	}

	public CircuitBreakers circuitBreakers() {
		return new DefaultCircuitBreakers(this.registry, this.engine, this.calls);
	}

	/**
	 * Guards a publisher.
	 * @param form its form, {@code Mono} or {@code Flux}
	 */
	public Object guard(String name, ResultForm form, Object publisher) {
		return new DefaultCircuitBreakers(this.registry, this.engine, this.calls).make(name, form, () -> publisher);
	}

	public GuardResource control() {
		return new BreakerControl(this.registry, this.engine);
	}

	/**
	 * Returns the figure of a gauge: 0 closed, 1 open, 2 half-open.
	 * @param shared whether it is about the state of all instances, else about this one's
	 * own breaker
	 */
	public double figure(String name, boolean shared) {
		BreakerEngine made = this.engine.created();
		return (made == null) ? 0
				: made.all()
					.stream()
					.filter((breaker) -> breaker.settings.name().equals(name))
					.map(InstanceBreaker::state)
					.filter((state) -> state.isShared() == shared)
					.mapToDouble((state) -> switch (state.circuit()) {
						case CLOSED, DISABLED -> 0;
						case OPEN, FORCED_OPEN -> 1;
						case HALF_OPEN -> 2;
					})
					.max()
					.orElse(0);
	}

	// Open, it would keep itself from Redis, where it learns that it may close
	@Override
	public void verify() {
		for (String name : this.registry.names()) {
			this.registry.get(name);
			if (this.connectionFactories.test(name)) {
				throw new GuardConfigurationException("The circuit breaker '" + name + "'",
						"it has the name of a connection factory, and a breaker cannot guard the Redis that it is stored in.",
						"Give it another name. Outages of Redis have a breaker of their own.");
			}
		}
	}

	@Override
	public void resume() {
		this.engine.ifCreated(BreakerEngine::resume);
	}

	@Override
	public void pause() {
		this.engine.ifCreated(BreakerEngine::pause);
	}

}
