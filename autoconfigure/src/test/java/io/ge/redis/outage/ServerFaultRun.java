// SPDX-License-Identifier: Apache-2.0

package io.ge.redis.outage;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.function.Consumer;

import io.ge.redis.outage.ServerFault.Answer;
import io.ge.redis.outage.Promise.BlacklistPromise;
import io.ge.redis.outage.Promise.CachePromise;
import io.ge.redis.outage.Promise.IdempotencyPromise;
import io.ge.redis.outage.Promise.LockPromise;
import io.ge.redis.outage.Promise.RateLimitPromise;
import io.ge.redis.test.RedisNode;
import io.ge.redis.test.RedisRelease;
import io.ge.redis.test.RedisServers;
import io.ge.redis.test.StandaloneRedis;
import io.ge.redis.test.Stopwatch;
import io.micrometer.core.instrument.Meter;
import io.micrometer.core.instrument.MeterRegistry;
import org.jspecify.annotations.Nullable;

import org.springframework.boot.health.contributor.Health;
import org.springframework.boot.health.contributor.HealthIndicator;
import org.springframework.boot.health.contributor.Status;
import org.springframework.context.ConfigurableApplicationContext;

/**
 * One fault under one application: calls before, during and after, and what was wrong.
 */
final class ServerFaultRun {

	/** The bound that holds on any machine. */
	private static final Duration PROMPT = Duration.ofMillis(1500);

	private final ServerFault fault;

	private final HealthIndicator health;

	private final MeterRegistry meters;

	private final List<Promise> promises;

	private final List<String> violations = new ArrayList<>();

	private ServerFaultRun(ServerFault fault, ConfigurableApplicationContext application) {
		this.fault = fault;
		this.health = application.getBean(HealthIndicator.class);
		this.meters = application.getBean(MeterRegistry.class);
		this.promises = List.of(new RateLimitPromise(application), new LockPromise(application),
				new IdempotencyPromise(application), new CachePromise(application), new BlacklistPromise(application));
	}

	/**
	 * Runs a fault.
	 * @param fault what happens
	 * @param release where it happens
	 * @return what was wrong, each beginning with the pattern, {@code outage} or
	 * {@code health}
	 */
	static List<String> violations(ServerFault fault, RedisRelease release) {
		return violations(fault, release, null);
	}

	/**
	 * Runs a fault where a protection is off.
	 * @param fault what happens
	 * @param sabotage happens to the server just before
	 * @param properties further properties of the application
	 * @return who was wrong
	 */
	static Set<String> violators(ServerFault fault, Consumer<RedisNode> sabotage, String... properties) {
		Set<String> violators = new TreeSet<>();
		for (String violation : violations(fault, RedisServers.ofThisRun(), sabotage, properties)) {
			violators.add(violation.substring(0, violation.indexOf(':')));
		}
		return violators;
	}

	private static List<String> violations(ServerFault fault, RedisRelease release,
			@Nullable Consumer<RedisNode> sabotage, String... properties) {
		try (StandaloneRedis redis = release.standalone();
				ConfigurableApplicationContext application = Shop.open(redis.properties(), fault.budget(),
						properties)) {
			ServerFaultRun run = new ServerFaultRun(fault, application);
			run.all(Promise::before);
			if (sabotage != null) {
				sabotage.accept(redis.primary());
				run.promises.forEach(Promise::expectViolations);
			}
			run.goOn(redis);
			return run.violations;
		}
	}

	private void goOn(StandaloneRedis redis) {
		Promise first = this.promises.get(0);
		this.fault.inject(redis.primary());
		all(this::callOnce);
		if (this.fault.opensBreaker()) {
			judge("outage", () -> first.await().until(() -> {
				first.during(Answer.EITHER);
				return isOpen();
			}));
			all((promise) -> prompt(() -> promise.during(Answer.POLICY)));
		}
		else if (this.fault.answer(first.pattern()) == Answer.REDIS) {
			judge("outage", () -> check(!isOpen(), "the breaker is open"));
		}
		judge("health", this::checkHealth);
		if (this.fault == ServerFault.WITHOUT_MEMORY) {
			all(Promise::withoutMemory);
		}
		this.fault.heal(redis.primary());
		judge("outage", () -> first.await().until(() -> !isOpen()));
		all(Promise::after);
		judge("outage", this::checkCauses);
		judge("outage", () -> check(redis.keysWithoutTtl().isEmpty(), "keys stay for ever: " + redis.keysWithoutTtl()));
	}

	private void callOnce(Promise promise) {
		Answer answer = this.fault.answer(promise.pattern());
		if (this.fault.opensBreaker() && isOpen()) {
			answer = Answer.POLICY;
		}
		Answer expected = answer;
		prompt(() -> promise.during(expected));
	}

	private void checkHealth() {
		Health found = this.health.health();
		boolean down = found.getStatus().equals(Status.DOWN);
		check(this.fault.cause() == null || down, "the health is " + found);
	}

	private void checkCauses() {
		Set<String> causes = new TreeSet<>();
		for (Meter meter : this.meters.find("ge.redis.errors").meters()) {
			causes.add(String.valueOf(meter.getId().getTag("cause")));
		}
		check(this.fault.cause() == null || causes.contains(this.fault.cause().tag()), "the causes are " + causes);
		check(!causes.contains("error"), "the causes are " + causes);
	}

	private boolean isOpen() {
		return this.meters.get("ge.redis.outage").gauge().value() == 1;
	}

	private void all(Consumer<Promise> action) {
		for (Promise promise : this.promises) {
			judge(promise.pattern(), () -> action.accept(promise));
		}
	}

	private void judge(String who, Runnable action) {
		try {
			action.run();
		}
		catch (AssertionError | RuntimeException ex) {
			this.violations.add(who + ": " + ex.toString().strip());
		}
	}

	private static void prompt(Runnable call) {
		Stopwatch watch = Stopwatch.start();
		call.run();
		Duration elapsed = watch.elapsed();
		check(elapsed.compareTo(PROMPT) < 0, "answered after " + elapsed);
	}

	private static void check(boolean condition, String violation) {
		if (!condition) {
			throw new AssertionError(violation);
		}
	}

}
