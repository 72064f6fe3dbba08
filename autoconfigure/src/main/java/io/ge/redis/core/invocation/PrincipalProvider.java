/*
 * Copyright 2026 the GE Redis authors
 * SPDX-License-Identifier: Apache-2.0
 */

package io.ge.redis.core.invocation;

import org.jspecify.annotations.Nullable;

/**
 * Names who makes the current call, so that guards can keep users apart without knowing
 * how they are authenticated.
 */
@FunctionalInterface
public interface PrincipalProvider {

	/**
	 * Returns the current principal.
	 * @return its name, or {@code null} for an anonymous caller
	 */
	@Nullable String currentPrincipal();

}
