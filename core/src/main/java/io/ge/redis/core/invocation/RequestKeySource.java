// SPDX-License-Identifier: Apache-2.0

package io.ge.redis.core.invocation;

import java.util.function.Supplier;
import java.util.regex.Pattern;

import io.ge.redis.GuardConfigurationException;
import org.jspecify.annotations.Nullable;

/**
 * Gives web handlers the keys that rules for paths have: {@code client-address},
 * {@code principal} and {@code header:NAME}.
 */
@FunctionalInterface
public interface RequestKeySource {

	Pattern NAMES = Pattern.compile("client-address|principal|header:[a-zA-Z0-9!#$%&'*+.^_`|~-]+");

	/**
	 * Returns what reads a key from the request that is being handled.
	 * @return gives the key, {@code null} if the request has none
	 * @throws GuardConfigurationException if the method is no web handler
	 */
	Supplier<@Nullable Object> bind(GuardedMethod method, String attribute, String name);

}
