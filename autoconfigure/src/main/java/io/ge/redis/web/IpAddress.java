/*
 * Copyright 2026 the GE Redis authors
 * SPDX-License-Identifier: Apache-2.0
 */

package io.ge.redis.web;

import java.util.Arrays;

import org.jspecify.annotations.Nullable;

/**
 * An IP address, read from its literal and never looked up by a name. An IPv4 address
 * that is mapped into IPv6 is the IPv4 address.
 */
final class IpAddress {

	private static final int IPV4_BYTES = 4;

	private static final int IPV6_GROUPS = 8;

	private static final int NETWORK_GROUPS = 4;

	private static final int GROUPS_BEFORE_IPV4 = IPV6_GROUPS - IPV4_BYTES / 2;

	private final byte[] bytes;

	private IpAddress(byte[] bytes) {
		this.bytes = bytes;
	}

	/**
	 * Reads a literal, with or without a zone, which is dropped.
	 * @param text the literal
	 * @return the address, or {@code null} if the text is none
	 */
	static @Nullable IpAddress parse(String text) {
		if (text.indexOf(':') < 0) {
			byte[] bytes = ipv4(text);
			return (bytes != null) ? new IpAddress(bytes) : null;
		}
		int zone = text.indexOf('%');
		byte[] bytes = ipv6((zone >= 0) ? text.substring(0, zone) : text);
		return (bytes != null) ? new IpAddress(unmapped(bytes)) : null;
	}

	/**
	 * Reads a literal as proxies write it: perhaps with a port, and IPv6 perhaps in
	 * brackets.
	 * @param text the literal
	 * @return the address, or {@code null} if the text is none
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
		return text.isEmpty() || (text.charAt(0) == ':' && number(text.substring(1), 10, 5) >= 0);
	}

	private static byte @Nullable [] ipv4(String text) {
		String[] parts = text.split("\\.", -1);
		if (parts.length != IPV4_BYTES) {
			return null;
		}
		byte[] bytes = new byte[IPV4_BYTES];
		for (int i = 0; i < IPV4_BYTES; i++) {
			int part = number(parts[i], 10, 3);
			// A leading zero means octal to some readers
			if (part < 0 || part > 255 || (parts[i].length() > 1 && parts[i].charAt(0) == '0')) {
				return null;
			}
			bytes[i] = (byte) part;
		}
		return bytes;
	}

	private static byte @Nullable [] ipv6(String text) {
		int gap = text.indexOf("::");
		if (gap < 0) {
			byte[] all = groups(text);
			return (all != null && all.length == IPV6_GROUPS * 2) ? all : null;
		}
		byte[] head = groups(text.substring(0, gap));
		byte[] tail = groups(text.substring(gap + 2));
		if (head == null || tail == null || head.length + tail.length > (IPV6_GROUPS - 1) * 2
				|| text.substring(0, gap).indexOf('.') >= 0) {
			return null;
		}
		byte[] bytes = Arrays.copyOf(head, IPV6_GROUPS * 2);
		System.arraycopy(tail, 0, bytes, bytes.length - tail.length, tail.length);
		return bytes;
	}

	// The last group may be an IPv4 address
	private static byte @Nullable [] groups(String text) {
		if (text.isEmpty()) {
			return new byte[0];
		}
		String[] groups = text.split(":", -1);
		if (groups.length > IPV6_GROUPS) {
			return null;
		}
		byte[] bytes = new byte[(groups.length + 1) * 2];
		int length = 0;
		for (int i = 0; i < groups.length; i++) {
			if (i == groups.length - 1 && groups[i].indexOf('.') >= 0) {
				byte[] last = ipv4(groups[i]);
				if (last == null || i > GROUPS_BEFORE_IPV4) {
					return null;
				}
				System.arraycopy(last, 0, bytes, length, IPV4_BYTES);
				length += IPV4_BYTES;
				continue;
			}
			int group = number(groups[i], 16, 4);
			if (group < 0) {
				return null;
			}
			bytes[length++] = (byte) (group >> 8);
			bytes[length++] = (byte) group;
		}
		return Arrays.copyOf(bytes, length);
	}

	private static int number(String digits, int radix, int longest) {
		if (digits.isEmpty() || digits.length() > longest) {
			return -1;
		}
		int number = 0;
		for (int i = 0; i < digits.length(); i++) {
			int digit = (digits.charAt(i) < 128) ? Character.digit(digits.charAt(i), radix) : -1;
			if (digit < 0) {
				return -1;
			}
			number = number * radix + digit;
		}
		return number;
	}

	private static byte[] unmapped(byte[] bytes) {
		for (int i = 0; i < 12; i++) {
			if (bytes[i] != ((i < 10) ? 0 : (byte) 0xFF)) {
				return bytes;
			}
		}
		return Arrays.copyOfRange(bytes, 12, 16);
	}

	int bits() {
		return this.bytes.length * Byte.SIZE;
	}

	boolean isIpv4() {
		return this.bytes.length == IPV4_BYTES;
	}

	/**
	 * Returns whether both begin with the same bits and are of the same family.
	 */
	boolean sharesPrefix(IpAddress other, int length) {
		if (other.bytes.length != this.bytes.length) {
			return false;
		}
		for (int i = 0; i < length; i++) {
			if (bit(i) != other.bit(i)) {
				return false;
			}
		}
		return true;
	}

	/**
	 * Returns this address with nothing but its first bits.
	 */
	IpAddress prefix(int length) {
		byte[] kept = new byte[this.bytes.length];
		for (int i = 0; i < length; i++) {
			kept[i / Byte.SIZE] |= (byte) (bit(i) << (Byte.SIZE - 1 - i % Byte.SIZE));
		}
		return new IpAddress(kept);
	}

	private int bit(int index) {
		return (this.bytes[index / Byte.SIZE] >> (Byte.SIZE - 1 - index % Byte.SIZE)) & 1;
	}

	/**
	 * Returns what a limit counts: an IPv4 address, or the /64 network of an IPv6
	 * address, since that is what a single client is given and may choose from.
	 */
	String client() {
		return isIpv4() ? toString() : network() + "/64";
	}

	private String network() {
		int groups = NETWORK_GROUPS;
		while (groups > 0 && group(groups - 1) == 0) {
			groups--;
		}
		StringBuilder text = new StringBuilder();
		for (int i = 0; i < groups; i++) {
			text.append(Integer.toHexString(group(i))).append(':');
		}
		return text.append((groups == 0) ? "::" : ":").toString();
	}

	private int group(int index) {
		return (this.bytes[2 * index] & 0xFF) << 8 | (this.bytes[2 * index + 1] & 0xFF);
	}

	@Override
	public boolean equals(@Nullable Object other) {
		return other instanceof IpAddress address && Arrays.equals(this.bytes, address.bytes);
	}

	@Override
	public int hashCode() {
		return Arrays.hashCode(this.bytes);
	}

	@Override
	public String toString() {
		StringBuilder text = new StringBuilder();
		if (isIpv4()) {
			for (int i = 0; i < IPV4_BYTES; i++) {
				text.append((i == 0) ? "" : ".").append(this.bytes[i] & 0xFF);
			}
			return text.toString();
		}
		for (int i = 0; i < IPV6_GROUPS; i++) {
			text.append((i == 0) ? "" : ":").append(Integer.toHexString(group(i)));
		}
		return text.toString();
	}

}
