// SPDX-License-Identifier: Apache-2.0

package io.ge.redis.lock.internal;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Random;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Function;
import java.util.function.Supplier;

import io.ge.redis.core.event.GuardEvent;
import io.ge.redis.core.event.GuardListener;
import io.ge.redis.lock.DistributedLock;
import io.ge.redis.lock.DistributedLocks;
import io.ge.redis.lock.FencingToken;
import io.ge.redis.lock.LockAcquireEvent;
import io.ge.redis.lock.LockAssert;
import io.ge.redis.lock.LockContext;
import io.ge.redis.lock.LockHandle;
import io.ge.redis.lock.LockInterruptedException;
import io.ge.redis.lock.LockLostEvent;
import io.ge.redis.lock.LockLostException;
import io.ge.redis.lock.LockMode;
import io.ge.redis.lock.LockNotAcquiredException;
import io.ge.redis.lock.LockOptions;
import io.ge.redis.lock.MultiLockHandle;
import io.ge.redis.lock.OnLost;
import io.ge.redis.lock.OnNotAcquired;
import io.ge.redis.test.EmptyTransactionManager;
import io.ge.redis.test.FailingSynchronization;
import io.ge.redis.test.OnRedis;
import io.ge.redis.test.ReactiveDatabase;
import io.ge.redis.test.SharedRedis;
import io.ge.redis.test.Sized;
import io.ge.redis.test.TcpProxy;
import io.ge.redis.test.Wide;
import org.awaitility.Awaitility;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import reactor.core.Disposable;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;
import reactor.core.publisher.Sinks;
import reactor.core.scheduler.Schedulers;

import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.annotation.Import;
import org.springframework.transaction.PlatformTransactionManager;
import org.springframework.transaction.ReactiveTransactionManager;
import org.springframework.transaction.TransactionDefinition;
import org.springframework.transaction.annotation.EnableTransactionManagement;
import org.springframework.transaction.annotation.Transactional;
import org.springframework.transaction.reactive.AbstractReactiveTransactionManager;
import org.springframework.transaction.reactive.GenericReactiveTransaction;
import org.springframework.transaction.reactive.TransactionSynchronizationManager;
import org.springframework.transaction.reactive.TransactionalOperator;
import org.springframework.transaction.support.DefaultTransactionDefinition;
import org.springframework.transaction.support.TransactionTemplate;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

/**
 * Locks of methods whose results come later, and the API that does not block.
 */
@OnRedis
@Sized
class LockFormsIntegrationTests {

	private static final Duration LONG = Duration.ofSeconds(30);

	private static final Duration SLOW = Duration.ofMillis(300);

	private static final LockOptions OPTIONS = LockOptions.defaults();

	private static final LockOptions WAITING = OPTIONS.waitTime(LONG);

	private static LockApplication first;

	private static LockApplication second;

	private static Desk desk;

	private static Desk otherDesk;

	private static ReactiveDatabase database;

	@BeforeAll
	static void start() {
		first = LockApplication.start(SharedRedis.properties(), Beans.class);
		second = LockApplication.start(SharedRedis.properties(), Beans.class);
		desk = first.get(Desk.class);
		otherDesk = second.get(Desk.class);
		database = first.get(ReactiveDatabase.class);
		for (LockApplication application : List.of(first, second)) {
			application.locks().lock("warm", "up", WAITING).close();
		}
	}

	@AfterAll
	static void stop() {
		first.close();
		second.close();
	}

	@BeforeEach
	void reset() {
		// What the test before has left to be given up is not counted in this one
		awaitNothingHeld();
		desk.runs().set(0);
		otherDesk.runs().set(0);
	}

	@Test
	void futureRunsUnderItsLockWhichIsGivenUpBeforeItsResultIsThere() {
		CompletableFuture<String> work = new CompletableFuture<>();
		CompletableFuture<String> result = desk.future("a", () -> work);
		Awaitility.await().until(() -> desk.runs().get() == 1);
		assertRefused(otherDesk.future("a", () -> work));
		assertRefused(otherDesk.stage("a", () -> work).toCompletableFuture());
		assertThat(otherDesk.runs()).hasValue(0);
		CompletableFuture<Boolean> heldAfterwards = result.thenApply((value) -> isHeld("a"));
		assertThat(isHeld("a")).isTrue();
		work.complete("done");
		assertThat(heldAfterwards).succeedsWithin(LONG).isEqualTo(false);
		assertThat(result).isCompletedWithValue("done");
		assertThat(otherDesk.stage("a", () -> work).toCompletableFuture()).succeedsWithin(LONG).isEqualTo("done");
	}

	@Test
	void publishersAskAtEachSubscriptionAndGiveUpBeforeTheyEmit() {
		Mono<Boolean> mono = desk.mono("a", () -> Mono.just("done")).map((value) -> isHeld("a"));
		assertThat(isHeld("a") || desk.runs().get() > 0).isFalse();
		assertThat(mono.block(LONG)).isFalse();
		assertThat(mono.block(LONG)).isFalse();
		List<Boolean> held = new CopyOnWriteArrayList<>();
		Flux<Integer> flux = desk.flux("a", () -> Flux.just(1, 2))
			.doOnNext((value) -> held.add(isHeld("a")))
			.doOnComplete(() -> held.add(isHeld("a")));
		flux.blockLast(LONG);
		flux.blockLast(LONG);
		assertThat(held).containsExactly(true, true, false, true, true, false);
		assertThat(desk.runs()).hasValue(4);
	}

	@Test
	void publisherIsRefusedWhileAnotherInstanceHasTheLockAndTheMethodDoesNotRun() {
		try (LockHandle lock = second.locks().lock("forms", "a", OPTIONS)) {
			assertThatExceptionOfType(LockNotAcquiredException.class)
				.isThrownBy(() -> desk.mono("a", () -> Mono.just("done")).block(LONG))
				.satisfies((ex) -> assertThat(ex.retryAfter()).isNull());
			assertThatExceptionOfType(LockNotAcquiredException.class)
				.isThrownBy(() -> desk.flux("a", () -> Flux.just(1)).blockLast(LONG));
		}
		assertThat(desk.runs()).hasValue(0);
		assertThat(desk.mono("a", () -> Mono.just("done")).block(LONG)).isEqualTo("done");
	}

	@Test
	void eachFormCostsTwoScriptCallsAndNestedCallsNothing() {
		assertScripts(2, () -> desk.mono("a", () -> Mono.just("done")).block(LONG));
		assertScripts(2, () -> desk.flux("a", () -> Flux.just(1, 2)).blockLast(LONG));
		assertScripts(2, () -> desk.future("a", () -> CompletableFuture.completedFuture("done")).join());
		assertScripts(2,
				() -> first.locks()
					.executeAsync("forms", "a", OPTIONS, (lock) -> CompletableFuture.completedFuture("done"))
					.toCompletableFuture()
					.join());
		assertScripts(2,
				() -> first.locks()
					.lockAsync("forms", "a", OPTIONS)
					.thenCompose(LockHandle::closeAsync)
					.toCompletableFuture()
					.join());
		assertScripts(2, () -> desk.mono("a", () -> desk.mono("a", () -> Mono.just("nested"))).block(LONG));
		assertScripts(4, () -> desk.transfer(-1, List.of("b", "a")).block(LONG));
	}

	private static void assertScripts(int expected, Runnable cycle) {
		int before = first.scripts();
		cycle.run();
		assertThat(first.scripts() - before).isEqualTo(expected);
	}

	@Test
	void lockIsEnteredAgainFromInsideOnWhicheverThread() {
		Function<String, Mono<String>> inner = (how) -> desk.mono("a", () -> Mono.just(how));
		assertThat(desk.mono("a", () -> inner.apply("at once")).block(LONG)).isEqualTo("at once");
		assertThat(desk.mono("a", () -> Mono.just("later").publishOn(Schedulers.boundedElastic()).flatMap(inner))
			.block(LONG)).isEqualTo("later");
		assertThat(desk.mono("a", () -> Mono.just(desk.plain("a"))).block(LONG)).isEqualTo("plain");
		assertThat(desk.mono("a", () -> Mono.fromFuture(desk.future("a", () -> later("future")))).block(LONG))
			.isEqualTo("future");
		assertThat(desk.future("a", () -> desk.future("a", () -> later("futures")))).succeedsWithin(LONG)
			.isEqualTo("futures");
		assertThat(first.locks()
			.<String, RuntimeException>execute("forms", "a", OPTIONS,
					(lock) -> inner.apply("plain outside").block(LONG)))
			.isEqualTo("plain outside");
		assertThat(desk
			.flux("a",
					() -> Flux.just(1)
						.delayElements(Duration.ofMillis(1))
						.concatMap((value) -> inner.apply("in a flux").thenReturn(value)))
			.blockLast(LONG)).isEqualTo(1);
		Awaitility.await().until(() -> !isHeld("a"));
		assertThat(LockContext.capture().isEmpty()).isTrue();
	}

	@Test
	void lockStaysWhileWorkThatHasEnteredItAgainOutlivesIt() {
		CompletableFuture<String> inner = new CompletableFuture<>();
		List<CompletableFuture<String>> started = new CopyOnWriteArrayList<>();
		assertThat(desk.future("a", () -> {
			started.add(desk.future("a", () -> inner));
			return later("outer");
		})).succeedsWithin(LONG);
		assertThat(isHeld("a")).isTrue();
		assertRefused(otherDesk.future("a", () -> inner));
		inner.complete("inner");
		assertThat(started.get(0)).succeedsWithin(LONG).isEqualTo("inner");
		assertThat(isHeld("a")).isFalse();
	}

	@Test
	void whoIsNotInsideDoesNotEnterAgain() {
		CompletableFuture<String> work = new CompletableFuture<>();
		CompletableFuture<String> result = desk.future("a", () -> work);
		Awaitility.await().until(() -> desk.runs().get() == 1);
		assertRefused(desk.future("a", () -> work));
		assertThatExceptionOfType(LockNotAcquiredException.class)
			.isThrownBy(() -> desk.mono("a", () -> Mono.just("done")).block(LONG));
		work.complete("done");
		assertThat(result).succeedsWithin(LONG);
		// What follows is not inside any more
		assertScripts(4,
				() -> desk.mono("a", () -> Mono.just("one"))
					.flatMap((value) -> desk.mono("a", () -> Mono.just("two")))
					.block(LONG));
	}

	@Test
	void contextGivesTheHandleToThreadAndSubscriber() {
		String names = desk.mono("a",
				() -> Mono.just(LockContext.current().name())
					.publishOn(Schedulers.boundedElastic())
					.flatMap((name) -> Mono.deferContextual((context) -> {
						LockContext.current(context).assertHeld();
						assertThat(LockContext.capture().isEmpty()).isTrue();
						try (LockContext.Scope scope = LockContext.capture(context).open()) {
							LockAssert.assertHeld("forms");
						}
						return Mono.just(name + ", " + LockContext.current(context).name());
					})))
			.block(LONG);
		assertThat(names).isEqualTo("forms, forms");
		assertThatExceptionOfType(IllegalStateException.class)
			.isThrownBy(() -> Mono.deferContextual((context) -> Mono.just(LockContext.current(context))).block(LONG));
	}

	@Test
	void whoGetsTheResultIsNotInsideAlsoWhereTheMethodWasCalled() {
		List<Thread> threads = new CopyOnWriteArrayList<>();
		int lost = first.events(LockLostEvent.class).size();
		// Given up at once, and the result passed on from there, once the loss is known,
		// which is a moment after the lock was valid
		Mono<Long> result = desk.shortly(() -> {
			threads.add(Thread.currentThread());
			Awaitility.await().pollInSameThread().until(() -> first.events(LockLostEvent.class).size() > lost);
			return Mono.just(1L);
		}).doOnNext((value) -> {
			threads.add(Thread.currentThread());
			assertThatExceptionOfType(IllegalStateException.class).isThrownBy(LockContext::current);
		});
		assertThat(result.block(LONG)).isEqualTo(1);
		assertThat(threads.get(1)).isSameAs(threads.get(0));
	}

	@Test
	void whoWaitsDoesNotBlockAndMayGo() {
		LockHandle lock = second.locks().lock("waits", "a", OPTIONS);
		Disposable mono = desk.waits("a").subscribe();
		CompletableFuture<String> future = desk.waitsFuture("a");
		CompletableFuture<LockHandle> handle = first.locks().lockAsync("waits", "a", WAITING).toCompletableFuture();
		CompletableFuture<MultiLockHandle> handles = first.locks()
			.lockAllAsync("waits", List.of("z", "a"), WAITING)
			.toCompletableFuture();
		CompletableFuture<String> work = first.locks()
			.executeAsync("waits", "a", WAITING, (held) -> later("done"))
			.toCompletableFuture();
		CompletableFuture<String> patient = desk.waitsFuture("a");
		Awaitility.await().until(() -> first.waiting() == 6);
		mono.dispose();
		for (CompletableFuture<?> waiting : List.of(future, handle, handles, work)) {
			assertThat(waiting.cancel(true)).isTrue();
		}
		Awaitility.await().until(() -> first.waiting() == 1);
		assertThat(desk.runs()).hasValue(0);
		lock.close();
		assertThat(patient).succeedsWithin(LONG).isEqualTo("done");
		assertThat(desk.runs()).hasValue(1);
		awaitNothingHeld();
		second.locks().lockAll("waits", List.of("a", "z"), OPTIONS).close();
	}

	@Test
	void cancellingStopsTheWorkAndGivesTheLockUp() {
		CompletableFuture<String> work = new CompletableFuture<>();
		CompletableFuture<String> future = desk.future("a", () -> work);
		Sinks.One<String> sink = Sinks.one();
		Disposable mono = desk.mono("b", sink::asMono).subscribe();
		Disposable flux = desk.flux("c", () -> Flux.just(1).concatWith(Flux.never())).subscribe();
		Awaitility.await().until(() -> desk.runs().get() == 3);
		future.cancel(true);
		mono.dispose();
		flux.dispose();
		assertThat(work).isCancelled();
		assertThat(sink.currentSubscriberCount()).isZero();
		awaitNothingHeld();
		for (String key : List.of("a", "b", "c")) {
			second.locks().lock("forms", key, OPTIONS).close();
		}
	}

	@Test
	void severalKeysAreHeldTogetherOrNotAtAll() {
		String told = desk.transfer(-1, List.of("b", "a", "b")).block(LONG);
		String[] tokens = told.split(" ");
		assertThat(tokens[0]).as("the token of the first key").isEqualTo(tokens[1]);
		try (LockHandle lock = second.locks().lock("transfer", "b", OPTIONS)) {
			assertThatExceptionOfType(LockNotAcquiredException.class)
				.isThrownBy(() -> desk.transfer(-1, List.of("b", "a")).block(LONG));
			second.locks().lock("transfer", "a", OPTIONS).close();
			assertThat(first.locks().lockAllAsync("transfer", List.of("a", "b"), OPTIONS).toCompletableFuture())
				.failsWithin(LONG);
			second.locks().lock("transfer", "a", OPTIONS).close();
		}
		MultiLockHandle handle = first.locks()
			.lockAllAsync("transfer", List.of("b", "a"), OPTIONS)
			.toCompletableFuture()
			.join();
		assertThat(handle.token()).isEqualTo(handle.token("a")).isGreaterThan(Long.parseLong(tokens[0]));
		assertThat(handle.closeAsync().toCompletableFuture()).succeedsWithin(LONG);
		assertThat(first.locks()
			.executeAllAsync("transfer", List.of("b", "a"), OPTIONS,
					(lock) -> CompletableFuture
						.completedFuture(second.locks().tryLock("transfer", "b", OPTIONS).isPresent()))
			.toCompletableFuture()).succeedsWithin(LONG).isEqualTo(false);
		second.locks().lockAll("transfer", List.of("a", "b"), OPTIONS).close();
	}

	@Test
	void tokenParameterReceivesRisingTokensAtEachSubscription() {
		Mono<Long> token = desk.token(Long.MAX_VALUE);
		long one = token.block(LONG);
		long two = token.block(LONG);
		assertThat(one).isPositive();
		assertThat(two).isGreaterThan(one);
		assertThat(desk.tokenLater(Long.MAX_VALUE).join()).isGreaterThan(two);
	}

	@Test
	void readersShareAndWritersDoNot() {
		Sinks.One<String> sink = Sinks.one();
		CompletableFuture<String> reader = desk.reads(sink::asMono).toFuture();
		Awaitility.await().until(() -> desk.runs().get() == 1);
		assertThat(otherDesk.reads(() -> Mono.just("too")).block(LONG)).isEqualTo("too");
		assertThatExceptionOfType(LockNotAcquiredException.class).isThrownBy(() -> otherDesk.writes().block(LONG));
		sink.tryEmitValue("one");
		assertThat(reader).succeedsWithin(LONG).isEqualTo("one");
		assertThat(otherDesk.writes().block(LONG)).isEqualTo("wrote and read");
	}

	@Test
	void skippedCallsAreEmptyAndFallbacksAnswer() {
		assertThat(desk.skippedMono().block(LONG)).isEqualTo("ran");
		assertThat(desk.skippedFuture().join()).contains("ran");
		CompletableFuture<String> never = new CompletableFuture<>();
		Disposable holder = otherDesk.busy(() -> Mono.fromFuture(never)).subscribe();
		Awaitility.await().until(() -> otherDesk.runs().get() == 1);
		assertThat(desk.skippedMono().block(LONG)).isNull();
		assertThat(desk.skippedFlux().collectList().block(LONG)).isEmpty();
		assertThat(desk.skippedFuture()).succeedsWithin(LONG).isEqualTo(Optional.empty());
		assertThat(desk.skippedStage().toCompletableFuture()).succeedsWithin(LONG).isNull();
		assertThat(desk.answered("tea").block(LONG)).isEqualTo("busy with busy for tea");
		holder.dispose();
	}

	@Test
	void eventsAreAsThoseOfPlainCalls() {
		int before = first.events(LockAcquireEvent.class).size();
		desk.mono("events", () -> Mono.just("done")).block(LONG);
		try (LockHandle lock = second.locks().lock("forms", "events", OPTIONS)) {
			assertRefused(desk.future("events", () -> later("done")));
		}
		List<LockAcquireEvent> told = first.events(LockAcquireEvent.class);
		assertThat(told.subList(before, told.size())).extracting(LockAcquireEvent::outcome)
			.containsExactly(LockAcquireEvent.Outcome.ACQUIRED, LockAcquireEvent.Outcome.NOT_ACQUIRED);
	}

	@Test
	void workUnderALostLockIsCancelledIfSoWanted() {
		assertThatExceptionOfType(LockLostException.class).isThrownBy(() -> desk.losesMono().block(LONG));
		assertThatExceptionOfType(LockLostException.class).isThrownBy(() -> desk.losesFlux().blockLast(LONG));
		assertThat(desk.losesFuture()).failsWithin(LONG)
			.withThrowableOfType(ExecutionException.class)
			.withCauseInstanceOf(LockLostException.class);
		Awaitility.await().until(() -> desk.cancelled().get() == 3);
		assertThat(first.locks()
			.executeAsync("lost", "code",
					OPTIONS.leaseTime(Duration.ofMillis(300)).renew(false).onLost(OnLost.INTERRUPT),
					(lock) -> new CompletableFuture<>())
			.toCompletableFuture()).failsWithin(LONG)
			.withThrowableOfType(ExecutionException.class)
			.withCauseInstanceOf(LockLostException.class);
	}

	// Reactive transactions

	@Test
	void lockIsGivenUpAfterTheCommitOfTheSameMethod() {
		database.put("stock", 0).block(LONG);
		database.run("DELETE FROM account WHERE id LIKE 'journal%'").block(LONG);
		Random random = new Random(42);
		Flux.range(0, 150).flatMap((i) -> {
			Mono<Long> added = ((i % 2 == 0) ? desk : otherDesk).add("stock", "journal" + i);
			return (i % 3 == 0) ? added.timeout(Duration.ofMillis(1 + random.nextInt(40)), Mono.empty()) : added;
		}, 32).blockLast(LONG);
		awaitNothingHeld();
		// Each commit has seen the one before, also those that nobody has waited for
		assertThat(database.find("stock").block(LONG))
			.isEqualTo(database.client()
				.sql("SELECT COUNT(*) FROM account WHERE id LIKE 'journal%'")
				.map((row) -> row.get(0, Long.class))
				.one()
				.block(LONG))
			.isGreaterThanOrEqualTo(100);
	}

	@Test
	void lockStaysUntilACommitIsOverThatNobodyWaitsFor() {
		Gate gate = first.get(Gate.class);
		CompletableFuture<Void> commit = gate.close();
		Disposable call = desk.gated().subscribe();
		Awaitility.await().until(gate::isWaitedFor);
		call.dispose();
		assertThat(first.get(LockPattern.class).held()).isEqualTo(1);
		assertRefused(otherDesk.gated().toFuture());
		commit.complete(null);
		awaitNothingHeld();
		gate.open();
		assertThat(otherDesk.gated().block(LONG)).isEqualTo("done");
	}

	@Test
	void lockTakenInsideTheSubscribersTransactionIsKeptUntilItsEnd() {
		TransactionalOperator operator = TransactionalOperator.create(first.get(ReactiveTransactionManager.class));
		List<Boolean> held = new CopyOnWriteArrayList<>();
		for (boolean rollback : new boolean[] { false, true }) {
			Mono<String> transaction = desk.mono("tx", () -> Mono.just("one"))
				.doOnNext((value) -> held.add(isHeld("tx")))
				.flatMap((value) -> desk.mono("tx", () -> Mono.just("two")))
				.flatMap((value) -> Mono.fromFuture(second.async(() -> second.locks().tryLock("forms", "tx"))))
				.doOnNext((other) -> held.add(other.isEmpty()))
				.map((other) -> "done");
			int before = first.scripts();
			assertThat(operator.execute((status) -> {
				if (rollback) {
					status.setRollbackOnly();
				}
				return transaction;
			}).blockLast(LONG)).isEqualTo("done");
			assertThat(first.scripts() - before).isEqualTo(2);
			assertThat(isHeld("tx")).isFalse();
		}
		assertThat(held).containsExactly(true, true, true, true);
	}

	@Test
	@Wide
	void transactionUnderALostLockIsNotCommitted() {
		database.put("lost", 0).block(LONG);
		assertThatExceptionOfType(LockLostException.class)
			.isThrownBy(() -> desk.putShortly("lost", 1, Mono.delay(Duration.ofMillis(600))).block(LONG));
		assertThat(database.find("lost").block(LONG)).isZero();
		// Begun by an operator inside
		TransactionalOperator operator = TransactionalOperator.create(first.get(ReactiveTransactionManager.class));
		assertThatExceptionOfType(LockLostException.class).isThrownBy(() -> desk
			.shortly(() -> operator.transactional(database.put("lost", 1).then(Mono.delay(Duration.ofMillis(600)))))
			.block(LONG));
		assertThat(database.find("lost").block(LONG)).isZero();
		// In which it was taken
		assertThatExceptionOfType(LockLostException.class).isThrownBy(() -> operator
			.transactional(desk.shortly(() -> database.put("lost", 1)).then(Mono.delay(Duration.ofMillis(600))))
			.block(LONG));
		assertThat(database.find("lost").block(LONG)).isZero();
		awaitNothingHeld();
	}

	@Test
	void lockIsGivenUpAfterATransactionOfWhoseEndNobodyIsTold() {
		for (FailingSynchronization failing : FailingSynchronization.values()) {
			assertThatThrownBy(() -> desk.commits("end", failing.register()).block(LONG)).isNotNull();
			assertThat(isHeld("end")).isFalse();
			// Kept for the subscriber's, which ends when no call is there any more
			TransactionalOperator operator = TransactionalOperator.create(first.get(ReactiveTransactionManager.class));
			assertThatThrownBy(() -> operator.transactional(desk.renewed().then(failing.register())).block(LONG))
				.isNotNull();
		}
		awaitNothingHeld();
	}

	@Test
	void callThatIsCancelledWhileItIsDecidedKeepsNothingForTheTransaction() {
		TransactionalOperator operator = TransactionalOperator.create(first.get(ReactiveTransactionManager.class));
		Sinks.Empty<Void> leave = Sinks.empty();
		first.get(Listening.class).acquired = leave::tryEmitEmpty;
		try {
			Mono<String> cancelled = desk.mono("left", () -> Mono.just("done"))
				.takeUntilOther(leave.asMono())
				.then(Mono.delay(Duration.ofMillis(1)).repeat().takeUntil((any) -> !isHeld("left")).then())
				.timeout(Duration.ofSeconds(10))
				.thenReturn("free");
			assertThat(operator.transactional(cancelled).block(LONG)).isEqualTo("free");
		}
		finally {
			first.get(Listening.class).acquired = () -> {
			};
		}
		assertThat(desk.runs()).hasValue(0);
	}

	@Test
	@ExtendWith(OutputCaptureExtension.class)
	void lockTakenInsideAReactiveTransactionThatSeesOldDataDrawsAWarning(CapturedOutput output) {
		DefaultTransactionDefinition definition = new DefaultTransactionDefinition();
		definition.setIsolationLevel(TransactionDefinition.ISOLATION_REPEATABLE_READ);
		TransactionalOperator operator = TransactionalOperator.create(first.get(ReactiveTransactionManager.class),
				definition);
		operator.transactional(desk.old()).block(LONG);
		assertThat(output).contains("The lock 'Desk.old' is taken inside a transaction");
	}

	// Transactions of the calling thread

	@Test
	void futureInATransactionOfItsThreadKeepsItsLockUntilBothAreOver() {
		TransactionTemplate transaction = new TransactionTemplate(first.get(PlatformTransactionManager.class));
		CompletableFuture<String> work = new CompletableFuture<>();
		List<CompletableFuture<String>> started = new ArrayList<>();
		transaction.executeWithoutResult((status) -> {
			int before = first.scripts();
			assertThat(desk.future("a", () -> later("one"))).succeedsWithin(LONG);
			assertThat(desk.plain("a")).isEqualTo("plain");
			started.add(desk.future("a", () -> work));
			assertThat(first.scripts() - before).isEqualTo(1);
			assertThat(isHeld("a")).isTrue();
			LockHandle handle = first.locks().lockAsync("forms", "b", OPTIONS).toCompletableFuture().join();
			assertThat(handle.closeAsync().toCompletableFuture()).succeedsWithin(LONG);
			assertThat(isHeld("b")).isTrue();
		});
		assertThat(isHeld("b")).isFalse();
		assertThat(isHeld("a")).isTrue();
		work.complete("two");
		assertThat(started.get(0)).succeedsWithin(LONG);
		assertThat(isHeld("a")).isFalse();
		transaction
			.executeWithoutResult((status) -> assertThat(desk.future("a", () -> later("one"))).succeedsWithin(LONG));
		assertThat(isHeld("a")).isFalse();
		assertThat(LockContext.capture().isEmpty()).isTrue();
	}

	@Test
	void endOfAnInnerTransactionLeavesTheLocksOfTheOuterOneWhereTheyAre() {
		PlatformTransactionManager manager = first.get(PlatformTransactionManager.class);
		DefaultTransactionDefinition definition = new DefaultTransactionDefinition();
		definition.setPropagationBehavior(TransactionDefinition.PROPAGATION_REQUIRES_NEW);
		TransactionTemplate inner = new TransactionTemplate(manager, definition);
		new TransactionTemplate(manager).executeWithoutResult((outer) -> {
			assertThat(desk.future("outer", () -> later("one"))).succeedsWithin(LONG);
			inner.executeWithoutResult((status) -> {
				assertThat(desk.future("outer", () -> later("two"))).succeedsWithin(LONG);
				assertThat(desk.future("inner", () -> later("three"))).succeedsWithin(LONG);
				assertThat(desk.plain("inner")).isEqualTo("plain");
			});
			assertThat(isHeld("inner")).isFalse();
			assertThat(desk.plain("outer")).isEqualTo("plain");
			assertThat(isHeld("outer")).isTrue();
		});
		assertThat(isHeld("outer")).isFalse();
		assertThat(LockContext.capture().isEmpty()).isTrue();
	}

	/**
	 * What is sent last is held back, so that whoever does not wait for it is found.
	 */
	@Test
	void plainCallThatIsTheLastToLeaveASharedLockWaitsUntilOthersMayHaveIt() {
		try (TcpProxy network = new TcpProxy(SharedRedis.standalone().primary());
				LockApplication far = LockApplication.start(
						new String[] { "spring.data.redis.host=" + network.host(),
								"spring.data.redis.port=" + network.port() },
						new String[] { "ge.redis.outage.command-timeout=10s" }, Beans.class)) {
			Desk farDesk = far.get(Desk.class);
			// Whoever has taken it is gone
			CompletableFuture<LockContext.Carrier> inside = new CompletableFuture<>();
			CompletableFuture<String> work = new CompletableFuture<>();
			CompletableFuture<String> taker = farDesk.future("last", () -> {
				inside.complete(LockContext.capture());
				return work;
			});
			try (LockContext.Scope scope = inside.join().open()) {
				farDesk.plain("last", () -> {
					work.complete("done");
					assertThat(taker).succeedsWithin(LONG);
					assertThat(isHeld("last")).isTrue();
					network.latency(SLOW);
				});
			}
			assertThat(isHeld("last")).isFalse();
			network.latency(Duration.ZERO);
			// Nobody keeps it for the transaction any more
			TransactionTemplate transaction = new TransactionTemplate(far.get(PlatformTransactionManager.class));
			transaction.executeWithoutResult((status) -> {
				assertThat(farDesk.future("last", () -> later("done"))).succeedsWithin(LONG);
				farDesk.plain("last");
				assertThat(isHeld("last")).isTrue();
				network.latency(SLOW);
			});
			assertThat(isHeld("last")).isFalse();
			network.latency(Duration.ZERO);
		}
	}

	@Test
	void interruptEndsTheWaitOfAFutureInATransactionOfItsThread() {
		TransactionTemplate transaction = new TransactionTemplate(first.get(PlatformTransactionManager.class));
		try (LockHandle lock = second.locks().lock("waits", "interrupted", OPTIONS)) {
			transaction.executeWithoutResult((status) -> {
				Thread.currentThread().interrupt();
				CompletableFuture<String> call = desk.waitsFuture("interrupted");
				assertThat(Thread.interrupted()).isTrue();
				assertThat(call).failsWithin(LONG)
					.withThrowableOfType(ExecutionException.class)
					.withCauseInstanceOf(LockInterruptedException.class);
			});
		}
		awaitNothingHeld();
	}

	@Test
	@Wide
	void transactionOfAThreadInWhichALostLockWasTakenIsNotCommitted() {
		TransactionTemplate transaction = new TransactionTemplate(first.get(PlatformTransactionManager.class));
		assertThatExceptionOfType(LockLostException.class)
			.isThrownBy(() -> transaction.executeWithoutResult((status) -> {
				desk.shortly(() -> Mono.just(1L)).block(LONG);
				assertThat(desk.shortlyLater()).succeedsWithin(LONG);
				Mono.delay(Duration.ofMillis(600)).block(LONG);
			}));
		LockOptions shortly = OPTIONS.leaseTime(Duration.ofMillis(300)).renew(false);
		assertThatExceptionOfType(LockLostException.class)
			.isThrownBy(() -> transaction.executeWithoutResult((status) -> {
				assertThat(first.locks().lockAsync("shortlyInCode", "a", shortly).toCompletableFuture())
					.succeedsWithin(LONG);
				Mono.delay(Duration.ofMillis(600)).block(LONG);
			}));
		awaitNothingHeld();
	}

	// In code

	@Test
	void apiHasTwinsThatDoNotBlock() {
		DistributedLocks locks = first.locks();
		List<String> threads = new CopyOnWriteArrayList<>();
		LockHandle lock = locks.lockAsync("forms", "code", OPTIONS).thenApply((acquired) -> {
			threads.add(Thread.currentThread().getName());
			return acquired;
		}).toCompletableFuture().join();
		assertThat(locks.tryLockAsync("forms", "code").toCompletableFuture()).succeedsWithin(LONG)
			.isEqualTo(Optional.empty());
		assertRefused(locks.lockAsync("forms", "code", OPTIONS).toCompletableFuture());
		assertRefused(locks.executeAsync("forms", "code", OPTIONS, (held) -> later("done")).toCompletableFuture());
		assertThat(lock.closeAsync().thenRun(() -> threads.add(Thread.currentThread().getName())).toCompletableFuture())
			.succeedsWithin(LONG);
		assertThat(lock.isValid()).isFalse();
		assertThat(threads).hasSize(2).noneMatch((name) -> name.contains("lettuce"));
		assertThat(locks
			.executeAsync("forms", "code", OPTIONS, (held) -> locks.executeAsync("forms", "code", OPTIONS, (again) -> {
				LockAssert.assertHeld("forms");
				assertThat(again.token()).isEqualTo(held.token());
				return later("nested");
			}))
			.toCompletableFuture()).succeedsWithin(LONG).isEqualTo("nested");
		assertThat(locks.tryLockAsync("forms", "code")
			.thenCompose((handle) -> handle.orElseThrow().closeAsync())
			.toCompletableFuture()).succeedsWithin(LONG);
		assertThat(isHeld("code")).isFalse();
	}

	@Test
	void nothingIsHeldAfterRandomCancellations() throws InterruptedException {
		Random random = new Random(7);
		Semaphore free = new Semaphore(200);
		List<CompletableFuture<?>> calls = new ArrayList<>();
		int number = Wide.RUN ? 10_000 : 1_000;
		for (int i = 0; i < number; i++) {
			Desk where = random.nextBoolean() ? desk : otherDesk;
			DistributedLocks locks = (where == desk) ? first.locks() : second.locks();
			String key = "key" + random.nextInt(100);
			free.acquire();
			CompletableFuture<?> call = switch (i % 8) {
				case 0 -> where.waits(key).toFuture();
				case 1 -> where.waitsFlux(key).then().toFuture();
				case 2 -> where.waitsFuture(key);
				case 3 -> where.mono(key, () -> Mono.delay(Duration.ofMillis(1)).thenReturn("done")).toFuture();
				case 7 -> where.waitsInTransaction(key).toFuture();
				case 4 -> locks.executeAsync("waits", key, WAITING, (lock) -> later("done")).toCompletableFuture();
				case 5 -> locks.executeAllAsync("waits", List.of(key, "key0"), WAITING, (lock) -> later("done"))
					.toCompletableFuture();
				default -> closing(locks.lockAsync("waits", key, WAITING).toCompletableFuture());
			};
			calls.add(call);
			call.whenComplete((value, failure) -> free.release());
			int micros = random.nextInt(4000);
			// However slow it is, somebody stays until the end
			if (i % 100 != 50) {
				Schedulers.parallel().schedule(() -> call.cancel(true), micros, TimeUnit.MICROSECONDS);
			}
		}
		Awaitility.await()
			.atMost(Duration.ofSeconds(60))
			.until(() -> calls.stream().allMatch(CompletableFuture::isDone));
		awaitNothingHeld();
		// What was taken for somebody who has gone is given back when the answer comes
		Awaitility.await()
			.atMost(LONG)
			.until(() -> ((List<?>) SharedRedis.standalone().primary().command("KEYS", "ge:lock:*}")).isEmpty());
		assertThat(calls.stream().filter(CompletableFuture::isCancelled).count()).isBetween(number / 100L,
				number - number / 1000L);
	}

	/**
	 * Closes a handle also if it comes after the cancellation.
	 */
	private static CompletableFuture<LockHandle> closing(CompletableFuture<LockHandle> handle) {
		handle.thenAccept(LockHandle::closeAsync);
		return handle;
	}

	private static CompletableFuture<String> later(String value) {
		return new CompletableFuture<String>().completeOnTimeout(value, 1, TimeUnit.MILLISECONDS);
	}

	private static void assertRefused(CompletableFuture<?> call) {
		assertThat(call).failsWithin(LONG)
			.withThrowableOfType(ExecutionException.class)
			.withCauseInstanceOf(LockNotAcquiredException.class);
	}

	private static boolean isHeld(String key) {
		return (Long) SharedRedis.standalone().primary().command("EXISTS", "ge:lock:{forms:" + key + "}") == 1;
	}

	private static void awaitNothingHeld() {
		for (LockApplication application : List.of(first, second)) {
			LockPattern guard = application.get(LockPattern.class);
			Awaitility.await().atMost(LONG).until(() -> guard.held() == 0 && guard.waiting() == 0);
		}
	}

	@Configuration(proxyBeanMethods = false)
	@EnableTransactionManagement
	@Import({ Desk.class, Gate.class, Listening.class })
	static class Beans {

		private static final ReactiveDatabase DATABASE = ReactiveDatabase.create();

		@Bean
		ReactiveDatabase database() {
			return DATABASE;
		}

		@Bean(defaultCandidate = false)
		ReactiveTransactionManager gated(Gate gate) {
			return new GatedTransactionManager(gate);
		}

		@Bean
		ReactiveTransactionManager reactive() {
			return DATABASE.transactionManager();
		}

		@Bean
		PlatformTransactionManager threads() {
			return new EmptyTransactionManager();
		}

	}

	static class Desk {

		private final ReactiveDatabase database;

		private final AtomicInteger runs = new AtomicInteger();

		private final AtomicInteger cancelled = new AtomicInteger();

		Desk(ReactiveDatabase database) {
			this.database = database;
		}

		public AtomicInteger runs() {
			return this.runs;
		}

		public AtomicInteger cancelled() {
			return this.cancelled;
		}

		private <T> T run(Supplier<T> work) {
			this.runs.incrementAndGet();
			return work.get();
		}

		@DistributedLock(name = "forms", key = "#key")
		public CompletableFuture<String> future(String key, Supplier<CompletableFuture<String>> work) {
			return run(work);
		}

		@DistributedLock(name = "forms", key = "#key")
		public CompletionStage<String> stage(String key, Supplier<CompletableFuture<String>> work) {
			return run(work);
		}

		@DistributedLock(name = "forms", key = "#key")
		public Mono<String> mono(String key, Supplier<Mono<String>> work) {
			return run(work);
		}

		@DistributedLock(name = "forms", key = "#key")
		public Flux<Integer> flux(String key, Supplier<Flux<Integer>> work) {
			return run(work);
		}

		@DistributedLock(name = "forms", key = "#key")
		public String plain(String key) {
			return "plain";
		}

		@DistributedLock(name = "forms", key = "#key")
		public void plain(String key, Runnable work) {
			work.run();
		}

		@DistributedLock(name = "waits", key = "#key", waitTime = "30s")
		public Mono<String> waits(String key) {
			return run(() -> Mono.just("done").delayElement(Duration.ofMillis(1)));
		}

		@DistributedLock(name = "waits", key = "#key", waitTime = "30s")
		public Flux<Integer> waitsFlux(String key) {
			return run(() -> Flux.just(1, 2).delayElements(Duration.ofMillis(1)));
		}

		@DistributedLock(name = "waits", key = "#key", waitTime = "30s")
		public CompletableFuture<String> waitsFuture(String key) {
			return run(() -> later("done"));
		}

		@DistributedLock(name = "transfer", keys = "#accounts")
		public Mono<String> transfer(@FencingToken long token, List<String> accounts) {
			MultiLockHandle lock = (MultiLockHandle) LockContext.current();
			return Mono.just(token + " " + lock.token("a"));
		}

		@DistributedLock(name = "token")
		public Mono<Long> token(@FencingToken long token) {
			return Mono.just(token);
		}

		@DistributedLock(name = "token")
		public CompletableFuture<Long> tokenLater(@FencingToken long token) {
			return CompletableFuture.completedFuture(token);
		}

		@DistributedLock(name = "shared", mode = LockMode.READ)
		public Mono<String> reads(Supplier<Mono<String>> work) {
			return run(work);
		}

		@DistributedLock(name = "shared", mode = LockMode.WRITE)
		public Mono<String> writes() {
			return Mono.just("wrote and read");
		}

		@DistributedLock(name = "busy")
		public Mono<String> busy(Supplier<Mono<String>> work) {
			return run(work);
		}

		@DistributedLock(name = "busy", onNotAcquired = OnNotAcquired.SKIP)
		public Mono<String> skippedMono() {
			return Mono.just("ran");
		}

		@DistributedLock(name = "busy", onNotAcquired = OnNotAcquired.SKIP)
		public Flux<String> skippedFlux() {
			return Flux.just("ran");
		}

		@DistributedLock(name = "busy", onNotAcquired = OnNotAcquired.SKIP)
		public CompletableFuture<Optional<String>> skippedFuture() {
			return CompletableFuture.completedFuture(Optional.of("ran"));
		}

		@DistributedLock(name = "busy", onNotAcquired = OnNotAcquired.SKIP)
		public CompletionStage<@Nullable String> skippedStage() {
			return CompletableFuture.completedFuture("ran");
		}

		@DistributedLock(name = "busy", onNotAcquired = OnNotAcquired.FALLBACK, fallback = "instead")
		public Mono<String> answered(String item) {
			return Mono.just("ran");
		}

		Mono<String> instead(String item, LockNotAcquiredException refusal) {
			return Mono.just("busy with " + refusal.name() + " for " + item);
		}

		@DistributedLock(name = "lost", leaseTime = "300ms", renew = false, onLost = OnLost.INTERRUPT)
		public Mono<String> losesMono() {
			return Mono.<String>never().doOnCancel(this.cancelled::incrementAndGet);
		}

		@DistributedLock(name = "lostFlux", leaseTime = "300ms", maxHold = "300ms", onLost = OnLost.INTERRUPT)
		public Flux<Integer> losesFlux() {
			return Flux.just(1).concatWith(Flux.never()).doOnCancel(this.cancelled::incrementAndGet);
		}

		@DistributedLock(name = "lost", leaseTime = "300ms", renew = false, onLost = OnLost.INTERRUPT)
		public CompletableFuture<String> losesFuture() {
			CompletableFuture<String> work = new CompletableFuture<>();
			work.whenComplete((value, failure) -> this.cancelled.incrementAndGet());
			return work;
		}

		@Transactional("reactive")
		@DistributedLock(name = "add", key = "#id", waitTime = "30s")
		public Mono<Long> add(String id, String entry) {
			return this.database.find(id)
				.flatMap((balance) -> this.database.put(id, balance + 1))
				.then(this.database.put(entry, 1));
		}

		@Transactional("gated")
		@DistributedLock(name = "waits", key = "#key", waitTime = "30s")
		public Mono<String> waitsInTransaction(String key) {
			return waits(key);
		}

		@Transactional("gated")
		@DistributedLock(name = "gated")
		public Mono<String> gated() {
			return Mono.just("done");
		}

		@Transactional("reactive")
		@DistributedLock(name = "forms", key = "#key")
		public Mono<String> commits(String key, Mono<Void> work) {
			return work.thenReturn("done");
		}

		@DistributedLock(name = "renewed", leaseTime = "600ms", waitTime = "30s")
		public Mono<String> renewed() {
			return Mono.just("done");
		}

		@Transactional("reactive")
		@DistributedLock(name = "putShortly", leaseTime = "300ms", renew = false)
		public Mono<Void> putShortly(String id, long balance, Mono<?> then) {
			return this.database.put(id, balance).then(then).then();
		}

		@DistributedLock(name = "shortly", leaseTime = "300ms", renew = false)
		public Mono<Long> shortly(Supplier<Mono<Long>> work) {
			return work.get();
		}

		@DistributedLock(name = "shortly", leaseTime = "300ms", renew = false)
		public CompletableFuture<String> shortlyLater() {
			return later("done");
		}

		@DistributedLock
		public Mono<String> old() {
			return Mono.just("done");
		}

	}

	/**
	 * Is told when a lock is there and nobody has it yet.
	 */
	static class Listening implements GuardListener {

		private volatile Runnable acquired = () -> {
		};

		@Override
		public void onEvent(GuardEvent event) {
			if (event instanceof LockAcquireEvent) {
				this.acquired.run();
			}
		}

	}

	/**
	 * Lets commits wait.
	 */
	static class Gate {

		private volatile CompletableFuture<Void> passed = CompletableFuture.completedFuture(null);

		/** What a commit has come to, in this test or in an earlier one. */
		private volatile @Nullable CompletableFuture<Void> reached;

		CompletableFuture<Void> close() {
			this.passed = new CompletableFuture<>();
			return this.passed;
		}

		void open() {
			this.passed = CompletableFuture.completedFuture(null);
		}

		boolean isWaitedFor() {
			return this.reached == this.passed;
		}

		Mono<Void> pass() {
			CompletableFuture<Void> closed = this.passed;
			this.reached = closed;
			return Mono.fromFuture(closed, true);
		}

	}

	private static final class GatedTransactionManager extends AbstractReactiveTransactionManager {

		private final Gate gate;

		GatedTransactionManager(Gate gate) {
			this.gate = gate;
		}

		@Override
		protected Object doGetTransaction(TransactionSynchronizationManager synchronizations) {
			return new Object();
		}

		@Override
		protected Mono<Void> doBegin(TransactionSynchronizationManager synchronizations, Object transaction,
				TransactionDefinition definition) {
			return Mono.empty();
		}

		@Override
		protected Mono<Void> doCommit(TransactionSynchronizationManager synchronizations,
				GenericReactiveTransaction status) {
			return this.gate.pass();
		}

		@Override
		protected Mono<Void> doRollback(TransactionSynchronizationManager synchronizations,
				GenericReactiveTransaction status) {
			return this.gate.pass();
		}

	}

}
