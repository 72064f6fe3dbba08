// SPDX-License-Identifier: Apache-2.0

package io.ge.redis.sample.wallet;

import java.math.BigDecimal;

import io.ge.redis.sample.Amounts;

import org.springframework.http.HttpStatus;
import org.springframework.jdbc.core.simple.JdbcClient;
import org.springframework.stereotype.Repository;
import org.springframework.web.server.ResponseStatusException;

/**
 * The table {@code balances}.
 */
@Repository
class BalanceRepository {

	private final JdbcClient jdbc;

	BalanceRepository(JdbcClient jdbc) {
		this.jdbc = jdbc;
	}

	Balance get(String wallet, String token) {
		return this.jdbc.sql("select amount, version from balances where wallet = :wallet and token = :token")
			.param("wallet", wallet)
			.param("token", token)
			.query((row, number) -> new Balance(wallet, token, Amounts.text(row.getBigDecimal("amount")),
					row.getLong("version")))
			.optional()
			.orElseThrow(() -> new ResponseStatusException(HttpStatus.NOT_FOUND, "Unknown wallet or token"));
	}

	/**
	 * Adds to a balance and reads the row again, since the column may round. The row
	 * stays locked until the transaction ends, so what is read here is what this update
	 * has made of it.
	 */
	Balance add(String wallet, String token, BigDecimal delta) {
		this.jdbc.sql("""
				update balances set amount = amount + :delta, version = version + 1
				where wallet = :wallet and token = :token""")
			.param("delta", delta)
			.param("wallet", wallet)
			.param("token", token)
			.update();
		return get(wallet, token);
	}

}
