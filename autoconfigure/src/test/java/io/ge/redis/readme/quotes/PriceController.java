// SPDX-License-Identifier: Apache-2.0

package io.ge.redis.readme.quotes;

import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.PathVariable;
import org.springframework.web.bind.annotation.RestController;

@RestController
class PriceController {

	private final Prices prices;

	PriceController(Prices prices) {
		this.prices = prices;
	}

	@GetMapping("/prices/{symbol}")
	public Prices.Price price(@PathVariable String symbol) {
		return this.prices.find(symbol);
	}

}
