// SPDX-License-Identifier: Apache-2.0

package io.ge.redis.sample.position;

import java.math.BigDecimal;
import java.util.Set;

import io.ge.redis.idempotency.Idempotent;
import io.ge.redis.lock.DistributedLock;
import io.ge.redis.sample.Amounts;
import org.jspecify.annotations.Nullable;

import org.springframework.http.HttpStatus;
import org.springframework.http.ResponseEntity;
import org.springframework.transaction.annotation.Transactional;
import org.springframework.web.bind.annotation.PathVariable;
import org.springframework.web.bind.annotation.PostMapping;
import org.springframework.web.bind.annotation.RequestBody;
import org.springframework.web.bind.annotation.RequestParam;
import org.springframework.web.bind.annotation.RestController;
import org.springframework.web.server.ResponseStatusException;

/**
 * Sells from positions.
 */
@RestController
class SaleController {

	private final PositionRepository positions;

	SaleController(PositionRepository positions) {
		this.positions = positions;
	}

	/**
	 * The header {@code Idempotency-Key} makes this one sale, however often and on
	 * however many instances it is asked for; repetitions get the first answer. Sales of
	 * one position wait for each other. The order is fixed: a repetition does not wait
	 * for the lock, and the lock is released only after the transaction has been
	 * committed. If it is rolled back, the key is free again. The transaction leaves a
	 * row of its own in {@code ge_idempotency}, so there is one sale also if the process
	 * dies after the commit, or Redis loses what it knows.
	 */
	@PostMapping("/api/positions/{id}/sell")
	@Idempotent
	@DistributedLock(name = "position", key = "#id", waitTime = "2s")
	@Transactional
	ResponseEntity<Sale> sell(@PathVariable String id, @RequestBody Order order,
			@RequestParam(defaultValue = "never") String fail) {
		requireKnown(fail);
		failIf("before".equals(fail));
		if (!this.positions.take(id, order.quantity())) {
			throw refusal(id);
		}
		Sale sale = this.positions.addSale(id, order.quantity());
		failIf("after".equals(fail));
		return ResponseEntity.status(HttpStatus.CREATED).body(sale);
	}

	private RuntimeException refusal(String id) {
		return this.positions.find(id).isPresent() ? new NotEnoughLeftException()
				: new ResponseStatusException(HttpStatus.NOT_FOUND, "Unknown position");
	}

	private static void requireKnown(String fail) {
		if (!Set.of("never", "before", "after").contains(fail)) {
			throw new ResponseStatusException(HttpStatus.BAD_REQUEST, "fail is 'before' or 'after'");
		}
	}

	private static void failIf(boolean asked) {
		if (asked) {
			throw new SimulatedFailureException();
		}
	}

	record Order(BigDecimal quantity) {

		Order {
			requirePositive(quantity);
		}

		private static void requirePositive(@Nullable BigDecimal quantity) {
			if (Amounts.require(quantity).signum() <= 0) {
				throw new IllegalArgumentException("The quantity must be greater than zero");
			}
		}

	}

}
