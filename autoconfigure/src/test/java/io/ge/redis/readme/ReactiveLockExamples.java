// SPDX-License-Identifier: Apache-2.0

package io.ge.redis.readme;

import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;

import io.ge.redis.lock.DistributedLock;
import io.ge.redis.lock.DistributedLocks;
import io.ge.redis.lock.LockContext;
import io.ge.redis.lock.LockOptions;
import reactor.core.publisher.Mono;

import org.springframework.r2dbc.core.DatabaseClient;
import org.springframework.transaction.annotation.Transactional;

/**
 * The code of the page on locks whose result comes later.
 */
class ReactiveLockExamples {

	private final DistributedLocks locks;

	private final DatabaseClient database;

	ReactiveLockExamples(DistributedLocks locks, DatabaseClient database) {
		this.locks = locks;
		this.database = database;
	}

	// @formatter:off
	@DistributedLock(name = "account", key = "#id", waitTime = "2s")
	@Transactional
	public Mono<Void> deposit(String id, long amount) {
		return this.database.sql("update account set balance = balance + :amount where id = :id")
			.bind("amount", amount)
			.bind("id", id)
			.then();
	}

	@DistributedLock(name = "account", key = "#id", waitTime = "2s")
	public Mono<Long> checkedBalance(String id) {
		return this.database.sql("select balance from account where id = :id")
			.bind("id", id)
			.map((row) -> row.get("balance", Long.class))
			.one()
			.flatMap((balance) -> Mono.deferContextual((context) -> {
				LockContext.current(context).assertHeld();
				return Mono.just(balance);
			}));
	}

	public CompletionStage<Long> tokenLater(String id) {
		return this.locks.executeAsync("account", id, LockOptions.defaults(),
				(lock) -> CompletableFuture.supplyAsync(lock::token));
	}

	public CompletionStage<Boolean> takeIfFreeLater(String id) {
		return this.locks.lockAsync("account", id, LockOptions.defaults())
			.thenCompose((lock) -> lock.closeAsync().thenApply((closed) -> true));
	}
	// @formatter:on

}
