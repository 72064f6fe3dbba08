// SPDX-License-Identifier: Apache-2.0

package io.ge.redis.web.limit;

import java.security.Principal;
import java.util.List;

import io.ge.redis.PrincipalProvider;
import jakarta.servlet.http.HttpServletRequest;
import org.junit.jupiter.api.Test;

import org.springframework.mock.web.MockHttpServletRequest;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Tests for {@link RequestKeys}.
 */
class RequestKeysTests {

	private final MockHttpServletRequest request = new MockHttpServletRequest();

	@Test
	void addressIsThatOfTheRequestWithoutHops() {
		this.request.setRemoteAddr("203.0.113.9");
		this.request.addHeader("X-Forwarded-For", "6.6.6.6");
		assertThat(keys(0).parse("client-address", "key").of(limited(this.request))).isEqualTo("203.0.113.9");
	}

	@Test
	void addressBehindAProxyIsTheLastOfAllLines() {
		this.request.setRemoteAddr("10.0.0.1");
		this.request.addHeader("X-Forwarded-For", "6.6.6.6");
		this.request.addHeader("X-Forwarded-For", "203.0.113.9");
		assertThat(keys(1).parse("client-address", "key").of(limited(this.request))).isEqualTo("203.0.113.9");
	}

	@Test
	void principalIsThatOfTheFirstProviderWhoKnowsElseOfTheRequest() {
		assertThat(keys().parse("principal", "key").of(limited(this.request))).isNull();
		Principal principal = () -> "anna";
		this.request.setUserPrincipal(principal);
		assertThat(keys().parse("principal", "key").of(limited(this.request))).isEqualTo("anna");
		assertThat(keys(() -> null, () -> "boris", () -> "carla").parse("principal", "key").of(limited(this.request)))
			.isEqualTo("boris");
	}

	@Test
	void headerIsKnownByItsHash() {
		RequestKeys.RequestKey key = keys().parse("header:X-Api-Key", "key");
		assertThat(key.of(limited(this.request))).isNull();
		this.request.addHeader("x-api-key", "abc");
		assertThat(key.of(limited(this.request))).isEqualTo("ungWv48Bz-pBQUDeXa4iI7ADYaOWF3qctBD_YfIAFa0");
	}

	@Test
	void withoutAKeyAllRequestsAreOne() {
		assertThat(keys().parse(null, "key").of(limited(this.request))).isNull();
	}

	private static RequestKeys keys(PrincipalProvider... providers) {
		return keys(0, providers);
	}

	private static RequestKeys keys(int trustedHops, PrincipalProvider... providers) {
		return new RequestKeys(trustedHops, () -> List.of(providers));
	}

	private static LimitedRequest limited(HttpServletRequest request) {
		return LimitedRequest.of(request);
	}

}
