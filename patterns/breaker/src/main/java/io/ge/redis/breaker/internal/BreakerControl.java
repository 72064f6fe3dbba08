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
import io.ge.redis.core.endpoint.GuardRequest;
import io.ge.redis.core.endpoint.GuardRequestException;
import io.ge.redis.core.endpoint.GuardResource;
import io.ge.redis.core.outage.Waiting;
import org.jspecify.annotations.Nullable;

/**
 * {@code /actuator/geredis/breakers} lists the circuits that this instance knows.
 * {@code /actuator/geredis/breakers/<name>?key=host} shows one, with the reports of all
 * instances. A write sets its state on all instances, with a reason and an end. Each
 * costs one script call, the list none.
 */
final class BreakerControl extends GuardResource {

	private static final String KEY = "key";

	private static final String STATE = "state";

	private static final String DURATION = "duration";

	private static final List<String> STATES = List.of("FORCED_OPEN", "DISABLED", "CLOSED", "AUTO");

	private static final Duration FORCED_FOR = Duration.ofHours(1);

	private static final Duration LONGEST = Duration.ofDays(365);

	private final BreakerRegistry registry;

	private final Supplier<BreakerEngine> engine;

	BreakerControl(BreakerRegistry registry, Supplier<BreakerEngine> engine) {
		super("breakers", "breaker");
		this.registry = registry;
		this.engine = engine;
	}

	@Override
	public Object read(GuardRequest request) {
		request.allowOnly(KEY);
		return request.path().isEmpty() ? list() : look(name(request), request.texts(KEY));
	}

	private List<Overview> list() {
		return this.engine.get()
			.all()
			.stream()
			.map((breaker) -> new Overview(breaker.settings.name(), breaker.state().circuit(),
					breaker.state().isShared()))
			.toList();
	}

	private Look look(String name, List<String> key) {
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

	@Override
	public Object write(GuardRequest request) {
		request.allowOnly(KEY, STATE, DURATION, "author", "reason");
		String state = request.text(STATE);
		if (state == null || !STATES.contains(state)) {
			throw GuardRequestException.invalid(STATE, "state is '" + state + "'.",
					"Set it to " + String.join(", ", STATES) + ".");
		}
		String author = request.text("author");
		String reason = request.required("reason", "Say why, for other operators.");
		Duration given = request.duration(DURATION);
		Duration duration = (given != null) ? given : FORCED_FOR;
		if (duration.toMillis() < 1 || duration.compareTo(LONGEST) > 0) {
			throw GuardRequestException.invalid(DURATION,
					"duration must be between 1ms and 365d, but is " + duration + ".", "Set it to a time such as 1h.");
		}
		String name = name(request);
		Waiting.await(this.engine.get()
			.redis()
			.force(breaker(name, request.texts(KEY)), state, duration, (author != null) ? author : "", reason));
		return new ForceReport(name, state, duration, reason);
	}

	private String name(GuardRequest request) {
		String name = request.name("breaker", this.registry.names()::contains);
		if (!this.registry.names().contains(name)) {
			throw GuardRequestException.notFound("There is no breaker '" + name + "'.",
					"List the breakers, without a name in the path.");
		}
		return name;
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

	public record ForceReport(String name, String state, Duration duration, String reason) {
	}

}
