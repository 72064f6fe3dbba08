// SPDX-License-Identifier: Apache-2.0

package io.ge.redis.idempotency;

import java.time.Duration;

import io.ge.redis.core.outage.OutagePolicy;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

class IdempotencySettingsTests {

	@Test
	void defaultsAreThoseOfTheAnnotation() {
		IdempotencySettings settings = IdempotencySettings.of("orders");
		assertThat(settings.ttl()).isEqualTo(Duration.ofHours(24));
		assertThat(settings.lease()).isEqualTo(Duration.ofSeconds(30));
		assertThat(settings.scope()).isEqualTo(IdempotencyScope.PRINCIPAL);
		assertThat(settings.required()).isTrue();
		assertThat(settings.onFailureWithoutTransaction()).isEqualTo(FailureWithoutTransaction.UNKNOWN);
		assertThat(settings.onOutage()).isEqualTo(OutagePolicy.DENY);
	}

	@Test
	void settingsThatCannotWorkAreRefused() {
		assertRefused(" ", "24h", "30s", OutagePolicy.DENY, "the name");
		assertRefused("orders", "29s", "30s", OutagePolicy.DENY, "the ttl (PT29S) must not be below the lease (PT30S)");
		assertRefused("orders", "24h", "99ms", OutagePolicy.DENY, "the lease must be at least 100ms");
		assertRefused("orders", "99999d", "30s", OutagePolicy.DENY, "the ttl must be at most");
		assertRefused("orders", "24h", "30s", OutagePolicy.LOCAL, "ALLOW or DENY");
		assertRefused("orders", "24h", "30s", OutagePolicy.DEFAULT, "ALLOW or DENY");
	}

	private static void assertRefused(String name, String ttl, String lease, OutagePolicy policy, String message) {
		assertThatIllegalArgumentException()
			.isThrownBy(() -> new IdempotencySettings(name, parse(ttl), parse(lease), IdempotencyScope.PRINCIPAL, true,
					OnDuplicate.CONFLICT, Duration.ofSeconds(5), FailureWithoutTransaction.UNKNOWN,
					UnknownOutcome.BLOCK, policy))
			.withMessageContaining(message);
	}

	private static Duration parse(String text) {
		return org.springframework.format.datetime.standard.DurationFormatterUtils.detectAndParse(text);
	}

}
