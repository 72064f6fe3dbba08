// SPDX-License-Identifier: Apache-2.0

package io.ge.redis.web.limit;

import java.util.Base64;
import java.util.List;
import java.util.function.Supplier;

import io.ge.redis.GuardConfigurationException;
import io.ge.redis.PrincipalProvider;
import io.ge.redis.core.call.PendingCaller;
import io.ge.redis.core.hash.Sha256;
import io.ge.redis.core.invocation.RequestKeySource;
import io.ge.redis.core.invocation.VariableExpression;
import org.jspecify.annotations.Nullable;

/**
 * The forms in which a rule names whom or what it limits.
 */
final class RequestKeys {

	static final String PRINCIPAL = "principal";

	static final String CLIENT_ADDRESS = "client-address";

	private static final String HEADER = "header:";

	private static final String FORWARDED_FOR = "X-Forwarded-For";

	private final int trustedHops;

	private final Supplier<List<PrincipalProvider>> principals;

	/**
	 * Creates an instance.
	 * @param trustedHops how many proxies are in front of the application, as
	 * {@link ClientAddress} counts them
	 */
	RequestKeys(int trustedHops, Supplier<List<PrincipalProvider>> principals) {
		this.trustedHops = trustedHops;
		this.principals = principals;
	}

	/**
	 * Reads a form; {@code null} if all requests are limited together.
	 */
	RequestKey parse(@Nullable String text, String property) {
		if (text == null) {
			return (request) -> null;
		}
		if (text.equals(CLIENT_ADDRESS)) {
			return this::clientAddress;
		}
		if (text.equals(PRINCIPAL)) {
			return this::principal;
		}
		if (text.startsWith(HEADER)) {
			String name = requireName(text, property);
			return (request) -> hashed(request.header(name));
		}
		if (!text.contains("#")) {
			throw new GuardConfigurationException(property, "\"" + text + "\" names no key.",
					"Write client-address, principal, header:NAME or a SpEL expression over #request.");
		}
		VariableExpression expression = VariableExpression.parse(property, "request", text);
		return (request) -> expression.evaluate(request.exposed());
	}

	private static String requireName(String text, String property) {
		String name = text.substring(HEADER.length());
		if (!RequestKeySource.NAMES.matcher(text).matches()) {
			throw new GuardConfigurationException(property, "\"" + name + "\" is no name of a header.",
					"Write a name after header:, such as header:X-Api-Key.");
		}
		return name;
	}

	private @Nullable String clientAddress(LimitedRequest request) {
		List<String> forwarded = (this.trustedHops > 0) ? request.headers().apply(FORWARDED_FOR) : List.of();
		return ClientAddress.of(request.address().get(), forwarded, this.trustedHops);
	}

	private @Nullable String principal(LimitedRequest request) {
		for (PrincipalProvider provider : this.principals.get()) {
			String name = PendingCaller.ask(provider::currentPrincipal);
			if (name != null) {
				return name;
			}
		}
		return request.user().get();
	}

	// Headers carry credentials, which must be readable neither in Redis nor in reports
	private static @Nullable String hashed(@Nullable String value) {
		if (value == null || value.isBlank()) {
			return null;
		}
		byte[] hash = Sha256.of(value);
		return Base64.getUrlEncoder().withoutPadding().encodeToString(hash);
	}

	@FunctionalInterface
	interface RequestKey {

		@Nullable Object of(LimitedRequest request);

	}

}
