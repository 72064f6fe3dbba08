/*
 * Copyright 2026 the GE Redis authors
 * SPDX-License-Identifier: Apache-2.0
 */

package io.ge.redis.web.limit;

import io.ge.redis.core.invocation.GuardConfigurationException;

/**
 * The addresses that begin with the same bits.
 */
record IpNetwork(IpAddress address, int length) {

	private static final int MAPPED_BITS = 96;

	static IpNetwork parse(String text, String property) {
		int slash = text.indexOf('/');
		IpAddress address = IpAddress.parse((slash < 0) ? text : text.substring(0, slash));
		int length = (address == null) ? -1 : (slash < 0) ? address.bits() : length(text, slash + 1, address);
		if (address == null || length < 0) {
			throw new GuardConfigurationException(property, "\"" + text + "\" is neither an IP address nor a network.",
					"Write an address or a network in digits, such as 10.0.0.0/8 or 2001:db8::/32; "
							+ "names are not looked up.");
		}
		IpAddress first = address.prefix(length);
		if (!first.equals(address)) {
			throw new GuardConfigurationException(property,
					"\"" + text + "\" names an address within the network " + first + "/" + length + ".",
					"Write " + first + "/" + length + " for the network, or " + address + " for the address.");
		}
		return new IpNetwork(address, length);
	}

	private static int length(String text, int start, IpAddress address) {
		String digits = text.substring(start);
		if (digits.isEmpty() || digits.length() > 3 || !digits.chars().allMatch((c) -> c >= '0' && c <= '9')) {
			return -1;
		}
		boolean mapped = address.isIpv4() && text.indexOf(':') >= 0;
		int length = Integer.parseInt(digits) - (mapped ? MAPPED_BITS : 0);
		return (length <= address.bits()) ? length : -1;
	}

	boolean contains(IpAddress other) {
		return other.prefix(this.length).equals(this.address);
	}

}
