/*
 * Copyright 2026 the GE Redis authors
 * SPDX-License-Identifier: Apache-2.0
 */

package io.ge.redis.web;

import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.Base64;
import java.util.Collections;
import java.util.Enumeration;
import java.util.List;
import java.util.function.Supplier;

import io.ge.redis.core.invocation.GuardConfigurationException;
import io.ge.redis.core.invocation.PrincipalProvider;
import io.ge.redis.core.invocation.VariableExpression;
import jakarta.servlet.ServletRequest;
import jakarta.servlet.ServletRequestWrapper;
import jakarta.servlet.http.HttpServletRequest;
import org.jspecify.annotations.Nullable;

/**
 * The forms in which a rule says whom or what it limits.
 */
final class RequestKeys {

	static final String PRINCIPAL = "principal";

	private static final String CLIENT_ADDRESS = "client-address";

	private static final String HEADER = "header:";

	private static final String HEADER_CHARACTERS = "!#$%&'*+-.^_`|~";

	private final ClientAddress addresses;

	private final Supplier<List<PrincipalProvider>> principals;

	RequestKeys(ClientAddress addresses, Supplier<List<PrincipalProvider>> principals) {
		this.addresses = addresses;
		this.principals = principals;
	}

	/**
	 * Reads a form.
	 * @param text the text, or {@code null} if all requests are limited together
	 * @param property where it stands
	 * @return what finds the key of a request
	 * @throws GuardConfigurationException if it is none of the forms
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
			String name = requireName(text.substring(HEADER.length()), property);
			return (request) -> hashed(request.getHeader(name));
		}
		if (!text.contains("#")) {
			throw new GuardConfigurationException(property, "\"" + text + "\" names no key.",
					"Write client-address, principal, header:NAME or a SpEL expression over #request, "
							+ "such as #request.serverName.");
		}
		return VariableExpression.parse(property, "request", text)::evaluate;
	}

	private static String requireName(String name, String property) {
		if (name.isEmpty() || !name.chars().allMatch(RequestKeys::isNameCharacter)) {
			throw new GuardConfigurationException(property, "\"" + name + "\" is no name of a header.",
					"Write a name after header:, such as header:X-Api-Key.");
		}
		return name;
	}

	private static boolean isNameCharacter(int c) {
		return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9')
				|| HEADER_CHARACTERS.indexOf(c) >= 0;
	}

	// As the container saw it: filters that believe any proxy have wrapped the request
	private @Nullable String clientAddress(HttpServletRequest request) {
		ServletRequest original = request;
		while (original instanceof ServletRequestWrapper wrapper) {
			original = wrapper.getRequest();
		}
		Enumeration<String> forwarded = ((HttpServletRequest) original).getHeaders(this.addresses.field());
		return this.addresses.find(original.getRemoteAddr(),
				(forwarded != null) ? Collections.list(forwarded) : List.of());
	}

	private @Nullable String principal(HttpServletRequest request) {
		for (PrincipalProvider provider : this.principals.get()) {
			String name = provider.currentPrincipal();
			if (name != null) {
				return name;
			}
		}
		return (request.getUserPrincipal() != null) ? request.getUserPrincipal().getName() : null;
	}

	// Headers carry credentials, which must be readable neither in Redis nor in reports
	private static @Nullable String hashed(@Nullable String value) {
		if (value == null || value.isBlank()) {
			return null;
		}
		try {
			byte[] hash = MessageDigest.getInstance("SHA-256").digest(value.getBytes(StandardCharsets.UTF_8));
			return Base64.getUrlEncoder().withoutPadding().encodeToString(hash);
		}
		catch (NoSuchAlgorithmException ex) {
			throw new IllegalStateException("Every Java platform has SHA-256", ex);
		}
	}

	/**
	 * Finds whom or what a request is limited by.
	 */
	@FunctionalInterface
	interface RequestKey {

		@Nullable Object of(HttpServletRequest request);

	}

}
