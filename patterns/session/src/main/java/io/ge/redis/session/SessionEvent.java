// SPDX-License-Identifier: Apache-2.0

package io.ge.redis.session;

import java.util.List;
import java.util.Locale;
import java.util.stream.Stream;

import io.ge.redis.core.event.EventMeter;
import io.ge.redis.core.event.GuardEvent;

/**
 * A session was loaded, saved or ended.
 *
 * @param result a value of the tag of the meter
 * @param amount 1, a number of bytes, or 0 to make the meter known
 */
public record SessionEvent(Kind kind, String result, long amount) implements GuardEvent {

	/** Returns events that make all meters known. */
	public static List<SessionEvent> none() {
		return Stream.of(Kind.values())
			.flatMap((kind) -> kind.results.stream().map((result) -> new SessionEvent(kind, result, 0)))
			.toList();
	}

	@Override
	public String pattern() {
		return "session";
	}

	@Override
	public String name() {
		return this.kind.name().toLowerCase(Locale.ROOT);
	}

	@Override
	public boolean isApplicationEvent() {
		return false;
	}

	@Override
	public EventMeter meter() {
		return this.kind.meter;
	}

	@Override
	public int series() {
		return this.kind.results.indexOf(this.result);
	}

	/** Kinds of events. */
	public enum Kind {

		LOADS(EventMeter.counter("ge.redis.session.loads", "Sessions loaded for a request"), "outcome", "found", "none",
				"ended", "error"),

		SAVES(EventMeter.counter("ge.redis.session.saves", "Sessions saved by a request"), "outcome", "saved",
				"unchanged", "gone", "too_many", "error"),

		ENDS(EventMeter.counter("ge.redis.session.ends", "Sessions ended before they expired"), "by", "logout", "all",
				"limit"),

		BYTES(EventMeter.counter("ge.redis.session.bytes", "Bytes of attributes"), "of", "loaded", "saved");

		private final List<String> results;

		private final EventMeter meter;

		Kind(EventMeter meter, String tag, String... results) {
			this.results = List.of(results);
			this.meter = meter.by(tag, this.results);
		}

	}

}
