// SPDX-License-Identifier: Apache-2.0

package io.ge.redis.core.invocation;

import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.regex.Pattern;

import io.ge.redis.GuardConfigurationException;
import org.jspecify.annotations.Nullable;

import org.springframework.format.datetime.standard.DurationFormatterUtils;
import org.springframework.util.StringUtils;
import org.springframework.util.StringValueResolver;

/**
 * Reads attribute values: placeholders resolved, durations and numbers parsed, empty text
 * read as "not set".
 */
public final class AttributeReader {

	private static final Pattern NUMBER_ABOVE_ZERO = Pattern.compile("[+-]?0*[1-9]\\d*");

	private final StringValueResolver placeholders;

	private final Map<List<Object>, GuardedMethod> defaultNames = new ConcurrentHashMap<>();

	public AttributeReader(StringValueResolver placeholders) {
		this.placeholders = placeholders;
	}

	/**
	 * Resolves placeholders in text that is not an attribute of ours.
	 */
	public @Nullable String resolve(String text) {
		return this.placeholders.resolveStringValue(text);
	}

	/**
	 * Returns the value of an attribute that has been set.
	 */
	public static <T> @Nullable T given(T value, T unset) {
		return value.equals(unset) ? null : value;
	}

	/**
	 * Reads the name of a guard.
	 * @return the name, or a default one that no other method has
	 * @throws GuardConfigurationException if another method has the same default name
	 */
	public String name(GuardedMethod method, String value) {
		String name = text(method, "name", value);
		return (name != null) ? name : defaultName(method);
	}

	// The same name means the same state, so methods share one only if the source says so
	private String defaultName(GuardedMethod method) {
		String name = method.defaultName();
		GuardedMethod first = this.defaultNames.putIfAbsent(List.of(method.annotationType(), name), method);
		if (first != null && !(first.method().equals(method.method()) && first.owner() == method.owner())) {
			throw method.problem(
					"its default name '" + name + "' is also the default name of " + first.displayName()
							+ ", so both would share one state.",
					"Give one of them a name of its own: name = \"...\".");
		}
		return name;
	}

	public @Nullable String text(GuardedMethod method, String attribute, String value) {
		if (value.isEmpty()) {
			return null;
		}
		try {
			String resolved = this.placeholders.resolveStringValue(value);
			return StringUtils.hasText(resolved) ? resolved : null;
		}
		catch (IllegalArgumentException ex) {
			throw method.problem("the placeholder in " + attribute + " = \"" + value + "\" cannot be resolved.",
					"Define the property or give it a default, as in \"${name:10s}\".", ex);
		}
	}

	/**
	 * Reads a duration such as {@code 10s}, {@code 500ms} or {@code PT1M}.
	 */
	public @Nullable Duration duration(GuardedMethod method, String attribute, String value) {
		String text = text(method, attribute, value);
		if (text == null) {
			return null;
		}
		if (lacksUnit(text)) {
			throw method.problem(attribute + " = \"" + text + "\" has no unit.", unitRemedy(text));
		}
		try {
			Duration duration = DurationFormatterUtils.detectAndParse(text);
			if (Times.isTooLong(duration)) {
				throw method.problem(attribute + " = \"" + text + "\" is too long.", Times.REMEDY);
			}
			return duration;
		}
		catch (IllegalArgumentException ex) {
			throw method.problem(attribute + " = \"" + text + "\" is no duration.",
					"Write a number with a unit, such as \"10s\", \"500ms\" or \"PT1M\".", ex);
		}
	}

	/**
	 * Returns whether a duration is a number without a unit. Spring takes it for
	 * milliseconds, which is hardly ever meant. Zero needs no unit.
	 */
	public static boolean lacksUnit(String text) {
		return NUMBER_ABOVE_ZERO.matcher(text.strip()).matches();
	}

	/**
	 * Returns what to write instead of a duration without a unit.
	 */
	public static String unitRemedy(String text) {
		return "Write \"" + text.strip() + "s\" for seconds, or another unit, such as ms, m, h or d.";
	}

	public @Nullable Long number(GuardedMethod method, String attribute, String value) {
		String text = text(method, attribute, value);
		if (text == null) {
			return null;
		}
		try {
			return Long.valueOf(text.replace("_", "").strip());
		}
		catch (NumberFormatException ex) {
			throw method.problem(attribute + " = \"" + text + "\" is no whole number.", "Write digits only.", ex);
		}
	}

	/**
	 * Reads how many of something there are to be.
	 * @return at least 1, or {@code null} if the annotation does not say
	 */
	public @Nullable Integer count(GuardedMethod method, String attribute, String value) {
		Long number = number(method, attribute, value);
		if (number != null && (number < 1 || number > Integer.MAX_VALUE)) {
			throw method.problem(attribute + " is " + number + ".", "Set it to at least 1.");
		}
		return (number != null) ? number.intValue() : null;
	}

}
