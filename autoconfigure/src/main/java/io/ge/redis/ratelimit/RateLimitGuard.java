/*
 * Copyright 2026 the GE Redis authors
 * SPDX-License-Identifier: Apache-2.0
 */

package io.ge.redis.ratelimit;

import java.util.function.Supplier;

import io.ge.redis.core.RedisBackend;
import io.ge.redis.core.RedisBackends;
import io.ge.redis.core.bus.InstanceBus;
import io.ge.redis.core.event.GuardEvents;
import io.ge.redis.core.invocation.AttributeReader;
import io.ge.redis.core.invocation.ExpressionCompiler;
import io.ge.redis.core.invocation.GuardAdvisor;
import io.ge.redis.core.outage.Waiting;
import org.jspecify.annotations.Nullable;

import org.springframework.context.SmartLifecycle;
import org.springframework.util.function.SingletonSupplier;

/**
 * Assembles the rate limiter: the advisor for annotated methods and the API for code
 * stand on one engine, which is made when the first of them is used. Stops after
 * everything that serves requests or runs tasks and before the connections, so that
 * permits taken in advance can be given back.
 */
public final class RateLimitGuard implements SmartLifecycle {

	/**
	 * Before the connections are closed, after servers and executors have stopped.
	 */
	public static final int PHASE = RedisBackends.PHASE + 1000;

	private static final String PATTERN = "ratelimit";

	private final RateLimits limits;

	private final RateLimitOperationSource source;

	private final Supplier<DefaultRateLimiter> limiter;

	private final RateLimitRules rules;

	private volatile @Nullable LeaseBook leases;

	private volatile boolean running;

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
		this.rules = new RateLimitRules(this.limits, this.limiter);
	}

	private RateLimitEngine engine(RedisBackend backend) {
		InstanceBus bus = backend.bus();
		RedisRateLimiter redis = new RedisRateLimiter(backend.redis(PATTERN), backend.keys(PATTERN), bus.newsChannel());
		DenyCache denied = new DenyCache(bus::confirmedAt);
		LeaseBook book = new LeaseBook(redis, bus::liveInstances);
		RateLimitNews.hear(bus, denied, book);
		this.leases = book;
		return new RateLimitEngine(redis, new LocalRateLimiter(bus::liveInstances, System::nanoTime),
				EffectiveLimits.unchanged(), denied, book);
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
	 * Checks the rules and limits in the environment that no annotation uses, and that
	 * every one that is tuned there exists. To be called when all annotated methods are
	 * known.
	 * @throws io.ge.redis.core.invocation.GuardConfigurationException if one cannot work
	 */
	public void verify() {
		this.rules.all();
		this.limits.verify();
	}

	/**
	 * Returns the API.
	 * @return the rate limiter
	 */
	public RateLimiter rateLimiter() {
		return this.limiter.get();
	}

	/**
	 * Returns the limits on requests.
	 * @return the rules
	 */
	public RateLimitRules rules() {
		return this.rules;
	}

	@Override
	public void start() {
		this.running = true;
	}

	@Override
	public void stop() {
		this.running = false;
		LeaseBook made = this.leases;
		if (made != null) {
			Waiting.await(made.giveBackAll());
		}
	}

	@Override
	public boolean isRunning() {
		return this.running;
	}

	@Override
	public int getPhase() {
		return PHASE;
	}

}
