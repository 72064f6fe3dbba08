/*
 * Copyright 2026 the GE Redis authors
 * SPDX-License-Identifier: Apache-2.0
 */

package io.ge.redis.blacklist.guard;

import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Supplier;

import io.ge.redis.blacklist.BlacklistProperties;
import io.ge.redis.blacklist.engine.BlacklistSettings;
import io.ge.redis.core.invocation.GuardConfigurationException;
import io.ge.redis.core.invocation.GuardedMethod;
import io.ge.redis.core.invocation.NamedSettings;
import io.ge.redis.core.invocation.Settings;
import io.ge.redis.core.outage.OutagePolicy;
import org.jspecify.annotations.Nullable;

/**
 * The lists of the application by name: merged from properties, annotations and defaults,
 * in that order.
 */
final class BlacklistRegistry {

	private final Supplier<BlacklistProperties> properties;

	private final NamedSettings<BlacklistSettings> annotated = new NamedSettings<>();

	private final Map<String, BlacklistSettings> used = new ConcurrentHashMap<>();

	BlacklistRegistry(Supplier<BlacklistProperties> properties) {
		this.properties = properties;
	}

	/**
	 * Merges what an annotation says with the properties, and registers the result.
	 */
	BlacklistSettings define(String name, @Nullable OutagePolicy onOutage, Settings settings, GuardedMethod method) {
		BlacklistSettings list;
		try {
			list = merge(name, onOutage, settings);
		}
		catch (IllegalArgumentException ex) {
			throw method.problem(String.valueOf(ex.getMessage()),
					"Correct the annotation, ge.redis.blacklist.lists." + name + ".* or ge.redis.blacklist.on-outage.",
					ex);
		}
		this.annotated.register(name, list, method);
		return list;
	}

	/**
	 * Returns a list for use in code.
	 */
	BlacklistSettings get(String name) {
		BlacklistSettings known = this.used.get(name);
		if (known == null) {
			BlacklistSettings list = this.annotated.all().get(name);
			known = (list != null) ? list : ofProperties(name);
			this.used.put(name, known);
		}
		return known;
	}

	private BlacklistSettings ofProperties(String name) {
		try {
			return merge(name, null, new Settings());
		}
		catch (IllegalArgumentException ex) {
			throw new GuardConfigurationException("ge.redis.blacklist.lists." + name, String.valueOf(ex.getMessage()),
					"Correct the property, or ge.redis.blacklist.on-outage.", ex);
		}
	}

	private BlacklistSettings merge(String name, @Nullable OutagePolicy attribute, Settings settings) {
		BlacklistProperties all = this.properties.get();
		OutagePolicy onOutage = settings.pick("onOutage", all.list(name).onOutage(), attribute, all.onOutage());
		return new BlacklistSettings(name, onOutage.orElse(OutagePolicy.DENY));
	}

}
