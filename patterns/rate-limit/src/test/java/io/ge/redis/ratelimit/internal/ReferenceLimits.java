// SPDX-License-Identifier: Apache-2.0

package io.ge.redis.ratelimit.internal;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

import io.ge.redis.ratelimit.internal.ScriptReplay.Ask;
import io.ge.redis.ratelimit.internal.ScriptReplay.Decide;
import io.ge.redis.ratelimit.internal.ScriptReplay.Refund;
import io.ge.redis.ratelimit.internal.ScriptReplay.Result;
import io.ge.redis.ratelimit.internal.ScriptReplay.Step;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Limits that are decided together, all or nothing, with the reply that is expected of
 * the script.
 */
final class ReferenceLimits {

	private final Map<String, ReferenceLimit> limits = new HashMap<>();

	private final List<Taken> taken = new ArrayList<>();

	/** The latest time of any charge, which may be ahead. */
	private long latest;

	/**
	 * Compares each result of a trace, and in the end all uses with the limits.
	 */
	void check(List<Step> trace, List<Result> results) {
		for (int i = 0; i < trace.size(); i++) {
			Step step = trace.get(i);
			Taken outcome = new Taken();
			if (step instanceof Decide decide) {
				List<Long> expected = decide(decide, outcome);
				Result result = results.get(i);
				assertThat(result.reply()).as("step %d: %s", i, step).isEqualTo(expected);
				checkWrites(decide, result, i);
			}
			else if (step instanceof Refund refund) {
				refund(refund, this.taken.get(refund.of()));
			}
			this.taken.add(outcome);
		}
		this.limits.values().forEach(ReferenceLimit::judge);
	}

	private List<Long> decide(Decide call, Taken outcome) {
		long now = call.now();
		long at = now;
		boolean allowed = true;
		long reach = call.asks()
			.stream()
			.filter((ask) -> !ask.shadow())
			.mapToLong((ask) -> limit(ask).reach())
			.min()
			.orElse(Long.MAX_VALUE);
		Map<Ask, Long> waits = new HashMap<>();
		for (Ask ask : call.asks()) {
			ReferenceLimit limit = limit(ask);
			long earliest = limit.earliest(now, ask.cost());
			long wait = Math.max(0, earliest - now - Math.min(ask.patience(), ask.shadow() ? limit.reach() : reach));
			waits.put(ask, wait);
			if (!ask.shadow()) {
				allowed &= wait == 0;
				at = (wait == 0) ? Math.max(at, earliest) : at;
			}
		}
		at = allowed ? at : now;
		List<Long> reply = new ArrayList<>(List.of(allowed ? 1L : 0L, now, at, 0L));
		for (Ask ask : call.asks()) {
			ReferenceLimit limit = limit(ask);
			long stamp = 0;
			if (allowed && ask.cost() > 0 && waits.get(ask) == 0) {
				long time = Math.max(limit.earliest(now, ask.cost()), Math.min(at, now + limit.reach()));
				this.latest = Math.max(this.latest, time);
				stamp = limit.charge(time, ask.cost());
				limit.use(time, ask.cost());
				outcome.asks.add(ask);
				outcome.times.add(time);
				outcome.stamps.add(stamp);
			}
			reply.addAll(List.of(Math.max(0, limit.available(now)), limit.restored(now), waits.get(ask), stamp));
		}
		return reply;
	}

	/**
	 * Only what is charged is written, and it lives as long as it has something to say.
	 */
	private void checkWrites(Decide call, Result result, int step) {
		boolean charged = false;
		for (int i = 0; i < call.asks().size(); i++) {
			long ttl = result.ttls().get(i);
			if (result.reply().get(7 + i * 4) == 0) {
				assertThat(ttl).as("TTL of what is not charged, step %d", step).isEqualTo(-1);
			}
			else {
				charged = true;
				ReferenceLimit limit = limit(call.asks().get(i));
				long needed = limit.end() - call.now();
				assertThat(needed).as("life of the state, step %d", step)
					.isLessThanOrEqualTo(limit.longestLife() + this.latest - call.now());
				assertThat(ttl * 1000).as("TTL, step %d", step).isBetween(needed, needed + 2_000);
			}
		}
		if (!charged) {
			assertThat(result.writes()).as("writes, step %d: %s", step, call).isZero();
		}
	}

	/**
	 * Gives back the permits of a call, whose use has then never counted.
	 */
	private void refund(Refund refund, Taken of) {
		for (int i = 0; i < of.asks.size(); i++) {
			Ask ask = of.asks.get(i);
			ReferenceLimit limit = limit(ask);
			limit.refund(refund.now(), ask.cost(), of.stamps.get(i));
			limit.unuse(of.times.get(i), ask.cost());
		}
	}

	private ReferenceLimit limit(Ask ask) {
		return this.limits.computeIfAbsent(ask.key(), (key) -> ReferenceLimit.of(ask));
	}

	private static final class Taken {

		private final List<Ask> asks = new ArrayList<>();

		private final List<Long> times = new ArrayList<>();

		private final List<Long> stamps = new ArrayList<>();

	}

}
