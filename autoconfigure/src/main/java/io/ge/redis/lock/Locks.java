/*
 * Copyright 2026 the GE Redis authors
 * SPDX-License-Identifier: Apache-2.0
 */

package io.ge.redis.lock;

import java.time.Duration;
import java.util.Map;
import java.util.function.Supplier;

import io.ge.redis.core.invocation.GuardConfigurationException;
import io.ge.redis.core.invocation.GuardedMethod;
import io.ge.redis.core.invocation.NamedSettings;
import io.ge.redis.core.invocation.Settings;
import io.ge.redis.core.outage.OutagePolicy;

/**
 * The locks of the application by name: merged from properties, annotations and defaults,
 * in that order.
 */
final class Locks {

	private final Supplier<LockProperties> properties;

	private final NamedSettings<LockSettings> annotated = new NamedSettings<>();

	Locks(Supplier<LockProperties> properties) {
		this.properties = properties;
	}

	/**
	 * Merges what an annotation says with the properties, and registers the result.
	 */
	LockSettings define(String name, LockProperties.Lock attributes, Settings settings, GuardedMethod method) {
		LockSettings lock;
		try {
			lock = merge(name, attributes, settings);
		}
		catch (IllegalArgumentException ex) {
			throw method.problem(String.valueOf(ex.getMessage()),
					"Correct the annotation or ge.redis.lock.locks." + name + ".*.", ex);
		}
		this.annotated.register(name, lock, method);
		return lock;
	}

	/**
	 * Returns the settings of a lock that is taken in code.
	 */
	LockSettings get(String name, LockOptions options) {
		Map<String, LockSettings> known = this.annotated.all();
		if (options.equals(LockOptions.defaults()) && known.containsKey(name)) {
			return known.get(name);
		}
		LockProperties.Lock given = new LockProperties.Lock(options.waitTime(), options.leaseTime(), options.renew(),
				null, options.maxHold(), options.atLeastFor(), options.onLost());
		try {
			return merge(name, given, new Settings());
		}
		catch (IllegalArgumentException ex) {
			throw new GuardConfigurationException("The lock '" + name + "'", String.valueOf(ex.getMessage()),
					"Correct the options or ge.redis.lock.locks." + name + ".*.", ex);
		}
	}

	private LockSettings merge(String name, LockProperties.Lock attributes, Settings settings) {
		LockProperties all = this.properties.get();
		LockProperties.Lock property = all.lock(name);
		return new LockSettings(name,
				settings.pick("waitTime", property.waitTime(), attributes.waitTime(), all.waitTime()),
				settings.pick("leaseTime", property.leaseTime(), attributes.leaseTime(), all.leaseTime()),
				settings.pick("renew", property.renew(), attributes.renew(), true),
				settings.pick("onOutage", property.onOutage(), attributes.onOutage(), all.onOutage())
					.orElse(OutagePolicy.DENY),
				settings.pickOptional("maxHold", property.maxHold(), attributes.maxHold()),
				settings.pick("atLeastFor", property.atLeastFor(), attributes.atLeastFor(), Duration.ZERO),
				settings.pick("onLost", property.onLost(), attributes.onLost(), all.onLost()));
	}

}
