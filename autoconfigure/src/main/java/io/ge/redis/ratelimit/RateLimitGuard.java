/*
 * Copyright 2026 the GE Redis authors
 * SPDX-License-Identifier: Apache-2.0
 */

package io.ge.redis.ratelimit;

import java.util.function.Supplier;

import io.ge.redis.core.RedisBackend;
import io.ge.redis.core.bus.InstanceBus;
import io.ge.redis.core.event.GuardEvents;
import io.ge.redis.core.invocation.AttributeReader;
import io.ge.redis.core.invocation.ExpressionCompiler;
import io.ge.redis.core.invocation.GuardAdvisor;

import org.springframework.util.function.SingletonSupplier;

/**
 * Assembles the rate limiter: the advisor for annotated methods and the API for code
 * stand on one engine, which is made when the first of them is used.
 */
public final class RateLimitGuard {

	private static final String PATTERN = "ratelimit";

	private final RateLimits limits;

	private final RateLimitOperationSource source;

	private final Supplier<DefaultRateLimiter> limiter;

	/**
	 * Assembles the rate limiter.
	 * @param properties the limits in the environment
	 * @param attributes reads attribute values
	 * @param expressions compiles key expressions
	 * @param backend where the state lives
	 * @param events told of decisions
	 */
	public RateLimitGuard(Supplier<RateLimitProperties> properties, AttributeReader attributes,
			ExpressionCompiler expressions, Supplier<RedisBackend> backend, GuardEvents events) {
		this.limits = new RateLimits(SingletonSupplier.of(properties));
		this.source = new RateLimitOperationSource(this.limits, attributes, expressions);
		this.limiter = SingletonSupplier.of(() -> new DefaultRateLimiter(this.limits, engine(backend.get()), events));
	}

	private static RateLimitEngine engine(RedisBackend backend) {
		InstanceBus bus = backend.bus();
		DenyCache denied = new DenyCache(bus::confirmedAt);
		RateLimitNews.hear(bus, denied);
		return new RateLimitEngine(
				new RedisRateLimiter(backend.redis(PATTERN), backend.keys(PATTERN), bus.newsChannel()),
				new LocalRateLimiter(bus::liveInstances, System::nanoTime), EffectiveLimits.unchanged(), denied);
	}

	/**
	 * Returns the advisor.
	 * @param order its position among all advice
	 * @return the advisor
	 */
	public GuardAdvisor advisor(int order) {
		return new GuardAdvisor(this.source, new RateLimitInterceptor(this.source, this.limiter), order);
	}

	/**
	 * Checks the limits in the environment that no annotation uses, and that every one
	 * that is tuned there exists. To be called when all annotated methods are known.
	 * @throws io.ge.redis.core.invocation.GuardConfigurationException if one cannot work
	 */
	public void verify() {
		this.limits.verify();
	}

	/**
	 * Returns the API.
	 * @return the rate limiter
	 */
	public RateLimiter rateLimiter() {
		return this.limiter.get();
	}

}
