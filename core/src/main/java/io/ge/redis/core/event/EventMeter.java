// SPDX-License-Identifier: Apache-2.0

package io.ge.redis.core.event;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;

import org.jspecify.annotations.Nullable;

/**
 * A meter of events: one kind of them, counted or timed. It has one series for each name
 * of a guard and each combination of its other tags. Made once for each kind of events,
 * as the value of a constant.
 *
 * @param nameTag the tag that has the event's name, several with slashes between them, or
 * {@code null} if none has
 * @param siblings meters that begin at zero with this one
 */
public record EventMeter(String name, String description, boolean isTimer, @Nullable String nameTag,
		List<EventTag> tags, List<EventMeter> siblings) {

	/**
	 * Describes a counter of events.
	 */
	public static EventMeter counter(String name, String description) {
		return new EventMeter(name, description, false, null, List.of(), List.of());
	}

	/**
	 * Describes a timer of events.
	 */
	public static EventMeter timer(String name, String description) {
		return new EventMeter(name, description, true, null, List.of(), List.of());
	}

	/**
	 * Adds a tag whose value is the name of the event, or several tags whose values are
	 * the parts of the name between slashes.
	 */
	public EventMeter of(String... tags) {
		return new EventMeter(this.name, this.description, this.isTimer, String.join("/", tags), this.tags,
				this.siblings);
	}

	/**
	 * Adds a tag whose values are constants, in lower case.
	 */
	public EventMeter by(String tag, Enum<?>... values) {
		return by(tag, Arrays.stream(values).map((value) -> value.name().toLowerCase(Locale.ROOT)).toList());
	}

	/**
	 * Adds a tag.
	 * @param values its values, in the order of {@link GuardEvent#series()}
	 */
	public EventMeter by(String tag, List<String> values) {
		List<EventTag> all = new ArrayList<>(this.tags);
		all.add(new EventTag(tag, values));
		return new EventMeter(this.name, this.description, this.isTimer, this.nameTag, List.copyOf(all), this.siblings);
	}

	/**
	 * Adds meters that begin at zero with this one, for the same name.
	 */
	public EventMeter with(EventMeter... meters) {
		return new EventMeter(this.name, this.description, this.isTimer, this.nameTag, this.tags, List.of(meters));
	}

	public int series() {
		int series = 1;
		for (EventTag tag : this.tags) {
			series *= tag.values().size();
		}
		return series;
	}

	public String[] tags(String event, int series) {
		List<String> all = new ArrayList<>(nameTags(event));
		int rest = series;
		int of = series();
		for (EventTag tag : this.tags) {
			of /= tag.values().size();
			all.addAll(List.of(tag.key(), tag.values().get(rest / of)));
			rest %= of;
		}
		return all.toArray(String[]::new);
	}

	/**
	 * Returns the tags that have the name of an event.
	 * @param event the name
	 * @return keys and values in turn
	 */
	public List<String> nameTags(String event) {
		if (this.nameTag == null) {
			return List.of();
		}
		String[] keys = this.nameTag.split("/");
		String[] values = (keys.length > 1) ? event.split("/", keys.length) : new String[] { event };
		List<String> tags = new ArrayList<>();
		for (int i = 0; i < keys.length; i++) {
			tags.addAll(List.of(keys[i], (i < values.length) ? values[i] : ""));
		}
		return tags;
	}

	// The meters of a registry are looked up by it with each event
	@Override
	public boolean equals(@Nullable Object other) {
		return this == other;
	}

	@Override
	public int hashCode() {
		return this.name.hashCode();
	}

	public record EventTag(String key, List<String> values) {
	}

}
