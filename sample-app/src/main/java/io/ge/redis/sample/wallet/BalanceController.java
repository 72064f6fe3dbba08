// SPDX-License-Identifier: Apache-2.0

package io.ge.redis.sample.wallet;

import java.math.BigDecimal;

import io.ge.redis.sample.Amounts;

import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.PathVariable;
import org.springframework.web.bind.annotation.PutMapping;
import org.springframework.web.bind.annotation.RequestBody;
import org.springframework.web.bind.annotation.RequestMapping;
import org.springframework.web.bind.annotation.RequestParam;
import org.springframework.web.bind.annotation.RestController;

/**
 * Shows and changes balances.
 */
@RestController
@RequestMapping("/api/wallets/{wallet}/balances/{token}")
class BalanceController {

	private final Balances balances;

	BalanceController(Balances balances) {
		this.balances = balances;
	}

	@GetMapping
	Balance get(@PathVariable String wallet, @PathVariable String token) {
		return this.balances.get(wallet, token);
	}

	@PutMapping
	Balance add(@PathVariable String wallet, @PathVariable String token, @RequestBody Change change,
			@RequestParam(defaultValue = "false") boolean rollback) {
		return this.balances.add(wallet, token, change.delta(), rollback);
	}

	record Change(BigDecimal delta) {

		Change {
			Amounts.require(delta);
		}

	}

}
