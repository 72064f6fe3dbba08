/*
 * Copyright 2026 the GE Redis authors
 * SPDX-License-Identifier: Apache-2.0
 */

package io.ge.redis.cache;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import java.util.stream.IntStream;

import org.assertj.core.api.InstanceOfAssertFactories;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Tests for {@link Gathering}.
 */
class GatheringTests {

	private final AtomicLong now = new AtomicLong();

	private final List<List<Integer>> sent = new CopyOnWriteArrayList<>();

	private final List<CompletableFuture<Object>> answers = new CopyOnWriteArrayList<>();

	private final Gathering<Integer> gathering = new Gathering<>(this::send, this.now::get);

	private CompletableFuture<?> send(List<Integer> together) {
		CompletableFuture<Object> answer = new CompletableFuture<>();
		this.answers.add(answer);
		this.sent.add(together);
		return answer;
	}

	private void enter(int first, int last) {
		IntStream.rangeClosed(first, last).forEach(this.gathering::enter);
	}

	private void answer(int call) {
		this.answers.get(call).complete(true);
	}

	@Test
	void nobodyWaitsUnlessThereAreMany() {
		enter(1, 2);
		assertThat(this.sent).containsExactly(List.of(1), List.of(2));
		answer(0);
		enter(3, 3);
		assertThat(this.sent).containsExactly(List.of(1), List.of(2), List.of(3));
	}

	@Test
	void thoseWhoComeMeanwhileGoTogetherInTheirOrder() {
		enter(1, 5);
		assertThat(this.sent).hasSize(2);
		answer(1);
		assertThat(this.sent).containsExactly(List.of(1), List.of(2), List.of(3, 4, 5));
		enter(6, 6);
		answer(2);
		assertThat(this.sent).hasSize(4).last().isEqualTo(List.of(6));
	}

	@Test
	void asManyAsMayGoTogetherWaitForNobody() {
		enter(1, 2 + Gathering.MOST_TOGETHER);
		assertThat(this.sent).hasSize(3)
			.last()
			.asInstanceOf(InstanceOfAssertFactories.LIST)
			.hasSize(Gathering.MOST_TOGETHER);
		enter(100, 100);
		assertThat(this.sent).hasSize(3);
	}

	@Test
	void nobodyWaitsForAnswersThatTakeLong() {
		enter(1, 3);
		this.now.addAndGet(Gathering.LONG_NANOS + 1);
		enter(4, 4);
		assertThat(this.sent).as("sent though none was answered").hasSize(3).last().isEqualTo(List.of(3, 4));
		answer(0);
		enter(5, 8);
		assertThat(this.sent).as("slow").hasSize(7);
		answer(3);
		assertThat(this.sent).hasSize(7);
		enter(9, 9);
		assertThat(this.sent).as("quick again").hasSize(7);
	}

	@Test
	void nobodyWaitsAfterAFailure() {
		enter(1, 3);
		this.answers.get(0).completeExceptionally(new IllegalStateException());
		enter(4, 6);
		assertThat(this.sent).containsExactly(List.of(1), List.of(2), List.of(3), List.of(4), List.of(5), List.of(6));
	}

	@Test
	void allAreSentWhereAllFailAtOnce() {
		List<Integer> failed = new ArrayList<>();
		CompletableFuture<Object> first = new CompletableFuture<>();
		Gathering<Integer> failing = new Gathering<>((together) -> {
			failed.addAll(together);
			return (failed.size() <= 2) ? first : CompletableFuture.failedFuture(new IllegalStateException());
		}, this.now::get);
		IntStream.range(0, 30).forEach(failing::enter);
		first.complete(true);
		assertThat(failed).hasSize(30);
	}

	@Test
	void nobodyIsForgottenWhateverRaces() throws Exception {
		int callers = 8;
		int each = 20_000;
		AtomicInteger underWay = new AtomicInteger();
		AtomicInteger most = new AtomicInteger();
		ExecutorService servers = Executors.newFixedThreadPool(3);
		ExecutorService threads = Executors.newFixedThreadPool(callers);
		try {
			Gathering<CountDownLatch> many = new Gathering<>((together) -> {
				most.accumulateAndGet(underWay.incrementAndGet(), Math::max);
				CompletableFuture<Object> answer = new CompletableFuture<>();
				Runnable serve = () -> {
					underWay.decrementAndGet();
					together.forEach(CountDownLatch::countDown);
					answer.complete(true);
				};
				if (ThreadLocalRandom.current().nextInt(8) == 0) {
					serve.run();
				}
				else {
					servers.execute(serve);
				}
				return answer;
			}, () -> 0);
			List<Future<?>> done = new ArrayList<>();
			for (int caller = 0; caller < callers; caller++) {
				done.add(threads.submit(() -> {
					for (int i = 0; i < each; i++) {
						CountDownLatch answered = new CountDownLatch(1);
						many.enter(answered);
						assertThat(answered.await(30, TimeUnit.SECONDS)).as("answered").isTrue();
					}
					return null;
				}));
			}
			for (Future<?> caller : done) {
				caller.get(Duration.ofMinutes(1).toSeconds(), TimeUnit.SECONDS);
			}
			assertThat(most).hasValueLessThanOrEqualTo(Gathering.MOST_UNDER_WAY);
		}
		finally {
			threads.shutdownNow();
			servers.shutdownNow();
		}
	}

}
