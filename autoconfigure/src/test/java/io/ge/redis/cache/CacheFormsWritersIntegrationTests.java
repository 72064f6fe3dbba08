// SPDX-License-Identifier: Apache-2.0

package io.ge.redis.cache;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Function;
import java.util.function.Supplier;

import io.ge.redis.cache.AsyncApplication.Account;
import io.ge.redis.cache.AsyncApplication.Accounts;
import io.ge.redis.cache.AsyncApplication.Failing;
import io.ge.redis.test.EmptyTransactionManager;
import io.ge.redis.test.ReactiveDatabase;
import io.ge.redis.test.SharedRedis;
import io.ge.redis.test.Wide;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;
import reactor.core.publisher.Sinks;
import reactor.core.scheduler.Schedulers;

import org.springframework.transaction.ReactiveTransactionManager;
import org.springframework.transaction.TransactionDefinition;
import org.springframework.transaction.reactive.TransactionalOperator;
import org.springframework.transaction.support.DefaultTransactionDefinition;
import org.springframework.transaction.support.TransactionTemplate;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;

/**
 * Writers whose ends come later, and reactive transactions.
 */
class CacheFormsWritersIntegrationTests {

	private static final Duration LONG = Duration.ofSeconds(30);

	private static final Account OLD = new Account("a", 100);

	private static final Account NEW = new Account("a", 200);

	private static final ReactiveDatabase DATABASE = ReactiveDatabase.create();

	private static AsyncApplication application;

	private Accounts accounts;

	@BeforeAll
	static void start() {
		application = AsyncApplication.start(DATABASE, SharedRedis.standalone().properties(),
				"ge.redis.cache.intent-timeout=1m");
		Accounts accounts = application.accounts();
		accounts.self(accounts);
		accounts.find("learn").block(LONG);
		accounts.set("learn", 1).block(LONG);
		application.caches().evict("accounts", "learn");
	}

	@AfterAll
	static void stop() {
		application.close();
	}

	@BeforeEach
	void prepare() {
		this.accounts = application.accounts();
		this.accounts.afterRead((read) -> Mono.empty());
		this.accounts.afterChange(Mono.empty());
		DATABASE.put("a", OLD.balance()).block(LONG);
		SharedRedis.standalone().flushAll();
		application.caches().clear("accounts");
		application.caches().clear("tagged");
		assertThat(this.accounts.find("a").block(LONG)).isEqualTo(OLD);
		this.accounts.loads().set(0);
		application.events().takeResults();
	}

	private static long calls(Runnable work) {
		SharedRedis.standalone().configResetStat();
		work.run();
		return SharedRedis.standalone().commandCalls("evalsha") + SharedRedis.standalone().commandCalls("eval");
	}

	private Account stored() {
		return this.accounts.stored("a").block(LONG);
	}

	/**
	 * Reads as somebody else would, without loading.
	 */
	private Account cached() {
		int before = this.accounts.loads().get();
		Account read = this.accounts.find("a").block(LONG);
		assertThat(this.accounts.loads()).hasValue(before);
		return read;
	}

	@ParameterizedTest
	@EnumSource
	void writeCostsTwoCallsAndIsReadAtOnce(Form form) {
		assertThat(calls(() -> assertThat(form.set(this.accounts, NEW)).succeedsWithin(LONG).isEqualTo(NEW)))
			.isEqualTo(2);
		assertThat(cached()).isEqualTo(NEW).isEqualTo(stored());
		assertThat(application.events().takeResults()).containsExactly("published", "hit");
	}

	@ParameterizedTest
	@EnumSource
	void whoReadsTheOldRowWhileAWriterCommitsDoesNotKeepIt(Form form) {
		application.caches().evict("accounts", "a");
		Sinks.Empty<Void> reading = Sinks.empty();
		CompletableFuture<Object> seen = new CompletableFuture<>();
		this.accounts.afterRead((read) -> {
			seen.complete(read);
			return reading.asMono();
		});
		CompletableFuture<Account> reader = this.accounts.find("a").toFuture();
		assertThat(seen).succeedsWithin(LONG).isEqualTo(OLD);
		assertThat(form.set(this.accounts, NEW)).succeedsWithin(LONG);
		this.accounts.afterRead((read) -> Mono.empty());
		reading.tryEmitEmpty();
		assertThat(reader).succeedsWithin(LONG).isEqualTo(OLD);
		assertThat(cached()).isEqualTo(NEW);
	}

	@ParameterizedTest
	@EnumSource(mode = EnumSource.Mode.EXCLUDE, names = "IN_CALLERS")
	void nobodyKeepsTheOldRowWhileAWriterIsAtWork(Form form) {
		Sinks.Empty<Void> changing = Sinks.empty();
		CompletableFuture<Account> begun = new CompletableFuture<>();
		this.accounts.afterChange(Mono.defer(() -> {
			begun.complete(NEW);
			return changing.asMono();
		}));
		CompletableFuture<Account> writer = form.set(this.accounts, NEW);
		assertThat(begun).succeedsWithin(LONG);
		if (form.isTransactional()) {
			assertThat(this.accounts.find("a").block(LONG)).isEqualTo(OLD);
			assertThat(this.accounts.findFuture("a")).succeedsWithin(LONG).isEqualTo(OLD);
			assertThat(this.accounts.loads()).hasValue(2);
			assertThat(application.events().takeResults()).containsOnly("bypass", "loaded");
		}
		changing.tryEmitEmpty();
		assertThat(writer).succeedsWithin(LONG);
		assertThat(cached()).isEqualTo(NEW);
	}

	@Test
	void rolledBackWriterLeavesTheOldValueToBeLoaded() {
		assertThatIllegalStateException().isThrownBy(() -> this.accounts.setAndFail("a", 1).block(LONG));
		assertThat(application.events().takeResults()).containsExactly("invalidated");
		assertThat(this.accounts.find("a").block(LONG)).isEqualTo(OLD).isEqualTo(stored());
	}

	@Test
	void callersTransactionAnnouncesRightBeforeItsCommit() {
		Mono<Account> inside = this.accounts.set("a", NEW.balance()).delayUntil((set) -> Mono.fromRunnable(() -> {
			// Others still find the old value, which is the committed one
			assertThat(this.accounts.findFuture("a")).succeedsWithin(LONG).isEqualTo(OLD);
			assertThat(this.accounts.loads()).hasValue(0);
		}).subscribeOn(Schedulers.boundedElastic()))
			.delayUntil((set) -> this.accounts.find("a").doOnNext((read) -> assertThat(read).isEqualTo(NEW)));
		assertThat(inside.as(application.transaction()::transactional).block(LONG)).isEqualTo(NEW);
		assertThat(this.accounts.loads()).hasValue(1);
		assertThat(cached()).isEqualTo(NEW);
		assertThat(application.events().takeResults()).containsExactly("hit", "bypass", "loaded", "published", "hit");
	}

	@Test
	void callersTransactionThatIsRolledBackRemovesTheEntry() {
		Mono<Account> failing = this.accounts.set("a", 1).then(Mono.error(new IllegalStateException("rolled back")));
		assertThatIllegalStateException()
			.isThrownBy(() -> failing.as(application.transaction()::transactional).block(LONG));
		assertThat(application.events().takeResults()).containsExactly("invalidated");
		assertThat(this.accounts.find("a").block(LONG)).isEqualTo(OLD).isEqualTo(stored());
	}

	@Test
	void lastOfSeveralWritesInOneTransactionIsPublished() {
		Mono<Account> several = this.accounts.set("a", 1)
			.then(this.accounts.setInOperator("a", 2))
			.then(this.accounts.set("a", NEW.balance()));
		assertThat(calls(() -> several.as(application.transaction()::transactional).block(LONG))).isEqualTo(2);
		assertThat(cached()).isEqualTo(NEW);
	}

	@Test
	void writersOneAfterTheOtherAreWritersEach() {
		Mono<Account> several = this.accounts.set("a", 1)
			.flatMap((first) -> this.accounts.setInOperator("a", 2))
			.flatMap((second) -> this.accounts.setWithoutTransaction("a", NEW.balance()));
		assertThat(calls(() -> several.block(LONG))).isEqualTo(6);
		assertThat(cached()).isEqualTo(NEW);
	}

	@Test
	void futureInATransactionOfItsThreadHasItsEntryRemovedAfterBoth() {
		TransactionTemplate thread = new TransactionTemplate(new EmptyTransactionManager());
		thread.executeWithoutResult((status) -> {
			assertThat(this.accounts.setFuture("a", NEW.balance())).succeedsWithin(LONG);
			assertThat(this.accounts.find("a").block(LONG)).isEqualTo(NEW);
		});
		assertThat(application.events().takeResults()).containsExactly("invalidated", "bypass", "loaded",
				"invalidated");
		assertThat(this.accounts.find("a").block(LONG)).isEqualTo(NEW);
		assertThat(cached()).isEqualTo(NEW);
	}

	@Test
	void partThatIsRolledBackIsNotPublished() {
		Mono<Void> nested = this.accounts.setNested("a", 1)
			.then(Mono.<Void>error(new IllegalStateException("rolled back")))
			.as((mono) -> TransactionalOperator
				.create(application.bean(ReactiveTransactionManager.class),
						new DefaultTransactionDefinition(TransactionDefinition.PROPAGATION_NESTED))
				.transactional(mono))
			.onErrorResume(IllegalStateException.class, (ex) -> Mono.empty());
		nested.as(application.transaction()::transactional).block(LONG);
		assertThat(this.accounts.find("a").block(LONG)).isEqualTo(OLD).isEqualTo(stored());
	}

	@Test
	void newTransactionInsideOfAnotherIsPublishedAtItsOwnEnd() {
		Mono<Account> inside = this.accounts.setInNewTransaction("a", NEW.balance())
			.delayUntil((set) -> this.accounts.find("a").doOnNext((read) -> assertThat(read).isEqualTo(NEW)))
			.then(Mono.error(new IllegalStateException("rolled back")));
		assertThatIllegalStateException()
			.isThrownBy(() -> inside.as(application.transaction()::transactional).block(LONG));
		assertThat(cached()).isEqualTo(NEW).isEqualTo(stored());
	}

	@Test
	void writerReadsWhatItHasWritten() {
		assertThat(this.accounts.setAndRead("a", NEW.balance()).block(LONG)).isEqualTo(NEW);
		assertThat(cached()).isEqualTo(NEW);
	}

	@Test
	void invalidatedEntryGoesWithTheCommit() {
		assertThat(calls(() -> this.accounts.remove("a").block(LONG))).isEqualTo(2);
		assertThat(this.accounts.find("a").block(LONG)).isNull();
	}

	@Test
	void readerInATransactionKeepsNoRowFromBeforeAWrite() {
		application.caches().evict("accounts", "a");
		Mono<Account> reading = this.accounts.stored("a")
			.delayUntil((seen) -> Mono.fromRunnable(() -> this.accounts.setFuture("a", NEW.balance()).join())
				.subscribeOn(Schedulers.boundedElastic()))
			.then(Mono.fromRunnable(() -> application.caches().evict("accounts", "a"))
				.subscribeOn(Schedulers.boundedElastic()))
			.then(Mono.defer(() -> this.accounts.find("a")));
		reading.as(application.transaction()::transactional).block(LONG);
		this.accounts.loads().set(0);
		assertThat(this.accounts.find("a").block(LONG)).isEqualTo(NEW);
		// The first one was refused, since its transaction is older than the write
		assertThat(this.accounts.loads()).hasValue(1);
	}

	@Test
	void readerInATransactionStoresWhatItLoads() {
		application.caches().evict("accounts", "b");
		SharedRedis.standalone().flushAll();
		application.caches().clear("accounts");
		Mono.defer(() -> this.accounts.find("b")).as(application.transaction()::transactional).block(LONG);
		this.accounts.loads().set(0);
		this.accounts.find("b").block(LONG);
		assertThat(this.accounts.loads()).hasValue(0);
	}

	@Test
	void readerBesideAWriterInOneTransactionKeepsNoRowThatIsNotCommitted() {
		application.caches().evict("accounts", "a");
		Sinks.Empty<Void> changed = Sinks.empty();
		Mono<Account> writing = Mono.defer(() -> this.accounts.set("a", NEW.balance()))
			.doOnSuccess((set) -> changed.tryEmitEmpty());
		Mono<Account> both = Mono.zip(this.accounts.findAfter("a", changed.asMono()), writing, (read, set) -> read)
			.delayUntil((read) -> Mono
				.fromRunnable(() -> assertThat(this.accounts.findFuture("a")).succeedsWithin(LONG).isEqualTo(OLD))
				.subscribeOn(Schedulers.boundedElastic()));
		assertThat(both.as(application.transaction()::transactional).block(LONG)).isEqualTo(NEW);
		assertThat(cached()).isEqualTo(NEW);
	}

	@Test
	void writerWhoseTransactionIsMarkedForRollbackPublishesNothing() {
		assertThat(this.accounts.setAndMarkForRollback("a", 1).block(LONG)).isEqualTo(new Account("a", 1));
		assertThat(application.events().takeResults()).containsExactly("invalidated");
		assertThat(this.accounts.find("a").block(LONG)).isEqualTo(OLD).isEqualTo(stored());
	}

	@ParameterizedTest
	@ValueSource(booleans = { false, true })
	void futureWhoseTransactionIsMarkedForRollbackPublishesNothing(boolean onAnotherThread) {
		TransactionTemplate thread = new TransactionTemplate(new EmptyTransactionManager());
		Supplier<Account> work = () -> thread.execute((status) -> {
			// The manager has no listeners: from here on it is seen
			application.caches().evict("accounts", "b");
			status.setRollbackOnly();
			return new Account("a", 1);
		});
		CompletionStage<Account> written = application.caches()
			.writeAsync("accounts", "a", () -> onAnotherThread ? CompletableFuture.supplyAsync(work)
					: CompletableFuture.completedFuture(work.get()));
		assertThat(written).succeedsWithin(LONG);
		assertThat(this.accounts.find("a").block(LONG)).isEqualTo(OLD).isEqualTo(stored());
	}

	@Test
	void writerThatIsCancelledWithoutAnAnnouncementRemovesAtOnce() {
		assertThat(this.accounts.tagged("1", "red").block(LONG)).isEqualTo("load 1");
		this.accounts.invalidateGroupAndHang("red").subscribe().dispose();
		// Not after the time of an announcement, which is a minute
		Awaitility.await().atMost(LONG).until(() -> "load 2".equals(this.accounts.tagged("1", "red").block(LONG)));
	}

	@Test
	void writerThatDoesNotBeginLeavesTheRemovalOfTheOneBeforeIt() {
		Mono<?> both = this.accounts.removeFresh("a").then(Mono.deferContextual((context) -> {
			// Nothing of this cache is known, so Redis is asked first
			cancelWhileRedisIsAsked(this.accounts.setFresh("a", 1).contextWrite(context));
			// By the second answer after that it is given back
			return this.accounts.setFresh("b", 1).then(this.accounts.find("b"));
		}));
		both.as(application.transaction()::transactional).block(LONG);
		assertThat(application.events().takeResults()).containsExactly("miss", "loaded", "invalidated", "published");
	}

	@Test
	void writerThatDoesNotBeginDoesNotKeepTheNextOneFromPublishing() {
		// Whoever writes asks first what was invalidated, and so can be cancelled before
		// it begins
		try (AsyncApplication asking = AsyncApplication.start(DATABASE, SharedRedis.standalone().properties(),
				"ge.redis.cache.max-staleness=1ms")) {
			Accounts writers = asking.accounts();
			writers.set("b", 1).block(LONG);
			asking.events().takeResults();
			oldEnough().then(Mono.deferContextual((context) -> {
				cancelWhileRedisIsAsked(writers.setWithoutTransaction("a", 1).contextWrite(context));
				// By the second answer after that it is given back
				return writers.set("b", 2).then(oldEnough()).then(writers.set("c", 3));
			})).then(writers.set("a", NEW.balance())).as(asking.transaction()::transactional).block(LONG);
			assertThat(asking.events().takeResults()).containsExactly("published", "published", "published");
			assertThat(stored()).isEqualTo(NEW);
			assertThat(cached()).isEqualTo(NEW);
		}
	}

	private static void cancelWhileRedisIsAsked(Mono<?> writer) {
		SharedRedis.standalone().primary().pause();
		try {
			writer.subscribe().dispose();
		}
		finally {
			SharedRedis.standalone().primary().resume();
		}
	}

	private static Mono<Long> oldEnough() {
		return Mono.delay(Duration.ofMillis(5));
	}

	@Test
	void errorInTheValueAfterTheTransactionRemovesWhatOthersHaveStoredSince() {
		// Of a cache that nobody knows no value is made in a transaction
		application.caches().get("failing", "known", Failing.class, () -> new Failing(0));
		Sinks.Empty<Void> changed = Sinks.empty();
		Sinks.Empty<Void> gate = Sinks.empty();
		this.accounts.afterChange(Mono.defer(() -> {
			changed.tryEmitEmpty();
			return gate.asMono();
		}));
		List<CompletableFuture<Failing>> late = new ArrayList<>();
		Mono.deferContextual((context) -> {
			late.add(this.accounts.setFailing("a", -1).contextWrite(context).toFuture());
			return changed.asMono();
		}).as(application.transaction()::transactional).block(LONG);
		AtomicInteger loads = new AtomicInteger();
		Supplier<Failing> loader = () -> new Failing(loads.incrementAndGet());
		application.caches().get("failing", "a", Failing.class, loader);
		assertThat(application.caches().get("failing", "a", Failing.class, loader)).isEqualTo(new Failing(1));
		gate.tryEmitEmpty();
		assertThat(late.get(0)).failsWithin(LONG);
		Awaitility.await()
			.atMost(LONG)
			.until(() -> application.caches().get("failing", "a", Failing.class, loader).balance() == 2);
	}

	@Test
	void writerInsideOfOneThatDoesNotWaitForItIsAWriterOfItsOwn() {
		Sinks.Empty<Void> changing = Sinks.empty();
		CompletableFuture<Account> begun = new CompletableFuture<>();
		this.accounts.afterChange(Mono.defer(() -> {
			begun.complete(NEW);
			return changing.asMono();
		}));
		List<CompletableFuture<Account>> inside = new ArrayList<>();
		application.caches().write("accounts", "a", () -> {
			inside.add(this.accounts.setFuture("a", NEW.balance()));
			assertThat(begun).succeedsWithin(LONG);
			return OLD;
		});
		changing.tryEmitEmpty();
		assertThat(inside.get(0)).succeedsWithin(LONG).isEqualTo(NEW);
		assertThat(this.accounts.find("a").block(LONG)).isEqualTo(NEW).isEqualTo(stored());
	}

	@Test
	void errorInTheValueIsTheCallersAndAllIsRemoved() {
		assertThat(this.accounts.tagged("1", "red").block(LONG)).isEqualTo("load 1");
		application.events().takeResults();
		assertThat(this.accounts.setFailing("a", -1).toFuture()).failsWithin(LONG)
			.withThrowableThat()
			.havingRootCause()
			.isInstanceOf(AssertionError.class)
			.withMessage("no value");
		assertThat(application.events().takeResults()).containsExactly("invalidated", "invalidated");
		assertThat(this.accounts.tagged("1", "red").block(LONG)).isEqualTo("load 2");
	}

	@Test
	@Wide
	void readersAndWritersInParallelEndEqual() {
		List<Mono<?>> work = new ArrayList<>();
		for (int i = 0; i < 600; i++) {
			long balance = i;
			work.add(switch (ThreadLocalRandom.current().nextInt(8)) {
				case 0 -> this.accounts.set("a", balance);
				case 1 -> this.accounts.setInOperator("a", balance);
				case 2 -> Mono.fromFuture(() -> this.accounts.setFuture("a", balance));
				case 3 -> this.accounts.setAndFail("a", balance);
				case 4 ->
					Mono.defer(() -> this.accounts.set("a", balance)).as(application.transaction()::transactional);
				case 5 -> Mono.fromFuture(() -> this.accounts.findFuture("a"));
				default -> this.accounts.find("a");
			});
		}
		Flux.fromIterable(work)
			.flatMap((each) -> each.onErrorResume((ex) -> Mono.empty()), 16)
			.blockLast(Duration.ofMinutes(1));
		assertThat(this.accounts.find("a").block(LONG)).isEqualTo(stored());
		assertThat(cached()).isEqualTo(stored());
	}

	/**
	 * The forms of a writer.
	 */
	enum Form {

		TRANSACTIONAL((accounts) -> (account) -> accounts.set(account.id(), account.balance()).toFuture()),

		IN_OPERATOR((accounts) -> (account) -> accounts.setInOperator(account.id(), account.balance()).toFuture()),

		FUTURE((accounts) -> (account) -> accounts.setFuture(account.id(), account.balance())),

		WITHOUT_TRANSACTION(
				(accounts) -> (account) -> accounts.setWithoutTransaction(account.id(), account.balance()).toFuture()),

		IN_CALLERS((accounts) -> (account) -> Mono.defer(() -> accounts.set(account.id(), account.balance()))
			.as(application.transaction()::transactional)
			.toFuture());

		private final Function<Accounts, Function<Account, CompletableFuture<Account>>> setter;

		Form(Function<Accounts, Function<Account, CompletableFuture<Account>>> setter) {
			this.setter = setter;
		}

		CompletableFuture<Account> set(Accounts accounts, Account account) {
			return this.setter.apply(accounts).apply(account).orTimeout(30, TimeUnit.SECONDS);
		}

		boolean isTransactional() {
			return this != WITHOUT_TRANSACTION;
		}

	}

}
