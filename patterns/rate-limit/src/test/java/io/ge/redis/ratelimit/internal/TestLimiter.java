// SPDX-License-Identifier: Apache-2.0

package io.ge.redis.ratelimit.internal;

import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;

import io.ge.redis.core.bus.InstanceBus;
import io.ge.redis.core.outage.Waiting;
import io.ge.redis.ratelimit.RateLimitDecision;
import io.ge.redis.ratelimit.RateLimitEvent;
import io.ge.redis.test.RedisFixture;
import io.ge.redis.test.TestBackend;
import org.awaitility.Awaitility;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * The limits of one instance, without an application around them.
 */
public final class TestLimiter implements AutoCloseable {

	/**
	 * A window that begins and ends in no test. Fixed windows, and the parts of those
	 * that a counter slides over, begin by the clock: those of an hour may end in any
	 * test, and what was taken is forgotten then. These end in the years 2043 and 2029.
	 */
	static final Duration AGES = Duration.ofDays(9_000);

	private final TestBackend backend;

	private final RedisRateLimiter redis;

	private final DenyCache denied;

	private final RateLimitEngine engine;

	static LiveLimits unchanged() {
		return new LiveLimits(() -> null, System::nanoTime);
	}

	private TestLimiter(TestBackend backend) {
		this.backend = backend;
		InstanceBus bus = backend.get().bus();
		this.redis = new RedisRateLimiter(backend.get().redis("ratelimit"), backend.get().keys("ratelimit"),
				bus.notificationChannel());
		this.denied = new DenyCache(bus::confirmedAt);
		LocalRateLimiter local = new LocalRateLimiter(bus::liveInstances, System::nanoTime);
		this.engine = new RateLimitEngine(this.redis, local, unchanged(), this.denied);
		this.engine.listen(bus);
		awaitSubscribed();
	}

	/**
	 * Waits until messages are heard. What the subscription sets off at once is over
	 * then, since messages come after it.
	 */
	private void awaitSubscribed() {
		InstanceBus bus = bus();
		Awaitility.await("subscription").until(bus::isSubscribed);
		CountDownLatch heard = new CountDownLatch(1);
		bus.handle("test.started", (text) -> heard.countDown());
		Awaitility.await("message").until(() -> {
			this.backend.get()
				.connection()
				.publish(bus.channel().getBytes(StandardCharsets.UTF_8),
						"test.started".getBytes(StandardCharsets.UTF_8));
			return heard.await(100, TimeUnit.MILLISECONDS);
		});
	}

	static TestLimiter on(RedisFixture redis) {
		return on(redis, "instance-1");
	}

	static TestLimiter on(RedisFixture redis, String instanceId) {
		return on(TestBackend.on(redis, instanceId));
	}

	static TestLimiter on(TestBackend backend) {
		return new TestLimiter(backend);
	}

	RateLimitDecision decide(List<PermitRequest> requests) {
		return engineDecision(requests).orRefuse();
	}

	RateLimitDecision decide(PermitRequest request) {
		return decide(List.of(request));
	}

	EngineDecision engineDecision(List<PermitRequest> requests) {
		return Waiting.await(this.engine.decide(requests));
	}

	/**
	 * Asserts that Redis refuses a call and memory the next one. Redis may be asked once
	 * more on a machine that stood still for as long as memory may be believed without
	 * news, and for no other reason.
	 * @param request what is refused
	 * @return a time before that of the refusal
	 */
	long assertDeniedByRedisAndThenFromMemory(PermitRequest request) {
		long asked = System.nanoTime();
		assertThat(source(request)).isEqualTo(RateLimitEvent.Source.REDIS);
		long again = System.nanoTime();
		while (source(request) != RateLimitEvent.Source.DENY_CACHE) {
			assertThat(System.nanoTime() - asked).isGreaterThanOrEqualTo(DenyCache.UNCONFIRMED_NANOS);
			asked = again;
			again = System.nanoTime();
		}
		return asked;
	}

	private RateLimitEvent.Source source(PermitRequest request) {
		return engineDecision(List.of(request)).events().get(0).source();
	}

	void refund(RateLimitDecision decision) {
		((TakenPermits) ((RateLimitDecision.Allowed) decision).permits()).refund();
	}

	RateLimitEngine engine() {
		return this.engine;
	}

	RedisRateLimiter redis() {
		return this.redis;
	}

	DenyCache denied() {
		return this.denied;
	}

	InstanceBus bus() {
		return this.backend.get().bus();
	}

	@Override
	public void close() {
		this.backend.close();
	}

}
