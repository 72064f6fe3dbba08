// SPDX-License-Identifier: Apache-2.0

package io.ge.redis.core.endpoint;

import java.time.Duration;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.TreeSet;
import java.util.function.Predicate;
import java.util.stream.Stream;

import io.ge.redis.core.invocation.AttributeReader;
import io.ge.redis.core.invocation.Times;
import org.jspecify.annotations.Nullable;

import org.springframework.format.datetime.standard.DurationFormatterUtils;

/**
 * A request to a {@link GuardResource}. Parameters come from the query and, for writes,
 * from the members of the body.
 *
 * @param path the segments after the name of the resource
 * @param parameters text, or a list where one was repeated
 */
public record GuardRequest(List<String> path, Map<String, Object> parameters) {

	/**
	 * Returns the name in the path, with a slash before it if only that is known, since a
	 * request has no place for that; empty if the path names nothing.
	 */
	public String name(Predicate<String> known) {
		String name = String.join("/", this.path);
		String path = "/" + name;
		return (!name.isEmpty() && !known.test(name) && known.test(path)) ? path : name;
	}

	public String name(String what, Predicate<String> known) {
		String name = name(known);
		if (name.isEmpty()) {
			throw GuardRequestException.notFound("No " + what + " is named.", "Add its name to the path.");
		}
		return name;
	}

	public List<String> texts(String name) {
		Object value = this.parameters.get(name);
		if (value == null) {
			return List.of();
		}
		List<String> texts = (value instanceof Collection<?> values) ? values.stream().map(String::valueOf).toList()
				: List.of(value.toString());
		if (texts.stream().anyMatch(String::isBlank)) {
			throw GuardRequestException.invalid(name, name + " must not be blank.", "Leave it out, or set it.");
		}
		return texts;
	}

	public @Nullable String text(String name) {
		List<String> texts = texts(name);
		if (texts.size() > 1) {
			throw GuardRequestException.invalid(name, name + " is there " + texts.size() + " times.", "Set it once.");
		}
		return texts.isEmpty() ? null : texts.get(0);
	}

	/**
	 * Returns a parameter that must be given.
	 */
	public String required(String name, String remedy) {
		String text = text(name);
		if (text == null) {
			throw GuardRequestException.invalid(name, name + " is missing.", remedy);
		}
		return text;
	}

	public @Nullable Long number(String name) {
		String text = text(name);
		try {
			return (text != null) ? Long.valueOf(text.strip()) : null;
		}
		catch (NumberFormatException ex) {
			throw GuardRequestException.invalid(name, name + " must be a whole number, but is '" + text + "'.",
					"Set it to a number such as 100.");
		}
	}

	public @Nullable Duration duration(String name) {
		String text = text(name);
		if (text != null && AttributeReader.lacksUnit(text)) {
			throw GuardRequestException.invalid(name, name + " has no unit: '" + text + "'.",
					AttributeReader.unitRemedy(text));
		}
		try {
			Duration duration = (text != null) ? DurationFormatterUtils.detectAndParse(text.strip()) : null;
			if (Times.isTooLong(duration)) {
				throw GuardRequestException.invalid(name, name + " is too long: '" + text + "'.", Times.REMEDY);
			}
			return duration;
		}
		catch (IllegalArgumentException | ArithmeticException ex) {
			throw GuardRequestException.invalid(name, name + " must be a time, but is '" + text + "'.",
					"Set it to a time such as 10s, 1m or PT1H.");
		}
	}

	public void allowOneOf(String... names) {
		List<String> given = Stream.of(names).filter(this.parameters::containsKey).toList();
		if (given.size() > 1) {
			throw GuardRequestException.invalid(given.get(0),
					given.get(0) + " and " + given.get(1) + " are both given.", "Give one of them.");
		}
	}

	public void allowOnly(String... known) {
		for (String name : this.parameters.keySet()) {
			if (!List.of(known).contains(name)) {
				throw GuardRequestException.invalid(name, name + " is not known here.",
						(known.length == 0) ? "There are no parameters."
								: "The parameters are " + String.join(", ", new TreeSet<>(List.of(known))) + ".");
			}
		}
	}

}
