// SPDX-License-Identifier: Apache-2.0

package io.ge.redis.sample.position;

import java.math.BigDecimal;
import java.util.Optional;
import java.util.UUID;

import io.ge.redis.sample.Amounts;

import org.springframework.jdbc.core.simple.JdbcClient;
import org.springframework.stereotype.Repository;

/**
 * The tables {@code positions} and {@code sales}.
 */
@Repository
class PositionRepository {

	private final JdbcClient jdbc;

	PositionRepository(JdbcClient jdbc) {
		this.jdbc = jdbc;
	}

	Optional<Position> find(String id) {
		return this.jdbc.sql("""
				select quantity, (select count(*) from sales where position_id = positions.id) as sales
				from positions where id = :id""")
			.param("id", id)
			.query((row, number) -> new Position(id, Amounts.text(row.getBigDecimal("quantity")), row.getLong("sales")))
			.optional();
	}

	/**
	 * Takes from a position, never more than it has.
	 * @return whether it had enough
	 */
	boolean take(String id, BigDecimal quantity) {
		return this.jdbc
			.sql("update positions set quantity = quantity - :quantity where id = :id and quantity >= :quantity")
			.param("id", id)
			.param("quantity", quantity)
			.update() == 1;
	}

	Sale addSale(String positionId, BigDecimal quantity) {
		UUID id = UUID.randomUUID();
		this.jdbc.sql("insert into sales (id, position_id, quantity) values (:id, :position, :quantity)")
			.param("id", id)
			.param("position", positionId)
			.param("quantity", quantity)
			.update();
		return new Sale(id, positionId, Amounts.text(quantity));
	}

}
