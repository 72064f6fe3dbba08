// SPDX-License-Identifier: Apache-2.0

package io.ge.redis.readme;

import java.util.concurrent.atomic.AtomicInteger;

import io.ge.redis.idempotency.Idempotent;

import org.springframework.http.HttpStatus;
import org.springframework.http.ResponseEntity;
import org.springframework.web.bind.annotation.PathVariable;
import org.springframework.web.bind.annotation.PostMapping;
import org.springframework.web.bind.annotation.RequestBody;
import org.springframework.web.bind.annotation.RestController;

@RestController
class SaleController {

	private final Positions positions = new Positions();

	@Idempotent(name = "sell")
	@PostMapping("/api/positions/{id}/sell")
	public ResponseEntity<Sale> sell(@PathVariable String id, @RequestBody Order order) {
		return ResponseEntity.status(HttpStatus.CREATED).body(this.positions.sell(id, order));
	}

	record Sale(int number, String position, int quantity) {
	}

	record Order(int quantity) {
	}

	private static final class Positions {

		private final AtomicInteger sales = new AtomicInteger();

		Sale sell(String id, Order order) {
			return new Sale(this.sales.incrementAndGet(), id, order.quantity());
		}

	}

}
