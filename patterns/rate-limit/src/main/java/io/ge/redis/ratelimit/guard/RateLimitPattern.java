/*
 * Copyright 2026 the GE Redis authors
 * SPDX-License-Identifier: Apache-2.0
 */

package io.ge.redis.ratelimit.guard;

import java.util.Objects;
import java.util.Set;
import java.util.function.Supplier;

import io.ge.redis.core.RedisBackend;
import io.ge.redis.core.call.GuardedCalls;
import io.ge.redis.core.event.GuardEvents;
import io.ge.redis.core.guard.GuardAdvisor;
import io.ge.redis.core.guard.GuardPattern;
import io.ge.redis.core.invocation.AttributeReader;
import io.ge.redis.core.invocation.ExpressionCompiler;
import io.ge.redis.core.outage.Waiting;
import io.ge.redis.ratelimit.RateLimitProperties;
import io.ge.redis.ratelimit.RateLimitResolver;
import io.ge.redis.ratelimit.RateLimiter;
import io.ge.redis.ratelimit.settings.RateLimitRegistry;
import org.jspecify.annotations.Nullable;

import org.springframework.util.function.SingletonSupplier;

/**
 * Assembles the rate limiter: the advisor for annotated methods and the API for code
 * stand on one engine, which is made when the first of them is used. Stops after
 * everything that serves requests or runs tasks and before the connections, so that
 * permits taken in advance can be refunded.
 */
public final class RateLimitPattern implements GuardPattern {

	private final RateLimitRegistry limits;

	private final RateLimitOperationSource source;

	private final SingletonSupplier<RateLimitRuntime> runtime;

	private final GuardEvents events;

	private final GuardedCalls calls;

	private final Supplier<DefaultRateLimiter> limiter;

	private final RateLimitRules rules;

	private volatile @Nullable RateLimitRuntime started;

	public RateLimitPattern(Supplier<RateLimitProperties> properties, AttributeReader attributes,
			ExpressionCompiler expressions, Supplier<RedisBackend> backend,
			Supplier<@Nullable RateLimitResolver> resolver, GuardEvents events, GuardedCalls calls) {
		this.limits = new RateLimitRegistry(SingletonSupplier.of(properties));
		this.source = new RateLimitOperationSource(this.limits, attributes, expressions);
		this.events = events;
		this.calls = calls;
		this.runtime = SingletonSupplier.of(() -> start(backend.get(), resolver));
		this.limiter = SingletonSupplier.of(this::newLimiter);
		this.rules = new RateLimitRules(this.limits, this.limiter);
	}

	private RateLimitRuntime start(RedisBackend backend, Supplier<@Nullable RateLimitResolver> resolver) {
		RateLimitRuntime started = RateLimitRuntime.on(backend, resolver);
		started.live().override(this.limits.properties().overrides());
		started.feed().start();
		this.started = started;
		return started;
	}

	private DefaultRateLimiter newLimiter() {
		RateLimitRuntime runtime = this.runtime.obtain();
		return new DefaultRateLimiter(this.limits, runtime.engine(), runtime.statistics(), this.events, this.calls);
	}

	public GuardAdvisor advisor(int order) {
		return new GuardAdvisor(this.source, this.calls, new RateLimitGuard(this.limiter), order, this.limiter);
	}

	/**
	 * Checks the rules and limits in the environment that no annotation uses, and that
	 * every one that is tuned there exists.
	 */
	@Override
	public void verify() {
		boolean isUsed = !this.rules.all().isEmpty();
		this.limits.current().verify();
		if (isUsed) {
			// The first request is to find the connection
			Objects.requireNonNull(this.limiter.get());
		}
	}

	/**
	 * Returns the names in the properties that neither an annotation nor a rule uses. To
	 * be called when all annotated methods are known.
	 */
	public Set<String> unusedNames() {
		return this.limits.current().unusedNames();
	}

	/**
	 * Takes over other properties while the application runs: limits, overrides, whether
	 * they are trials, rules and trusted proxies. What was used so far stays counted. If
	 * one of them cannot work, nothing changes. Connection factory, response fields and
	 * the like stay as they were at startup.
	 */
	public void refresh(RateLimitProperties changed) {
		if (changed.equals(this.limits.properties())) {
			return;
		}
		this.limits.refresh(changed);
		RateLimitRuntime runtime = this.started;
		if (runtime != null) {
			runtime.live().override(changed.overrides());
		}
	}

	/**
	 * Returns how many different keys of a limit were decided on in about the last hour
	 * by this instance.
	 * @return an estimate with a standard error of 2.3 %, zero for a limit without keys
	 */
	public long distinctKeys(String name) {
		RateLimitRuntime runtime = this.started;
		return (runtime != null) ? runtime.statistics().distinctKeys(name) : 0;
	}

	public RateLimitControl control() {
		return new RateLimitControl(this.limits, this.runtime.obtain(), this.events);
	}

	public RateLimiter rateLimiter() {
		return this.limiter.get();
	}

	@Override
	public void resume() {
		RateLimitRuntime runtime = this.started;
		if (runtime != null) {
			runtime.feed().resume();
		}
	}

	@Override
	public void pause() {
		RateLimitRuntime runtime = this.started;
		if (runtime != null) {
			runtime.feed().pause();
			Waiting.await(runtime.leases().refundAll());
		}
	}

	public RateLimitRules rules() {
		return this.rules;
	}

}
