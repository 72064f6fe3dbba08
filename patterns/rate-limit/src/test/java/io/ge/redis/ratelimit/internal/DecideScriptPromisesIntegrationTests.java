// SPDX-License-Identifier: Apache-2.0

package io.ge.redis.ratelimit.internal;

import java.util.ArrayList;
import java.util.List;
import java.util.Random;

import io.ge.redis.ratelimit.internal.ScriptReplay.Ask;
import io.ge.redis.ratelimit.internal.ScriptReplay.Decide;
import io.ge.redis.ratelimit.internal.ScriptReplay.Result;
import io.ge.redis.ratelimit.internal.ScriptReplay.Retry;
import io.ge.redis.ratelimit.internal.ScriptReplay.Step;
import io.ge.redis.test.RedisServers;
import io.ge.redis.test.Sized;
import io.ge.redis.test.StandaloneRedis;
import io.ge.redis.test.Wide;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

/**
 * What the scripts promise beyond one undisturbed trace: the time they tell, settings
 * that change, clocks that step back, steady load; and that the models see a fault.
 */
@Sized
class DecideScriptPromisesIntegrationTests {

	/** The wide run tries as many times more. */
	private static final int MORE = Wide.RUN ? 5 : 1;

	private static final long SECOND = 1_000_000;

	private static final int RETRIES = Wide.RUN ? 10_000 : 1_000;

	private static StandaloneRedis redis;

	private static ScriptReplay replay;

	@BeforeAll
	static void start() {
		redis = RedisServers.standalone();
		replay = new ScriptReplay(redis.primary());
	}

	@AfterAll
	static void stop() {
		redis.close();
	}

	@Test
	void whoWaitsAsToldIsAdmittedAndNobodyBefore() {
		Random random = new Random(1);
		List<String> kinds = List.of("w", "b", "c", "f", "wbcf", "wbcf");
		int cases = 0;
		for (int i = 0; cases < RETRIES; i++) {
			List<Step> trace = new ArrayList<>();
			for (Step step : ScriptTraces.of(kinds.get(i % kinds.size()), random, 60)) {
				if (step instanceof Decide call) {
					trace.add(call);
					trace.add(new Retry(call.now(), trace.size() - 1, random.nextBoolean()));
				}
			}
			List<Result> results = replay.run(trace);
			for (int k = 1; k < results.size(); k += 2) {
				if (!results.get(k).reply().isEmpty()) {
					assertThat(results.get(k).reply()).as("a microsecond before, and then: %s", trace.get(k - 1))
						.containsExactly(0L, 1L);
					cases++;
				}
			}
		}
	}

	/** What docs/rate-limiting-reference.md says of calls that wait. */
	@ParameterizedTest
	@ValueSource(chars = { 'w', 'c' })
	void grantedInstantsStayWithinTheLimitWhileLateCallsBeginBesideThoseOfTheNextWindow(char kind) {
		Random random = new Random(kind);
		Ask limit = Ask.of(kind, 18, SECOND).withPatience(20 * SECOND);
		List<Step> trace = new ArrayList<>();
		long now = ScriptReplay.START;
		for (int i = 0; i < 500; i++) {
			now += random.nextInt(100_000);
			trace.add(limit.at(now));
		}
		List<Long> granted = new ArrayList<>();
		List<Long> begun = new ArrayList<>();
		List<Long> begunByALongerWindow = new ArrayList<>();
		for (Result result : replay.run(trace)) {
			assertThat(result.isAllowed()).isTrue();
			long instant = result.reply().get(2);
			granted.add(instant);
			begun.add(instant + random.nextLong(SECOND));
			begunByALongerWindow.add(instant + random.nextLong(SECOND / 4));
		}
		assertThat(granted).isSorted();
		assertThat(most(granted, SECOND)).isLessThanOrEqualTo(18);
		assertThat(most(begun, SECOND)).isBetween(19, 36);
		assertThat(most(begunByALongerWindow, SECOND - SECOND / 4)).isLessThanOrEqualTo(18);
	}

	private static int most(List<Long> times, long window) {
		return times.stream()
			.mapToInt((from) -> (int) times.stream().filter((time) -> time >= from && time < from + window).count())
			.max()
			.orElse(0);
	}

	@ParameterizedTest
	@ValueSource(chars = { 'w', 'b', 'c', 'f' })
	void clockThatStepsBackAdmitsNothingMoreAndDeniesNoLongerThanItsStep(char kind) {
		Random random = new Random(kind);
		for (int i = 0; i < (Wide.RUN ? 500 : 40); i++) {
			long window = (1 + random.nextInt(20)) * SECOND / 2;
			Ask limit = Ask.of(kind, 1 + random.nextInt(5), window).withBurst(1 + random.nextInt(5));
			List<Step> trace = new ArrayList<>();
			List<Long> times = new ArrayList<>();
			long time = ScriptReplay.START;
			long behind = 0;
			for (int k = 0; k < 40; k++) {
				time += random.nextInt(3) * random.nextLong(window) / 3;
				behind += (random.nextInt(5) > 0) ? 0 : random.nextLong(3 * window);
				times.add(time);
				trace.add(limit.at(time - behind));
			}
			checkSteppingBack(limit, trace, times, replay.run(trace));
		}
	}

	private static void checkSteppingBack(Ask limit, List<Step> trace, List<Long> times, List<Result> results) {
		ReferenceLimit reference = ReferenceLimit.of(limit);
		List<Long> uses = new ArrayList<>();
		long window = 0;
		long edges = 0;
		for (int k = 0; k < trace.size(); k++) {
			long now = ((Decide) trace.get(k)).now();
			long time = times.get(k);
			long behind = time - now;
			if (now / limit.window() != window) {
				window = now / limit.window();
				edges++;
			}
			if (results.get(k).isAllowed()) {
				uses.add(time);
				reference.charge(time, 1);
				// A window of the clock that is shown again is another one
				reference.use((limit.kind() == 'f') ? edges * limit.window() : time, 1);
			}
			else if (limit.kind() == 'b') {
				assertThat(reference.countedAt(time - behind)).isGreaterThanOrEqualTo(reference.capacity());
			}
			else {
				assertThat(after(uses, time - reference.longestLife() - behind)).as("step %d of %s", k, trace)
					.isGreaterThanOrEqualTo(reference.capacity());
			}
		}
		reference.judge();
	}

	@ParameterizedTest
	@ValueSource(chars = { 'w', 'b', 'c', 'f' })
	void clockThatWasFarAheadDeniesNoLongerThanAWindow(char kind) {
		Ask limit = Ask.of(kind, 1, 10 * SECOND);
		long later = ScriptReplay.START + 2 * 3600 * SECOND;
		List<Result> results = replay.run(List.of(limit.at(later), limit.at(ScriptReplay.START),
				limit.at(ScriptReplay.START + 10 * SECOND), limit.at(ScriptReplay.START + 10 * SECOND)));
		assertThat(results).extracting(Result::isAllowed).last().isEqualTo(false);
		assertThat(results.subList(1, 3)).extracting(Result::isAllowed).contains(true);
	}

	@ParameterizedTest
	@ValueSource(chars = { 'w', 'c', 'f' })
	void changedLimitAndWindowHoldAtOnce(char kind) {
		Random random = new Random(kind);
		for (int i = 0; i < (Wide.RUN ? 1000 : 60); i++) {
			long unit = (1 + random.nextInt(100)) * 50_000L;
			List<Step> trace = new ArrayList<>();
			long now = ScriptReplay.START;
			Ask limit = changed(kind, unit, random);
			for (int k = 0; k < 40; k++) {
				now += random.nextInt(3) * random.nextLong(limit.window()) / limit.limit();
				limit = (random.nextInt(6) > 0) ? limit : changed(kind, unit, random);
				trace.add(limit.withCost(1 + random.nextInt((int) Math.min(3, limit.limit()))).at(now));
			}
			checkChanges(trace, replay.run(trace));
		}
	}

	private static Ask changed(char kind, long unit, Random random) {
		return Ask.of(kind, 1 + random.nextInt(8), unit * (1 + random.nextInt(6)));
	}

	/**
	 * What is past the window of an admission may be forgotten by it; all later uses
	 * count against what is the limit now.
	 */
	private static void checkChanges(List<Step> trace, List<Result> results) {
		List<Long> uses = new ArrayList<>();
		long known = 0;
		long end = 0;
		long coarse = 0;
		Ask before = ((Decide) trace.get(0)).asks().get(0);
		for (int k = 0; k < trace.size(); k++) {
			Decide call = (Decide) trace.get(k);
			long now = call.now();
			Ask limit = call.asks().get(0);
			coarse += (limit.window() != before.window()) ? Math.max(limit.window(), before.window()) / 10 + 1 : 0;
			before = limit;
			if (now >= end) {
				known = now;
			}
			boolean fixed = limit.kind() == 'f';
			long from = fixed ? now - now % limit.window() - 1 : now - limit.window();
			long atLeast = limit.cost() + after(uses, Math.max(known, from));
			boolean allowed = results.get(k).isAllowed();
			if (allowed) {
				assertThat(atLeast).as("step %d of %s", k, trace).isLessThanOrEqualTo(limit.limit());
				for (long i = 0; i < limit.cost(); i++) {
					uses.add(now);
				}
				known = Math.max(known, from);
				end = from + limit.window() + (fixed ? 1 : limit.window());
			}
			else if (fixed) {
				assertThat(results.get(k).reply().get(6)).isEqualTo(limit.window() - now % limit.window());
			}
			else {
				long slack = (limit.kind() == 'c') ? coarse + ReferenceLimit.ceilDiv(limit.window(), 10) + 10 : 0;
				assertThat(limit.cost() + after(uses, from - slack)).as("step %d of %s", k, trace)
					.isGreaterThan(limit.limit());
			}
		}
	}

	private static long after(List<Long> uses, long time) {
		return uses.stream().filter((use) -> use > time).count();
	}

	@Test
	void changedRateKeepsTheNumberOfMissingPermits() {
		Random random = new Random(4);
		for (int i = 0; i < 200 * MORE; i++) {
			Ask before = Ask.of('b', 1 + random.nextInt(1000), (1 + random.nextInt(3600)) * SECOND)
				.withBurst(1 + random.nextInt(1000));
			Ask after = Ask.of('b', 1 + random.nextInt(1000), (1 + random.nextInt(3600)) * SECOND)
				.withBurst(1 + random.nextInt(1000));
			long used = 1 + random.nextInt((int) before.burst());
			long now = ScriptReplay.START;
			List<Result> results = replay.run(List.of(before.withCost(used).at(now), after.withCost(0).at(now),
					after.withCost(after.burst()).at(now), after.withCost(after.burst()).at(now)));
			long left = Math.max(0, after.burst() - used);
			assertThat(results.get(1).reply().get(4)).isBetween(left - used / 13 - 1, left + used / 13 + 1);
			// Told by the new rate from the first refusal on
			long interval = ReferenceLimit.ceilDiv(after.window(), after.limit());
			assertThat(results.get(3).reply()).isEqualTo(results.get(2).reply());
			assertThat(results.get(2).reply().get(6)).isLessThanOrEqualTo((used + used / 13 + 1) * interval);
		}
	}

	@Test
	void counterAdmitsTenElevenths() {
		Random random = new Random(5);
		for (int i = 0; i < 10 * MORE; i++) {
			long limit = 1 + random.nextInt(100);
			long window = (1 + random.nextInt(60)) * SECOND;
			int windows = 8;
			List<Step> trace = new ArrayList<>();
			long step = window / 40 - random.nextInt(1000);
			Ask ask = Ask.of('c', limit, window);
			long end = ScriptReplay.START + windows * window;
			for (long now = ScriptReplay.START; now <= end; now += step) {
				// As much as there is, up to the limit: half, and half of that
				for (long cost = Long.highestOneBit(limit); cost > 0; cost /= 2) {
					trace.add(ask.withCost(cost).at(now));
				}
			}
			List<Result> results = replay.run(trace);
			long admitted = 0;
			for (int k = 0; k < results.size(); k++) {
				admitted += results.get(k).isAllowed() ? ((Decide) trace.get(k)).asks().get(0).cost() : 0;
			}
			assertThat(admitted).as("limit %d", limit).isGreaterThanOrEqualTo(limit * windows * 10 / 11);
		}
	}

	@Test
	void shadowThatNeverAllowsTellsSo() {
		Ask shadow = new Ask("shadow", 'w', 2, SECOND, 2, 3, 0, true);
		Ask limit = Ask.of('w', 5, SECOND).withCost(3);
		Result result = replay.run(List.of(new Decide(ScriptReplay.START, 0, List.of(shadow, limit)))).get(0);
		assertThat(result.isAllowed()).isTrue();
		assertThat(result.reply().subList(4, 8)).containsExactly(2L, 0L, SECOND, 0L);
		assertThat(result.ttls()).first().isEqualTo(-1L);
	}

	@ParameterizedTest
	@CsvSource(delimiter = '|', textBlock = """
			w    | first_after(limit, now -         | first_after(limit, math.max(now, limit.last) -
			w    | high) <= time                    | high) < time
			wbcf | if limit.last > time + SMALL_STEP | if false
			wbcf | at = math.max(at, limit.earliest) | at = limit.earliest
			wbcf | if allowed and limit.cost > 0    | if limit.cost > 0
			c    | if index >= limit.current - limit.past then | if index > limit.current - limit.past then
			c    | (index + limit.past + 1)         | (index + limit.past)
			c    | (limit.last + limit.past + 1)    | (limit.last + limit.past)
			wbcf | math.max(limit.arrival, time) + | limit.arrival +
			""")
	void plantedFaultIsSeen(String kinds, String right, String wrong) {
		ScriptReplay faulty = replay.withFault(right, wrong);
		Random random = new Random(6);
		assertThatExceptionOfType(AssertionError.class).isThrownBy(() -> {
			for (int i = 0; i < 60 * MORE; i++) {
				List<Step> trace = ScriptTraces.of(kinds, random, 30);
				new ReferenceLimits().check(trace, faulty.run(trace));
			}
		});
	}

	@ParameterizedTest
	@CsvSource(delimiter = '|', textBlock = """
			extra - extra % limits[1].cost | extra
			if refuses_others and          | if false and
			limit.available < limit.cost   | limit.available < 1
			limit.cost + extra)            | limit.cost)
			""")
	void plantedFaultInSharingIsSeen(String right, String wrong) {
		ScriptReplay faulty = replay.withFault(right, wrong);
		Random random = new Random(7);
		assertThatExceptionOfType(AssertionError.class).isThrownBy(() -> {
			for (int i = 0; i < 60 * MORE; i++) {
				SharedTrace.of(ScriptTraces.of("wbcf", random, 30)).check(faulty);
			}
		});
	}

}
