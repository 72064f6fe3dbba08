// SPDX-License-Identifier: Apache-2.0

package io.ge.redis.core.invocation;

import java.util.Collection;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.BiFunction;
import java.util.function.Supplier;

import io.ge.redis.GuardConfigurationException;
import org.jspecify.annotations.Nullable;

/**
 * The settings of a pattern by name, merged from properties, annotations and defaults, in
 * that order. Two annotations with the same name must have the same settings.
 *
 * @param <S> the effective settings, compared by {@code equals}; made with an
 * {@link IllegalArgumentException} where they cannot work
 */
public abstract class SettingsRegistry<A, S> {

	private final String noun;

	private final String property;

	private final Supplier<Set<String>> configured;

	private final A unset;

	private final NamedSettings<S> annotated = new NamedSettings<>();

	private final Map<String, S> unannotated = new ConcurrentHashMap<>();

	/**
	 * Creates a registry.
	 */
	protected SettingsRegistry(String noun, String property, Supplier<Set<String>> configured, A unset) {
		this.noun = noun;
		this.property = property;
		this.configured = configured;
		this.unset = unset;
	}

	/**
	 * Merges what an annotation sets with the properties, and registers the result.
	 * @throws GuardConfigurationException if they cannot work, or the name has others
	 * elsewhere
	 */
	public final S define(String name, A attributes, Settings origins, GuardedMethod method) {
		return define(name, attributes, origins, method.displayName(), method::problem);
	}

	/**
	 * Merges what a place other than an annotation sets with the properties, as
	 * {@link #define(String, Object, Settings, GuardedMethod)}.
	 * @param problems makes the exception for a problem and its remedy
	 */
	public final S define(String name, A attributes, Settings origins, String place,
			BiFunction<String, String, GuardConfigurationException> problems) {
		S settings;
		try {
			settings = merge(name, attributes, origins);
		}
		catch (IllegalArgumentException ex) {
			throw refused(problems, "the annotation", name, ex);
		}
		this.annotated.register(name, common(settings), place, problems);
		return settings;
	}

	private GuardConfigurationException refused(BiFunction<String, String, GuardConfigurationException> problems,
			String writer, String name, IllegalArgumentException ex) {
		GuardConfigurationException refused = (ex instanceof InvalidSettingException invalid)
				? problems.apply(invalid.problem(), invalid.remedy())
				: problems.apply(String.valueOf(ex.getMessage()), "Correct " + writer + " or " + path(name) + ".");
		refused.addSuppressed(ex);
		return refused;
	}

	/**
	 * Returns the settings of a name that code uses.
	 * @return the settings of the annotations with this name, else of the properties
	 */
	public final S get(String name) {
		S known = annotated(name);
		if (known == null) {
			known = this.unannotated.get(name);
		}
		if (known == null) {
			known = checked(name, () -> merge(name, this.unset, new Settings()));
			this.unannotated.put(name, known);
		}
		return known;
	}

	/**
	 * Makes settings for code.
	 */
	protected final S checked(String name, Supplier<S> settings) {
		try {
			return settings.get();
		}
		catch (IllegalArgumentException ex) {
			String place = "The " + this.noun + " '" + name + "'";
			throw refused((problem, remedy) -> new GuardConfigurationException(place, problem, remedy),
					"what the code sets", name, ex);
		}
	}

	private String path(String name) {
		return this.property + "." + name + ".*";
	}

	public final boolean exists(String name) {
		return annotated(name) != null || this.configured.get().contains(name);
	}

	protected final @Nullable S annotated(String name) {
		return this.annotated.find(name);
	}

	protected final Collection<S> annotated() {
		return this.annotated.all().values();
	}

	/**
	 * Returns the part of settings that all annotations with one name must have in
	 * common.
	 * @return all of them, unless overridden
	 */
	protected S common(S settings) {
		return settings;
	}

	/**
	 * Merges the settings of a name.
	 */
	protected abstract S merge(String name, A attributes, Settings origins);

}
