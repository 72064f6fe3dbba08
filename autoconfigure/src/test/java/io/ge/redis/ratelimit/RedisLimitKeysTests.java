/*
 * Copyright 2026 the GE Redis authors
 * SPDX-License-Identifier: Apache-2.0
 */

package io.ge.redis.ratelimit;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;

import io.ge.redis.core.key.KeySpace;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

class RedisLimitKeysTests {

	private static final RateLimit LIMIT = RateLimit.of("limit", 10, Duration.ofMinutes(1));

	private final RedisLimitKeys keys = new RedisLimitKeys(new KeySpace("ge", "ratelimit"));

	@Test
	void remembersAnEighthOfItsPlacesNearlyWithoutLoss() {
		List<Demand> demands = demands(RedisLimitKeys.REMEMBERED / 8);
		assertThat(forgotten(demands)).isLessThanOrEqualTo(demands.size() / 100);
	}

	@Test
	void remembersMostOfHalfOfItsPlaces() {
		List<Demand> demands = demands(RedisLimitKeys.REMEMBERED / 2);
		assertThat(forgotten(demands)).isLessThan(demands.size() / 5);
	}

	@Test
	void tellsApartWhateverIsRemembered() {
		List<Demand> demands = demands(2 * RedisLimitKeys.REMEMBERED);
		demands.forEach((demand) -> assertThat(this.keys.of(demand).text())
			.isEqualTo("ge:ratelimit:{" + demand.key().get(0) + "}:limit:w1"));
		Demand other = new Demand(LIMIT.withAlgorithm(RateLimitAlgorithm.TOKEN_BUCKET), List.of("user1"), 1);
		assertThat(this.keys.of(other).text()).isEqualTo("ge:ratelimit:{user1}:limit:b1");
		// The same hash code as text, and so as a list
		assertThat(this.keys.of(new Demand(LIMIT, List.of("Aa"), 1)).text()).contains("{Aa}");
		assertThat(this.keys.of(new Demand(LIMIT, List.of("BB"), 1)).text()).contains("{BB}");
	}

	@Test
	void doesNotRememberLongKeys() {
		Demand demand = new Demand(LIMIT, List.of("a".repeat(201)), 1);
		assertThat(this.keys.of(demand)).isNotSameAs(this.keys.of(demand)).isEqualTo(this.keys.of(demand));
	}

	private int forgotten(List<Demand> demands) {
		List<RedisLimitKey> known = demands.stream().map(this.keys::of).toList();
		int forgotten = 0;
		for (int i = 0; i < demands.size(); i++) {
			forgotten += (this.keys.of(demands.get(i)) != known.get(i)) ? 1 : 0;
		}
		return forgotten;
	}

	private static List<Demand> demands(int count) {
		List<Demand> demands = new ArrayList<>(count);
		for (int i = 0; i < count; i++) {
			demands.add(new Demand(LIMIT, List.of("user" + i), 1));
		}
		return demands;
	}

}
