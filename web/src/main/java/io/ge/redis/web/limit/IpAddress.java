/*
 * Copyright 2026 the GE Redis authors
 * SPDX-License-Identifier: Apache-2.0
 */

package io.ge.redis.web.limit;

import java.net.Inet4Address;
import java.net.InetAddress;
import java.net.UnknownHostException;
import java.util.Arrays;
import java.util.regex.Pattern;

import org.jspecify.annotations.Nullable;

/**
 * An IP address as a literal says it. No name is ever looked up. An IPv4 address that is
 * mapped into IPv6 is the IPv4 address.
 */
record IpAddress(InetAddress address) {

	// A leading zero means octal to some readers
	private static final String BYTE = "(?:25[0-5]|2[0-4]\\d|1\\d\\d|[1-9]?\\d)";

	private static final String IPV4 = BYTE + "(?:\\." + BYTE + "){3}";

	private static final String IPV6 = "(?:[0-9a-fA-F]{0,4}:){2,8}(?:[0-9a-fA-F]{0,4}|" + IPV4 + ")";

	// The JDK looks up whatever is neither digits and dots nor has a colon
	private static final Pattern LITERAL = Pattern.compile(IPV4 + "|" + IPV6 + "(?:%.*)?", Pattern.DOTALL);

	private static final Pattern PORT = Pattern.compile("(?::\\d{1,5})?");

	private static final int NETWORK_GROUPS = 4;

	/**
	 * Reads a literal without its zone, {@code null} if the text is none.
	 */
	static @Nullable IpAddress parse(String text) {
		if (!LITERAL.matcher(text).matches()) {
			return null;
		}
		int zone = text.indexOf('%');
		try {
			return new IpAddress(InetAddress.getByName((zone >= 0) ? text.substring(0, zone) : text));
		}
		catch (UnknownHostException ex) {
			return null;
		}
	}

	/**
	 * Reads a literal as proxies write it: perhaps with a port, and IPv6 perhaps in
	 * brackets.
	 */
	static @Nullable IpAddress parseForwarded(String text) {
		if (text.startsWith("[")) {
			int end = text.indexOf(']');
			return (end > 0 && text.indexOf(':') > 0 && isPort(text.substring(end + 1))) ? parse(text.substring(1, end))
					: null;
		}
		int colon = text.indexOf(':');
		if (colon >= 0 && colon == text.lastIndexOf(':')) {
			return isPort(text.substring(colon)) ? parse(text.substring(0, colon)) : null;
		}
		return parse(text);
	}

	private static boolean isPort(String text) {
		return PORT.matcher(text).matches();
	}

	int bits() {
		return this.address.getAddress().length * Byte.SIZE;
	}

	boolean isIpv4() {
		return this.address instanceof Inet4Address;
	}

	IpAddress prefix(int length) {
		byte[] bytes = this.address.getAddress();
		for (int i = 0; i < bytes.length; i++) {
			int kept = Math.max(0, Math.min(Byte.SIZE, length - i * Byte.SIZE));
			bytes[i] &= (byte) (0xFF00 >> kept);
		}
		try {
			return new IpAddress(InetAddress.getByAddress(bytes));
		}
		catch (UnknownHostException ex) {
			throw new IllegalStateException("An address has 4 or 16 bytes", ex);
		}
	}

	/**
	 * Returns an IPv4 address, or the /64 network of an IPv6 address, from which a single
	 * client may choose.
	 */
	String client() {
		if (isIpv4()) {
			return toString();
		}
		String[] groups = toString().split(":");
		int count = NETWORK_GROUPS;
		while (count > 0 && groups[count - 1].equals("0")) {
			count--;
		}
		return String.join(":", Arrays.copyOf(groups, count)) + "::/64";
	}

	@Override
	public String toString() {
		return this.address.getHostAddress();
	}

}
