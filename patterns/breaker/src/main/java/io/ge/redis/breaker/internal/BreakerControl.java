// SPDX-License-Identifier: Apache-2.0

package io.ge.redis.breaker.internal;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.function.Supplier;

import io.ge.redis.breaker.CircuitState;
import io.ge.redis.core.outage.Waiting;

/**
 * View of circuits for operators, and their actions on all instances.
 */
public final class BreakerControl {

	/** How long a state is forced unless the operator says so. */
	public static final Duration FORCED_FOR = Duration.ofHours(1);

	private final BreakerRegistry registry;

	private final Supplier<BreakerEngine> engine;

	BreakerControl(BreakerRegistry registry, Supplier<BreakerEngine> engine) {
		this.registry = registry;
		this.engine = engine;
	}

	public boolean exists(String name) {
		return this.registry.names().contains(name);
	}

	/**
	 * Returns the circuits that this instance knows, without asking Redis.
	 */
	public List<Overview> list() {
		List<Overview> all = new ArrayList<>();
		for (InstanceBreaker breaker : this.engine.get().all()) {
			InstanceBreaker.State state = breaker.state();
			all.add(new Overview(breaker.settings().name(), state.circuit(), state.isShared()));
		}
		return all;
	}

	/**
	 * Reads one circuit. One script call.
	 */
	public Look look(String name, List<String> key) {
		BreakerEngine breakers = this.engine.get();
		InstanceBreaker breaker = breaker(name, key);
		Map<String, String> fields = Waiting.await(breakers.redis().look(breaker, false));
		Map<String, String> instances = new TreeMap<>();
		fields.forEach((field, value) -> {
			if (field.startsWith("r ")) {
				instances.put(field.substring(2), value);
			}
		});
		return new Look(name, breaker.state().circuit(), breaker.state().isShared(), fields.getOrDefault("why", ""),
				fields.getOrDefault("fr", ""), instances);
	}

	/**
	 * Sets the state on all instances. One script call.
	 * @param state FORCED_OPEN, DISABLED, CLOSED or AUTO
	 */
	public void force(String name, List<String> key, String state, Duration duration, String reason) {
		Waiting.await(this.engine.get().redis().force(breaker(name, key), state, duration, reason));
	}

	private InstanceBreaker breaker(String name, List<String> key) {
		List<String> parts = new ArrayList<>(List.of(name));
		parts.addAll(key);
		return this.engine.get().get(this.registry.get(name), parts);
	}

	/**
	 * A circuit.
	 *
	 * @param shared whether the state is that of all instances
	 */
	public record Overview(String name, CircuitState state, boolean shared) {
	}

	/**
	 * A circuit with what Redis has of it.
	 *
	 * @param shared whether the state is that of all instances
	 * @param why reason of the last change
	 * @param reason reason of the operator, if any
	 * @param instances for each instance the time of its report, then calls, failures and
	 * slow calls of the last second and of the window
	 */
	public record Look(String name, CircuitState state, boolean shared, String why, String reason,
			Map<String, String> instances) {
	}

}
