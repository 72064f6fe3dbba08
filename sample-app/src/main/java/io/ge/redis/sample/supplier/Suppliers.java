// SPDX-License-Identifier: Apache-2.0

package io.ge.redis.sample.supplier;

import io.ge.redis.breaker.CircuitBreaker;

import org.springframework.stereotype.Component;

/**
 * Stands for a client of suppliers. A call fails if it is told to.
 */
@Component
class Suppliers {

	@CircuitBreaker(name = "suppliers", key = "#name")
	public int cents(String name, String item, boolean fail) {
		if (fail) {
			throw new SupplierFailedException(name);
		}
		return Math.floorMod((name + item).hashCode(), 10_000);
	}

}
