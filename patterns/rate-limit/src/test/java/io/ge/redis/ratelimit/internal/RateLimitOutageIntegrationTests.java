// SPDX-License-Identifier: Apache-2.0

package io.ge.redis.ratelimit.internal;

import java.time.Duration;
import java.util.List;
import java.util.concurrent.atomic.AtomicBoolean;

import io.ge.redis.OutageCause;
import io.ge.redis.RedisUnavailableException;
import io.ge.redis.core.outage.OutagePolicy;
import io.ge.redis.core.outage.Waiting;
import io.ge.redis.ratelimit.RateLimit;
import io.ge.redis.ratelimit.RateLimitAlgorithm;
import io.ge.redis.ratelimit.RateLimitEvent;
import io.ge.redis.ratelimit.RateLimitEvent.Outcome;
import io.ge.redis.ratelimit.RateLimitEvent.Source;
import io.ge.redis.test.RedisServers;
import io.ge.redis.test.Sized;
import io.ge.redis.test.StandaloneRedis;
import io.ge.redis.test.Stopwatch;
import io.ge.redis.test.TcpProxy;
import io.ge.redis.test.TestBackend;
import io.ge.redis.test.Wide;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

import org.springframework.data.redis.connection.lettuce.LettuceConnectionFactory;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

/**
 * Limits while Redis does not answer.
 */
class RateLimitOutageIntegrationTests {

	/** More than a busy machine needs until a call is on its way. */
	private static final Duration BUDGET = Duration.ofMillis(2500);

	private final StandaloneRedis redis = RedisServers.standalone();

	private final TcpProxy proxy = new TcpProxy(this.redis.primary());

	private TestBackend backend;

	private TestLimiter limiter;

	@BeforeEach
	void connect() {
		LettuceConnectionFactory factory = new LettuceConnectionFactory(this.proxy.host(), this.proxy.port());
		factory.afterPropertiesSet();
		factory.start();
		this.backend = TestBackend.on(factory, "one", BUDGET);
		this.limiter = TestLimiter.on(this.backend);
	}

	@AfterEach
	void close() {
		this.limiter.close();
		this.proxy.close();
		this.redis.close();
	}

	@Test
	@Wide
	void hungRedisCostsTheFirstCallsTheirBudgetAndLaterOnesNothing() {
		PermitRequest request = request(RateLimit.of("limit", 100, Duration.ofHours(1)), 1);
		this.limiter.decide(request);
		this.proxy.hang();
		this.backend.failures().clear();
		for (int i = 0; i < 99; i++) {
			Stopwatch watch = Stopwatch.start();
			assertThat(this.limiter.engineDecision(List.of(request)).events()).extracting(RateLimitEvent::source)
				.containsExactly(Source.LOCAL);
			assertThat(watch.elapsed()).isLessThan(BUDGET.plusSeconds(1));
		}
		assertThat(this.backend.failures()).containsOnly(OutageCause.TIMEOUT).hasSizeLessThanOrEqualTo(5);
		this.proxy.resume();
		Stopwatch.within(Duration.ofSeconds(2),
				() -> this.limiter.engineDecision(List.of(request)).events().get(0).source() == Source.REDIS);
	}

	/** The script has run, and nobody learns what it said. */
	@Test
	@Sized
	void unknownOutcomesAreCountedAndNeverAdmitTooMuch() {
		// The server knows the script from here on
		PermitRequest other = request(RateLimit.of("other", 1000, Duration.ofHours(1)), 1);
		Awaitility.await()
			.until(() -> this.limiter.engineDecision(List.of(other)).events().get(0).source() == Source.REDIS);
		List<RateLimitAlgorithm> algorithms = Wide.RUN ? List.of(RateLimitAlgorithm.values())
				: List.of(RateLimitAlgorithm.SLIDING_WINDOW);
		for (RateLimitAlgorithm algorithm : algorithms) {
			RateLimit limit = RateLimit.of(algorithm.name(), 10, TestLimiter.AGES)
				.withAlgorithm(algorithm)
				.withOnOutage(OutagePolicy.DENY);
			this.redis.configResetStat();
			this.proxy.swallow(TcpProxy.Direction.REPLIES);
			assertThatExceptionOfType(RedisUnavailableException.class)
				.isThrownBy(() -> this.limiter.decide(request(limit, 3)));
			Awaitility.await().until(() -> this.redis.commandCalls("evalsha") > 0);
			this.proxy.resume();
			Awaitility.await()
				.ignoreExceptionsInstanceOf(RedisUnavailableException.class)
				.untilAsserted(() -> assertThat(this.limiter.decide(request(limit, 0)).quotas().get(0).remaining())
					.isEqualTo(7));
			assertThat(admitted(limit)).isEqualTo(7);
		}
	}

	@Test
	void policiesDecideForEachLimit() {
		RateLimit limit = RateLimit.of("limit", 1, Duration.ofHours(1));
		PermitRequest allow = request(limit.withOnOutage(OutagePolicy.ALLOW), 1);
		PermitRequest deny = request(limit.withOnOutage(OutagePolicy.DENY), 1);
		PermitRequest local = request(limit.withOnOutage(OutagePolicy.LOCAL), 1);
		this.proxy.cut();
		assertThat(outcomes(allow)).containsExactly(Outcome.ERROR_ALLOWED);
		assertThat(outcomes(deny)).containsExactly(Outcome.ERROR_DENIED);
		assertThat(outcomes(local)).containsExactly(Outcome.ALLOWED);
		assertThat(outcomes(local)).containsExactly(Outcome.DENIED);
		PermitRequest trial = request(limit.withOnOutage(OutagePolicy.DENY).withShadow(true), 1);
		assertThat(outcomes(trial)).containsExactly(Outcome.ERROR_ALLOWED);
		assertThat(this.limiter.decide(trial).isAllowed()).isTrue();
	}

	@Test
	void resetForgetsWhatWasCountedWhileRedisWasAway() {
		for (RateLimitAlgorithm algorithm : RateLimitAlgorithm.values()) {
			PermitRequest request = request(
					RateLimit.of(algorithm.name(), 1, Duration.ofHours(1)).withAlgorithm(algorithm), 1);

			this.proxy.cut();
			exhaust(request);
			assertThatExceptionOfType(RedisUnavailableException.class)
				.isThrownBy(() -> Waiting.await(this.limiter.engine().reset(List.of(request))));
			assertThat(outcomes(request)).as("at once").containsExactly(Outcome.ALLOWED);
			assertThat(outcomes(request)).containsExactly(Outcome.DENIED);
			comeBack(request);
			// Within a budget that a busy machine exceeds
			Awaitility.await().ignoreExceptionsInstanceOf(RedisUnavailableException.class).until(() -> {
				Waiting.await(this.limiter.engine().reset(List.of(request)));
				return true;
			});
			this.proxy.cut();
			assertThat(outcomes(request)).as("when it is away again").containsExactly(Outcome.ALLOWED);
			comeBack(request);
		}
	}

	@Test
	void resetOfAnotherInstanceForgetsItToo() {
		PermitRequest request = request(RateLimit.of("limit", 1, Duration.ofHours(1)), 1);
		PermitRequest kept = request(RateLimit.of("kept", 1, Duration.ofHours(1)), 1);
		this.proxy.cut();
		exhaust(request);
		exhaust(kept);
		comeBack(request);
		AtomicBoolean heard = new AtomicBoolean();
		this.limiter.bus().handle("test.heard", (payload) -> heard.set(true));
		try (TestLimiter two = TestLimiter.on(this.redis, "two")) {
			Waiting.await(two.engine().reset(List.of(request)));
			this.redis.primary().command("PUBLISH", two.bus().notificationChannel(), "test.heard");
		}
		Awaitility.await().untilTrue(heard);
		this.proxy.cut();
		assertThat(outcomes(request)).containsExactly(Outcome.ALLOWED);
		assertThat(outcomes(kept)).containsExactly(Outcome.DENIED);
	}

	private void exhaust(PermitRequest request) {
		assertThat(outcomes(request)).containsExactly(Outcome.ALLOWED);
		assertThat(outcomes(request)).containsExactly(Outcome.DENIED);
	}

	private void comeBack(PermitRequest request) {
		this.proxy.resume();
		Awaitility.await()
			.until(() -> this.limiter.engineDecision(List.of(request)).events().get(0).source() != Source.LOCAL
					&& this.limiter.bus().isSubscribed());
	}

	/** Counted by an instance for which a busy machine is no outage. */
	private int admitted(RateLimit limit) {
		try (TestLimiter patient = TestLimiter.on(this.redis, "two")) {
			int admitted = 0;
			while (patient.decide(request(limit, 1)).isAllowed()) {
				admitted++;
			}
			return admitted;
		}
	}

	private List<Outcome> outcomes(PermitRequest request) {
		return this.limiter.engineDecision(List.of(request)).events().stream().map(RateLimitEvent::outcome).toList();
	}

	private static PermitRequest request(RateLimit limit, long cost) {
		return TestRequests.of(limit, List.of("anna"), cost);
	}

}
