// SPDX-License-Identifier: Apache-2.0

package io.ge.redis.autoconfigure;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Supplier;

import io.ge.redis.actuate.GeRedisEndpoint;
import io.ge.redis.actuate.GeRedisEndpointAutoConfiguration;
import io.ge.redis.actuate.GeRedisMetricsAutoConfiguration;
import io.ge.redis.core.RedisBackends;
import io.ge.redis.core.guard.PatternLifecycle;
import io.ge.redis.lock.DistributedLock;
import io.ge.redis.lock.DistributedLocks;
import io.ge.redis.lock.LockEvent;
import io.ge.redis.lock.LockHandle;
import io.ge.redis.lock.LockNotAcquiredException;
import io.ge.redis.lock.LockOptions;
import io.ge.redis.lock.internal.LockPattern;
import io.ge.redis.test.SharedRedis;
import io.ge.redis.test.Wide;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.autoconfigure.aop.AopAutoConfiguration;
import org.springframework.boot.data.redis.autoconfigure.DataRedisAutoConfiguration;
import org.springframework.boot.test.context.FilteredClassLoader;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.event.EventListener;
import org.springframework.transaction.support.TransactionSynchronizationManager;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

/**
 * Locks in an application, from annotation and property to Redis, meters and endpoint.
 */
class LockAutoConfigurationIntegrationTests {

	private final ApplicationContextRunner runner = new ApplicationContextRunner()
		.withConfiguration(AutoConfigurations.of(AopAutoConfiguration.class, DataRedisAutoConfiguration.class,
				GeRedisAutoConfiguration.class, GeRedisDisabledAutoConfiguration.class, LockAutoConfiguration.class,
				GeRedisMetricsAutoConfiguration.class, GeRedisEndpointAutoConfiguration.class))
		.withBean(MeterRegistry.class, SimpleMeterRegistry::new)
		.withUserConfiguration(Desk.class)
		.withPropertyValues(SharedRedis.properties())
		.withPropertyValues("management.endpoints.web.exposure.include=geredis");

	@BeforeEach
	void emptyRedis() {
		SharedRedis.standalone().flushAll();
	}

	@Test
	void countsAndTimesAndTells() {
		this.runner.run((context) -> {
			Desk desk = context.getBean(Desk.class);
			DistributedLocks locks = context.getBean(DistributedLocks.class);
			assertThat(desk.run("a", () -> locks.tryLock("agents", "a").isPresent())).isFalse();
			LockHandle lost = locks.tryLock("agents", "b").orElseThrow();
			SharedRedis.standalone().flushAll();
			lost.close();
			MeterRegistry meters = context.getBean(MeterRegistry.class);
			assertThat(acquired(meters, "acquired")).isEqualTo(2);
			assertThat(acquired(meters, "not_acquired")).isEqualTo(1);
			assertThat(meters.get("ge.redis.lock.hold").tag("lock", "agents").timer().count()).isEqualTo(2);
			assertThat(meters.get("ge.redis.lock.lost").tag("lock", "agents").counter().count()).isEqualTo(1);
			assertThat(meters.get("ge.redis.lock.waiters").gauge().value()).isZero();
			assertThat(
					meters.get("ge.redis.script").tags("script", "lock/acquire", "outcome", "success").timer().count())
				.isEqualTo(3);
			assertThat(desk.events()).extracting(LockEvent::result)
				.containsExactlyInAnyOrder("acquired", "not_acquired", "released", "acquired", "released", "lost");
		});
	}

	@Test
	void waitersAreGauged() {
		this.runner.run((context) -> {
			DistributedLocks locks = context.getBean(DistributedLocks.class);
			LockHandle held = locks.tryLock("agents", "a").orElseThrow();
			Thread waiter = new Thread(
					() -> locks.lock("agents", "a", LockOptions.defaults().waitTime(Duration.ofSeconds(10))).close());
			waiter.start();
			MeterRegistry meters = context.getBean(MeterRegistry.class);
			Awaitility.await().until(() -> meters.get("ge.redis.lock.waiters").gauge().value() == 1);
			assertThat(context.getBean(LockPattern.class).held()).isEqualTo(1);
			held.close();
			waiter.join();
			assertThat(meters.get("ge.redis.lock.waiters").gauge().value()).isZero();
			assertThat(context.getBean(LockPattern.class).held()).isZero();
		});
	}

	@Test
	void endpointListsSettingsWithTheirOrigins() {
		this.runner.withPropertyValues("ge.redis.lock.locks.agents.lease-time=9s", "ge.redis.lock.wait-time=1s")
			.run((context) -> {
				context.getBean(Desk.class).run("a", () -> true);
				assertThat(context.getBean(GeRedisEndpoint.class).report().guards()).singleElement()
					.satisfies((guard) -> {
						assertThat(guard.annotation()).isEqualTo("DistributedLock");
						assertThat(guard.settings().get("leaseTime"))
							.hasToString("Setting[value=PT9S, origin=PROPERTIES]");
						assertThat(guard.settings().get("waitTime")).hasToString("Setting[value=PT1S, origin=DEFAULT]");
						assertThat(guard.settings().get("key")).hasToString("Setting[value=#agent, origin=ANNOTATION]");
						assertThat(guard.figures()).containsEntry("acquired", 1L).containsEntry("released", 1L);
					});
			});
	}

	@Test
	void lockInCodeTakesSettingsOfAnnotationWithThatName() {
		this.runner.withPropertyValues("ge.redis.lock.locks.agents.lease-time=9s").run((context) -> {
			try (LockHandle lock = context.getBean(DistributedLocks.class).tryLock("agents", "a").orElseThrow()) {
				assertThat(lock.remaining()).isBetween(Duration.ofSeconds(5), Duration.ofSeconds(9));
				assertThatExceptionOfType(LockNotAcquiredException.class)
					.isThrownBy(() -> context.getBean(Desk.class).run("a", () -> true));
			}
		});
	}

	@Test
	void heldLocksOfEndedWorkAreFreeAfterTheApplicationHasStopped() {
		this.runner.run((context) -> context.getBean(Desk.class).run("a", () -> true));
		this.runner.run((context) -> assertThat(context.getBean(Desk.class).run("a", () -> true)).isTrue());
	}

	@Test
	void stopsBeforeConnections() {
		this.runner.run((context) -> assertThat(context.getBean(PatternLifecycle.class).getPhase())
			.isGreaterThan(context.getBean(RedisBackends.class).getPhase()));
	}

	@Test
	@Wide
	void methodsRunUnguardedWhenSwitchedOff() {
		for (String property : List.of("ge.redis.enabled=false", "ge.redis.lock.enabled=false")) {
			this.runner.withPropertyValues(property).run((context) -> {
				assertThat(context).hasNotFailed().doesNotHaveBean(LockPattern.class);
				Desk desk = context.getBean(Desk.class);
				assertThat(desk.run("a", () -> desk.run("a", () -> true))).isTrue();
				assertThat(desk.events()).isEmpty();
			});
		}
	}

	@Test
	@Wide
	void stepsBackForTheUsersOwnLocks() {
		this.runner.withUserConfiguration(OwnLocks.class)
			.run((context) -> assertThat(context).getBean(DistributedLocks.class).isSameAs(OwnLocks.LOCKS));
	}

	@Test
	void runsWithoutMicrometerAndWeb() {
		new ApplicationContextRunner()
			.withConfiguration(AutoConfigurations.of(DataRedisAutoConfiguration.class, GeRedisAutoConfiguration.class,
					LockAutoConfiguration.class, GeRedisMetricsAutoConfiguration.class,
					GeRedisWebAutoConfiguration.class))
			.withPropertyValues(SharedRedis.properties())
			.withClassLoader(
					new FilteredClassLoader("io.micrometer.core", "jakarta.servlet", "org.springframework.web"))
			.run((context) -> assertThat(context.getBean(DistributedLocks.class).tryLock("agents", "a"))
				.hasValueSatisfying(LockHandle::close));
	}

	@Test
	@Wide
	void wrongPropertyFailsTheStart() {
		this.runner.withPropertyValues("ge.redis.lock.locks.agents.lease-time=0s")
			.run((context) -> assertThat(context).hasFailed()
				.getFailure()
				.rootCause()
				.hasMessageContaining("ge.redis.lock.locks.agents.lease-time must be at least 100ms, was PT0S"));
	}

	private static long acquired(MeterRegistry meters, String outcome) {
		return meters.get("ge.redis.lock.acquire").tags("lock", "agents", "outcome", outcome).timer().count();
	}

	static class Desk {

		private final List<LockEvent> events = new ArrayList<>();

		@DistributedLock(name = "agents", key = "#agent")
		public boolean run(String agent, Supplier<Boolean> work) {
			assertThat(TransactionSynchronizationManager.isSynchronizationActive()).isFalse();
			return work.get();
		}

		public List<LockEvent> events() {
			return this.events;
		}

		@EventListener
		public void on(LockEvent event) {
			this.events.add(event);
		}

	}

	@Configuration(proxyBeanMethods = false)
	static class OwnLocks {

		static final DistributedLocks LOCKS = DistributedLocks.unguarded();

		@Bean
		DistributedLocks ownLocks() {
			return LOCKS;
		}

	}

}
