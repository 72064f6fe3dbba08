// SPDX-License-Identifier: Apache-2.0

package io.ge.redis.benchmark.migration;

import java.util.concurrent.TimeUnit;

import org.redisson.api.RFencedLock;
import org.redisson.api.RLock;
import org.redisson.api.RedissonClient;

import org.springframework.jdbc.core.JdbcTemplate;
import org.springframework.transaction.support.TransactionTemplate;

/**
 * Locks by Redisson.
 */
class RedissonStock {

	private final RedissonClient redisson;

	private final TransactionTemplate transactions;

	private final JdbcTemplate jdbc;

	RedissonStock(RedissonClient redisson, TransactionTemplate transactions, JdbcTemplate jdbc) {
		this.redisson = redisson;
		this.transactions = transactions;
		this.jdbc = jdbc;
	}

	// @formatter:off
	public void take(String item, int pieces) throws InterruptedException {
		RLock lock = this.redisson.getLock("stock:" + item);
		if (!lock.tryLock(2, TimeUnit.SECONDS)) {
			throw new IllegalStateException("Somebody else takes " + item);
		}
		try {
			this.transactions.executeWithoutResult((status) ->
					this.jdbc.update("update stock set pieces = pieces - ? where item = ?", pieces, item));
		}
		finally {
			lock.unlock();
		}
	}

	public void setPrice(String item, long price) {
		RFencedLock lock = this.redisson.getFencedLock("price:" + item);
		long token = lock.lockAndGetToken();
		try {
			this.jdbc.update("update item set price = ?, fence = ? where id = ? and fence <= ?",
					price, token, item, token);
		}
		finally {
			lock.unlock();
		}
	}
	// @formatter:on

}
