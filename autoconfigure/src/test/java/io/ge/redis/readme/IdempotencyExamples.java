// SPDX-License-Identifier: Apache-2.0

package io.ge.redis.readme;

import java.util.List;

import io.ge.redis.idempotency.Idempotency;
import io.ge.redis.idempotency.IdempotencyContext;
import io.ge.redis.idempotency.IdempotencyScope;
import io.ge.redis.idempotency.Idempotent;
import io.ge.redis.idempotency.OnDuplicate;

import org.springframework.dao.OptimisticLockingFailureException;
import org.springframework.jdbc.core.JdbcTemplate;
import org.springframework.transaction.annotation.Transactional;
import org.springframework.transaction.support.TransactionTemplate;

/**
 * The code on the page on idempotency.
 */
class IdempotencyExamples {

	private final JdbcTemplate jdbc;

	private final TransactionTemplate transactions;

	private final Idempotency idempotency;

	IdempotencyExamples(JdbcTemplate jdbc, TransactionTemplate transactions, Idempotency idempotency) {
		this.jdbc = jdbc;
		this.transactions = transactions;
		this.idempotency = idempotency;
		jdbc.execute("create table transfer (id varchar(20), recipient varchar(20), cents int)");
		jdbc.execute("create table booking (id varchar(20), cents int)");
		jdbc.execute("create table page (id varchar(20), text varchar(20), fence bigint)");
		jdbc.execute("create table account (cents int)");
		jdbc.update("insert into account (cents) values (5)");
		jdbc.update("insert into page (id, text, fence) values ('home', '', 0)");
	}

	@Idempotent(name = "transfer", key = "#id", scope = IdempotencyScope.GLOBAL, onDuplicate = OnDuplicate.WAIT)
	@Transactional
	public Receipt transfer(String id, String to, int cents) {
		this.jdbc.update("insert into transfer (id, recipient, cents) values (?, ?, ?)", id, to, cents);
		return new Receipt(id, cents);
	}

	public Receipt transferInCode(String id, int cents) {
		return this.idempotency.execute("transfer-in-code", id, cents, Receipt.class, () -> new Receipt(id, cents));
	}

	@Idempotent(name = "import", key = "#id", recover = "imported")
	public Receipt importAll(String id, List<Integer> amounts) {
		this.transactions.executeWithoutResult((status) -> amounts.forEach((cents) -> book(id, cents)));
		return new Receipt(id, amounts.size());
	}

	Receipt imported(String id, List<Integer> amounts) {
		return new Receipt(id,
				this.jdbc.queryForObject("select count(*) from booking where id = ?", Integer.class, id));
	}

	private void book(String id, int cents) {
		this.jdbc.update("insert into booking (id, cents) values (?, ?)", id, cents);
	}

	@Idempotent(name = "withdraw", key = "#id", storeExceptions = NothingLeftException.class)
	@Transactional
	public Receipt withdraw(String id, int cents) {
		int updated = this.jdbc.update("update account set cents = cents - ? where cents >= ?", cents, cents);
		if (updated == 0) {
			throw new NothingLeftException("Less than " + cents + " left");
		}
		return new Receipt(id, cents);
	}

	@Idempotent(name = "publish", key = "#id")
	public void publish(String id, String text) {
		long fence = IdempotencyContext.current().fence();
		int updated = this.jdbc.update("update page set text = ?, fence = ? where id = ? and fence < ?", text, fence,
				id, fence);
		if (updated == 0) {
			throw new OptimisticLockingFailureException("A newer call has written " + id);
		}
	}

	int count(String table) {
		return this.jdbc.queryForObject("select count(*) from " + table, Integer.class);
	}

	static class NothingLeftException extends RuntimeException {

		NothingLeftException(String message) {
			super(message);
		}

	}

	record Receipt(String id, int cents) {
	}

}
