// SPDX-License-Identifier: Apache-2.0

package io.ge.redis.test;

import java.util.UUID;

import io.r2dbc.spi.ConnectionFactories;
import io.r2dbc.spi.ConnectionFactory;
import reactor.core.publisher.Mono;

import org.springframework.r2dbc.connection.R2dbcTransactionManager;
import org.springframework.r2dbc.core.DatabaseClient;

/**
 * A database in memory with a reactive driver, and one table
 * {@code account(id, balance)}.
 *
 * @param connections makes connections
 * @param client the client
 */
public record ReactiveDatabase(ConnectionFactory connections, DatabaseClient client) {

	/**
	 * Creates a database of its own.
	 * @return the database
	 */
	public static ReactiveDatabase create() {
		ConnectionFactory connections = ConnectionFactories
			.get("r2dbc:h2:mem:///" + UUID.randomUUID() + "?options=DB_CLOSE_DELAY=-1");
		ReactiveDatabase database = new ReactiveDatabase(connections, DatabaseClient.create(connections));
		database.run("CREATE TABLE account (id VARCHAR(100) PRIMARY KEY, balance BIGINT NOT NULL)").block();
		return database;
	}

	/**
	 * Makes a transaction manager.
	 * @return the manager
	 */
	public R2dbcTransactionManager transactionManager() {
		return new R2dbcTransactionManager(this.connections);
	}

	/**
	 * Runs a statement, in the transaction of its subscriber if there is one.
	 * @param sql the statement
	 * @return the number of rows
	 */
	public Mono<Long> run(String sql) {
		return this.client.sql(sql).fetch().rowsUpdated();
	}

	/**
	 * Sets the balance of an account, which may be a new one.
	 * @param id of the account
	 * @param balance the balance
	 * @return the number of rows
	 */
	public Mono<Long> put(String id, long balance) {
		return this.client.sql("MERGE INTO account (id, balance) KEY (id) VALUES (:id, :balance)")
			.bind("id", id)
			.bind("balance", balance)
			.fetch()
			.rowsUpdated();
	}

	/**
	 * Finds the balance of an account.
	 * @param id of the account
	 * @return the balance
	 */
	public Mono<Long> find(String id) {
		return this.client.sql("SELECT balance FROM account WHERE id = :id")
			.bind("id", id)
			.map((row) -> row.get("balance", Long.class))
			.one();
	}

}
