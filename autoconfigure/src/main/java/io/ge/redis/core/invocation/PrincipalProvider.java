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

	/**
	 * Returns who has named the current principal, where the same name from somebody else
	 * is another principal. Asked of the provider that has named it.
	 * @return the issuer of its token, or {@code null} if names stand for themselves
	 */
	default @Nullable String currentIssuer() {
		return null;
	}

}
