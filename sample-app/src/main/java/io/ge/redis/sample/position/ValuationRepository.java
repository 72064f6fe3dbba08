// SPDX-License-Identifier: Apache-2.0

package io.ge.redis.sample.position;

import java.math.BigDecimal;
import java.util.Optional;

import io.ge.redis.sample.Amounts;

import org.springframework.jdbc.core.simple.JdbcClient;
import org.springframework.stereotype.Repository;

/**
 * The valuations in the database.
 */
@Repository
class ValuationRepository {

	private final JdbcClient jdbc;

	ValuationRepository(JdbcClient jdbc) {
		this.jdbc = jdbc;
	}

	Optional<Valuation> find(String positionId) {
		return this.jdbc.sql("select price, fence from valuations where position_id = :id")
			.param("id", positionId)
			.query((row, number) -> new Valuation(positionId, Amounts.text(row.getBigDecimal("price")),
					row.getLong("fence")))
			.optional();
	}

	/**
	 * Writes a valuation, unless a later holder of the lock has written one: tokens rise
	 * with every holder, and the row remembers the last one that has written.
	 * @return whether it was written
	 */
	boolean write(String positionId, BigDecimal price, long token) {
		return this.jdbc
			.sql("update valuations set price = :price, fence = :token where position_id = :id and fence <= :token")
			.param("id", positionId)
			.param("price", price)
			.param("token", token)
			.update() == 1;
	}

}
