// SPDX-License-Identifier: Apache-2.0

package io.ge.redis.core.batch;

import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.IntStream;
import java.util.stream.Stream;

import io.ge.redis.core.outage.CallBudget;
import io.ge.redis.test.Sized;
import io.ge.redis.test.Wide;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Tests for {@link Batcher}. Calls are answered by hand, and the time stands still.
 */
class BatcherTests {

	private static final int IN_FLIGHT = 2;

	private static final int MOST = 32;

	private static final Duration LONGEST = Duration.ofMillis(20);

	private final List<Call> sent = new ArrayList<>();

	private final List<Runnable> timers = new ArrayList<>();

	private final BatchQueue<String, String> queue = new BatchQueue<>();

	private long now;

	private @Nullable Error error;

	private final Batcher<String, String> batcher = new Batcher<>(new Calls(), IN_FLIGHT, LONGEST, () -> this.now,
			this.timers::add);

	private CompletableFuture<String> submit(String request) {
		return submit(request, budget());
	}

	private CompletableFuture<String> submit(String request, CallBudget budget) {
		return this.batcher.submit(this.queue, request, budget);
	}

	private List<CompletableFuture<String>> submit(int first, int last) {
		return IntStream.rangeClosed(first, last).mapToObj((i) -> submit("a" + i)).toList();
	}

	private List<List<String>> sent() {
		return this.sent.stream().map(Call::requests).toList();
	}

	private void answer(int call) {
		this.sent.get(call).answer();
	}

	private void fail(int call) {
		this.sent.get(call).answers.completeExceptionally(new IllegalStateException("cut"));
	}

	private static CallBudget budget() {
		return CallBudget.of(Duration.ofSeconds(1));
	}

	private static List<String> names(int first, int last) {
		return IntStream.rangeClosed(first, last).mapToObj((i) -> "a" + i).toList();
	}

	@Test
	void noRequestWaitsUnlessThereAreMany() {
		submit(1, 2);
		assertThat(sent()).containsExactly(List.of("a1"), List.of("a2"));
		answer(0);
		submit(3, 3);
		assertThat(sent()).containsExactly(List.of("a1"), List.of("a2"), List.of("a3"));
	}

	@Test
	void requestsThatArriveMeanwhileAreSentTogetherInTheirOrder() {
		List<CompletableFuture<String>> answers = submit(1, 5);
		assertThat(this.sent).hasSize(2);
		answer(1);
		assertThat(sent()).containsExactly(List.of("a1"), List.of("a2"), names(3, 5));
		submit(6, 6);
		answer(2);
		assertThat(sent()).hasSize(4).last().isEqualTo(List.of("a6"));
		assertThat(answers.subList(1, 5)).extracting(CompletableFuture::join).containsExactly("A2", "A3", "A4", "A5");
	}

	@Test
	void oneCompletedCallLetsOneMoreBegin() {
		submit(1, 3);
		answer(0);
		submit(4, 4);
		assertThat(this.sent).hasSize(3);
		answer(1);
		assertThat(this.sent).hasSize(4);
		answer(2);
		submit(5, 5);
		assertThat(this.sent).hasSize(5);
	}

	@Test
	void fullBatchWaitsForNoCall() {
		submit(1, 2 + MOST);
		assertThat(sent()).hasSize(3).last().isEqualTo(names(3, 2 + MOST));
		submit(100, 100);
		assertThat(this.sent).hasSize(3);
	}

	@Test
	void noRequestWaitsForCallsThatWereSentLongAgo() {
		submit(1, 3);
		this.now = LONGEST.toNanos();
		submit(4, 4);
		assertThat(this.sent).hasSize(2);
		this.now++;
		submit(5, 5);
		assertThat(sent()).hasSize(3).last().isEqualTo(names(3, 5));
	}

	@Test
	void noRequestWaitsWhileCallsTakeLong() {
		submit(1, 2);
		this.now += LONGEST.toNanos() + 1;
		answer(0);
		submit(3, 6);
		assertThat(this.sent).as("slow").hasSize(6);
		answer(2);
		submit(7, 7);
		assertThat(this.sent).as("quick again").hasSize(6);
	}

	@Test
	void noRequestWaitsAfterAFailure() {
		submit(1, 3);
		fail(0);
		submit(4, 6);
		assertThat(sent()).containsExactly(List.of("a1"), List.of("a2"), List.of("a3"), List.of("a4"), List.of("a5"),
				List.of("a6"));
	}

	@Test
	void requestsThatHaveWaitedForLongAreSentAlthoughNoCallCompletes() {
		submit(1, 2);
		assertThat(this.timers).as("no request waits").isEmpty();
		this.now = 5;
		submit(3, 3);
		this.now = LONGEST.toNanos() / 2;
		submit(4, 4);
		assertThat(this.timers).as("one timer").hasSize(1);
		this.timers.remove(0).run();
		assertThat(this.sent).hasSize(2);
		this.now += 5;
		this.timers.remove(0).run();
		assertThat(sent()).hasSize(3).last().isEqualTo(names(3, 4));
		assertThat(this.timers).isEmpty();
		submit(5, 5);
		assertThat(this.sent).as("calls take long").hasSize(4);
		assertThat(this.timers).isEmpty();
	}

	@Test
	void timerEndsWhenNoRequestWaits() {
		submit(1, 3);
		answer(0);
		this.timers.remove(0).run();
		assertThat(this.timers).isEmpty();
		submit(4, 4);
		assertThat(this.timers).hasSize(1);
	}

	@Test
	void requestsThatAreNotAlikeNeitherWaitNorTakeAPlace() {
		submit(1, 3);
		submit("b1");
		submit("b2");
		assertThat(sent()).containsExactly(List.of("a1"), List.of("a2"), List.of("b1"), List.of("b2"));
		answer(0);
		assertThat(sent()).hasSize(5).last().isEqualTo(List.of("a3"));
	}

	@Test
	void otherQueuesDoNotWait() {
		submit(1, 3);
		this.batcher.submit(new BatchQueue<>(), "a4", budget());
		assertThat(sent()).hasSize(3).last().isEqualTo(List.of("a4"));
	}

	@Test
	void requestThatHasWaitedBeforeDoesNotWaitForOthers() {
		submit(1, 2);
		CallBudget budget = budget();
		budget.spend(LONGEST.toNanos() + 1);
		submit("a3", budget);
		assertThat(this.sent).hasSize(3);
	}

	@Test
	void batchHasTheTimeOfTheSmallestBudgetAndAllPay() {
		submit(1, 2);
		List<CallBudget> budgets = List.of(budget(), CallBudget.of(Duration.ofMillis(700)), budget());
		budgets.forEach((budget) -> submit("a3", budget));
		this.now += 5_000_000;
		answer(0);
		assertThat(this.sent.get(2).budget.remainingNanos()).isEqualTo(Duration.ofMillis(695).toNanos());
		this.now += 1_000_000;
		answer(2);
		assertThat(budgets).extracting(CallBudget::spentNanos).containsOnly(6_000_000L);
	}

	@Test
	void requestThatIsAlonePaysForItsWait() {
		submit(1, 2);
		CallBudget budget = budget();
		submit("a3", budget);
		this.now += 5_000_000;
		answer(0);
		assertThat(this.sent.get(2).budget).isSameAs(budget);
		assertThat(budget.spentNanos()).isEqualTo(5_000_000);
	}

	@Test
	void requestWithoutTimeLeftFailsAloneAndNotItsBatch() {
		submit(1, 2);
		CallBudget none = CallBudget.of(Duration.ofNanos(5));
		submit("a3", none);
		submit(4, 5);
		this.now += 5;
		answer(0);
		assertThat(sent().subList(2, 4)).containsExactly(List.of("a3"), names(4, 5));
		assertThat(this.sent.get(2).budget.remainingNanos()).isZero();
		assertThat(this.sent.get(3).budget.remainingNanos()).isEqualTo(Duration.ofSeconds(1).toNanos() - 5);
	}

	@Test
	void failureOfACallIsThatOfAllItsRequests() {
		List<CompletableFuture<String>> answers = submit(1, 5);
		answer(0);
		fail(2);
		assertThat(answers.subList(2, 5)).allSatisfy((answer) -> assertThat(answer).isCompletedExceptionally());
		assertThat(answers.get(1)).isNotDone();
	}

	@Test
	void requestThatWasLeftUndecidedIsSentAlone() {
		List<CompletableFuture<String>> answers = submit(1, 5);
		answer(0);
		this.sent.get(2).answers.complete(Arrays.asList("A3", null, "A5"));
		assertThat(answers).extracting(CompletableFuture::isDone).containsExactly(true, false, true, false, true);
		assertThat(sent()).hasSize(4).last().isEqualTo(List.of("a4"));
		answer(3);
		assertThat(answers.get(3)).isCompletedWithValue("A4");
	}

	@Test
	void wrongNumberOfAnswersFailsAllRequests() {
		List<CompletableFuture<String>> answers = submit(1, 4);
		answer(0);
		this.sent.get(2).answers.complete(List.of("A3"));
		assertThat(answers.subList(2, 4)).allSatisfy((answer) -> assertThat(answer).isCompletedExceptionally());
	}

	@Test
	void abandonedRequestDisturbsNoOther() {
		List<CompletableFuture<String>> answers = submit(1, 4);
		answers.get(2).cancel(false);
		answer(0);
		answer(2);
		assertThat(answers.get(3)).isCompletedWithValue("A4");
	}

	@Test
	void errorOfACallerDoesNotKeepItsPlace() {
		this.error = new StackOverflowError();
		assertThat(submit(1, IN_FLIGHT)).allSatisfy((answer) -> assertThat(answer).isCompletedExceptionally());
		this.error = null;
		submit(3, 3);
		assertThat(this.sent).hasSize(1);
	}

	@Test
	void errorWhileTheNextBatchIsSentLosesNoRequest() {
		List<CompletableFuture<String>> answers = submit(1, 4);
		this.error = new StackOverflowError();
		answer(0);
		assertThat(answers.get(0)).isCompletedWithValue("A1");
		assertThat(answers.subList(2, 4)).allSatisfy((answer) -> assertThat(answer).isCompletedExceptionally());
	}

	@Test
	void allAreSentWhereAllFailAtOnce() {
		List<CompletableFuture<String>> answers = submit(1, 30);
		this.error = new StackOverflowError();
		answer(0);
		assertThat(answers.subList(2, 30)).allSatisfy((answer) -> assertThat(answer).isCompletedExceptionally());
	}

	@Test
	void failuresAtOnceDoNotPileUpOnTheStack() throws InterruptedException {
		AtomicInteger deepest = new AtomicInteger();
		Batcher<String, String> refused = new Batcher<>(new Calls() {

			@Override
			CompletableFuture<List<@Nullable String>> call(List<String> requests, CallBudget budget) {
				int depth = Math.toIntExact(StackWalker.getInstance().walk(Stream::count));
				deepest.accumulateAndGet(depth, Math::max);
				return CompletableFuture.failedFuture(new IllegalStateException("open"));
			}

		}, IN_FLIGHT, LONGEST, System::nanoTime);
		List<CompletableFuture<String>> calls = Collections.synchronizedList(new ArrayList<>());
		List<Thread> threads = new ArrayList<>();
		for (String request : List.of("a", "a", "b", "b")) {
			Thread thread = new Thread(() -> {
				for (int k = 0; k < 10_000; k++) {
					calls.add(refused.submit(this.queue, request, budget()));
				}
			});
			thread.start();
			threads.add(thread);
		}
		for (Thread thread : threads) {
			thread.join();
		}
		assertThat(calls).hasSize(40_000).allSatisfy((call) -> assertThat(call).isDone());
		assertThat(deepest.get()).isLessThan(300);
	}

	@Test
	@Sized
	void eachRequestIsAnsweredOnceWhateverTheInterleaving() throws Exception {
		int callers = 8;
		int each = Wide.RUN ? 20_000 : 5_000;
		AtomicInteger inFlight = new AtomicInteger();
		AtomicInteger most = new AtomicInteger();
		AtomicInteger requests = new AtomicInteger();
		ExecutorService servers = Executors.newFixedThreadPool(3);
		ExecutorService threads = Executors.newFixedThreadPool(callers);
		try {
			Batcher<String, String> many = new Batcher<>(new Calls() {

				@Override
				CompletableFuture<List<@Nullable String>> call(List<String> batch, CallBudget budget) {
					most.accumulateAndGet(inFlight.incrementAndGet(), Math::max);
					requests.addAndGet(batch.size());
					CompletableFuture<List<@Nullable String>> answers = new CompletableFuture<>();
					Runnable serve = () -> {
						inFlight.decrementAndGet();
						answers.complete(answersTo(batch));
					};
					if (ThreadLocalRandom.current().nextInt(8) == 0) {
						serve.run();
					}
					else {
						servers.execute(serve);
					}
					return answers;
				}

			}, IN_FLIGHT, LONGEST, () -> 0, this.timers::add);
			List<Future<?>> done = new ArrayList<>();
			for (int caller = 0; caller < callers; caller++) {
				String name = "a" + caller;
				done.add(threads.submit(() -> {
					for (int i = 0; i < each; i++) {
						assertThat(many.submit(this.queue, name, budget()).get(30, TimeUnit.SECONDS))
							.isEqualTo(answerTo(name));
					}
					return null;
				}));
			}
			for (Future<?> caller : done) {
				caller.get(Duration.ofMinutes(1).toSeconds(), TimeUnit.SECONDS);
			}
			assertThat(most).hasValueLessThanOrEqualTo(IN_FLIGHT);
			assertThat(requests).hasValue(callers * each);
		}
		finally {
			threads.shutdownNow();
			servers.shutdownNow();
		}
	}

	private static String answerTo(String request) {
		return "A" + request.substring(1);
	}

	private static List<@Nullable String> answersTo(List<String> requests) {
		return new ArrayList<>(requests.stream().map(BatcherTests::answerTo).toList());
	}

	/**
	 * Requests are alike that begin with the same letter.
	 */
	private class Calls implements Batcher.Calls<String, String> {

		CompletableFuture<List<@Nullable String>> call(List<String> requests, CallBudget budget) {
			if (BatcherTests.this.error != null) {
				throw BatcherTests.this.error;
			}
			Call call = new Call(requests, budget, new CompletableFuture<>());
			BatcherTests.this.sent.add(call);
			return call.answers();
		}

		@Override
		public CompletableFuture<String> send(String request, CallBudget budget) {
			return call(List.of(request), budget).thenApply((answers) -> answers.get(0));
		}

		@Override
		public CompletableFuture<List<@Nullable String>> sendAll(List<String> requests, CallBudget budget) {
			return call(requests, budget);
		}

		@Override
		public boolean areAlike(String request, String other) {
			return request.charAt(0) == other.charAt(0);
		}

		@Override
		public int mostOf(String request) {
			return MOST;
		}

	}

	private record Call(List<String> requests, CallBudget budget, CompletableFuture<List<@Nullable String>> answers) {

		void answer() {
			this.answers.complete(answersTo(this.requests));
		}

	}

}
