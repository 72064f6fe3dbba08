/*
 * Copyright 2026 the GE Redis authors
 * SPDX-License-Identifier: Apache-2.0
 */

package io.ge.redis.web.limit;

import java.util.Arrays;
import java.util.List;

import io.ge.redis.core.invocation.GuardConfigurationException;
import io.ge.redis.ratelimit.RateLimitProperties.ForwardedField;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

/**
 * Tests for {@link ClientAddress} and the addresses below it.
 */
class ClientAddressTests {

	private final ClientAddress behindProxies = behind(
			List.of("10.0.0.0/8", "192.0.2.7", "2001:db8:ff::/48", "::1", "172.16.0.0/12"));

	// @formatter:off
	@ParameterizedTest(name = "{0} forwarded by {1} for {2}")
	@CsvSource(delimiter = '|', nullValues = "-", value = {
			// Nobody trusted speaks
			"203.0.113.9        | 203.0.113.9  | -",
			"203.0.113.9        | 203.0.113.9  | 6.6.6.6",
			"203.0.113.9        | 203.0.113.9  | 10.0.0.1",
			"192.0.2.8          | 192.0.2.8    | 6.6.6.6",
			"11.0.0.1           | 11.0.0.1     | 6.6.6.6",
			"9.255.255.255      | 9.255.255.255| 6.6.6.6",
			"172.32.0.1         | 172.32.0.1   | 6.6.6.6",
			// One proxy, and what clients write before it
			"203.0.113.9        | 10.0.0.1     | 203.0.113.9",
			"203.0.113.9        | 10.255.9.9   | 6.6.6.6, 203.0.113.9",
			"203.0.113.9        | 10.0.0.1     | 10.0.0.9, 203.0.113.9",
			"203.0.113.9        | 10.0.0.1     | 127.0.0.1, unknown, 203.0.113.9",
			"203.0.113.9        | 192.0.2.7    | 6.6.6.6,203.0.113.9",
			"203.0.113.9        | 172.31.0.1   | 6.6.6.6 ,\t203.0.113.9 ",
			// Several proxies, several lines
			"203.0.113.9        | 10.0.0.1     | 6.6.6.6, 203.0.113.9, 10.0.0.3, 192.0.2.7",
			"203.0.113.9        | 10.0.0.1     | 6.6.6.6, 203.0.113.9 / 10.0.0.3",
			"203.0.113.9        | 10.0.0.1     | 6.6.6.6 / 203.0.113.9",
			"10.0.0.3           | 10.0.0.1     | 10.0.0.3, 10.0.0.2",
			"10.0.0.1           | 10.0.0.1     | -",
			// What is no address ends the search
			"10.0.0.1           | 10.0.0.1     | 203.0.113.9, unknown",
			"10.0.0.1           | 10.0.0.1     | 203.0.113.9, _hidden",
			"10.0.0.1           | 10.0.0.1     | localhost",
			"10.0.0.1           | 10.0.0.1     | 203.0.113.9,",
			"10.0.0.1           | 10.0.0.1     | ''",
			"10.0.0.1           | 10.0.0.1     | 203.0.113.999",
			"10.0.0.1           | 10.0.0.1     | 203.0.113.09",
			"10.0.0.1           | 10.0.0.1     | 3405803785",
			"10.0.0.1           | 10.0.0.1     | 203.0.113",
			"10.0.0.1           | 10.0.0.1     | 0xcb.0.0x71.9",
			"10.0.0.1           | 10.0.0.1     | 203.0.113.9:http",
			"10.0.0.1           | 10.0.0.1     | [203.0.113.9]",
			"10.0.0.1           | 10.0.0.1     | 203.0.113.\u0669",
			"10.0.0.2           | 10.0.0.1     | 203.0.113.9, unknown, 10.0.0.2",
			// Ports
			"203.0.113.9        | 10.0.0.1     | 203.0.113.9:51234",
			"2001:db8:1:2::/64  | 10.0.0.1     | [2001:db8:1:2::3]:51234",
			"2001:db8:1:2::/64  | 10.0.0.1     | [2001:db8:1:2::3]",
			// Both families, mapped and not
			"203.0.113.9        | ::ffff:10.0.0.1 | ::ffff:203.0.113.9",
			"203.0.113.9        | 0:0:0:0:0:ffff:a00:1 | ::FFFF:cb00:7109",
			"203.0.113.9        | 0:0:0:0:0:0:0:1 | 203.0.113.9",
			"203.0.113.9        | ::1%lo       | 203.0.113.9",
			"203.0.113.9        | 2001:db8:ff:1::5 | 203.0.113.9",
			"2001:db8:fe:1::/64 | 2001:db8:fe:1::5 | 203.0.113.9",
			"2001:db8:1:2::/64  | 10.0.0.1     | 2001:DB8:1:2:ffff:ffff:ffff:ffff",
			"2001:db8:1:2::/64  | 10.0.0.1     | 2001:0db8:0001:0002::",
			"2001:db8:1:3::/64  | 10.0.0.1     | 2001:db8:1:3::1",
			"2001:db8::/64      | 10.0.0.1     | 2001:db8::1",
			"fe80::/64          | fe80:0:0:0:1:2:3:4%eth0 | -",
			"::/64              | 10.0.0.1     | ::2",
			"64:0:0:1::/64      | 10.0.0.1     | 64:0:0:1::192.0.2.1",
			// Literals that look like IPv6
			"10.0.0.1           | 10.0.0.1     | 1::2::3",
			"10.0.0.1           | 10.0.0.1     | :::",
			"10.0.0.1           | 10.0.0.1     | 1:2:3:4:5:6:7",
			"10.0.0.1           | 10.0.0.1     | 1:2:3:4:5:6:7:8:9",
			"10.0.0.1           | 10.0.0.1     | 1:2:3:4:5:6:7:8::",
			"10.0.0.1           | 10.0.0.1     | 1:2:3:4:5:6:7:1.2.3.4",
			"10.0.0.1           | 10.0.0.1     | 1.2.3.4::",
			"10.0.0.1           | 10.0.0.1     | 12345::",
			"10.0.0.1           | 10.0.0.1     | g::1",
			"10.0.0.1           | 10.0.0.1     | [::2",
			// No address at all
			"-                  | ''           | 203.0.113.9",
			"-                  | -            | 203.0.113.9",
			"-                  | localhost    | 203.0.113.9" })
	// @formatter:on
	void isTheFirstThatNobodyTrusts(String client, String remote, String forwarded) {
		List<String> lines = (forwarded != null) ? Arrays.asList(forwarded.split(" / ")) : List.of();
		assertThat(this.behindProxies.find(remote, lines)).isEqualTo(client);
	}

	private static ClientAddress behind(List<String> trusted) {
		return ClientAddress.behind(trusted, ForwardedField.X_FORWARDED_FOR);
	}

	@Test
	void nobodyIsTrustedUnlessConfigured() {
		assertThat(behind(List.of()).find("127.0.0.1", List.of("203.0.113.9"))).isEqualTo("127.0.0.1");
	}

	@Test
	void longListIsReadNoFurtherThanTrusted() {
		String line = "x,".repeat(100_000) + "203.0.113.9, 10.0.0.2";
		assertThat(this.behindProxies.find("10.0.0.1", List.of(line))).isEqualTo("203.0.113.9");
	}

	@Test
	void everyAddressCanBeTrusted() {
		ClientAddress all = behind(List.of("0.0.0.0/0", "::/0"));
		assertThat(all.find("203.0.113.9", List.of("6.6.6.6, 2001:db8:1:2::3"))).isEqualTo("6.6.6.6");
	}

	@Test
	void mappedNetworkIsOneOfTheOlderFamily() {
		ClientAddress mapped = behind(List.of("::ffff:10.0.0.0/104"));
		assertThat(mapped.find("10.0.0.1", List.of("6.6.6.6"))).isEqualTo("6.6.6.6");
		assertThat(mapped.find("11.0.0.1", List.of("6.6.6.6"))).isEqualTo("11.0.0.1");
	}

	@ParameterizedTest
	@ValueSource(strings = { "proxy.example.org", "localhost", "10.0.0.0/33", "10.0.0.0/-1", "10.0.0.0/", "10.0.0/8",
			"::/129", "10.0.0.0/8/8", "10.0.0.0/+8", "*", "", "::ffff:10.0.0.0/95", "10.0.0.0/255.0.0.0" })
	void refusesWhatIsNoNetwork(String text) {
		assertThatExceptionOfType(GuardConfigurationException.class).isThrownBy(() -> behind(List.of("10.0.0.1", text)))
			.withMessageStartingWith("ge.redis.rate-limit.trusted-proxies[1]: \"" + text + "\" is neither");
	}

	@ParameterizedTest
	@CsvSource({ "10.1.2.3/8, 10.0.0.0/8", "192.0.2.7/31, 192.0.2.6/31", "2001:db8::1/32, 2001:db8:0:0:0:0:0:0/32" })
	void refusesAddressThatTrustsItsWholeNetwork(String text, String network) {
		assertThatExceptionOfType(GuardConfigurationException.class).isThrownBy(() -> behind(List.of(text)))
			.withMessageContaining("Write " + network + " for the network");
	}

}
