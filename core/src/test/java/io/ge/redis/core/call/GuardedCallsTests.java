// SPDX-License-Identifier: Apache-2.0

package io.ge.redis.core.call;

import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.concurrent.CancellationException;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.CyclicBarrier;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Supplier;
import java.util.function.UnaryOperator;

import io.ge.redis.test.Sized;
import io.ge.redis.test.TestCalls;
import io.ge.redis.test.Wide;
import org.awaitility.Awaitility;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.reactivestreams.Publisher;
import org.reactivestreams.Subscription;
import reactor.core.CoreSubscriber;
import reactor.core.publisher.BaseSubscriber;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;
import reactor.core.publisher.Operators;
import reactor.core.publisher.Sinks;
import reactor.core.scheduler.Schedulers;
import reactor.util.context.Context;
import reactor.util.context.ContextView;

import org.springframework.core.ReactiveAdapter;
import org.springframework.core.ReactiveAdapterRegistry;
import org.springframework.transaction.support.TransactionSynchronizationManager;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatException;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

/**
 * Tests of calls whose results come later.
 */
class GuardedCallsTests {

	private static final Duration LONG = Duration.ofSeconds(30);

	private static final int RACES = Wide.RUN ? 10_000 : 2_000;

	private final GuardedCalls calls = TestCalls.plain();

	@AfterEach
	void close() {
		this.calls.close();
	}

	@SuppressWarnings("unchecked")
	private CompletableFuture<Object> future(TestCall call) {
		return (CompletableFuture<Object>) this.calls.make(ResultForm.FUTURE, () -> call);
	}

	@SuppressWarnings("unchecked")
	private Mono<Object> mono(Supplier<TestCall> call) {
		return (Mono<Object>) this.calls.make(ResultForm.of(adapter(Mono.class)), call);
	}

	@SuppressWarnings("unchecked")
	private Flux<Object> flux(Supplier<TestCall> call) {
		return (Flux<Object>) this.calls.make(ResultForm.of(adapter(Flux.class)), call);
	}

	private GuardedCalls calls() {
		return this.calls;
	}

	private static ReactiveAdapter adapter(Class<?> type) {
		ReactiveAdapter adapter = ReactiveAdapterRegistry.getSharedInstance().getAdapter(type);
		assertThat(adapter).isNotNull();
		return adapter;
	}

	/**
	 * Plays the races of what may happen to one call, in an order that only chance knows.
	 */
	private static void race(Random random, List<Runnable> steps) throws Exception {
		CyclicBarrier start = new CyclicBarrier(steps.size());
		ExecutorService threads = Executors.newFixedThreadPool(steps.size());
		try {
			List<CompletableFuture<Void>> played = new ArrayList<>();
			for (Runnable step : steps) {
				int spin = random.nextInt(200);
				played.add(CompletableFuture.runAsync(() -> {
					await(start);
					for (int i = 0; i < spin; i++) {
						Thread.onSpinWait();
					}
					step.run();
				}, threads));
			}
			CompletableFuture.allOf(played.toArray(CompletableFuture[]::new)).get(30, TimeUnit.SECONDS);
		}
		finally {
			threads.shutdown();
		}
	}

	/**
	 * What brings the end is not what tells of it.
	 */
	private static void assertToldWherePassedOn(TestCall call, CompletableFuture<Thread> passedOn) throws Exception {
		List<Thread> told = new CopyOnWriteArrayList<>();
		call.telling = () -> told.add(Thread.currentThread());
		Thread driver = new Thread(call::end);
		driver.start();
		driver.join();
		assertThat(passedOn).succeedsWithin(LONG).isNotSameAs(driver);
		assertThat(told).containsExactly(passedOn.join());
	}

	private static void await(CyclicBarrier barrier) {
		try {
			barrier.await(30, TimeUnit.SECONDS);
		}
		catch (Exception ex) {
			throw new IllegalStateException(ex);
		}
	}

	@Nested
	class Plain {

		private final Promises promises = new Promises(ResultForm.PLAIN);

		@Test
		void promiseIsTheValue() throws Throwable {
			assertThat(this.promises.of("one")).isEqualTo("one");
			assertThat(this.promises.then("one", (value) -> value + " two")).isEqualTo("one two");
			assertThat(this.promises.follow("one", null).join()).isEqualTo("one");
		}

		@Test
		void failureIsRecoveredOrThrownAsItWas() throws Throwable {
			Exception failure = new IOException("expected");
			GuardedCall.Work failing = () -> {
				throw failure;
			};
			assertThat(this.promises.recovered(failing, (ex) -> CompletableFuture.completedFuture("instead")))
				.isEqualTo("instead");
			assertThatException()
				.isThrownBy(() -> this.promises.recovered(failing, (ex) -> CompletableFuture.completedFuture(null)
					.thenCompose((none) -> CompletableFuture.failedFuture(ex))))
				.isSameAs(failure);
		}

	}

	@Nested
	class Futures {

		@Test
		void callThatWaitsInATransactionIsRefusedWithTheCauseItself() {
			TestCall call = new TestCall(() -> CompletableFuture.completedFuture("done"));
			IOException cause = new IOException("no answer");
			call.answer.completeExceptionally(cause);
			AtomicReference<@Nullable Throwable> refusal = new AtomicReference<>();
			TransactionSynchronizationManager.setActualTransactionActive(true);
			try {
				future(call).whenComplete((value, failure) -> refusal.set(failure));
			}
			finally {
				TransactionSynchronizationManager.setActualTransactionActive(false);
			}
			assertThat(refusal.get()).isSameAs(cause);
		}

		@Test
		void promiseThatFollowsIsMadeOfTheFirstAndCancelledWithIt() throws Throwable {
			Promises promises = new Promises(ResultForm.FUTURE);
			CompletableFuture<Object> first = new CompletableFuture<>();
			CompletableFuture<Object> second = new CompletableFuture<>();
			CompletableFuture<?> last = (CompletableFuture<?>) promises.then(first, (value) -> {
				assertThat(value).isEqualTo("one");
				return second;
			});
			first.complete("one");
			assertThat(last).isNotDone();
			second.complete("two");
			assertThat(last.join()).isEqualTo("two");
			CompletableFuture<Object> never = new CompletableFuture<>();
			((CompletableFuture<?>) promises.then(never, promises::of)).cancel(true);
			assertThat(never).isCancelled();
			CompletableFuture<Object> nor = new CompletableFuture<>();
			((CompletableFuture<?>) promises.then(CompletableFuture.completedFuture("one"), (value) -> nor))
				.cancel(true);
			assertThat(nor).isCancelled();
			assertThat((CompletableFuture<?>) promises
				.then(CompletableFuture.failedFuture(new IllegalArgumentException("first")), promises::of))
				.failsWithin(LONG)
				.withThrowableThat()
				.withMessageContaining("first");
			assertThat((CompletableFuture<?>) promises.then(CompletableFuture.completedFuture("one"), (value) -> {
				throw new IllegalArgumentException("second");
			})).failsWithin(LONG).withThrowableThat().withMessageContaining("second");
		}

		@Test
		void callThatFollowsKnowsWhatWasBoundToTheThreadOfTheFirst() throws Throwable {
			ThreadLocal<String> user = new ThreadLocal<>();
			GuardedCalls calls = new GuardedCalls(new Binding(user), List::of);
			user.set("anna");
			GuardedCalls.Following following = calls.following(ResultForm.FUTURE);
			user.remove();
			List<String> seen = new CopyOnWriteArrayList<>();
			TestCall call = new TestCall(() -> {
				seen.add(user.get());
				return CompletableFuture.completedFuture("done");
			}).grant().end();
			assertThat(((CompletableFuture<?>) following.start(() -> call)).orTimeout(30, TimeUnit.SECONDS).join())
				.isEqualTo("done");
			assertThat(seen).containsExactly("anna");
			TestCall gone = new TestCall(() -> CompletableFuture.completedFuture("done"));
			CompletableFuture<?> asking = (CompletableFuture<?>) following.start(() -> gone);
			Awaitility.await().until(() -> gone.notes.contains("asked"));
			asking.cancel(true);
			Awaitility.await().until(gone.answer::isCancelled);
			assertThat(gone.grant().isOver()).isTrue();
			calls.close();
		}

		@Test
		void whatIsBoundWhileTheWorkBeginsIsThereWhenTheMethodIsCalled() {
			AtomicReference<@Nullable TestCall> bound = new AtomicReference<>();
			TestCall call = new TestCall(() -> {
				bound.set(TestCall.current.get());
				return CompletableFuture.completedFuture("value");
			}).end();
			CompletableFuture<Object> result = future(call);
			call.grant();
			assertThat(result).succeedsWithin(LONG);
			assertThat(bound).hasValue(call);
			assertThat(call.subscriber).isNull();
		}

		@Test
		void methodRunsWhenItIsGrantedAndIsOverWhenItsFutureIs() {
			CompletableFuture<String> work = new CompletableFuture<>();
			TestCall call = new TestCall(() -> work);
			CompletableFuture<Object> result = future(call);
			assertThat(call.notes).containsExactly("asked");
			call.grant();
			Awaitility.await().until(() -> call.notes.contains("started"));
			work.complete("value");
			// The thread that has started it may not yet follow it
			Awaitility.await()
				.untilAsserted(() -> assertThat(call.notes).containsExactly("asked", "granted", "started",
						"ended with value"));
			assertThat(result).isNotDone();
			call.end();
			assertThat(result).succeedsWithin(LONG).isEqualTo("value");
			assertThat(call.held).hasValue(0);
		}

		@Test
		void answerThatIsThereIsTakenOnTheSameThread() {
			TestCall call = new TestCall(() -> CompletableFuture.completedFuture("value")).grant().end();
			assertThat(future(call)).isCompletedWithValue("value");
			assertThat(call.decidedOn).isSameAs(Thread.currentThread());
		}

		@Test
		void answerIsNeverTakenOnTheThreadThatBringsIt() throws Exception {
			TestCall call = new TestCall(() -> CompletableFuture.completedFuture("value")).end();
			CompletableFuture<Object> result = future(call);
			Thread driver = new Thread(call::grant);
			driver.start();
			assertThat(result).succeedsWithin(LONG).isEqualTo("value");
			driver.join();
			assertThat(call.decidedOn).isNotNull().isNotSameAs(driver).isNotSameAs(Thread.currentThread());
		}

		@Test
		void refusalIsTheResult() {
			TestCall call = new TestCall(() -> CompletableFuture.completedFuture("value"));
			CompletableFuture<Object> result = future(call);
			call.answer.complete("refused");
			assertThat(result).failsWithin(LONG)
				.withThrowableThat()
				.withCauseInstanceOf(IllegalArgumentException.class);
			assertThat(call.notes).containsExactly("asked", "refused");
		}

		@Test
		void failureOfTheAnswerIsTheResult() {
			TestCall call = new TestCall(() -> CompletableFuture.completedFuture("value"));
			CompletableFuture<Object> result = future(call);
			call.answer.completeExceptionally(new IllegalArgumentException("away"));
			assertThat(result).failsWithin(LONG).withThrowableThat().havingCause().withMessage("away");
		}

		@Test
		void methodThatThrowsIsEnded() {
			TestCall call = new TestCall(() -> {
				throw new IllegalArgumentException("thrown");
			}).grant().end();
			assertThat(future(call)).failsWithin(LONG).withThrowableThat().havingCause().withMessage("thrown");
			assertThat(call.notes).endsWith("ended with IllegalArgumentException");
		}

		@Test
		void methodThatReturnsNoFutureIsEnded() {
			TestCall call = new TestCall(() -> null).grant().end();
			assertThat(future(call)).failsWithin(LONG)
				.withThrowableThat()
				.havingCause()
				.withMessageContaining("null instead of a future");
			assertThat(call.held).hasValue(0);
		}

		@Test
		void whoCancelsBeforeTheAnswerHasAskedForNothing() {
			TestCall call = new TestCall(() -> CompletableFuture.completedFuture("value"));
			future(call).cancel(true);
			assertThat(call.answer).isCancelled();
			call.grant();
			assertThat(call.held).hasValue(0);
			assertThat(call.notes).containsExactly("asked");
		}

		@Test
		void cancellingCancelsTheWorkAndEndsIt() {
			CompletableFuture<String> work = new CompletableFuture<>();
			TestCall call = new TestCall(() -> work).grant().end();
			future(call).cancel(true);
			assertThat(work).isCancelled();
			assertThat(call.notes).endsWith("ended with AbandonedException");
			assertThat(call.held).hasValue(0);
		}

		@Test
		void cancellationOfTheMethodItselfIsAFailure() {
			CompletableFuture<String> work = new CompletableFuture<>();
			TestCall call = new TestCall(() -> work).grant().end();
			CompletableFuture<Object> result = future(call);
			work.cancel(true);
			assertThat(call.notes).endsWith("ended with CancellationException");
			assertThat(result).isCompletedExceptionally();
			TestCall started = new TestCall(() -> {
				throw new CancellationException();
			}).grant().end();
			assertThat(future(started)).isCompletedExceptionally();
			assertThat(started.notes).endsWith("ended with CancellationException");
		}

		@Test
		void interruptionIsTheResultAndCancelsTheWork() {
			CompletableFuture<String> work = new CompletableFuture<>();
			TestCall call = new TestCall(() -> work).grant();
			CompletableFuture<Object> result = future(call);
			call.interruption.completeExceptionally(new IllegalArgumentException("lost"));
			Awaitility.await().until(work::isCancelled);
			assertThat(call.notes).endsWith("ended with IllegalArgumentException");
			assertThat(result).isNotDone();
			call.end();
			assertThat(result).failsWithin(LONG).withThrowableThat().havingCause().withMessage("lost");
			assertThat(call.isOver()).isTrue();
		}

		@Test
		void workThatIsOnlyAStageIsEndedWhenItEnds() {
			CompletableFuture<String> work = new CompletableFuture<>();
			TestCall call = new TestCall(work::minimalCompletionStage).grant().end();
			CompletableFuture<Object> result = future(call);
			assertThat(result.cancel(true)).isTrue();
			assertThat(call.held).hasValue(1);
			work.complete("value");
			assertThat(call.held).hasValue(0);
			// The caller hears of it all the same
			TestCall interrupted = new TestCall(() -> new CompletableFuture<String>().minimalCompletionStage()).grant()
				.end();
			CompletableFuture<Object> failing = future(interrupted);
			interrupted.interruption.completeExceptionally(new IllegalArgumentException("lost"));
			assertThat(failing).failsWithin(LONG).withThrowableThat().havingCause().withMessage("lost");
		}

		@Test
		void whoDoesNotWaitAnyMoreHasAskedForNothing() {
			TestCall call = new TestCall(() -> CompletableFuture.completedFuture("value"));
			assertThat(future(call).orTimeout(1, TimeUnit.MILLISECONDS)).failsWithin(LONG);
			Awaitility.await().until(call.answer::isCancelled);
			call.grant();
			assertThat(call.held).hasValue(0);
			assertThat(call.notes).containsExactly("asked");
		}

		@Test
		void whoGoesWhileItIsDecidedGetsNothing() {
			CompletableFuture<Object> result = new CompletableFuture<>();
			TestCall call = new TestCall(() -> CompletableFuture.completedFuture("value"));
			call.deciding = () -> result.join();
			CompletableFuture<Object> future = future(call);
			call.grant();
			Awaitility.await().until(() -> call.notes.contains("granted"));
			future.cancel(true);
			result.complete("decide");
			Awaitility.await().until(() -> call.held.get() == 0);
			assertThat(call.notes).containsExactly("asked", "granted", "given back");
		}

		@Test
		void answerOfTheApiIsGivenBackIfNobodyTakesIt() {
			CompletableFuture<String> early = new CompletableFuture<>();
			List<String> givenBack = new CopyOnWriteArrayList<>();
			calls().handOver(early, (answer) -> answer, givenBack::add).toCompletableFuture().cancel(true);
			assertThat(early).isCancelled();
			CompletableFuture<Void> telling = new CompletableFuture<>();
			CompletableFuture<Void> told = new CompletableFuture<>();
			CompletableFuture<String> asked = new CompletableFuture<>();
			CompletableFuture<String> handed = calls().handOver(asked, (answer) -> {
				telling.complete(null);
				told.join();
				return answer;
			}, givenBack::add).toCompletableFuture();
			asked.complete("late");
			telling.join();
			handed.cancel(true);
			told.complete(null);
			Awaitility.await().until(() -> givenBack.equals(List.of("late")));
		}

		@Test
		void failureToEndIsTheResult() {
			TestCall call = new TestCall(() -> CompletableFuture.completedFuture("value")).grant();
			CompletableFuture<Object> result = future(call);
			call.ending.completeExceptionally(new IllegalArgumentException("not ended"));
			assertThat(result).failsWithin(LONG).withThrowableThat().havingCause().withMessage("not ended");
		}

		@Test
		void endIsToldOfWhereTheResultIsPassedOn() throws Exception {
			TestCall call = new TestCall(() -> CompletableFuture.completedFuture("value")).grant();
			assertToldWherePassedOn(call, future(call).thenApply((value) -> Thread.currentThread()));
		}

		@Test
		void onlyAnEndIsToldOf() {
			TestCall call = new TestCall(() -> CompletableFuture.completedFuture("value")).grant();
			AtomicInteger told = new AtomicInteger();
			call.telling = told::incrementAndGet;
			CompletableFuture<Object> result = future(call);
			call.ending.completeExceptionally(new IllegalArgumentException("not ended"));
			assertThat(result).failsWithin(LONG);
			assertThat(told).hasValue(0);
		}

		@Test
		void failureToTellIsTheResult() {
			TestCall call = new TestCall(() -> CompletableFuture.completedFuture("value")).grant();
			call.telling = () -> {
				throw new NoClassDefFoundError("told");
			};
			CompletableFuture<Object> result = future(call);
			call.end();
			assertThat(result).failsWithin(LONG).withThrowableThat().withCauseInstanceOf(NoClassDefFoundError.class);
		}

		@Test
		@Sized
		void nothingIsHeldAfterRandomCancellations() throws Exception {
			Random random = new Random(42);
			List<TestCall> all = new ArrayList<>();
			for (int i = 0; i < RACES / 10; i++) {
				CompletableFuture<String> work = new CompletableFuture<>();
				TestCall call = new TestCall(() -> work).end();
				CompletableFuture<Object> result = future(call);
				all.add(call);
				boolean ends = random.nextBoolean();
				race(random,
						List.of(call::grant, () -> result.cancel(true), () -> work.complete(ends ? "value" : null)));
			}
			Awaitility.await().atMost(LONG).until(() -> all.stream().allMatch(TestCall::isOver));
		}

	}

	@Nested
	class Publishers {

		@Test
		void promiseThatFollowsIsMadeOfTheFirstAndCancelledWithIt() throws Throwable {
			Promises promises = new Promises(ResultForm.of(adapter(Mono.class)));
			assertThat(((Mono<?>) promises.then(Mono.just("one"), (value) -> Mono.just(value + " two"))).block(LONG))
				.isEqualTo("one two");
			assertThat(((Mono<?>) promises.then(Mono.empty(), (value) -> Mono.just(value + " two"))).block(LONG))
				.isEqualTo("null two");
			AtomicInteger cancelled = new AtomicInteger();
			Mono<Object> never = Mono.never().doOnCancel(cancelled::incrementAndGet);
			((Mono<?>) promises.then(never, promises::of)).subscribe().dispose();
			((Mono<?>) promises.then(Mono.just("one"), (value) -> never)).subscribe().dispose();
			assertThat(cancelled).hasValue(2);
		}

		@Test
		void workIsCancelledOnceAndOnlyWhileItRuns() {
			AtomicInteger cancelled = new AtomicInteger();
			Mono<Object> never = Mono.never().doOnCancel(cancelled::incrementAndGet);
			Flux<Object> some = Flux.<Object>just(1, 2, 3)
				.concatWith(Mono.never())
				.doOnCancel(cancelled::incrementAndGet);
			Flux<Object> all = Flux.<Object>just(1, 2).doOnCancel(cancelled::incrementAndGet);
			assertCancelled(cancelled, 1, flux(() -> working(some)).take(2));
			assertCancelled(cancelled, 1, flux(() -> working(flux(() -> working(some)))).take(3));
			assertCancelled(cancelled, 1, flux(() -> working(all)).take(1));
			assertCancelled(cancelled, 0, flux(() -> working(all)));
			assertCancelled(cancelled, 0, Flux.from(mono(() -> working(all.last()))).take(1));
			for (Mono<Object> guarded : List.of(mono(() -> working(never)),
					mono(() -> working(mono(() -> working(never)))), flux(() -> working(never.flux())).next())) {
				Sinks.Empty<Object> tooLate = Sinks.empty();
				CompletableFuture<Object> result = guarded.timeout(tooLate.asMono()).toFuture();
				tooLate.tryEmitEmpty();
				assertThat(result).failsWithin(LONG);
				assertThat(cancelled.getAndSet(0)).isEqualTo(1);
			}
			TestCall interrupted = new TestCall(() -> never).grant().end();
			CompletableFuture<Object> result = mono(() -> interrupted).toFuture();
			interrupted.interruption.completeExceptionally(new IllegalStateException("lost"));
			assertThat(result).failsWithin(LONG);
			assertThat(cancelled).hasValue(1);
		}

		private static TestCall working(Object work) {
			TestCall call = new TestCall(() -> work).grant().end();
			call.interruptible = false;
			return call;
		}

		private static void assertCancelled(AtomicInteger cancelled, int times, Publisher<?> guarded) {
			Flux.from(guarded).onErrorComplete().blockLast(LONG);
			assertThat(cancelled.getAndSet(0)).isEqualTo(times);
		}

		@Test
		void callKnowsTheContextOfItsSubscriberBeforeItAsks() {
			TestCall call = new TestCall(() -> Mono.just("value")).grant().end();
			mono(() -> call).contextWrite(Context.of("who", "anna")).block(LONG);
			assertThat(call.subscriberWhenAsked).isNotNull();
			assertThat(call.subscriberWhenAsked.<String>get("who")).isEqualTo("anna");
		}

		@Test
		void methodFindsInItsContextWhatTheCallHasAdded() {
			AtomicReference<ContextView> found = new AtomicReference<>();
			TestCall call = new TestCall(() -> Mono.deferContextual((context) -> {
				found.set(context);
				return Mono.just("value");
			})).grant().end();
			mono(() -> call).contextWrite(Context.of("who", "anna")).block(LONG);
			assertThat(found.get().<String>get("who")).isEqualTo("anna");
			assertThat(found.get().<TestCall>get(TestCall.class)).isSameAs(call);
		}

		@Test
		void whatIsBoundWhileTheWorkBeginsIsThereWhenThePublisherIsSubscribedTo() {
			List<@Nullable TestCall> bound = new CopyOnWriteArrayList<>();
			TestCall call = new TestCall(() -> {
				bound.add(TestCall.current.get());
				return Flux.defer(() -> {
					bound.add(TestCall.current.get());
					return Flux.just("a", "b");
				});
			}).end();
			Mono<List<Object>> result = flux(() -> call).collectList();
			CompletableFuture<List<Object>> values = result.toFuture();
			call.grant();
			assertThat(values).succeedsWithin(LONG).asList().containsExactly("a", "b");
			assertThat(bound).containsExactly(call, call);
		}

		@Test
		void nothingIsAskedBeforeTheSubscription() {
			AtomicInteger made = new AtomicInteger();
			Mono<Object> mono = mono(() -> {
				made.incrementAndGet();
				return new TestCall(() -> Mono.just("value")).grant().end();
			});
			assertThat(made).hasValue(0);
			assertThat(mono.block(LONG)).isEqualTo("value");
			assertThat(mono.block(LONG)).isEqualTo("value");
			assertThat(made).hasValue(2);
		}

		@Test
		void valueIsPassedOnAfterTheEnd() {
			TestCall call = new TestCall(() -> Mono.just("value")).grant();
			CompletableFuture<Object> result = mono(() -> call).toFuture();
			assertThat(call.notes).containsExactly("asked", "granted", "started", "ended with value");
			assertThat(result).isNotDone();
			call.end();
			assertThat(result).succeedsWithin(LONG).isEqualTo("value");
		}

		@Test
		void endIsToldOfWhereTheResultIsPassedOn() throws Exception {
			TestCall call = new TestCall(() -> Mono.just("value")).grant();
			assertToldWherePassedOn(call, mono(() -> call).map((value) -> Thread.currentThread()).toFuture());
		}

		@Test
		void emptyIsEmpty() {
			TestCall call = new TestCall(Mono::empty).grant().end();
			assertThat(mono(() -> call).block(LONG)).isNull();
			assertThat(call.notes).endsWith("ended with null");
		}

		@Test
		void valuesArePassedOnAsTheyComeAndTheirEndAfterOurs() {
			Sinks.Many<Object> source = Sinks.many().unicast().onBackpressureBuffer();
			TestCall call = new TestCall(source::asFlux).grant();
			List<Object> seen = new ArrayList<>();
			CompletableFuture<Void> over = flux(() -> call).doOnNext(seen::add).then().toFuture();
			source.tryEmitNext(1);
			source.tryEmitNext(2);
			assertThat(seen).containsExactly(1, 2);
			source.tryEmitComplete();
			assertThat(over).isNotDone();
			call.end();
			assertThat(over).succeedsWithin(LONG);
			assertThat(call.notes).endsWith("ended with null");
		}

		@Test
		void onlyWhatIsRequestedIsRequested() {
			List<Long> requests = new ArrayList<>();
			TestCall call = new TestCall(() -> Flux.range(0, 10).doOnRequest(requests::add)).end();
			List<Object> seen = new CopyOnWriteArrayList<>();
			BaseSubscriber<Object> subscriber = new BaseSubscriber<>() {

				@Override
				protected void hookOnSubscribe(Subscription subscription) {
					subscription.request(2);
				}

				@Override
				protected void hookOnNext(Object value) {
					seen.add(value);
				}

			};
			flux(() -> call).subscribe(subscriber);
			call.grant();
			Awaitility.await().until(() -> seen.size() == 2);
			subscriber.request(3);
			assertThat(seen).containsExactly(0, 1, 2, 3, 4);
			assertThat(requests).containsExactly(2L, 3L);
			subscriber.cancel();
			assertThat(call.notes).endsWith("ended with AbandonedException");
		}

		@Test
		void answerIsNeverTakenOnTheThreadThatBringsIt() throws Exception {
			TestCall call = new TestCall(() -> Mono.just("value")).end();
			CompletableFuture<Object> result = mono(() -> call).toFuture();
			Thread driver = new Thread(call::grant);
			driver.start();
			assertThat(result).succeedsWithin(LONG).isEqualTo("value");
			driver.join();
			assertThat(call.decidedOn).isNotNull().isNotSameAs(driver);
		}

		@Test
		void refusalIsTheResult() {
			TestCall call = new TestCall(() -> Mono.just("value"));
			call.answer.complete("refused");
			assertThatIllegalArgumentException().isThrownBy(() -> mono(() -> call).block(LONG)).withMessage("refused");
			assertThat(call.notes).containsExactly("asked", "refused");
		}

		@Test
		void failuresAreEnded() {
			TestCall call = new TestCall(() -> Mono.error(new IllegalArgumentException("failed"))).grant().end();
			assertThatIllegalArgumentException().isThrownBy(() -> mono(() -> call).block(LONG)).withMessage("failed");
			assertThat(call.notes).endsWith("ended with IllegalArgumentException");
		}

		@Test
		void methodThatThrowsIsEnded() {
			TestCall call = new TestCall(() -> {
				throw new IllegalArgumentException("thrown");
			}).grant().end();
			assertThatIllegalArgumentException().isThrownBy(() -> mono(() -> call).block(LONG)).withMessage("thrown");
			assertThat(call.held).hasValue(0);
		}

		@Test
		void whoCancelsBeforeTheAnswerHasAskedForNothing() {
			TestCall call = new TestCall(() -> Mono.just("value"));
			mono(() -> call).subscribe().dispose();
			assertThat(call.answer).isCancelled();
			call.grant();
			assertThat(call.held).hasValue(0);
			assertThat(call.notes).containsExactly("asked");
		}

		@Test
		@Timeout(60)
		void whoCancelsWhileTheWorkEmitsGetsNoMore() {
			AtomicReference<String> cancelled = new AtomicReference<>();
			TestCall endless = new TestCall(() -> Flux.generate((sink) -> sink.next(1))).grant().end();
			assertThat(flux(() -> endless).next().block(LONG)).isEqualTo(1);
			assertThat(endless.held).hasValue(0);
			TestCall later = new TestCall(() -> Flux.range(0, 1000).hide().doOnCancel(() -> cancelled.set("work")))
				.end();
			List<Object> seen = new CopyOnWriteArrayList<>();
			flux(() -> later).subscribe(new BaseSubscriber<>() {

				@Override
				protected void hookOnNext(Object value) {
					seen.add(value);
					cancel();
				}

			});
			later.grant();
			Awaitility.await().until(() -> later.held.get() == 0);
			assertThat(seen).containsExactly(0);
			assertThat(cancelled).hasValue("work");
		}

		@Test
		void whoMayBlockMayBlockAfterwards() {
			AtomicReference<Boolean> mayBlock = new AtomicReference<>();
			TestCall call = new TestCall(() -> Mono.fromSupplier(() -> {
				mayBlock.set(!Schedulers.isInNonBlockingThread());
				return "value";
			})).end();
			CompletableFuture<Object> result = mono(() -> call).subscribeOn(Schedulers.boundedElastic()).toFuture();
			Awaitility.await().until(() -> call.notes.contains("asked"));
			call.grant();
			assertThat(result).succeedsWithin(LONG);
			assertThat(mayBlock).hasValue(true);
		}

		@Test
		void callThatCannotBeMadeIsAFailure() {
			Mono<Object> mono = mono(() -> {
				throw new IllegalArgumentException("no bean");
			});
			assertThatIllegalArgumentException().isThrownBy(() -> mono.block(LONG)).withMessage("no bean");
		}

		@Test
		void cancellingCancelsTheWorkAndEndsIt() {
			AtomicReference<String> cancelled = new AtomicReference<>();
			TestCall call = new TestCall(() -> Mono.never().doOnCancel(() -> cancelled.set("work"))).grant().end();
			mono(() -> call).subscribe().dispose();
			assertThat(cancelled).hasValue("work");
			assertThat(call.notes).endsWith("ended with AbandonedException");
			assertThat(call.held).hasValue(0);
		}

		@Test
		void cancellationOfTheMethodItselfIsAFailure() {
			TestCall call = new TestCall(() -> Mono.error(new CancellationException())).grant().end();
			assertThatExceptionOfType(CancellationException.class).isThrownBy(() -> mono(() -> call).block(LONG));
			assertThat(call.notes).endsWith("ended with CancellationException");
		}

		@Test
		void workThatFailsWhenItIsCancelledIsAbandoned() {
			TestCall call = new TestCall(
					() -> Mono.fromDirect((subscriber) -> subscriber.onSubscribe(new Subscription() {

						@Override
						public void request(long count) {
						}

						@Override
						public void cancel() {
							subscriber.onError(new CancellationException());
						}

					})))
				.grant()
				.end();
			call.interruptible = false;
			mono(() -> call).subscribe().dispose();
			assertThat(call.notes).endsWith("ended with AbandonedException");
		}

		@Test
		void interruptionIsTheResultAndCancelsTheWork() {
			AtomicBoolean cancelled = new AtomicBoolean();
			TestCall call = new TestCall(
					() -> Flux.just("one").concatWith(Flux.never()).doOnCancel(() -> cancelled.set(true)))
				.grant()
				.end();
			CompletableFuture<Object> first = new CompletableFuture<>();
			CompletableFuture<Throwable> last = new CompletableFuture<>();
			flux(() -> call).subscribe(first::complete, last::complete);
			assertThat(first).succeedsWithin(LONG).isEqualTo("one");
			call.interruption.completeExceptionally(new IllegalArgumentException("lost"));
			assertThat(last).succeedsWithin(LONG).extracting(Throwable::getMessage).isEqualTo("lost");
			assertThat(cancelled).isTrue();
			assertThat(call.isOver()).isTrue();
		}

		@Test
		void interruptionThatDoesNotComeChangesNothing() {
			TestCall call = new TestCall(() -> Flux.just("one", "two")).grant().end();
			assertThat(flux(() -> call).collectList().block(LONG)).containsExactly("one", "two");
			TestCall over = new TestCall(() -> Mono.just("one")).grant().end();
			over.interruption.complete(null);
			assertThat(mono(() -> over).block(LONG)).isEqualTo("one");
		}

		@Test
		void valueThatNobodyGetsIsDiscarded() {
			List<Object> discarded = new CopyOnWriteArrayList<>();
			// While the guarding ends
			TestCall ending = new TestCall(() -> Mono.just("ending")).grant();
			var subscription = mono(() -> ending).doOnDiscard(String.class, discarded::add).subscribe();
			subscription.dispose();
			assertThat(discarded).isEmpty();
			ending.end();
			Awaitility.await().until(() -> discarded.equals(List.of("ending")));
			// Since the guarding has not ended as it should
			TestCall failing = new TestCall(() -> Mono.just("failing")).grant();
			failing.ending.completeExceptionally(new IllegalArgumentException("not ended"));
			assertThatIllegalArgumentException()
				.isThrownBy(() -> mono(() -> failing).doOnDiscard(String.class, discarded::add).block(LONG));
			assertThat(discarded).containsExactly("ending", "failing");
			// Before the work has completed
			TestCall working = new TestCall(() -> new Mono<Object>() {

				@Override
				public void subscribe(CoreSubscriber<? super Object> subscriber) {
					subscriber.onSubscribe(Operators.emptySubscription());
					subscriber.onNext("working");
				}

			}).grant().end();
			subscription = mono(() -> working).doOnDiscard(String.class, discarded::add).subscribe();
			subscription.dispose();
			assertThat(discarded).containsExactly("ending", "failing", "working");
			// Who has it and leaves discards it himself
			TestCall passed = new TestCall(() -> Mono.just("passed")).grant().end();
			assertThat(mono(() -> passed).flux().doOnDiscard(String.class, discarded::add).take(1).blockLast(LONG))
				.isEqualTo("passed");
			assertThat(discarded).hasSize(3);
		}

		@Test
		void workThatIsAboutToBeginWhenItsCallerGoesIsEndedAfterItHasBegun() throws Exception {
			CountDownLatch beginning = new CountDownLatch(1);
			CountDownLatch gone = new CountDownLatch(1);
			AtomicReference<@Nullable TestCall> begun = new AtomicReference<>();
			TestCall call = new TestCall(() -> {
				beginning.countDown();
				awaitLatch(gone);
				TestCall self = begun.get();
				assertThat(self).isNotNull();
				self.notes.add("begun");
				return Mono.never();
			}).end();
			begun.set(call);
			var subscription = mono(() -> call).subscribe();
			call.grant();
			awaitLatch(beginning);
			subscription.dispose();
			assertThat(call.notes).endsWith("started");
			gone.countDown();
			Awaitility.await().until(() -> call.held.get() == 0);
			assertThat(call.notes).endsWith("begun", "ended with AbandonedException");
		}

		@Test
		@Sized
		void nothingIsHeldAfterRandomCancellations() throws Exception {
			Random random = new Random(42);
			List<TestCall> all = new ArrayList<>();
			for (int i = 0; i < RACES / 10; i++) {
				Sinks.One<Object> work = Sinks.one();
				TestCall call = new TestCall(work::asMono).end();
				var subscription = mono(() -> call).subscribe((value) -> {
				}, (failure) -> {
				});
				all.add(call);
				boolean ends = random.nextBoolean();
				race(random, List.of(call::grant, subscription::dispose, () -> {
					if (ends) {
						work.tryEmitValue("value");
					}
				}));
			}
			Awaitility.await().atMost(LONG).until(() -> all.stream().allMatch(TestCall::isOver));
		}

		@Test
		void whatASubscriberTellsLaterIsKnownWhileAsking() {
			AtomicReference<String> known = new AtomicReference<>("nobody");
			SubscriberScope scope = (context) -> context.hasKey("user")
					? Mono.delay(Duration.ofMillis(1)).map((tick) -> (task) -> () -> {
						known.set(context.get("user"));
						task.run();
						known.set("nobody");
					}) : null;
			List<String> asking = new ArrayList<>();
			try (GuardedCalls scoped = TestCalls.within(() -> List.of(scope))) {
				Mono<?> mono = (Mono<?>) scoped.make(ResultForm.of(adapter(Mono.class)), () -> {
					TestCall call = new TestCall(() -> Mono.just("value")).grant().end();
					return new Watched(call, () -> asking.add(known.get()));
				});
				mono.contextWrite((context) -> context.put("user", "anna")).block(LONG);
				mono.block(LONG);
			}
			assertThat(asking).containsExactly("anna", "nobody");
		}

		@Test
		void whatASubscriberTellsIsKnownWhileDeciding() {
			ThreadLocal<String> known = new ThreadLocal<>();
			SubscriberScope scope = (context) -> Mono.just((task) -> () -> {
				known.set(context.get("user"));
				task.run();
				known.remove();
			});
			List<String> deciding = new ArrayList<>();
			IllegalStateException refusal = new IllegalStateException("refused");
			try (GuardedCalls scoped = TestCalls.within(() -> List.of(scope))) {
				CompletableFuture<String> asked = new CompletableFuture<>();
				Mono<?> later = (Mono<?>) scoped.make(ResultForm.of(adapter(Mono.class)),
						() -> new Deciding(asked, () -> deciding.add(known.get())));
				CompletableFuture<?> call = later.contextWrite((context) -> context.put("user", "anna")).toFuture();
				asked.complete("yes");
				assertThat(call.orTimeout(LONG.toSeconds(), TimeUnit.SECONDS).join()).isEqualTo("value");
				Mono<?> refused = (Mono<?>) scoped.make(ResultForm.of(adapter(Mono.class)),
						() -> new Deciding(CompletableFuture.completedFuture("no"), () -> {
							throw refusal;
						}));
				assertThatExceptionOfType(IllegalStateException.class)
					.isThrownBy(() -> refused.contextWrite((context) -> context.put("user", "anna")).block(LONG))
					.isSameAs(refusal);
			}
			assertThat(deciding).containsExactly("anna");
		}

		@Test
		void whatBelongsToTheCallerIsKnownWhereverAPublisherIsSubscribedToAndGoesOn() throws Exception {
			ThreadLocal<String> known = new ThreadLocal<>();
			CallScope scope = new CallScope() {

				@Override
				public UnaryOperator<Runnable> capture() {
					String bound = known.get();
					return (task) -> () -> {
						String before = known.get();
						known.set(bound);
						task.run();
						known.set(before);
					};
				}

			};
			List<String> deciding = new ArrayList<>();
			try (GuardedCalls scoped = TestCalls.within(() -> List.of(scope))) {
				CompletableFuture<String> asked = new CompletableFuture<>();
				known.set("anna");
				Mono<?> mono = (Mono<?>) scoped.make(ResultForm.of(adapter(Mono.class)),
						() -> new Deciding(asked, () -> deciding.add(known.get())));
				known.remove();
				CompletableFuture<?> call = CompletableFuture.supplyAsync(mono::toFuture)
					.thenCompose((begun) -> begun)
					.orTimeout(LONG.toSeconds(), TimeUnit.SECONDS);
				asked.complete("yes");
				assertThat(call.get()).isEqualTo("value");
			}
			assertThat(deciding).containsExactly("anna");
			assertThat(known.get()).isNull();
		}

		@Test
		void whatAScopeHasBoundIsKnownWhereAFutureIsDecidedOn() {
			ThreadLocal<String> known = new ThreadLocal<>();
			SubscriberScope scope = new SubscriberScope() {

				@Override
				public @Nullable Publisher<UnaryOperator<Runnable>> find(ContextView context) {
					return null;
				}

				@Override
				public UnaryOperator<Runnable> capture() {
					String user = known.get();
					return (task) -> () -> {
						known.set(user);
						task.run();
						known.remove();
					};
				}

			};
			List<String> deciding = new ArrayList<>();
			known.set("anna");
			try (GuardedCalls scoped = TestCalls.within(() -> List.of(scope))) {
				CompletableFuture<String> asked = new CompletableFuture<>();
				CompletableFuture<?> call = (CompletableFuture<?>) scoped.make(ResultForm.FUTURE,
						() -> new Deciding(asked, () -> deciding.add(known.get()), "value"));
				asked.complete("yes");
				assertThat(call).succeedsWithin(LONG);
			}
			finally {
				known.remove();
			}
			assertThat(deciding).containsExactly("anna");
		}

	}

	private static void awaitLatch(CountDownLatch latch) {
		try {
			assertThat(latch.await(30, TimeUnit.SECONDS)).isTrue();
		}
		catch (InterruptedException ex) {
			throw new CancellationException();
		}
	}

	private record Deciding(CompletableFuture<String> asked, Runnable deciding,
			@Nullable String future) implements GuardedCall<String> {

		Deciding(CompletableFuture<String> asked, Runnable deciding) {
			this(asked, deciding, null);
		}

		@Override
		public CompletableFuture<String> ask() {
			return this.asked;
		}

		@Override
		public boolean isCancellable() {
			return true;
		}

		@Override
		public Work decide(String answer) {
			this.deciding.run();
			return () -> (this.future != null) ? CompletableFuture.completedFuture(this.future) : Mono.just("value");
		}

	}

	private record Watched(TestCall call, Runnable asking) implements GuardedCall<String> {

		@Override
		public CompletableFuture<String> ask() {
			this.asking.run();
			return this.call.ask();
		}

		@Override
		public boolean isCancellable() {
			return true;
		}

		@Override
		public Work decide(String answer) {
			return this.call.decide(answer);
		}

	}

	/**
	 * Takes along what one variable is bound to.
	 *
	 * @param user the variable
	 */
	private record Binding(ThreadLocal<String> user) implements CallContext {

		@Override
		public UnaryOperator<Runnable> capture() {
			String captured = this.user.get();
			return (task) -> () -> {
				this.user.set(captured);
				try {
					task.run();
				}
				finally {
					this.user.remove();
				}
			};
		}

		@Override
		public void within(Object context, Runnable task) {
			task.run();
		}

	}

}
