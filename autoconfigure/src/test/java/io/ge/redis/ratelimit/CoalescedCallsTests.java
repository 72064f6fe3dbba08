/*
 * Copyright 2026 the GE Redis authors
 * SPDX-License-Identifier: Apache-2.0
 */

package io.ge.redis.ratelimit;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentLinkedQueue;

import io.ge.redis.core.outage.CallBudget;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Which calls are sent and which wait.
 */
class CoalescedCallsTests {

	private static final long FAST = 1000;

	private final CoalescedCalls calls = new CoalescedCalls();

	@Test
	void firstOnesAreSentAsTheyComeAndLaterOnesTogether() {
		for (int i = 0; i < CoalescedCalls.MOST_UNDER_WAY; i++) {
			CoalescedCall call = call();
			assertThat(list(this.calls.enter(call))).containsExactly(call);
		}
		List<CoalescedCall> waiting = List.of(call(), call(), call());
		waiting.forEach((call) -> assertThat(this.calls.enter(call)).isNull());
		assertThat(list(ended(this.calls, FAST))).isEqualTo(waiting);
		assertThat(ended(this.calls, FAST)).isNull();
	}

	@Test
	void oneEndLetsOneMoreBegin() {
		for (int i = 0; i <= CoalescedCalls.MOST_UNDER_WAY; i++) {
			this.calls.enter(call());
		}
		assertThat(ended(this.calls, FAST)).isNotNull();
		assertThat(this.calls.enter(call())).isNull();
		assertThat(ended(this.calls, FAST)).isNotNull();
		assertThat(ended(this.calls, FAST)).isNull();
		assertThat(this.calls.enter(call())).isNotNull();
	}

	@Test
	void nobodyWaitsForOthersWhileScriptsTakeLongOrFail() {
		for (long took : new long[] { Duration.ofMillis(21).toNanos(), -1 }) {
			CoalescedCalls calls = new CoalescedCalls();
			calls.enter(call());
			ended(calls, took);
			for (int i = 0; i < 2 * CoalescedCalls.MOST_UNDER_WAY; i++) {
				assertThat(calls.enter(call())).isNotNull();
			}
			ended(calls, FAST);
			assertThat(calls.enter(call())).isNull();
		}
	}

	@Test
	void nobodyWaitsForScriptsThatHaveTakenLongAlready() {
		for (int i = 0; i < CoalescedCalls.MOST_UNDER_WAY; i++) {
			this.calls.enter(call(0));
		}
		assertThat(this.calls.enter(call(CoalescedCalls.LONG_NANOS))).isNull();
		assertThat(list(this.calls.enter(call(CoalescedCalls.LONG_NANOS + 1)))).hasSize(2);
	}

	@Test
	void whoHasWaitedForLongIsSentWithTheOthers() {
		for (int i = 0; i < CoalescedCalls.MOST_UNDER_WAY; i++) {
			this.calls.enter(call(0));
		}
		assertThat(this.calls.watch()).as("nobody waits").isFalse();
		List<CoalescedCall> waiting = List.of(call(5), call(CoalescedCalls.OVERDUE_NANOS));
		waiting.forEach((call) -> assertThat(this.calls.enter(call)).isNull());
		assertThat(this.calls.watch()).isTrue();
		assertThat(this.calls.watch()).as("is watched").isFalse();
		assertThat(this.calls.overdue(CoalescedCalls.OVERDUE_NANOS)).isNull();
		assertThat(this.calls.watchOn()).isTrue();
		assertThat(list(this.calls.overdue(CoalescedCalls.OVERDUE_NANOS + 5))).isEqualTo(waiting);
		assertThat(this.calls.watchOn()).isFalse();
		assertThat(this.calls.enter(call(CoalescedCalls.OVERDUE_NANOS + 6))).as("scripts take long").isNotNull();
		assertThat(this.calls.watch()).isFalse();
	}

	@Test
	void callsThatWantSomethingElseNeitherWaitNorTakeAPlace() {
		for (int i = 0; i < CoalescedCalls.MOST_UNDER_WAY; i++) {
			this.calls.enter(call());
		}
		CoalescedCall waiting = call();
		assertThat(this.calls.enter(waiting)).isNull();
		for (int cost = 2; cost < 9; cost++) {
			CoalescedCall other = call(0, cost);
			assertThat(list(this.calls.enter(other))).containsExactly(other);
		}
		assertThat(list(ended(this.calls, FAST))).containsExactly(waiting);
	}

	@Test
	void eachCallIsSentExactlyOnceWhateverTheInterleaving() throws InterruptedException {
		int threads = 8;
		int each = 20_000;
		Set<CoalescedCall> sent = ConcurrentHashMap.newKeySet();
		ConcurrentLinkedQueue<CoalescedCall> underWay = new ConcurrentLinkedQueue<>();
		List<Thread> started = new ArrayList<>();
		for (int i = 0; i < threads; i++) {
			Random random = new Random(i);
			Thread thread = new Thread(() -> {
				for (int k = 0; k < each; k++) {
					send(this.calls.enter(call()), sent, underWay);
					if (random.nextBoolean() && underWay.poll() != null) {
						send(ended(this.calls, FAST), sent, underWay);
					}
				}
				while (underWay.poll() != null) {
					send(ended(this.calls, FAST), sent, underWay);
				}
			});
			thread.start();
			started.add(thread);
		}
		for (Thread thread : started) {
			thread.join();
		}
		while (underWay.poll() != null) {
			send(ended(this.calls, FAST), sent, underWay);
		}
		assertThat(sent).hasSize(threads * each);
		for (int i = 0; i < CoalescedCalls.MOST_UNDER_WAY; i++) {
			assertThat(this.calls.enter(call())).isNotNull();
		}
		assertThat(this.calls.enter(call())).isNull();
	}

	private static void send(@Nullable CoalescedCall first, Set<CoalescedCall> sent,
			ConcurrentLinkedQueue<CoalescedCall> underWay) {
		if (first != null) {
			list(first).forEach((call) -> assertThat(sent.add(call)).isTrue());
			underWay.add(first);
		}
	}

	private static @Nullable CoalescedCall ended(CoalescedCalls calls, long took) {
		CoalescedCall first = call();
		first.hasPlace = true;
		return calls.ended(first, took, 0);
	}

	private static CoalescedCall call() {
		return call(0);
	}

	private static CoalescedCall call(long now) {
		return call(now, 1);
	}

	private static CoalescedCall call(long now, long cost) {
		Demand demand = new Demand(RateLimit.of("limit", 10, Duration.ofSeconds(1)), List.of("anna"), cost);
		return new CoalescedCall(List.of(demand), CallBudget.of(Duration.ofSeconds(1)), now);
	}

	private static List<CoalescedCall> list(@Nullable CoalescedCall first) {
		List<CoalescedCall> list = new ArrayList<>();
		for (CoalescedCall call = first; call != null; call = call.next) {
			list.add(call);
		}
		return list;
	}

}
