/*
 * Copyright 2026 the GE Redis authors
 * SPDX-License-Identifier: Apache-2.0
 */

package io.ge.redis.lock;

import java.time.Duration;
import java.util.function.Supplier;

import io.ge.redis.core.invocation.GuardConfigurationException;
import io.ge.redis.core.invocation.GuardedMethod;
import io.ge.redis.core.invocation.NamedSettings;
import io.ge.redis.core.invocation.Settings;
import io.ge.redis.core.outage.OutagePolicy;
import org.jspecify.annotations.Nullable;

/**
 * The locks of the application by name: merged from properties, annotations and defaults,
 * in that order.
 */
final class LockRegistry {

	private final Supplier<LockProperties> properties;

	private final NamedSettings<LockSettings> annotated = new NamedSettings<>();

	LockRegistry(Supplier<LockProperties> properties) {
		this.properties = properties;
	}

	/**
	 * Merges what an annotation says with the properties, and registers the result.
	 */
	LockSettings define(String name, LockProperties.Lock attributes, LockMode mode, Settings settings,
			GuardedMethod method) {
		LockSettings lock;
		try {
			lock = merge(name, attributes, mode, settings);
		}
		catch (IllegalArgumentException ex) {
			throw method.problem(String.valueOf(ex.getMessage()),
					"Correct the annotation or ge.redis.lock.locks." + name + ".*.", ex);
		}
		// Readers and writers of one lock differ in nothing else
		this.annotated.register(name, lock.isReadWrite() ? lock.in(LockMode.READ) : lock, method);
		return lock;
	}

	boolean exists(String name) {
		return this.annotated.all().containsKey(name) || this.properties.get().locks().containsKey(name);
	}

	/**
	 * Returns the settings of a lock that is taken in code.
	 */
	LockSettings get(String name, LockOptions options) {
		LockSettings known = this.annotated.find(name);
		LockSettings lock;
		try {
			lock = (known != null && options.hasOnlyMode()) ? known.in(modeOf(options)) : merge(name, known, options);
		}
		catch (IllegalArgumentException ex) {
			throw new GuardConfigurationException("The lock '" + name + "'", String.valueOf(ex.getMessage()),
					"Correct the options or ge.redis.lock.locks." + name + ".*.", ex);
		}
		if (known != null && !(lock.isOfOneKindWith(known) && lock.permits() == known.permits())) {
			throw new GuardConfigurationException("The lock '" + name + "'",
					"it is taken " + lock.manner() + " here, and " + known.manner() + " on a method.",
					"Say so by LockOptions.mode or LockOptions.permits, or use another name.");
		}
		return lock;
	}

	private LockSettings merge(String name, @Nullable LockSettings known, LockOptions options) {
		Integer permits = (options.permits() == null && known != null) ? Integer.valueOf(known.permits())
				: options.permits();
		LockProperties.Lock given = new LockProperties.Lock(options.waitTime(), options.leaseTime(), options.renew(),
				null, options.maxHold(), options.atLeastFor(), options.onLost(), options.replicas(),
				options.syncTimeout(), permits);
		return merge(name, given, modeOf(options), new Settings());
	}

	private static LockMode modeOf(LockOptions options) {
		return (options.mode() != null) ? options.mode() : LockMode.EXCLUSIVE;
	}

	private LockSettings merge(String name, LockProperties.Lock attributes, LockMode mode, Settings settings) {
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
				settings.pick("onLost", property.onLost(), attributes.onLost(), all.onLost()),
				settings.pick("replicas", property.replicas(), attributes.replicas(), all.replicas()),
				settings.pick("syncTimeout", property.syncTimeout(), attributes.syncTimeout(), all.syncTimeout()),
				settings.pick("mode", null, (mode != LockMode.EXCLUSIVE) ? mode : null, LockMode.EXCLUSIVE),
				settings.pick("permits", property.permits(), attributes.permits(), 1));
	}

	/**
	 * Returns whether replicas are waited for, as far as is known without calls.
	 */
	boolean wantReplicas() {
		LockProperties all = this.properties.get();
		return all.replicas() > 0 || all.locks().values().stream().anyMatch(LockRegistry::wantsReplicas)
				|| this.annotated.all().values().stream().anyMatch((lock) -> lock.replicas() > 0);
	}

	private static boolean wantsReplicas(LockProperties.Lock lock) {
		return lock.replicas() != null && lock.replicas() > 0;
	}

}
