/*
 * Copyright 2026 the GE Redis authors
 * SPDX-License-Identifier: Apache-2.0
 */

package io.ge.redis.ratelimit.engine;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;

import io.ge.redis.core.key.KeySpace;
import io.ge.redis.ratelimit.RateLimit;
import io.ge.redis.ratelimit.RateLimitAlgorithm;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

class RedisLimitKeysTests {

	private static final RateLimit LIMIT = RateLimit.of("limit", 10, Duration.ofMinutes(1));

	private final RedisLimitKeys keys = new RedisLimitKeys(new KeySpace("ge", "ratelimit"));

	@Test
	void remembersAnEighthOfItsPlacesNearlyWithoutLoss() {
		List<PermitRequest> requests = requests(RedisLimitKeys.REMEMBERED / 8);
		assertThat(forgotten(requests)).isLessThanOrEqualTo(requests.size() / 100);
	}

	@Test
	void remembersMostOfHalfOfItsPlaces() {
		List<PermitRequest> requests = requests(RedisLimitKeys.REMEMBERED / 2);
		assertThat(forgotten(requests)).isLessThan(requests.size() / 5);
	}

	@Test
	void tellsApartWhateverIsRemembered() {
		List<PermitRequest> requests = requests(2 * RedisLimitKeys.REMEMBERED);
		requests.forEach((request) -> assertThat(this.keys.of(request).text())
			.isEqualTo("ge:ratelimit:{" + request.key().get(0) + "}:limit:w1"));
		PermitRequest other = new PermitRequest(LIMIT.withAlgorithm(RateLimitAlgorithm.TOKEN_BUCKET), List.of("user1"),
				1);
		assertThat(this.keys.of(other).text()).isEqualTo("ge:ratelimit:{user1}:limit:b1");
		// The same hash code as text, and so as a list
		assertThat(this.keys.of(new PermitRequest(LIMIT, List.of("Aa"), 1)).text()).contains("{Aa}");
		assertThat(this.keys.of(new PermitRequest(LIMIT, List.of("BB"), 1)).text()).contains("{BB}");
	}

	@Test
	void doesNotRememberLongKeys() {
		PermitRequest request = new PermitRequest(LIMIT, List.of("a".repeat(201)), 1);
		assertThat(this.keys.of(request)).isNotSameAs(this.keys.of(request)).isEqualTo(this.keys.of(request));
	}

	private int forgotten(List<PermitRequest> requests) {
		List<RedisLimitKey> known = requests.stream().map(this.keys::of).toList();
		int forgotten = 0;
		for (int i = 0; i < requests.size(); i++) {
			forgotten += (this.keys.of(requests.get(i)) != known.get(i)) ? 1 : 0;
		}
		return forgotten;
	}

	private static List<PermitRequest> requests(int count) {
		List<PermitRequest> requests = new ArrayList<>(count);
		for (int i = 0; i < count; i++) {
			requests.add(new PermitRequest(LIMIT, List.of("user" + i), 1));
		}
		return requests;
	}

}
