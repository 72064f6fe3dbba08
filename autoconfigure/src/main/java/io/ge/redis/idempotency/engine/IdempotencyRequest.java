/*
 * Copyright 2026 the GE Redis authors
 * SPDX-License-Identifier: Apache-2.0
 */

package io.ge.redis.idempotency.engine;

import java.util.List;

import io.ge.redis.idempotency.IdempotencySettings;
import org.jspecify.annotations.Nullable;

/**
 * A call with a key.
 *
 * @param settings the operation
 * @param caller whose key it is, or {@code null} for an anonymous caller or a key that
 * all share
 * @param key the key, one or more parts
 * @param fingerprint what must be equal in a repetition
 */
public record IdempotencyRequest(IdempotencySettings settings, @Nullable Caller caller, List<String> key, byte[] fingerprint) {

	@Override
	public String toString() {
		return "call of '" + this.settings.name() + "'";
	}

}
