// SPDX-License-Identifier: Apache-2.0

package io.ge.redis.web.limit;

import java.net.Inet4Address;
import java.net.InetAddress;
import java.net.UnknownHostException;
import java.util.Arrays;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

import org.jspecify.annotations.Nullable;

/**
 * The client of a request as limits count it: an IPv4 address, or the /64 network of an
 * IPv6 address, from which a single client may choose. No name is ever looked up.
 */
final class ClientAddress {

	// A leading zero means octal to some readers
	private static final String BYTE = "(?:25[0-5]|2[0-4]\\d|1\\d\\d|[1-9]?\\d)";

	private static final String IPV4 = BYTE + "(?:\\." + BYTE + "){3}";

	private static final String IPV6 = "(?:[0-9a-fA-F]{0,4}:){2,8}(?:[0-9a-fA-F]{0,4}|" + IPV4 + ")";

	// The JDK resolves as a host name what is neither digits and dots nor has a colon
	private static final Pattern LITERAL = Pattern.compile(IPV4 + "|" + IPV6);

	private static final Pattern WITH_PORT = Pattern
		.compile("\\[(?<bracketed>[^\\]]*:[^\\]]*)](?::\\d{1,5})?|(?<ipv4>[^:]*):\\d{1,5}");

	private static final int NETWORK_GROUPS = 4;

	private ClientAddress() {
	}

	/**
	 * Finds the client of a request.
	 * @param remote the address of the request, as the container knows it
	 * @param forwarded the lines of {@code X-Forwarded-For}, to which each proxy appends
	 * the address that called it
	 * @param hops how many proxies are in front of the application; zero for the address
	 * of the request
	 * @return the client, or {@code null} if the request has no address. If the lines
	 * have fewer entries than hops, or no address in the place of the client, it is the
	 * address of the request
	 */
	static @Nullable String of(@Nullable String remote, List<String> forwarded, int hops) {
		InetAddress client = (hops > 0) ? forwarded(forwarded, hops) : null;
		if (client == null && remote != null) {
			client = parse(remote);
		}
		return (client != null) ? text(client) : null;
	}

	private static @Nullable InetAddress forwarded(List<String> lines, int hops) {
		String list = String.join(",", lines);
		int end = list.length();
		for (int hop = 1; hop < hops && end >= 0; hop++) {
			end = list.lastIndexOf(',', end - 1);
		}
		return (end > 0) ? parseForwarded(list.substring(list.lastIndexOf(',', end - 1) + 1, end).trim()) : null;
	}

	private static @Nullable InetAddress parseForwarded(String text) {
		Matcher parts = WITH_PORT.matcher(text);
		if (!parts.matches()) {
			return parse(text);
		}
		return parse((parts.group("ipv4") != null) ? parts.group("ipv4") : parts.group("bracketed"));
	}

	private static @Nullable InetAddress parse(String text) {
		int zone = text.indexOf('%');
		String literal = (zone >= 0) ? text.substring(0, zone) : text;
		try {
			return LITERAL.matcher(literal).matches() ? InetAddress.getByName(literal) : null;
		}
		catch (UnknownHostException ex) {
			return null;
		}
	}

	private static String text(InetAddress client) {
		String address = client.getHostAddress();
		if (client instanceof Inet4Address) {
			return address;
		}
		String[] groups = address.split(":");
		int count = NETWORK_GROUPS;
		while (count > 0 && groups[count - 1].equals("0")) {
			count--;
		}
		return String.join(":", Arrays.copyOf(groups, count)) + "::/64";
	}

}
