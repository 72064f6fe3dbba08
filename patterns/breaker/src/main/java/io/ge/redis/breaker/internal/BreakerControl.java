// SPDX-License-Identifier: Apache-2.0

package io.ge.redis.breaker.internal;

import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.function.Supplier;

import io.ge.redis.breaker.CircuitState;
import io.ge.redis.core.outage.Waiting;
import org.jspecify.annotations.Nullable;

/**
 * View of circuits for operators, and their actions on all instances.
 */
public final class BreakerControl {

	/** Time for which a state is forced unless the operator sets another. */
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

	/** Returns the circuits that this instance knows, without asking Redis. */
	public List<Overview> list() {
		return this.engine.get()
			.all()
			.stream()
			.map((breaker) -> new Overview(breaker.settings.name(), breaker.state().circuit(),
					breaker.state().isShared()))
			.toList();
	}

	/** Reads one circuit. One script call. */
	public Look look(String name, List<String> key) {
		InstanceBreaker breaker = breaker(name, key);
		Map<String, String> fields = Waiting.await(this.engine.get().redis().look(breaker, false));
		Map<String, String> instances = new TreeMap<>();
		fields.forEach((field, value) -> {
			if (field.startsWith("r ")) {
				instances.put(field.substring(2), value);
			}
		});
		InstanceBreaker.State state = breaker.state();
		return new Look(name, state.circuit(), state.isShared(), instant(fields.get("t")),
				"O".equals(fields.get("s")) ? instant(fields.get("u")) : null, fields.get("why"), fields.get("fa"),
				fields.get("fr"), instances);
	}

	private static @Nullable Instant instant(@Nullable String millis) {
		return (millis != null) ? Instant.ofEpochMilli(Long.parseLong(millis)) : null;
	}

	/**
	 * Sets the state on all instances. One script call.
	 * @param state FORCED_OPEN, DISABLED, CLOSED or AUTO
	 */
	public void force(String name, List<String> key, String state, Duration duration, String author, String reason) {
		Waiting.await(this.engine.get().redis().force(breaker(name, key), state, duration, author, reason));
	}

	private InstanceBreaker breaker(String name, List<String> key) {
		List<String> parts = new ArrayList<>(List.of(name));
		parts.addAll(key);
		return this.engine.get().get(this.registry.get(name), parts);
	}

	/**
	 * A circuit.
	 *
	 * @param shared whether all instances share the state
	 */
	public record Overview(String name, CircuitState state, boolean shared) {
	}

	/**
	 * A circuit with what Redis has of it. Times are by its server's clock.
	 *
	 * @param shared whether all instances share the state
	 * @param since time of the last change
	 * @param nextProbe time of the next probe, while the circuit is open
	 * @param why reason of the last change
	 * @param author author of the forced state
	 * @param reason reason of the forced state
	 * @param instances for each instance the time of its report, then calls, failures and
	 * slow calls of the last second and of the window
	 */
	public record Look(String name, CircuitState state, boolean shared, @Nullable Instant since,
			@Nullable Instant nextProbe, @Nullable String why, @Nullable String author, @Nullable String reason,
			Map<String, String> instances) {
	}

}
