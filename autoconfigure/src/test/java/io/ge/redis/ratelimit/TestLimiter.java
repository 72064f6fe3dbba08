/*
 * Copyright 2026 the GE Redis authors
 * SPDX-License-Identifier: Apache-2.0
 */

package io.ge.redis.ratelimit;

import java.util.List;

import io.ge.redis.core.bus.InstanceBus;
import io.ge.redis.core.outage.Waiting;
import io.ge.redis.test.RedisFixture;
import io.ge.redis.test.TestBackend;
import org.awaitility.Awaitility;

/**
 * The limits of one instance, without an application around them.
 */
final class TestLimiter implements AutoCloseable {

	private final TestBackend backend;

	private final RedisRateLimiter redis;

	private final DenyCache denied;

	private final LeaseBook leases;

	private final RateLimitEngine engine;

	private TestLimiter(TestBackend backend) {
		this.backend = backend;
		InstanceBus bus = backend.get().bus();
		this.redis = new RedisRateLimiter(backend.get().redis("ratelimit"), backend.get().keys("ratelimit"),
				bus.newsChannel());
		this.denied = new DenyCache(bus::confirmedAt);
		this.leases = new LeaseBook(this.redis, bus::liveInstances, this.denied);
		LocalRateLimiter local = new LocalRateLimiter(bus::liveInstances, System::nanoTime,
				(demand) -> this.redis.keyOf(demand).text());
		this.engine = new RateLimitEngine(this.redis, local, EffectiveLimits.unchanged(), this.denied, this.leases);
		RateLimitNews.hear(bus, this.denied, this.leases, local);
		Awaitility.await().until(bus::isSubscribed);
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

	RateLimitDecision decide(List<Demand> demands) {
		return verdict(demands).orRefuse();
	}

	RateLimitDecision decide(Demand demand) {
		return decide(List.of(demand));
	}

	Verdict verdict(List<Demand> demands) {
		return Waiting.await(this.engine.decide(demands));
	}

	void refund(RateLimitDecision decision) {
		((Receipt) ((RateLimitDecision.Allowed) decision).receipt()).giveBack();
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

	LeaseBook leases() {
		return this.leases;
	}

	InstanceBus bus() {
		return this.backend.get().bus();
	}

	@Override
	public void close() {
		this.backend.close();
	}

}
