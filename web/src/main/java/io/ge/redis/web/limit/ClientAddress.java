/*
 * Copyright 2026 the GE Redis authors
 * SPDX-License-Identifier: Apache-2.0
 */

package io.ge.redis.web.limit;

import java.util.ArrayList;
import java.util.Collections;
import java.util.List;

import io.ge.redis.ratelimit.RateLimitProperties.ForwardedField;
import org.jspecify.annotations.Nullable;

/**
 * Finds the address of a client behind trusted proxies.
 * <p>
 * Each proxy appends the address it was called from to {@code X-Forwarded-For} or {@code
 * Forwarded}. The list is read from its end for as long as the addresses are trusted; the
 * first that is not is the client. What does not parse ends the search. No name is ever
 * looked up.
 * <p>
 * Only the field that the proxies are known to write is read: the other may be what the
 * client wrote.
 */
final class ClientAddress {

	private static final String PROPERTY = "ge.redis.rate-limit.trusted-proxies";

	private final List<IpNetwork> trusted;

	private final ForwardedField field;

	private ClientAddress(List<IpNetwork> trusted, ForwardedField field) {
		this.trusted = trusted;
		this.field = field;
	}

	static ClientAddress behind(List<String> trustedProxies, ForwardedField field) {
		List<IpNetwork> trusted = new ArrayList<>(trustedProxies.size());
		for (int i = 0; i < trustedProxies.size(); i++) {
			trusted.add(IpNetwork.parse(trustedProxies.get(i).trim(), PROPERTY + "[" + i + "]"));
		}
		return new ClientAddress(trusted, field);
	}

	String field() {
		return (this.field == ForwardedField.FORWARDED) ? "Forwarded" : "X-Forwarded-For";
	}

	/**
	 * Returns the client as limits count it, {@code null} if the connection has no
	 * address.
	 */
	@Nullable String find(@Nullable String remote, List<String> forwarded) {
		IpAddress client = (remote != null) ? IpAddress.parse(remote) : null;
		if (client == null) {
			return null;
		}
		List<String> lines = new ArrayList<>(forwarded);
		Collections.reverse(lines);
		for (String line : lines) {
			int end = line.length();
			while (end >= 0) {
				if (!isTrusted(client)) {
					return client.client();
				}
				int comma = commaBefore(line, end);
				String node = node(line.substring(comma + 1, end));
				IpAddress next = (node != null) ? IpAddress.parseForwarded(node) : null;
				if (next == null) {
					return client.client();
				}
				client = next;
				end = comma;
			}
		}
		return client.client();
	}

	private int commaBefore(String line, int end) {
		return (this.field == ForwardedField.FORWARDED) ? Forwarded.commaBefore(line, end)
				: line.lastIndexOf(',', end - 1);
	}

	private @Nullable String node(String element) {
		return (this.field == ForwardedField.FORWARDED) ? Forwarded.node(element) : element.trim();
	}

	private boolean isTrusted(IpAddress address) {
		for (IpNetwork network : this.trusted) {
			if (network.contains(address)) {
				return true;
			}
		}
		return false;
	}

}
