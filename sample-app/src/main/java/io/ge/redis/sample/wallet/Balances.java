// SPDX-License-Identifier: Apache-2.0

package io.ge.redis.sample.wallet;

import java.math.BigDecimal;

import io.ge.redis.cache.CacheAside;
import io.ge.redis.cache.CacheWriteThrough;

import org.springframework.stereotype.Service;
import org.springframework.transaction.annotation.Transactional;

/**
 * Balances, read often and written seldom.
 */
@Service
class Balances {

	private final BalanceRepository repository;

	Balances(BalanceRepository repository) {
		this.repository = repository;
	}

	/**
	 * Runs only for what is not in Redis. One caller at a time loads a balance, the
	 * others get what it has loaded.
	 */
	@CacheAside(cache = "balances", key = "{#wallet, #token}")
	Balance get(String wallet, String token) {
		return this.repository.get(wallet, token);
	}

	/**
	 * The database first: the new balance reaches Redis when the transaction has been
	 * committed, and never if it is rolled back. No reader can put an older one over it.
	 * Redis gets what is returned here, so it is read from the row and not computed.
	 */
	@CacheWriteThrough(cache = "balances", key = "{#wallet, #token}")
	@Transactional
	Balance add(String wallet, String token, BigDecimal delta, boolean rollback) {
		Balance balance = this.repository.add(wallet, token, delta);
		if (rollback) {
			throw new SimulatedRollbackException();
		}
		return balance;
	}

}
