// SPDX-License-Identifier: Apache-2.0

package io.ge.redis.readme.quotes;

import io.ge.redis.ratelimit.RateLimited;

import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.PathVariable;
import org.springframework.web.bind.annotation.RestController;

@RestController
class QuoteController {

	@RateLimited(name = "quotes", key = "#symbol", limit = 10, window = "1m")
	@GetMapping("/quotes/{symbol}")
	public String quote(@PathVariable String symbol) {
		return symbol + " is at 42";
	}

}
