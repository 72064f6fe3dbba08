// SPDX-License-Identifier: Apache-2.0

package io.ge.redis.idempotency.internal;

import java.util.function.Supplier;

import io.ge.redis.core.invocation.Settings;
import io.ge.redis.core.invocation.SettingsRegistry;
import io.ge.redis.idempotency.FailureWithoutTransaction;
import io.ge.redis.idempotency.IdempotencyProperties;
import io.ge.redis.idempotency.IdempotencyScope;
import io.ge.redis.idempotency.IdempotencySettings;
import io.ge.redis.idempotency.OnDuplicate;
import io.ge.redis.idempotency.UnknownOutcome;
import io.ge.redis.idempotency.WitnessMode;

/**
 * The operations of the application by name.
 */
final class IdempotencyRegistry extends SettingsRegistry<IdempotencyProperties.Operation, IdempotencySettings> {

	private final Supplier<IdempotencyProperties> properties;

	IdempotencyRegistry(Supplier<IdempotencyProperties> properties) {
		super("operation", "ge.redis.idempotency.operations", () -> properties.get().operations().keySet(),
				IdempotencyProperties.Operation.UNSET);
		this.properties = properties;
	}

	boolean isWitnessRequired() {
		return this.properties.get().witness() == WitnessMode.REQUIRED;
	}

	/**
	 * Returns whether settings about transactional records have to be right.
	 */
	boolean isWitnessConfigured() {
		return isWitnessRequired() || this.properties.get().transactionManager() != null;
	}

	@Override
	protected IdempotencySettings merge(String name, IdempotencyProperties.Operation attributes, Settings origins) {
		IdempotencyProperties all = this.properties.get();
		IdempotencyProperties.Operation property = all.operation(name);
		// One for all operations, and shown with each
		origins.pick("witness", (all.witness() != WitnessMode.AUTO) ? all.witness() : null, null, WitnessMode.AUTO);
		return new IdempotencySettings(name, origins.pick("ttl", property.ttl(), attributes.ttl(), all.ttl()),
				origins.pick("lease", property.lease(), attributes.lease(), all.lease()),
				origins.pick("scope", property.scope(), attributes.scope(), IdempotencyScope.PRINCIPAL),
				origins.pick("required", property.required(), attributes.required(), true),
				origins.pick("onDuplicate", property.onDuplicate(), attributes.onDuplicate(), OnDuplicate.CONFLICT),
				all.waitTimeout(),
				origins.pick("onFailureWithoutTransaction", property.onFailureWithoutTransaction(),
						attributes.onFailureWithoutTransaction(), FailureWithoutTransaction.UNKNOWN),
				origins.pick("onUnknownOutcome", property.onUnknownOutcome(), attributes.onUnknownOutcome(),
						UnknownOutcome.BLOCK),
				origins.pick("onOutage", property.onOutage(), attributes.onOutage(), all.onOutage()));
	}

}
