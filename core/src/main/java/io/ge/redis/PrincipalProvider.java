// SPDX-License-Identifier: Apache-2.0

package io.ge.redis;

import java.security.Principal;
import java.util.Objects;

import org.jspecify.annotations.Nullable;

/**
 * Names who makes the current call, so that guards can keep users apart without knowing
 * how they are authenticated.
 */
@FunctionalInterface
public interface PrincipalProvider {

	/**
	 * Returns the current principal.
	 * @return its name, blank for a caller who is authenticated and has no name, or
	 * {@code null} for an anonymous caller. Guards never treat callers without a name as
	 * the same principal.
	 */
	@Nullable String currentPrincipal();

	/**
	 * Returns the issuer that has named the current principal. The same name from another
	 * issuer is another principal. Only the provider that has named the principal is
	 * asked.
	 * @return the issuer of its token, or {@code null} if names are unique without one
	 */
	default @Nullable String currentIssuer() {
		return null;
	}

	/**
	 * Returns the name of a principal as {@link #currentPrincipal()} returns it.
	 * @param principal the principal, or {@code null} for an anonymous caller
	 * @return its name, or {@code null} for an anonymous caller
	 */
	static @Nullable String nameOf(@Nullable Principal principal) {
		return (principal != null) ? Objects.toString(principal.getName(), "") : null;
	}

}
