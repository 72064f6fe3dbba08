// SPDX-License-Identifier: Apache-2.0

package io.ge.redis.sample.supplier;

import io.ge.redis.breaker.CircuitBreakers;
import io.ge.redis.sample.Inputs;
import org.jspecify.annotations.Nullable;

import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.PathVariable;
import org.springframework.web.bind.annotation.PostMapping;
import org.springframework.web.bind.annotation.RequestBody;
import org.springframework.web.bind.annotation.RestController;

/**
 * Asks suppliers for quotes. While one of them fails, its calls are refused on all
 * instances.
 */
@RestController
class SupplierController {

	private final Suppliers suppliers;

	private final CircuitBreakers breakers;

	SupplierController(Suppliers suppliers, CircuitBreakers breakers) {
		this.suppliers = suppliers;
		this.breakers = breakers;
	}

	@PostMapping("/api/suppliers/{name}/quote")
	Quote quote(@PathVariable String name, @RequestBody Request request) {
		return new Quote(name, request.item(),
				this.suppliers.cents(name, request.item(), Boolean.TRUE.equals(request.fail())));
	}

	@GetMapping("/api/suppliers/{name}")
	Supplier state(@PathVariable String name) {
		return new Supplier(name, this.breakers.state("suppliers", name).name());
	}

	/**
	 * A request for a quote.
	 *
	 * @param fail whether the supplier is to fail
	 */
	record Request(String item, @Nullable Boolean fail) {

		Request {
			Inputs.requireText("item", item);
		}

	}

	record Quote(String supplier, String item, int cents) {
	}

	record Supplier(String name, String state) {
	}

}
