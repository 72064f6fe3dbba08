// SPDX-License-Identifier: Apache-2.0

package io.ge.redis.ratelimit.internal;

import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.stream.Collectors;
import java.util.stream.IntStream;

import io.ge.redis.core.key.KeySpace;
import io.ge.redis.core.outage.CallBudget;
import io.ge.redis.ratelimit.RateLimit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * What is asked for several calls, and how the answer is shared out. The script is
 * answered by hand.
 */
class RateLimitBatcherTests {

	private static final RateLimit LIMIT = RateLimit.of("limit", 100, Duration.ofSeconds(10));

	private final RedisLimitKeys keys = new RedisLimitKeys(new KeySpace("ge", "ratelimit"));

	private final List<Sent> sent = new CopyOnWriteArrayList<>();

	private final List<Sent> busy = new ArrayList<>();

	private long now;

	private final RedisRateLimiter limiter = new RedisRateLimiter(null, new KeySpace("ge", "ratelimit"), "news",
			() -> this.now) {

		@Override
		CompletableFuture<RedisDecision> decide(List<PermitRequest> requests, long others, CallBudget budget) {
			Sent call = new Sent(requests, others, budget, new CompletableFuture<>());
			RateLimitBatcherTests.this.sent.add(call);
			return call.answer();
		}

	};

	@Test
	void asksForAllThatCameInTheMeantime() {
		keepBusy(requests(LIMIT, 1));
		List<CompletableFuture<RedisDecision>> waiting = ask(5, requests(LIMIT, 1));
		assertThat(this.sent).isEmpty();
		endOne();
		assertThat(this.sent).hasSize(1);
		assertThat(this.sent.get(0).others()).isEqualTo(4);
		this.sent.get(0).allow(4, 30, 0);
		assertThat(waiting).allSatisfy((call) -> assertThat(call.join().isAllowed()).isTrue());
		assertThat(waiting).extracting((call) -> call.join().left(0)).containsExactly(34L, 33L, 32L, 31L, 30L);
		assertThat(waiting).extracting((call) -> call.join().others()).containsOnly(0L);
		assertThat(waiting).extracting((call) -> call.join().stamp(0)).containsOnly(7L);
	}

	@Test
	void refusesThoseForWhomNothingIsLeft() {
		keepBusy(requests(LIMIT, 2));
		List<CompletableFuture<RedisDecision>> waiting = ask(4, requests(LIMIT, 2));
		endOne();
		assertThat(this.sent.get(0).others()).isEqualTo(6);
		this.sent.get(0).allow(2, 1, 900);
		assertThat(waiting).extracting((call) -> call.join().isAllowed()).containsExactly(true, true, false, false);
		assertThat(waiting).extracting((call) -> call.join().left(0)).containsExactly(3L, 1L, 1L, 1L);
		assertThat(waiting).extracting((call) -> call.join().waitNanos(0)).containsExactly(0L, 0L, 900_000L, 900_000L);
		assertThat(waiting).extracting((call) -> call.join().stamp(0)).containsExactly(7L, 7L, 0L, 0L);
	}

	@Test
	void refusesAllIfTheFirstIsRefused() {
		keepBusy(requests(LIMIT, 1));
		List<CompletableFuture<RedisDecision>> waiting = ask(3, requests(LIMIT, 1));
		endOne();
		this.sent.get(0).deny(900);
		assertThat(waiting).extracting((call) -> call.join().waitNanos(0)).containsOnly(900_000L);
		assertThat(waiting).extracting((call) -> call.join().isAllowed()).containsOnly(false);
	}

	@Test
	void askAloneWhoWasLeftUndecided() {
		keepBusy(requests(LIMIT, 1));
		List<CompletableFuture<RedisDecision>> waiting = ask(3, requests(LIMIT, 1));
		endOne();
		this.sent.remove(0).allow(0, 0, 0);
		assertThat(waiting).extracting(CompletableFuture::isDone).containsExactly(true, false, false);
		assertThat(this.sent).extracting(Sent::others).containsExactly(0L, 0L);
		this.sent.forEach((call) -> call.deny(5));
		assertThat(waiting).extracting((call) -> call.join().isAllowed()).containsExactly(true, false, false);
	}

	@Test
	void goesOnWithThoseWhoWaitAfterAFailure() {
		List<Sent> before = keepBusy(requests(LIMIT, 1));
		ask(3, requests(LIMIT, 1));
		before.get(0).answer().completeExceptionally(new IllegalStateException("cut"));
		assertThat(this.sent).hasSize(1);
	}

	@Test
	void onlyThoseWhoWantTheSameShare() {
		keepBusy(requests(LIMIT, 1));
		ask(2, requests(LIMIT, 1));
		ask(3, requests(LIMIT, 2));
		ask(1, requests(LIMIT.withLimit(50), 1));
		assertThat(this.sent).hasSize(4).extracting(Sent::others).containsOnly(0L);
		endOne();
		assertThat(this.sent.get(4).others()).isEqualTo(1);
	}

	@ParameterizedTest
	@CsvSource({ "1, 501, 499 0", "250, 3, 250 0", "501, 2, 0 0" })
	void asksForFiveHundredPermitsAtMost(long cost, int calls, String permits) {
		RateLimit large = LIMIT.withLimit(10_000);
		keepBusy(requests(large, cost));
		ask(calls, requests(large, cost));
		endOne();
		endOne();
		assertThat(this.sent.stream().map((call) -> String.valueOf(call.others())).collect(Collectors.joining(" ")))
			.isEqualTo(permits);
	}

	@Test
	void whoHasWaitedBeforeDoesNotWaitForOthers() {
		keepBusy(requests(LIMIT, 1));
		CallBudget budget = budget();
		budget.spend(RedisRateLimiter.LONGEST_WAIT.toNanos() + 1);
		this.limiter.decide(requests(LIMIT, 1), budget);
		assertThat(this.sent).hasSize(1);
	}

	@Test
	void sharedScriptHasTheTimeOfTheSmallestBudgetAndAllPay() {
		keepBusy(requests(LIMIT, 1));
		List<CallBudget> budgets = List.of(budget(), CallBudget.of(Duration.ofMillis(700)), budget());
		budgets.forEach((budget) -> this.limiter.decide(requests(LIMIT, 1), budget));
		this.now += 5_000_000;
		endOne();
		Sent shared = this.sent.get(0);
		assertThat(shared.budget().remainingNanos()).isEqualTo(Duration.ofMillis(695).toNanos());
		this.now += 1_000_000;
		shared.allow(2, 10, 0);
		assertThat(budgets).extracting(CallBudget::spentNanos).containsOnly(6_000_000L);
	}

	@ParameterizedTest
	@ValueSource(strings = { "shadow", "wait", "look" })
	void doesNotShareWhatCannotBeToldFromOneAnswer(String kind) {
		List<PermitRequest> requests = switch (kind) {
			case "shadow" -> requests(LIMIT.withShadow(true), 1);
			case "wait" -> requests(LIMIT.withWaitTime(Duration.ofSeconds(1)), 1);
			default -> requests(LIMIT, 0);
		};
		ask(20, requests);
		assertThat(this.sent).hasSize(20);
	}

	@Test
	void othersDoNotWaitForAKey() {
		keepBusy(requests(LIMIT, 1));
		this.limiter.decide(List.of(TestRequests.of(LIMIT, List.of("boris"), 1)), budget());
		assertThat(this.sent).hasSize(1);
	}

	private List<Sent> keepBusy(List<PermitRequest> requests) {
		ask(RedisRateLimiter.MOST_IN_FLIGHT, requests);
		assertThat(this.sent).hasSize(RedisRateLimiter.MOST_IN_FLIGHT);
		List<Sent> busy = List.copyOf(this.sent);
		this.sent.clear();
		this.busy.addAll(busy);
		return busy;
	}

	private void endOne() {
		this.busy.remove(0).allow(0, 50, 0);
	}

	private List<CompletableFuture<RedisDecision>> ask(int times, List<PermitRequest> requests) {
		return IntStream.range(0, times).mapToObj((i) -> this.limiter.decide(requests, budget())).toList();
	}

	private static CallBudget budget() {
		return CallBudget.of(Duration.ofSeconds(1));
	}

	private List<PermitRequest> requests(RateLimit limit, long cost) {
		return List.of(new PermitRequest(limit, this.keys.of(limit, List.of("anna")), cost));
	}

	private record Sent(List<PermitRequest> requests, long others, CallBudget budget,
			CompletableFuture<RedisDecision> answer) {

		void allow(long others, long left, long othersWait) {
			complete(1, 0, 0, others, left, 100, othersWait, 7);
		}

		void deny(long wait) {
			complete(0, 0, 0, 0, 0, wait, wait, 0);
		}

		private void complete(long... reply) {
			this.answer.complete(new RedisDecision(this.requests, Arrays.copyOf(reply, reply.length), 0, 0));
		}

	}

}
