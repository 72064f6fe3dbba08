// SPDX-License-Identifier: Apache-2.0

package io.ge.redis.core.invocation;

import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.BiFunction;
import java.util.stream.Collectors;
import java.util.stream.IntStream;

import io.ge.redis.GuardConfigurationException;
import org.jspecify.annotations.Nullable;

/**
 * Holds the settings of each name of a pattern: the same name means the same state in
 * Redis, so two places that use it must agree.
 */
public final class NamedSettings<S> {

	/** Between the components of records, and the elements of lists. */
	private static final String PARTS = "(, |[\\[\\]])+";

	private final Map<String, Entry<S>> entries = new ConcurrentHashMap<>();

	/**
	 * Registers the use of a name.
	 * @throws GuardConfigurationException if the name has other settings elsewhere
	 */
	public void register(String name, S settings, GuardedMethod method) {
		register(name, settings, method.displayName(), method::problem);
	}

	/**
	 * Registers the use of a name.
	 * @throws GuardConfigurationException if the name has other settings elsewhere
	 */
	public void register(String name, S settings, String place,
			BiFunction<String, String, GuardConfigurationException> problem) {
		Entry<S> first = this.entries.putIfAbsent(name, new Entry<>(settings, place));
		if (first != null && !first.settings().equals(settings)) {
			throw problem.apply(
					"the name '" + name + "' is used with other settings on " + first.place() + " ("
							+ differences(first.settings().toString(), settings.toString()) + ").",
					"Use another name, or the same settings in both places.");
		}
	}

	// By their texts: a native image does not know the components of records
	private static String differences(String there, String here) {
		String[] first = there.split(PARTS);
		String[] second = here.split(PARTS);
		return (first.length != second.length) ? there + " there, " + here + " here"
				: IntStream.range(0, first.length)
					.filter((i) -> !first[i].equals(second[i]))
					.mapToObj((i) -> first[i] + " there, " + second[i] + " here")
					.collect(Collectors.joining("; "));
	}

	public @Nullable S find(String name) {
		Entry<S> entry = this.entries.get(name);
		return (entry != null) ? entry.settings() : null;
	}

	public Map<String, S> all() {
		Map<String, S> settings = new ConcurrentHashMap<>();
		this.entries.forEach((name, entry) -> settings.put(name, entry.settings()));
		return settings;
	}

	private record Entry<S>(S settings, String place) {
	}

}
