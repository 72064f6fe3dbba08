// SPDX-License-Identifier: Apache-2.0

package io.ge.redis.readme;

import java.util.Collection;
import java.util.Map;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.atomic.AtomicInteger;

import io.ge.redis.cache.CacheAside;
import io.ge.redis.cache.CacheWriteThrough;
import io.ge.redis.cache.GeCaches;
import io.ge.redis.test.ReactiveDatabase;
import org.jspecify.annotations.Nullable;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;

import org.springframework.transaction.annotation.Transactional;

/**
 * The accounts of the page on caching, in a database with a reactive driver.
 */
public class LaterExamples {

	private final ReactiveDatabase database;

	private final GeCaches caches;

	private final AtomicInteger loads = new AtomicInteger();

	LaterExamples(ReactiveDatabase database, GeCaches caches) {
		this.database = database;
		this.caches = caches;
	}

	AtomicInteger loads() {
		return this.loads;
	}

	private Mono<Account> query(String id) {
		return this.database.find(id).map((balance) -> {
			this.loads.incrementAndGet();
			return new Account(id, balance);
		});
	}

	private Mono<Account> update(String id, long balance) {
		return this.database.put(id, balance).thenReturn(new Account(id, balance));
	}

	// @formatter:off
	@CacheAside(cache = "accounts", key = "#id")
	public Mono<Account> account(String id) {
		return query(id);
	}

	@CacheWriteThrough(cache = "accounts", key = "#id")
	@Transactional
	public Mono<Account> correct(String id, long balance) {
		return update(id, balance);
	}

	public CompletionStage<@Nullable Account> accountInCode(String id) {
		return this.caches.getAsync("accounts", id, Account.class, () -> query(id).toFuture());
	}

	@CacheAside(cache = "accounts", keys = "#ids")
	public Mono<Map<String, Account>> accounts(Collection<String> ids) {
		return queryAll(ids);
	}

	public CompletionStage<Map<String, Account>> accountsInCode(Collection<String> ids) {
		return this.caches.getAllAsync("accounts", ids, Account.class, (missing) -> queryAll(missing).toFuture());
	}
	// @formatter:on

	private Mono<Map<String, Account>> queryAll(Collection<String> ids) {
		return Flux.fromIterable(ids).concatMap(this::query).collectMap(Account::id);
	}

	/**
	 * An account.
	 *
	 * @param id whose
	 * @param balance how much
	 */
	public record Account(String id, long balance) {
	}

}
