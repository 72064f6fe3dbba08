// SPDX-License-Identifier: Apache-2.0

package io.ge.redis.actuate;

import java.time.Duration;
import java.util.List;
import java.util.Set;
import java.util.function.Supplier;

import io.ge.redis.breaker.internal.BreakerControl;
import org.jspecify.annotations.Nullable;

import org.springframework.aot.hint.annotation.RegisterReflectionForBinding;

/**
 * {@code /actuator/geredis/breakers} lists the circuits that this instance knows.
 * {@code /actuator/geredis/breakers/<name>?key=host} shows one, with the reports of all
 * instances. A write sets its state on all instances, with a reason and an end.
 */
@RegisterReflectionForBinding({ BreakerControl.Overview.class, BreakerControl.Look.class,
		BreakerResource.ForceReport.class })
public class BreakerResource extends GuardResource {

	private static final String KEY = "key";

	private static final String STATE = "state";

	private static final String AUTHOR = "author";

	private static final List<String> STATES = List.of("FORCED_OPEN", "DISABLED", "CLOSED", "AUTO");

	private static final Duration LONGEST = Duration.ofDays(365);

	private final Supplier<BreakerControl> control;

	public BreakerResource(Supplier<BreakerControl> control) {
		super("breakers", "breaker");
		this.control = control;
	}

	@Override
	public Object read(GuardRequest request) {
		request.allowOnly(Set.of(KEY));
		BreakerControl breakers = this.control.get();
		return request.path().isEmpty() ? breakers.list() : breakers.look(name(request), request.texts(KEY));
	}

	@Override
	public Object write(GuardRequest request) {
		request.allowOnly(Set.of(KEY, STATE, "duration", AUTHOR, "reason"));
		String state = request.text(STATE);
		if (state == null || !STATES.contains(state)) {
			throw GuardRequestException.invalid(STATE, "state is '" + state + "'.",
					"Set it to " + String.join(", ", STATES) + ".");
		}
		String author = request.text(AUTHOR);
		String reason = request.text("reason");
		if (reason == null) {
			throw GuardRequestException.invalid("reason", "reason is missing.", "Say why, for other operators.");
		}
		Duration given = request.duration("duration");
		Duration duration = (given != null) ? given : BreakerControl.FORCED_FOR;
		if (duration.toMillis() < 1 || duration.compareTo(LONGEST) > 0) {
			throw GuardRequestException.invalid("duration",
					"duration must be between 1ms and 365d, but is " + duration + ".", "Set it to a time such as 1h.");
		}
		String name = name(request);
		this.control.get().force(name, request.texts(KEY), state, duration, (author != null) ? author : "", reason);
		return new ForceReport(name, state, duration, reason);
	}

	private String name(GuardRequest request) {
		BreakerControl breakers = this.control.get();
		String name = request.name("breaker", breakers::exists);
		if (!breakers.exists(name)) {
			throw GuardRequestException.notFound("There is no breaker '" + name + "'.",
					"List the breakers, without a name in the path.");
		}
		return name;
	}

	public record ForceReport(String name, String state, @Nullable Duration duration, String reason) {
	}

}
