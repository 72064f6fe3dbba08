// SPDX-License-Identifier: Apache-2.0

package io.ge.redis.state;

import java.util.Locale;

import io.ge.redis.core.event.EventMeter;
import io.ge.redis.core.event.GuardEvent;

/**
 * Event of an attempted change of a workspace.
 *
 * @param name the kind of the workspace
 * @param outcome the outcome
 */
public record StateEvent(String name, Outcome outcome) implements GuardEvent {

	private static final EventMeter CHANGES = EventMeter
		.counter("ge.redis.state.changes", "Changes of shared state that were tried")
		.of("kind")
		.by("outcome", Outcome.values());

	@Override
	public String pattern() {
		return "state";
	}

	@Override
	public String result() {
		return this.outcome.name().toLowerCase(Locale.ROOT);
	}

	@Override
	public boolean isApplicationEvent() {
		return false;
	}

	@Override
	public EventMeter meter() {
		return CHANGES;
	}

	@Override
	public int series() {
		return this.outcome.ordinal();
	}

	/**
	 * The outcome of a change: {@code UNCHANGED} if there was nothing to do;
	 * {@code CONFLICT} if the field had another version; {@code REFUSED} if it holds
	 * something else; {@code ERROR} if Redis did not decide.
	 */
	public enum Outcome {

		APPLIED, UNCHANGED, CONFLICT, REFUSED, ERROR

	}

}
