// SPDX-License-Identifier: Apache-2.0

package io.ge.redis.sample.position;

import java.math.BigDecimal;

import io.ge.redis.lock.DistributedLock;
import io.ge.redis.lock.FencingToken;
import io.ge.redis.sample.Amounts;
import org.jspecify.annotations.Nullable;

import org.springframework.http.HttpStatus;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.PathVariable;
import org.springframework.web.bind.annotation.PutMapping;
import org.springframework.web.bind.annotation.RequestBody;
import org.springframework.web.bind.annotation.RequestParam;
import org.springframework.web.bind.annotation.RestController;
import org.springframework.web.server.ResponseStatusException;

/**
 * Values positions, each by one caller at a time, on whatever instance.
 */
@RestController
class ValuationController {

	private static final long LONGEST_MILLIS = 60_000;

	private final ValuationRepository valuations;

	ValuationController(ValuationRepository valuations) {
		this.valuations = valuations;
	}

	@GetMapping("/api/positions/{id}/valuation")
	Valuation valuation(@PathVariable String id) {
		return this.valuations.find(id).orElseThrow(ValuationController::unknown);
	}

	/**
	 * Asks for a price, which takes a while and is no work for a transaction, and writes
	 * it. The lock keeps others from doing the same; what keeps a caller from writing
	 * that was paused for longer than its lease is the token, which the database
	 * compares.
	 */
	@PutMapping("/api/positions/{id}/valuation")
	@DistributedLock(name = "valuation", key = "#id", waitTime = "2s")
	Valuation value(@PathVariable String id, @RequestBody Quote quote, @RequestParam(defaultValue = "0") long millis,
			@FencingToken long token) {
		if (millis < 0 || millis > LONGEST_MILLIS) {
			throw new ResponseStatusException(HttpStatus.BAD_REQUEST, "millis must be 0 to " + LONGEST_MILLIS);
		}
		askMarket(millis);
		if (!this.valuations.write(id, quote.price(), token)) {
			throw this.valuations.find(id).isPresent() ? new LateValuationException() : unknown();
		}
		return valuation(id);
	}

	private static void askMarket(long millis) {
		try {
			Thread.sleep(millis);
		}
		catch (InterruptedException ex) {
			Thread.currentThread().interrupt();
		}
	}

	private static RuntimeException unknown() {
		return new ResponseStatusException(HttpStatus.NOT_FOUND, "Unknown position");
	}

	/**
	 * What the market says.
	 *
	 * @param price the price of a piece
	 */
	record Quote(BigDecimal price) {

		Quote {
			requirePositive(price);
		}

		private static void requirePositive(@Nullable BigDecimal price) {
			if (Amounts.require(price).signum() <= 0) {
				throw new IllegalArgumentException("The price must be greater than zero");
			}
		}

	}

}
