// SPDX-License-Identifier: Apache-2.0

package io.ge.redis.readme;

import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;

import io.ge.redis.breaker.CircuitBreaker;
import io.ge.redis.breaker.CircuitBreakers;
import io.ge.redis.breaker.CircuitOpenException;

/**
 * Code of the page on circuit breakers.
 */
class BreakerExamples {

	private final Suppliers suppliers;

	private final CircuitBreakers breakers;

	private final Map<String, Quote> quotes = new ConcurrentHashMap<>();

	BreakerExamples(Suppliers suppliers, CircuitBreakers breakers) {
		this.suppliers = suppliers;
		this.breakers = breakers;
	}

	@CircuitBreaker(name = "supplier", openFor = "10s", fallback = "lastQuote")
	public Quote quote(String item) {
		return this.suppliers.quote(item);
	}

	Quote lastQuote(String item, CircuitOpenException refusal) {
		return this.quotes.get(item);
	}

	Quote inCode(String item) {
		return this.breakers.call("supplier", () -> this.suppliers.quote(item));
	}

	interface Suppliers {

		Quote quote(String item);

	}

	record Quote(String item, int cents) {
	}

}
