// SPDX-License-Identifier: Apache-2.0

package io.ge.redis.security;

import java.util.List;
import java.util.function.Supplier;

import io.ge.redis.blacklist.CurrentToken;
import io.ge.redis.blacklist.TokenIdentity;
import io.ge.redis.blacklist.TokenReader;
import org.jspecify.annotations.Nullable;

import org.springframework.security.authentication.AnonymousAuthenticationToken;
import org.springframework.security.core.Authentication;
import org.springframework.security.core.context.SecurityContextHolder;
import org.springframework.util.function.SingletonSupplier;

/**
 * The token of the caller in Spring Security's context: a JWT, or what another
 * {@link TokenReader} knows.
 */
public class CurrentJwt implements CurrentToken {

	private static final TokenIdentity OTHER_CREDENTIALS = new TokenIdentity(null, null, null, null, null, null);

	private final Supplier<List<TokenReader>> readers;

	public CurrentJwt() {
		this(() -> List.of(new JwtTokens()));
	}

	/**
	 * Creates an instance. The first reader that knows an authentication wins; they are
	 * asked for once.
	 */
	public CurrentJwt(Supplier<List<TokenReader>> readers) {
		this.readers = SingletonSupplier.of(readers);
	}

	@Override
	public @Nullable TokenIdentity currentToken() {
		Authentication authentication = SecurityContextHolder.getContext().getAuthentication();
		if (authentication == null) {
			return null;
		}
		for (TokenReader reader : this.readers.get()) {
			TokenIdentity identity = reader.read(authentication);
			if (identity != null) {
				return identity;
			}
		}
		boolean stranger = !authentication.isAuthenticated() || authentication instanceof AnonymousAuthenticationToken;
		return stranger ? null : OTHER_CREDENTIALS;
	}

}
