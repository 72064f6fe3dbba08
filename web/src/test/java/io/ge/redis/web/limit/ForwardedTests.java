/*
 * Copyright 2026 the GE Redis authors
 * SPDX-License-Identifier: Apache-2.0
 */

package io.ge.redis.web.limit;

import java.util.Arrays;
import java.util.List;

import io.ge.redis.ratelimit.RateLimitProperties.ForwardedField;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Clients by {@code Forwarded}, the last word of which is that of a trusted proxy, and
 * the others perhaps those of an attacker.
 */
class ForwardedTests {

	private final ClientAddress behindProxies = ClientAddress.behind(List.of("10.0.0.0/8", "2001:db8:ff::/48"),
			ForwardedField.FORWARDED);

	// @formatter:off
	@ParameterizedTest(name = "{0} forwarded by {1} for {2}")
	@CsvSource(delimiter = '|', nullValues = "-", quoteCharacter = '`', value = {
			// Nobody trusted speaks
			"203.0.113.9        | 203.0.113.9  | -",
			"203.0.113.9        | 203.0.113.9  | for=6.6.6.6",
			"203.0.113.9        | 203.0.113.9  | for=10.0.0.1",
			// As in the RFC
			"203.0.113.9        | 10.0.0.1     | for=203.0.113.9",
			"203.0.113.9        | 10.0.0.1     | For=\"203.0.113.9\"",
			"203.0.113.9        | 10.0.0.1     | FOR=203.0.113.9;proto=http;by=10.0.0.1",
			"203.0.113.9        | 10.0.0.1     | proto=http;by=10.0.0.1;for=203.0.113.9",
			"203.0.113.9        | 10.0.0.1     | for=\"203.0.113.9:47011\"",
			"203.0.113.9        | 10.0.0.1     | for=\"203.0.113.9:_hidden\"",
			"2001:db8:cafe::/64 | 10.0.0.1     | For=\"[2001:db8:cafe::17]:4711\"",
			"2001:db8:cafe::/64 | 10.0.0.1     | For=\"[2001:db8:cafe::17]\"",
			"2001:db8:cafe::/64 | 10.0.0.1     | For=\"[2001:db8:cafe::17]:_gazonk\"",
			// Not as in the RFC, but plain
			"2001:db8:cafe::/64 | 10.0.0.1     | for=[2001:db8:cafe::17]:4711",
			"2001:db8:cafe::/64 | 10.0.0.1     | for=2001:db8:cafe::17",
			"203.0.113.9        | 10.0.0.1     | for=203.0.113.9:47011",
			"203.0.113.9        | 10.0.0.1     | ; for=203.0.113.9 ;; proto=http ;",
			"203.0.113.9        | 10.0.0.1     | for=\"\\2\\03.0.113.9\"",
			// Several proxies, several lines, and what clients write before
			"203.0.113.9        | 10.0.0.1     | for=6.6.6.6, for=203.0.113.9",
			"203.0.113.9        | 10.0.0.1     | for=6.6.6.6,for=203.0.113.9,for=10.0.0.3;proto=https",
			"203.0.113.9        | 2001:db8:ff::1 | for=6.6.6.6, for=203.0.113.9 / for=\"[2001:db8:ff::2]\"",
			"203.0.113.9        | 10.0.0.1     | for=10.0.0.9, for=203.0.113.9",
			"203.0.113.9        | 10.0.0.1     | 6.6.6.6, for=203.0.113.9",
			"203.0.113.9        | 10.0.0.1     | for=\"6.6.6.6, for=203.0.113.9",
			"203.0.113.9        | 10.0.0.1     | for=6.6.6.6\", for=203.0.113.9",
			"203.0.113.9        | 10.0.0.1     | for=\"6.6.6.6\\, for=\"203.0.113.9\"",
			"203.0.113.9        | 10.0.0.1     | \", for=\"203.0.113.9\"",
			"203.0.113.9        | 10.0.0.1     | \\\", for=\"203.0.113.9\"",
			"203.0.113.9        | 10.0.0.1     | for=\"6.6.6.6 / for=203.0.113.9",
			// What the client may have a proxy quote
			"203.0.113.9        | 10.0.0.1     | for=203.0.113.9;host=\"x, for=6.6.6.6\"",
			"203.0.113.9        | 10.0.0.1     | for=203.0.113.9;host=\"x\\\", for=6.6.6.6, y=\\\"\"",
			"203.0.113.9        | 10.0.0.1     | for=203.0.113.9;host=\"x\\\\\"",
			"203.0.113.9        | 10.0.0.1     | host=\"x;for=6.6.6.6\";for=203.0.113.9",
			"203.0.113.9        | 10.0.0.1     | host=\"\\\";for=6.6.6.6;x=\\\"\";for=203.0.113.9",
			// What does not parse or says nothing ends the search
			"10.0.0.1           | 10.0.0.1     | ``",
			"10.0.0.1           | 10.0.0.1     | for=203.0.113.9,",
			"10.0.0.1           | 10.0.0.1     | 203.0.113.9",
			"10.0.0.1           | 10.0.0.1     | for",
			"10.0.0.1           | 10.0.0.1     | for=",
			"10.0.0.1           | 10.0.0.1     | for=\"\"",
			"10.0.0.1           | 10.0.0.1     | =203.0.113.9",
			"10.0.0.1           | 10.0.0.1     | for =203.0.113.9",
			"10.0.0.1           | 10.0.0.1     | for= 203.0.113.9",
			"10.0.0.1           | 10.0.0.1     | for=203.0.113.9 proto=http",
			"10.0.0.1           | 10.0.0.1     | by=203.0.113.9;proto=http",
			"10.0.0.1           | 10.0.0.1     | for=203.0.113.9;for=203.0.113.9",
			"10.0.0.1           | 10.0.0.1     | for=6.6.6.6;For=203.0.113.9",
			"10.0.0.1           | 10.0.0.1     | for=203.0.113.9;proto",
			"10.0.0.1           | 10.0.0.1     | for=203.0.113.9;proto=\"",
			"10.0.0.1           | 10.0.0.1     | for=\"203.0.113.9\"x",
			"10.0.0.1           | 10.0.0.1     | for=\"203.0.113.9\\\"",
			"10.0.0.1           | 10.0.0.1     | for=203.0.113.9\"",
			"10.0.0.1           | 10.0.0.1     | for=unknown",
			"10.0.0.1           | 10.0.0.1     | for=203.0.113.9, for=_hidden",
			"10.0.0.1           | 10.0.0.1     | for=\"_hidden:_port\"",
			"10.0.0.1           | 10.0.0.1     | for=proxy.example.org",
			"10.0.0.1           | 10.0.0.1     | for=203.0.113.999",
			"10.0.0.1           | 10.0.0.1     | for=\" 203.0.113.9\"",
			"10.0.0.1           | 10.0.0.1     | for=\"203.0.113.9:http\"",
			"10.0.0.1           | 10.0.0.1     | for=203.0.113.\u0669",
			"10.0.0.2           | 10.0.0.1     | for=203.0.113.9, unknown, for=10.0.0.2",
			"10.0.0.2           | 10.0.0.1     | for=203.0.113.9, for=\"x, for=10.0.0.2" })
	// @formatter:on
	void isTheFirstThatNobodyTrusts(String client, String remote, String forwarded) {
		List<String> lines = (forwarded != null) ? Arrays.asList(forwarded.split(" / ")) : List.of();
		assertThat(this.behindProxies.find(remote, lines)).isEqualTo(client);
	}

	@Test
	void longLinesAreReadOnceAndNoFurtherThanTrusted() {
		int length = 200_000;
		for (String written : List.of("x,", "\"", "\\\"", "\\", ";", "for=10.0.0.1,", "for=\"10.0.0.1\" ,")) {
			String line = written.repeat(length) + ", for=203.0.113.9, for=10.0.0.2";
			assertThat(this.behindProxies.find("10.0.0.1", List.of(line))).as(written).isEqualTo("203.0.113.9");
			String whole = written.repeat(length);
			assertThat(this.behindProxies.find("10.0.0.1", List.of(whole))).as(written).isEqualTo("10.0.0.1");
		}
	}

}
