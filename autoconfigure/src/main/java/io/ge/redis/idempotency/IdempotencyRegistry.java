/*
 * Copyright 2026 the GE Redis authors
 * SPDX-License-Identifier: Apache-2.0
 */

package io.ge.redis.idempotency;

import java.util.Map;
import java.util.function.Supplier;

import io.ge.redis.core.invocation.GuardConfigurationException;
import io.ge.redis.core.invocation.GuardedMethod;
import io.ge.redis.core.invocation.NamedSettings;
import io.ge.redis.core.invocation.Settings;
import io.ge.redis.core.outage.OutagePolicy;

/**
 * The operations of the application by name: merged from properties, annotations and
 * defaults, in that order.
 */
final class IdempotencyRegistry {

	private final Supplier<IdempotencyProperties> properties;

	private final NamedSettings<IdempotencySettings> annotated = new NamedSettings<>();

	IdempotencyRegistry(Supplier<IdempotencyProperties> properties) {
		this.properties = properties;
	}

	/**
	 * Merges what an annotation says with the properties, and registers the result.
	 */
	IdempotencySettings define(String name, IdempotencyProperties.Operation attributes, Settings settings,
			GuardedMethod method) {
		IdempotencySettings merged;
		try {
			merged = merge(name, attributes, settings);
		}
		catch (IllegalArgumentException ex) {
			throw method.problem(String.valueOf(ex.getMessage()),
					"Correct the annotation or ge.redis.idempotency.operations." + name + ".*", ex);
		}
		this.annotated.register(name, merged, method);
		return merged;
	}

	/**
	 * Returns whether an annotation or a property knows an operation.
	 */
	boolean exists(String name) {
		return this.annotated.all().containsKey(name) || this.properties.get().operations().containsKey(name);
	}

	/**
	 * Returns whether no effect may be without a witness.
	 */
	boolean isWitnessRequired() {
		return this.properties.get().witness() == WitnessMode.REQUIRED;
	}

	/**
	 * Returns an operation for use in code.
	 */
	IdempotencySettings get(String name) {
		Map<String, IdempotencySettings> known = this.annotated.all();
		IdempotencySettings found = known.get(name);
		if (found != null) {
			return found;
		}
		try {
			return merge(name, IdempotencyProperties.Operation.UNSET, new Settings());
		}
		catch (IllegalArgumentException ex) {
			throw new GuardConfigurationException("ge.redis.idempotency.operations." + name,
					String.valueOf(ex.getMessage()), "Correct the property.", ex);
		}
	}

	private IdempotencySettings merge(String name, IdempotencyProperties.Operation attributes, Settings settings) {
		IdempotencyProperties all = this.properties.get();
		IdempotencyProperties.Operation property = all.operation(name);
		return new IdempotencySettings(name, settings.pick("ttl", property.ttl(), attributes.ttl(), all.ttl()),
				settings.pick("lease", property.lease(), attributes.lease(), all.lease()),
				settings.pick("scope", property.scope(), attributes.scope(), IdempotencyScope.PRINCIPAL),
				settings.pick("required", property.required(), attributes.required(), true),
				settings.pick("onDuplicate", property.onDuplicate(), attributes.onDuplicate(), OnDuplicate.CONFLICT),
				all.waitTimeout(),
				settings.pick("onFailureWithoutTransaction", property.onFailureWithoutTransaction(),
						attributes.onFailureWithoutTransaction(), FailureWithoutTransaction.UNKNOWN),
				settings.pick("onUnknownOutcome", property.onUnknownOutcome(), attributes.onUnknownOutcome(),
						UnknownOutcome.BLOCK),
				settings.pick("onOutage", property.onOutage(), attributes.onOutage(), all.onOutage())
					.orElse(OutagePolicy.DENY));
	}

}
