// SPDX-License-Identifier: Apache-2.0

package io.ge.redis.web.limit;

import java.util.Arrays;
import java.util.List;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Tests for {@link ClientAddress}.
 */
class ClientAddressTests {

	// @formatter:off
	@ParameterizedTest(name = "{0}: {1} with {2} hops and {3}")
	@CsvSource(delimiter = '|', nullValues = "-", value = {
			// No proxy
			"203.0.113.9        | 203.0.113.9  | 0 | -",
			"203.0.113.9        | 203.0.113.9  | 0 | 6.6.6.6",
			// Proxies, and what clients write before their entries
			"203.0.113.9        | 10.0.0.1     | 1 | 203.0.113.9",
			"203.0.113.9        | 10.0.0.1     | 1 | 6.6.6.6, 203.0.113.9",
			"203.0.113.9        | 10.0.0.1     | 1 | 127.0.0.1, unknown, 203.0.113.9",
			"203.0.113.9        | 10.0.0.1     | 1 | 6.6.6.6 ,\t203.0.113.9 ",
			"203.0.113.9        | 10.0.0.1     | 2 | 6.6.6.6, 203.0.113.9, 10.0.0.3",
			"203.0.113.9        | 10.0.0.1     | 3 | 6.6.6.6,203.0.113.9,10.0.0.3,192.0.2.7",
			// Several lines
			"203.0.113.9        | 10.0.0.1     | 2 | 6.6.6.6, 203.0.113.9 / 10.0.0.3",
			"203.0.113.9        | 10.0.0.1     | 1 | 6.6.6.6 / 203.0.113.9",
			// Fewer entries than hops
			"10.0.0.1           | 10.0.0.1     | 1 | -",
			"10.0.0.1           | 10.0.0.1     | 2 | 6.6.6.6",
			"10.0.0.1           | 10.0.0.1     | 9 | 6.6.6.6, 203.0.113.9",
			// What is no address
			"10.0.0.1           | 10.0.0.1     | 1 | 203.0.113.9, unknown",
			"10.0.0.1           | 10.0.0.1     | 1 | 203.0.113.9, _hidden",
			"10.0.0.1           | 10.0.0.1     | 1 | localhost",
			"10.0.0.1           | 10.0.0.1     | 1 | 203.0.113.9,",
			"10.0.0.1           | 10.0.0.1     | 2 | ,203.0.113.9",
			"10.0.0.1           | 10.0.0.1     | 1 | ''",
			"10.0.0.1           | 10.0.0.1     | 1 | 203.0.113.999",
			"10.0.0.1           | 10.0.0.1     | 1 | 203.0.113.09",
			"10.0.0.1           | 10.0.0.1     | 1 | 3405803785",
			"10.0.0.1           | 10.0.0.1     | 1 | 203.0.113",
			"10.0.0.1           | 10.0.0.1     | 1 | 0xcb.0.0x71.9",
			"10.0.0.1           | 10.0.0.1     | 1 | 203.0.113.9:http",
			"10.0.0.1           | 10.0.0.1     | 1 | [203.0.113.9]",
			"10.0.0.1           | 10.0.0.1     | 1 | 203.0.113.\u0669",
			// Ports
			"203.0.113.9        | 10.0.0.1     | 1 | 203.0.113.9:51234",
			"2001:db8:1:2::/64  | 10.0.0.1     | 1 | [2001:db8:1:2::3]:51234",
			"2001:db8:1:2::/64  | 10.0.0.1     | 1 | [2001:db8:1:2::3]",
			// Both families, mapped and not
			"203.0.113.9        | 10.0.0.1     | 1 | ::FFFF:cb00:7109",
			"2001:db8:1:2::/64  | 10.0.0.1     | 1 | 2001:DB8:1:2:ffff:ffff:ffff:ffff",
			"2001:db8:1:2::/64  | 10.0.0.1     | 1 | 2001:0db8:0001:0002::",
			"2001:db8::/64      | 10.0.0.1     | 1 | 2001:db8::1",
			"fe80::/64          | fe80:0:0:0:1:2:3:4%eth0 | 0 | -",
			"::/64              | 10.0.0.1     | 1 | ::2",
			"64:0:0:1::/64      | 10.0.0.1     | 1 | 64:0:0:1::192.0.2.1",
			// Literals that look like IPv6
			"10.0.0.1           | 10.0.0.1     | 1 | 1::2::3",
			"10.0.0.1           | 10.0.0.1     | 1 | :::",
			"10.0.0.1           | 10.0.0.1     | 1 | 1:2:3:4:5:6:7",
			"10.0.0.1           | 10.0.0.1     | 1 | 1:2:3:4:5:6:7:8:9",
			"10.0.0.1           | 10.0.0.1     | 1 | 1:2:3:4:5:6:7:1.2.3.4",
			"10.0.0.1           | 10.0.0.1     | 1 | 12345::",
			"10.0.0.1           | 10.0.0.1     | 1 | g::1",
			"10.0.0.1           | 10.0.0.1     | 1 | [::2",
			// No address at all
			"203.0.113.9        | -            | 1 | 203.0.113.9",
			"-                  | ''           | 0 | 203.0.113.9",
			"-                  | localhost    | 0 | -" })
	// @formatter:on
	void isTheEntryBeforeThoseOfTheProxies(String client, String remote, int hops, String forwarded) {
		List<String> lines = (forwarded != null) ? Arrays.asList(forwarded.split(" / ")) : List.of();
		assertThat(ClientAddress.of(remote, lines, hops)).isEqualTo(client);
	}

	@Test
	void longListIsReadNoFurtherThanTheHops() {
		String line = "x,".repeat(100_000) + "203.0.113.9, 10.0.0.2";
		assertThat(ClientAddress.of("10.0.0.1", List.of(line), 2)).isEqualTo("203.0.113.9");
	}

}
