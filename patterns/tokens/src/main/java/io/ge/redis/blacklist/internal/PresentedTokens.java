// SPDX-License-Identifier: Apache-2.0

package io.ge.redis.blacklist.internal;

import java.util.List;
import java.util.function.Predicate;
import java.util.function.Supplier;

import io.ge.redis.GuardConfigurationException;
import io.ge.redis.blacklist.CurrentToken;
import io.ge.redis.blacklist.TokenIdentity;
import io.ge.redis.blacklist.TokenReader;
import io.ge.redis.core.call.PendingCaller;
import io.ge.redis.core.call.ResultForm;
import io.ge.redis.core.invocation.KeyText;
import org.jspecify.annotations.Nullable;

/**
 * Finds out which token a call presents.
 *
 * @param currentKnown whether the token of a method's caller can be found, by the form of
 * its result; called while beans are being created
 */
record PresentedTokens(Predicate<ResultForm> currentKnown, Supplier<CurrentToken> current,
		Supplier<List<TokenReader>> readers) {

	boolean knowsCurrent(ResultForm form) {
		return this.currentKnown.test(form);
	}

	@Nullable TokenIdentity ofCaller() {
		return PendingCaller.ask(() -> this.current.get().currentToken());
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
