// SPDX-License-Identifier: Apache-2.0

package io.ge.redis.ratelimit.internal;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;

import io.ge.redis.ratelimit.RateLimit;
import io.ge.redis.ratelimit.internal.ScriptReplay.Ask;
import io.ge.redis.ratelimit.internal.ScriptReplay.Decide;
import io.ge.redis.ratelimit.internal.ScriptReplay.Refund;
import io.ge.redis.ratelimit.internal.ScriptReplay.Result;
import io.ge.redis.ratelimit.internal.ScriptReplay.Step;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * A trace in two forms: one in which calls that come at the same time share a script, and
 * one in which each has its own.
 */
final class SharedTrace {

	private static final int MOST = 6;

	private final List<Step> shared = new ArrayList<>();

	private final List<Step> alone = new ArrayList<>();

	/** Where the calls of each shared step begin among those that are alone. */
	private final List<Integer> places = new ArrayList<>();

	private SharedTrace() {
	}

	/**
	 * Makes some steps of a trace calls that come together.
	 */
	static SharedTrace of(List<Step> trace) {
		SharedTrace both = new SharedTrace();
		for (int i = 0; i < trace.size(); i++) {
			both.places.add(both.alone.size());
			Step step = trace.get(i);
			if (step instanceof Refund refund) {
				both.shared.add(refund);
				both.alone.add(new Refund(refund.now(), both.places.get(refund.of())));
			}
			else if (step instanceof Decide call && i % 2 == 0) {
				both.add(call, 1 + (int) (call.now() % MOST));
			}
			else {
				both.shared.add(step);
				both.alone.add(step);
			}
		}
		return both;
	}

	private void add(Decide call, int calls) {
		long cost = call.asks().get(0).cost();
		List<Ask> asks = new ArrayList<>();
		for (Ask ask : call.asks()) {
			Ask same = ask.withCost(Math.max(1, cost)).withPatience(0);
			if (!ask.shadow() && same.cost() <= same.burst()) {
				asks.add(same);
			}
		}
		if (asks.isEmpty()) {
			asks.addAll(call.asks());
			calls = 1;
		}
		long others = (calls - 1) * asks.get(0).cost();
		this.shared.add(new Decide(call.now(), others, asks));
		for (int i = 0; i < calls; i++) {
			this.alone.add(new Decide(call.now(), 0, asks));
		}
	}

	/**
	 * Compares what each call is told in both.
	 */
	void check(ScriptReplay replay) {
		List<Result> together = replay.run(this.shared);
		List<Result> oneByOne = replay.run(this.alone);
		for (int i = 0; i < this.shared.size(); i++) {
			if (this.shared.get(i) instanceof Decide call) {
				int first = this.places.get(i);
				int end = (i + 1 < this.places.size()) ? this.places.get(i + 1) : this.alone.size();
				for (int k = first; k < end; k++) {
					List<Long> told = isShared(i) ? told(call, together.get(i), k - first) : together.get(i).reply();
					assertThat(told).as("call %d of step %d: %s", k - first, i, call)
						.isEqualTo(oneByOne.get(k).reply());
				}
			}
		}
	}

	private boolean isShared(int step) {
		return this.shared.get(step) instanceof Decide call && call.others() > 0;
	}

	private static List<Long> told(Decide call, Result result, int position) {
		List<PermitRequest> requests = call.asks().stream().map(SharedTrace::request).toList();
		long[] reply = result.reply().stream().mapToLong(Long::longValue).toArray();
		RedisDecision answer = new RedisDecision(requests, reply, 0, 0).ofCall(position);
		assertThat(answer).as("answer to call %d of %s", position, call).isNotNull();
		List<Long> told = new ArrayList<>(List.of(answer.isAllowed() ? 1L : 0L, reply[1], reply[2], answer.others()));
		for (int i = 0; i < requests.size(); i++) {
			told.addAll(List.of(answer.left(i), answer.restoredNanos(i) / 1000, answer.waitNanos(i) / 1000,
					answer.stamp(i)));
		}
		return told;
	}

	private static PermitRequest request(Ask ask) {
		return TestRequests.of(RateLimit.of("limit", ask.limit(), Duration.ofSeconds(1)), List.of(), ask.cost());
	}

}
