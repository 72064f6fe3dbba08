/*
 * Copyright 2026 the GE Redis authors
 * SPDX-License-Identifier: Apache-2.0
 */

package io.ge.redis.cache;

import java.util.Arrays;
import java.util.List;

import org.jspecify.annotations.Nullable;

import org.springframework.cache.interceptor.SimpleKey;
import org.springframework.cache.interceptor.SimpleKeyGenerator;

/**
 * Turns the keys of Spring's caches into ours.
 */
final class SpringKeys {

	/** The key of a method without parameters. */
	static final List<String> NO_PARAMETERS = List.of(SimpleKey.EMPTY.toString());

	private SpringKeys() {
	}

	/**
	 * Names an entry.
	 * @param args the arguments of the call for which the key may have been generated, or
	 * {@code null} if there is none
	 * @throws io.ge.redis.core.invocation.InvalidKeyException if the key names nothing
	 * @throws IllegalArgumentException if the key is made of several values that it does
	 * not give away
	 */
	static CacheKey of(String cache, @Nullable Object key, @Nullable Object @Nullable [] args) {
		String what = "The key of cache '" + cache + "'";
		if (!(key instanceof SimpleKey)) {
			return CacheKey.of(cache, key, what);
		}
		if (key.equals(SimpleKey.EMPTY)) {
			return new CacheKey(cache, NO_PARAMETERS);
		}
		if (args != null && key.equals(SimpleKeyGenerator.generateKey(args))
				&& Arrays.stream(args).noneMatch(SimpleKey.class::isInstance)) {
			return CacheKey.of(cache, (args.length == 1) ? args[0] : Arrays.asList(args), what);
		}
		// Its text is the same for ("a, b") and ("a", "b")
		throw new IllegalArgumentException(what + " is a SimpleKey, which does not tell its parts: " + key
				+ ". Use List.of(...) of them, in an expression {#one, #other}");
	}

}
