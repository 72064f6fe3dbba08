// SPDX-License-Identifier: Apache-2.0

package io.ge.redis.cache;

import java.util.ArrayList;
import java.util.Collection;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.TimeUnit;
import java.util.function.Function;

import io.ge.redis.cache.AsyncApplication.Account;
import io.ge.redis.test.ReactiveDatabase;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;

import org.springframework.transaction.annotation.Transactional;

/**
 * Readers of several values that come later.
 */
class AsyncBatches {

	private final ReactiveDatabase database;

	private final GeCaches caches;

	private final List<List<String>> loaded = new CopyOnWriteArrayList<>();

	private final List<String> threads = new CopyOnWriteArrayList<>();

	/** What a load waits for when it has read. */
	private volatile Function<List<String>, Mono<?>> afterRead = (ids) -> Mono.empty();

	private AsyncBatches self = this;

	AsyncBatches(ReactiveDatabase database, GeCaches caches) {
		this.database = database;
		this.caches = caches;
	}

	void self(AsyncBatches proxy) {
		this.self = proxy;
	}

	List<List<String>> loaded() {
		return this.loaded;
	}

	List<String> threads() {
		return this.threads;
	}

	void afterRead(Function<List<String>, Mono<?>> action) {
		this.afterRead = action;
	}

	void reset() {
		this.loaded.clear();
		this.threads.clear();
		this.afterRead = (ids) -> Mono.empty();
	}

	private Mono<Map<String, Account>> load(Collection<String> ids) {
		return Mono.defer(() -> {
			this.loaded.add(List.copyOf(ids));
			this.threads.add(Thread.currentThread().getName());
			return Flux.fromIterable(ids)
				.concatMap((id) -> this.database.find(id).map((balance) -> new Account(id, balance)))
				.collectMap(Account::id);
		}).delayUntil((read) -> this.afterRead.apply(new ArrayList<>(ids)));
	}

	@CacheAside(cache = "accounts", keys = "#ids")
	Mono<Map<String, Account>> findAll(Collection<String> ids) {
		return load(ids);
	}

	@CacheAside(cache = "accounts", keys = "#ids")
	CompletableFuture<Map<String, Account>> findAllFuture(List<String> ids) {
		return load(ids).toFuture();
	}

	@CacheAside(cache = "accounts", keys = "#ids")
	CompletionStage<Map<String, Account>> findAllStage(Set<String> ids) {
		return load(ids).toFuture();
	}

	@CacheAside(cache = "accounts", keys = "#ids")
	@Transactional(readOnly = true)
	Mono<Map<String, Account>> findAllInTransaction(Iterable<String> ids) {
		return load((List<String>) ids);
	}

	CompletionStage<Map<String, Account>> findAllInCode(Collection<String> ids) {
		return this.caches.getAllAsync("accounts", ids, Account.class, (missing) -> load(missing).toFuture());
	}

	@CacheAside(cache = "accounts", keys = "#ids")
	Mono<Map<String, Account>> findAllByReadingThem(Collection<String> ids) {
		return Mono.defer(() -> this.self.findAll(ids));
	}

	@CacheAside(cache = "accounts", keys = "#ids")
	Mono<Map<String, Account>> findNothing(Collection<String> ids) {
		return Mono.empty();
	}

	@CacheAside(cache = "picked", keys = "#ids", condition = "!#ids.contains('never')", unless = "#result.balance == 0")
	Mono<Map<String, Account>> findPositive(Collection<String> ids) {
		return load(ids);
	}

	@CacheAside(cache = "near", keys = "#ids")
	Mono<Map<String, String>> findNear(Collection<String> ids) {
		return load(ids).map((found) -> Map.of("n1", "one", "n2", "two"));
	}

	@CacheAside(cache = "behind", keys = "#ids")
	Mono<Map<String, Account>> findBehind(Collection<String> ids) {
		return load(ids);
	}

	@CacheAside(cache = "kept", keys = "#ids")
	Mono<Map<String, String>> findKept(Collection<String> ids) {
		return load(ids).map((found) -> Map.of("k1", "one", "k2", "two"));
	}

	@CacheAside(cache = "kept", keys = "#ids")
	CompletableFuture<Map<String, String>> findKeptFuture(Collection<String> ids) {
		return findKept(ids).toFuture();
	}

	/**
	 * The forms of a reader of several values.
	 */
	enum Form {

		MONO((batches) -> (ids) -> batches.findAll(ids).toFuture()),

		FUTURE((batches) -> batches::findAllFuture),

		STAGE((batches) -> (ids) -> batches.findAllStage(new LinkedHashSet<>(ids)).toCompletableFuture()),

		CODE((batches) -> (ids) -> batches.findAllInCode(ids).toCompletableFuture()),

		IN_TRANSACTION((batches) -> (ids) -> batches.findAllInTransaction(ids).toFuture());

		private final Function<AsyncBatches, Function<List<String>, CompletableFuture<Map<String, Account>>>> finder;

		Form(Function<AsyncBatches, Function<List<String>, CompletableFuture<Map<String, Account>>>> finder) {
			this.finder = finder;
		}

		CompletableFuture<Map<String, Account>> begin(AsyncBatches batches, List<String> ids) {
			return this.finder.apply(batches).apply(ids);
		}

		Map<String, Account> find(AsyncBatches batches, List<String> ids) {
			return begin(batches, ids).orTimeout(30, TimeUnit.SECONDS).join();
		}

	}

}
