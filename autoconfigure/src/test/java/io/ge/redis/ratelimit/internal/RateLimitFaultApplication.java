// SPDX-License-Identifier: Apache-2.0

package io.ge.redis.ratelimit.internal;

import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.atomic.AtomicInteger;

import io.ge.redis.OutageCause;
import io.ge.redis.autoconfigure.GeRedisAutoConfiguration;
import io.ge.redis.autoconfigure.RateLimitAutoConfiguration;
import io.ge.redis.core.RedisBackends;
import io.ge.redis.core.event.GuardFigures;
import io.ge.redis.core.event.GuardListener;
import io.ge.redis.core.guard.GuardedMethods;
import io.ge.redis.core.outage.OutageListener;
import io.ge.redis.core.outage.OutagePolicy;
import io.ge.redis.ratelimit.RateLimit;
import io.ge.redis.ratelimit.RateLimitChange;
import io.ge.redis.ratelimit.RateLimitDecision;
import io.ge.redis.ratelimit.RateLimitEvent;
import io.ge.redis.ratelimit.RateLimiter;
import io.ge.redis.test.instance.Operation;
import io.ge.redis.test.oracle.Journal;
import io.ge.redis.test.scenario.RateLimitOperations;
import io.ge.redis.test.scenario.RateLimitPort;
import io.ge.redis.test.scenario.RateLimitScenario;
import reactor.core.publisher.Mono;

import org.springframework.beans.factory.annotation.Value;
import org.springframework.boot.autoconfigure.ImportAutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionalOnMissingBean;
import org.springframework.boot.autoconfigure.condition.ConditionalOnProperty;
import org.springframework.boot.data.redis.autoconfigure.DataRedisAutoConfiguration;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.annotation.Import;
import org.springframework.core.env.Environment;
import org.springframework.data.redis.core.StringRedisTemplate;
import org.springframework.test.util.ReflectionTestUtils;

/**
 * The application that suffers in {@link RateLimitFaultIntegrationTests}.
 */
@Configuration(proxyBeanMethods = false)
@ImportAutoConfiguration({ DataRedisAutoConfiguration.class, GeRedisAutoConfiguration.class,
		RateLimitAutoConfiguration.class })
@Import(RateLimitOperations.class)
class RateLimitFaultApplication {

	private final AtomicInteger unanswered = new AtomicInteger();

	/** Events are told on the thread of the caller. */
	private final ThreadLocal<RateLimitEvent.Source> source = new ThreadLocal<>();

	/**
	 * What a limit would be if it asked the clocks of instances, as a switch for tests.
	 */
	@Bean
	@ConditionalOnProperty("test.wall-clock")
	RateLimitPort wallClockLimit(StringRedisTemplate redis) {
		return (key) -> {
			String window = key + ":" + System.currentTimeMillis() / RateLimitScenario.WINDOW.toMillis();
			Long count = redis.opsForValue().increment(window);
			redis.expire(window, Duration.ofMinutes(1));
			return (count <= RateLimitScenario.LIMIT) ? RateLimitPort.Decision.ADMITTED : RateLimitPort.Decision.DENIED;
		};
	}

	/**
	 * The limit as publishers ask for it: no thread waits for Redis.
	 */
	@Bean
	@ConditionalOnProperty("test.reactive")
	RateLimitPort reactiveLimit(RateLimiter limiter, RateLimit orders) {
		return (key) -> Mono.fromCompletionStage(() -> limiter.tryAcquireAsync(List.of(orders), key))
			.map((decision) -> decision.isAllowed() ? RateLimitPort.Decision.ADMITTED : RateLimitPort.Decision.DENIED)
			.block();
	}

	@Bean
	RateLimit orders(@Value("${test.on-outage:deny}") OutagePolicy policy, Environment environment) {
		return RateLimit
			.of(RateLimitScenario.NAME,
					environment.getProperty("test.limit", Long.class, (long) RateLimitScenario.LIMIT),
					environment.getProperty("test.window", Duration.class, RateLimitScenario.WINDOW))
			.withWaitTime(environment.getProperty("test.wait", Duration.class, Duration.ZERO))
			.withOnOutage(policy);
	}

	@Bean
	@ConditionalOnMissingBean
	RateLimitPort port(RateLimiter limiter, RateLimit orders) {
		return (key) -> {
			if (!limiter.tryAcquire(List.of(orders), key).isAllowed()) {
				return RateLimitPort.Decision.DENIED;
			}
			return (this.source.get() == RateLimitEvent.Source.LOCAL) ? RateLimitPort.Decision.ADMITTED_LOCALLY
					: RateLimitPort.Decision.ADMITTED;
		};
	}

	@Bean
	GuardListener sources() {
		return (event) -> {
			if (event instanceof RateLimitEvent decided) {
				this.source.set(decided.source());
			}
		};
	}

	@Bean
	OutageListener failures() {
		return new OutageListener() {

			@Override
			public void onFailure(String pattern, OutageCause cause) {
				if (pattern.equals("ratelimit") && cause == OutageCause.TIMEOUT) {
					RateLimitFaultApplication.this.unanswered.incrementAndGet();
				}
			}

			@Override
			public void onTransition(String breaker, boolean open) {
			}

		};
	}

	/**
	 * How many commands have waited for Redis in vain.
	 */
	@Bean
	Operation unanswered() {
		return (arguments) -> this.unanswered.toString();
	}

	/**
	 * Asks once. Arguments: key, and what tells this call from others. Result: who has
	 * decided; if denied, then when the answer was there and after how many nanoseconds
	 * the call is said to be admitted.
	 */
	@Bean
	Operation ask(RateLimiter limiter, RateLimit orders, Journal journal) {
		return (arguments) -> {
			long asked = System.nanoTime();
			RateLimitDecision decision = limiter.tryAcquire(List.of(orders), arguments[0]);
			if (decision instanceof RateLimitDecision.Denied denied) {
				return this.source.get() + " " + System.nanoTime() + " " + denied.retryAfter().toNanos();
			}
			journal.write(Journal.ADMITTED, arguments[0], asked, arguments[1]);
			return this.source.get().toString();
		};
	}

	private static RateLimitControl control(RateLimitPattern guard) {
		return (RateLimitControl) guard.control(new GuardedMethods(), new GuardFigures());
	}

	/**
	 * Forgets what a key has used. Argument: key.
	 */
	@Bean
	Operation reset(RateLimitPattern guard) {
		return (arguments) -> {
			control(guard).reset(RateLimitScenario.NAME, List.of(arguments[0]));
			return "done";
		};
	}

	/**
	 * Says how many permits of a key are free. Argument: key.
	 */
	@Bean
	Operation remaining(RateLimitPattern guard) {
		return (arguments) -> String
			.valueOf(control(guard).look(RateLimitScenario.NAME, List.of(arguments[0])).get(0).remaining());
	}

	/**
	 * Changes the limit of a key. Arguments: key, and the limit.
	 */
	@Bean
	Operation change(RateLimitPattern guard) {
		return (arguments) -> {
			control(guard).change(RateLimitScenario.NAME, List.of(arguments[0]),
					new RateLimitChange(Long.valueOf(arguments[1]), null, null));
			return "done";
		};
	}

	/**
	 * How many instances this one has heard of, whatever it says to the limit.
	 */
	@Bean
	Operation knownInstances(RedisBackends backends) {
		return (arguments) -> {
			Object instances = ReflectionTestUtils.getField(backends.get(null).bus(), "instances");
			Map<?, ?> others = (Map<?, ?>) ReflectionTestUtils.getField(instances, "others");
			return String.valueOf(others.size() + 1);
		};
	}

}
