// SPDX-License-Identifier: Apache-2.0

package io.ge.redis.actuate;

import java.time.Duration;
import java.util.List;
import java.util.Locale;
import java.util.Set;

import io.ge.redis.core.consume.ConsumerReport;
import io.ge.redis.core.consume.Consumers;
import io.ge.redis.core.endpoint.GuardRequest;
import io.ge.redis.core.endpoint.GuardRequestException;
import io.ge.redis.core.endpoint.GuardResource;
import org.jspecify.annotations.Nullable;

import org.springframework.aot.hint.annotation.RegisterReflectionForBinding;

/**
 * {@code /actuator/geredis/consumer} lists the consumers of this instance. A write to
 * {@code /actuator/geredis/consumer/<name>} with {@code action=pause} or {@code
 * action=resume} pauses or resumes one of them, on this instance only and until it
 * restarts.
 */
@RegisterReflectionForBinding({ ConsumersResource.ConsumerList.class, ConsumersResource.Switched.class })
class ConsumersResource extends GuardResource {

	private static final String ACTION = "action";

	private final Consumers consumers;

	public ConsumersResource(Consumers consumers) {
		super("consumer", "consumers");
		this.consumers = consumers;
	}

	@Override
	public Object read(GuardRequest request) {
		request.allowOnly();
		String name = request.name(this::exists);
		List<ConsumerLook> all = this.consumers.reports()
			.stream()
			.filter((report) -> name.isEmpty() || report.source().equals(name))
			.map(ConsumersResource::look)
			.toList();
		if (all.isEmpty() && !name.isEmpty()) {
			throw unknown(name);
		}
		return new ConsumerList(all);
	}

	@Override
	public Object write(GuardRequest request) {
		request.allowOnly(ACTION);
		String name = request.name("consumer", this::exists);
		if (!exists(name)) {
			throw unknown(name);
		}
		String action = request.text(ACTION);
		if ("pause".equals(action)) {
			return new Switched(name, true, this.consumers.pause(name));
		}
		if ("resume".equals(action)) {
			return new Switched(name, false, this.consumers.resume(name));
		}
		throw GuardRequestException.invalid(ACTION, "action must be pause or resume, but is " + action + ".",
				"Set it to one of them.");
	}

	private boolean exists(String name) {
		return this.consumers.reports().stream().anyMatch((report) -> report.source().equals(name));
	}

	private GuardRequestException unknown(String name) {
		return GuardRequestException.unknown("This instance has no consumer '" + name + "'.",
				this.consumers.reports().stream().map(ConsumerReport::source).toList());
	}

	private static ConsumerLook look(ConsumerReport report) {
		Duration since = report.sinceTaken();
		return new ConsumerLook(report.source(), report.state().name().toLowerCase(Locale.ROOT), report.concurrency(),
				report.available(), report.inFlight(), (since != null) ? since.toMillis() : null, report.isOverdue(),
				report.problem());
	}

	/**
	 * The consumers of this instance.
	 *
	 * @param consumers one for each listener
	 */
	public record ConsumerList(List<ConsumerLook> consumers) {
	}

	/**
	 * A consumer.
	 *
	 * @param name the name of its source
	 * @param state {@code running}, {@code paused}, {@code outage}, {@code stopping} or
	 * {@code stopped}
	 * @param concurrency how many calls of its listener run at the same time
	 * @param available how many more could now
	 * @param inFlight how many messages are worked on or wait to be settled
	 * @param millisSincePoll the time since the last answer of Redis, or {@code null} if
	 * there was none
	 * @param overdue whether that is too long ago
	 * @param problem why it takes nothing, or {@code null} if it does
	 */
	public record ConsumerLook(String name, String state, int concurrency, int available, int inFlight,
			@Nullable Long millisSincePoll, boolean overdue, @Nullable String problem) {
	}

	/**
	 * The result of an action.
	 *
	 * @param name the name of the source
	 * @param paused whether it is paused now
	 * @param consumers how many consumers of this instance were switched
	 */
	public record Switched(String name, boolean paused, int consumers) {
	}

}
