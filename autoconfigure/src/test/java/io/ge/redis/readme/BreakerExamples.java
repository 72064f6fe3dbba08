// SPDX-License-Identifier: Apache-2.0

package io.ge.redis.readme;

import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;

import io.ge.redis.breaker.CircuitBreaker;
import io.ge.redis.breaker.CircuitBreakers;
import io.ge.redis.breaker.CircuitOpenException;

import org.springframework.cloud.client.circuitbreaker.CircuitBreakerFactory;

/**
 * Code of the page on circuit breakers.
 */
class BreakerExamples {

	private final Suppliers suppliers;

	private final CircuitBreakers breakers;

	private final CircuitBreakerFactory<?, ?> factory;

	private final Map<String, Quote> quotes = new ConcurrentHashMap<>();

	BreakerExamples(Suppliers suppliers, CircuitBreakers breakers, CircuitBreakerFactory<?, ?> factory) {
		this.suppliers = suppliers;
		this.breakers = breakers;
		this.factory = factory;
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

	Quote withSpringCloud(String item) {
		return this.factory.create("supplier")
			.run(() -> this.suppliers.quote(item), (failure) -> this.quotes.get(item));
	}

	interface Suppliers {

		Quote quote(String item);

	}

	record Quote(String item, int cents) {
	}

}
