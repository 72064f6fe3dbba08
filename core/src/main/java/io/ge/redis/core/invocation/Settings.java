// SPDX-License-Identifier: Apache-2.0

package io.ge.redis.core.invocation;

import java.util.LinkedHashMap;
import java.util.Map;

import org.jspecify.annotations.Nullable;

/**
 * Merges the settings of one guard, by one rule: properties win over the annotation,
 * which wins over the default. Remembers where each came from.
 */
public final class Settings {

	private final Map<String, Setting> settings = new LinkedHashMap<>();

	/**
	 * Picks the effective value of a setting.
	 */
	public <T> T pick(String name, @Nullable T property, @Nullable T attribute, T fallback) {
		T picked = pickOptional(name, property, attribute);
		return (picked != null) ? picked : record(name, fallback, Setting.Origin.DEFAULT);
	}

	/**
	 * Picks a setting that has no default.
	 */
	public <T> @Nullable T pickOptional(String name, @Nullable T property, @Nullable T attribute) {
		if (property != null) {
			return record(name, property, Setting.Origin.PROPERTIES);
		}
		return (attribute != null) ? record(name, attribute, Setting.Origin.ANNOTATION) : null;
	}

	private <T> T record(String name, T value, Setting.Origin origin) {
		Object shown = (value instanceof Number || value instanceof Boolean) ? value : value.toString();
		this.settings.put(name, new Setting(shown, origin));
		return value;
	}

	public Map<String, Setting> toMap() {
		return this.settings;
	}

}
