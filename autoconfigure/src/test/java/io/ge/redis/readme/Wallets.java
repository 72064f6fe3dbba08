/*
 * Copyright 2026 the GE Redis authors
 * SPDX-License-Identifier: Apache-2.0
 */

package io.ge.redis.readme;

import java.math.BigDecimal;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;

import io.ge.redis.cache.CacheAside;
import io.ge.redis.cache.CacheWriteThrough;

import org.springframework.transaction.annotation.Transactional;

class Wallets {

	private final Ledger ledger = new Ledger();

	@CacheAside(cache = "balances", key = "#wallet", ttl = "10m")
	public Balance balance(String wallet) {
		return this.ledger.find(wallet);
	}

	@CacheWriteThrough(cache = "balances", key = "#wallet")
	@Transactional
	public Balance deposit(String wallet, BigDecimal amount) {
		return this.ledger.add(wallet, amount);
	}

	public int reads() {
		return this.ledger.reads;
	}

	record Balance(String wallet, BigDecimal amount) {
	}

	private static final class Ledger {

		private final Map<String, BigDecimal> rows = new ConcurrentHashMap<>();

		private int reads;

		Balance find(String wallet) {
			this.reads++;
			return new Balance(wallet, this.rows.getOrDefault(wallet, BigDecimal.ZERO));
		}

		Balance add(String wallet, BigDecimal amount) {
			return new Balance(wallet, this.rows.merge(wallet, amount, BigDecimal::add));
		}

	}

}
