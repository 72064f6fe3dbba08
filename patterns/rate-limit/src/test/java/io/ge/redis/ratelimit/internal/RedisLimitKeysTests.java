// SPDX-License-Identifier: Apache-2.0

package io.ge.redis.ratelimit.internal;

import java.time.Duration;
import java.util.List;
import java.util.stream.IntStream;

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
		List<String> users = users(RedisLimitKeys.REMEMBERED / 8);
		assertThat(forgotten(users)).isLessThanOrEqualTo(users.size() / 100);
	}

	@Test
	void remembersMostOfHalfOfItsPlaces() {
		List<String> users = users(RedisLimitKeys.REMEMBERED / 2);
		assertThat(forgotten(users)).isLessThan(users.size() / 5);
	}

	@Test
	void tellsApartWhateverIsRemembered() {
		users(2 * RedisLimitKeys.REMEMBERED)
			.forEach((user) -> assertThat(of(user).text()).isEqualTo("ge:ratelimit:{" + user + "}:limit:w1"));
		RateLimit other = LIMIT.withAlgorithm(RateLimitAlgorithm.TOKEN_BUCKET);
		assertThat(this.keys.of(other, List.of("user1")).text()).isEqualTo("ge:ratelimit:{user1}:limit:b1");
		// The same hash code as text, and so as a list
		assertThat(of("Aa").text()).contains("{Aa}");
		assertThat(of("BB").text()).contains("{BB}");
	}

	@Test
	void doesNotRememberLongKeys() {
		String user = "a".repeat(201);
		assertThat(of(user)).isNotSameAs(of(user)).isEqualTo(of(user));
	}

	private RedisLimitKey of(String user) {
		return this.keys.of(LIMIT, List.of(user));
	}

	private int forgotten(List<String> users) {
		List<RedisLimitKey> known = users.stream().map(this::of).toList();
		int forgotten = 0;
		for (int i = 0; i < users.size(); i++) {
			forgotten += (of(users.get(i)) != known.get(i)) ? 1 : 0;
		}
		return forgotten;
	}

	private static List<String> users(int count) {
		return IntStream.range(0, count).mapToObj((i) -> "user" + i).toList();
	}

}
