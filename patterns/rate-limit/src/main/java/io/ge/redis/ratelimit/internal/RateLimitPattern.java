// SPDX-License-Identifier: Apache-2.0

package io.ge.redis.ratelimit.internal;

import java.util.List;
import java.util.Set;
import java.util.function.Supplier;

import io.ge.redis.core.RedisBackend;
import io.ge.redis.core.bus.InstanceBus;
import io.ge.redis.core.call.GuardedCalls;
import io.ge.redis.core.endpoint.GuardResource;
import io.ge.redis.core.event.GuardEvents;
import io.ge.redis.core.event.GuardFigures;
import io.ge.redis.core.guard.FirstUse;
import io.ge.redis.core.guard.GuardAdvisor;
import io.ge.redis.core.guard.GuardPattern;
import io.ge.redis.core.guard.GuardedMethods;
import io.ge.redis.core.invocation.AttributeReader;
import io.ge.redis.core.invocation.ExpressionCompiler;
import io.ge.redis.core.key.KeySpace;
import io.ge.redis.core.outage.GuardedRedis;
import io.ge.redis.ratelimit.RateLimitProperties;
import io.ge.redis.ratelimit.RateLimitResolver;
import io.ge.redis.ratelimit.RateLimitRule;
import org.jspecify.annotations.Nullable;

import org.springframework.aot.hint.annotation.RegisterReflectionForBinding;
import org.springframework.util.function.SingletonSupplier;

/**
 * Assembles the rate limiter: the advisor for annotated methods and the API for code
 * share one engine, which is made when the first of them is used.
 */
@RegisterReflectionForBinding({ RateLimitControl.LimitsReport.class, RateLimitControl.KeyReport.class,
		RateLimitControl.ActionReport.class })
public final class RateLimitPattern implements GuardPattern {

	private static final String PATTERN = "ratelimit";

	private final RateLimitRegistry limits;

	private final RateLimitOperationSource source;

	private final FirstUse<Parts> parts;

	private final GuardEvents events;

	private final GuardedCalls calls;

	private final RateLimitRules rules;

	public RateLimitPattern(Supplier<RateLimitProperties> properties, AttributeReader attributes,
			ExpressionCompiler expressions, Supplier<RedisBackend> backend,
			Supplier<@Nullable RateLimitResolver> resolver, GuardEvents events, GuardedCalls calls) {
		this.limits = new RateLimitRegistry(SingletonSupplier.of(properties));
		this.source = new RateLimitOperationSource(this.limits, attributes, expressions);
		this.events = events;
		this.calls = calls;
		this.parts = new FirstUse<>(() -> start(backend.get(), resolver));
		this.rules = new RateLimitRules(this.limits, this::rateLimiter);
	}

	private Parts start(RedisBackend backend, Supplier<@Nullable RateLimitResolver> resolver) {
		InstanceBus bus = backend.bus();
		GuardedRedis connection = backend.redis(PATTERN);
		KeySpace keys = backend.keys(PATTERN);
		LiveLimits live = new LiveLimits(resolver, System::nanoTime);
		RateLimitEngine engine = new RateLimitEngine(new RedisRateLimiter(connection, keys, bus.notificationChannel()),
				new LocalRateLimiter(bus::liveInstances, System::nanoTime), live, new DenyCache(bus::confirmedAt));
		engine.listen(bus);
		RedisLimitChanges changes = new RedisLimitChanges(connection, keys, bus.notificationChannel());
		MostDenied denied = new MostDenied();
		LimitChangeFeed feed = new LimitChangeFeed(changes, bus, live::share, denied::age);
		live.override(this.limits.properties().overrides());
		backend.await(feed.start());
		return new Parts(new DefaultRateLimiter(this.limits, engine, denied, this.events, this.calls), live, changes,
				feed, denied);
	}

	public GuardAdvisor advisor(int order) {
		return new GuardAdvisor(this.source, this.calls, new RateLimitGuard(this::rateLimiter), order,
				this::rateLimiter);
	}

	/**
	 * Checks the rules and limits in the environment that no annotation uses, and that
	 * every one that is tuned there exists.
	 */
	@Override
	public void verify() {
		List<RateLimitRule> rules = this.rules.all();
		this.limits.current().verify();
		if (!rules.isEmpty()) {
			// The first request is to find the connection
			rateLimiter();
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
	 * they are trials, rules and trusted hops. Permits used so far stay counted. If one
	 * of them cannot work, nothing changes. Connection factory, response fields and the
	 * like stay as they were at startup.
	 */
	public void refresh(RateLimitProperties changed) {
		if (changed.equals(this.limits.properties())) {
			return;
		}
		this.limits.refresh(changed);
		this.parts.ifCreated((parts) -> parts.live().override(changed.overrides()));
	}

	public GuardResource control(GuardedMethods methods, GuardFigures figures) {
		return new RateLimitControl(this.limits, this.parts, this.events, this.rules, methods, figures);
	}

	public DefaultRateLimiter rateLimiter() {
		return this.parts.get().limiter();
	}

	@Override
	public void resume() {
		this.parts.ifCreated((parts) -> parts.feed().resume());
	}

	@Override
	public void pause() {
		this.parts.ifCreated((parts) -> parts.feed().pause());
	}

	public RateLimitRules rules() {
		return this.rules;
	}

	/**
	 * The parts that share one connection.
	 */
	record Parts(DefaultRateLimiter limiter, LiveLimits live, RedisLimitChanges changes, LimitChangeFeed feed,
			MostDenied denied) {
	}

}
