// SPDX-License-Identifier: Apache-2.0

package io.ge.redis.readme.quotes;

import java.time.Instant;

import io.ge.redis.cache.CacheAside;

import org.springframework.stereotype.Service;

@Service
class Prices {

	@CacheAside(cache = "prices", key = "#symbol", ttl = "1m")
	public Price find(String symbol) {
		return new Price(symbol, 42, Instant.now());
	}

	record Price(String symbol, int price, Instant asOf) {
	}

}
