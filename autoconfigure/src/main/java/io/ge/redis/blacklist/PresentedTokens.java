/*
 * Copyright 2026 the GE Redis authors
 * SPDX-License-Identifier: Apache-2.0
 */

package io.ge.redis.blacklist;

import java.util.List;
import java.util.function.BooleanSupplier;
import java.util.function.Supplier;

import io.ge.redis.core.invocation.GuardConfigurationException;
import io.ge.redis.core.invocation.KeyText;
import org.jspecify.annotations.Nullable;

/**
 * Finds out which token a call presents.
 *
 * @param currentKnown whether anything knows the token of the current caller; asked while
 * beans are being made, so without making any
 * @param current knows the token of the current caller
 * @param readers know token objects
 */
record PresentedTokens(BooleanSupplier currentKnown, Supplier<CurrentToken> current,
		Supplier<List<TokenReader>> readers) {

	boolean knowsCurrent() {
		return this.currentKnown.getAsBoolean();
	}

	@Nullable TokenIdentity ofCaller() {
		return this.current.get().currentToken();
	}

	TokenIdentity of(@Nullable Object value, Object what) {
		if (value instanceof TokenIdentity identity) {
			return identity;
		}
		if (value == null || value instanceof CharSequence) {
			return TokenIdentity.ofId(KeyText.of(value, what).get(0));
		}
		for (TokenReader reader : this.readers.get()) {
			TokenIdentity identity = reader.read(value);
			if (identity != null) {
				return identity;
			}
		}
		throw new GuardConfigurationException(String.valueOf(what),
				"evaluated to a " + value.getClass().getName() + ", in which nothing can read a token.",
				"Give the id of the token as text, a TokenIdentity, or define a TokenReader bean.");
	}

}
