// SPDX-License-Identifier: Apache-2.0

package io.ge.redis.blacklist.refresh;

import java.security.SecureRandom;
import java.util.Arrays;
import java.util.random.RandomGenerator;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Tests for {@link TokenText}.
 */
class TokenTextTests {

	private static final String NONCE = "AAECAwQFBgcICQoLDA0ODw";

	private final RandomGenerator random = new SecureRandom();

	@Test
	void readsWhatItWrites() {
		TokenText token = TokenText.first(this.random).successor(NONCE).successor(NONCE);
		String value = token.value();
		assertThat(value).hasSize(68).matches("[A-Za-z0-9_-]+");
		TokenText read = TokenText.parse(value);
		assertThat(read).isNotNull();
		assertThat(read.generation()).isEqualTo(2);
		assertThat(read.hash()).isEqualTo(token.hash());
		assertThat(read.family()).isEqualTo(token.family());
		assertThat(read.value()).isEqualTo(value);
	}

	@ParameterizedTest
	@ValueSource(strings = { "", "short", "AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA\u00e4",
			"AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA==",
			"AAAAAAAAAAAAAAAAAAAA_____wAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA",
			"AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA" })
	void knowsWhatCannotBeToken(String presented) {
		assertThat(TokenText.parse(presented)).isNull();
	}

	@Test
	void successorIsTheSameForTheSameNonceAndAnotherForAnother() {
		TokenText token = TokenText.first(this.random);
		String successor = token.successor(NONCE).value();
		assertThat(token.successor(NONCE).value()).isEqualTo(successor);
		assertThat(token.successor(TokenText.nonce(this.random)).value()).isNotEqualTo(successor);
		assertThat(token.successor(NONCE).sessionId()).isEqualTo(token.sessionId());
		TokenText other = new TokenText(token.locator(), 0, TokenText.first(this.random).secret());
		assertThat(other.successor(NONCE).hash()).isNotEqualTo(token.successor(NONCE).hash());
	}

	@Test
	void formatIsThatOfOtherInstances() {
		byte[] secret = new byte[32];
		Arrays.fill(secret, (byte) 1);
		TokenText token = new TokenText(new byte[15], 7, secret);
		assertThat(token.value()).isEqualTo("AAAAAAAAAAAAAAAAAAAAAAAABwEBAQEBAQEBAQEBAQEBAQEBAQEBAQEBAQEBAQEBAQEB");
		assertThat(token.hash()).isEqualTo("cs1uhCLEB_ttCYaQ8RMLfe1-wvf14dML2dUh8BU2N5M");
		assertThat(token.successor(NONCE).value())
			.isEqualTo("AAAAAAAAAAAAAAAAAAAAAAAACMCz_Qo9cg_BEaBtapesk_wW61rLR3HkEdsVjNurAbOr");
		assertThat(token.sessionId()).isEqualTo("ZVPhULTcWaZ9rSBBfm6riA");
	}

	@Test
	void sessionIdDoesNotTellTheLocator() {
		TokenText token = TokenText.first(this.random);
		assertThat(token.sessionId()).hasSize(22).isNotEqualTo(token.family());
		assertThat(token.sessionId()).doesNotContain(token.family().substring(0, 10), token.family().substring(10));
		assertThat(token).hasToString("Refresh token of session " + token.sessionId());
	}

}
