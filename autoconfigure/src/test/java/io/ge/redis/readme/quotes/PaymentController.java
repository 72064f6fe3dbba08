// SPDX-License-Identifier: Apache-2.0

package io.ge.redis.readme.quotes;

import java.util.UUID;

import io.ge.redis.idempotency.Idempotent;

import org.springframework.web.bind.annotation.PostMapping;
import org.springframework.web.bind.annotation.RequestBody;
import org.springframework.web.bind.annotation.RestController;

@RestController
class PaymentController {

	@Idempotent(name = "payments")
	@PostMapping("/payments")
	public Receipt pay(@RequestBody Payment payment) {
		return new Receipt(UUID.randomUUID(), payment.cents());
	}

	record Payment(String to, int cents) {
	}

	record Receipt(UUID id, int cents) {
	}

}
