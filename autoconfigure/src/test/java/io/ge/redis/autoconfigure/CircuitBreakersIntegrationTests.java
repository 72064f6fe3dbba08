// SPDX-License-Identifier: Apache-2.0

package io.ge.redis.autoconfigure;

import java.io.IOException;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.LockSupport;

import io.ge.redis.GeRedisException;
import io.ge.redis.GuardConfigurationException;
import io.ge.redis.Refusal;
import io.ge.redis.actuate.GeRedisMetricsAutoConfiguration;
import io.ge.redis.breaker.CircuitBreaker;
import io.ge.redis.breaker.CircuitBreakers;
import io.ge.redis.breaker.CircuitOpenException;
import io.ge.redis.breaker.CircuitState;
import io.ge.redis.breaker.internal.BreakerPattern;
import io.ge.redis.core.RedisBackends;
import io.ge.redis.core.endpoint.GuardRequest;
import io.ge.redis.core.endpoint.GuardResource;
import io.ge.redis.idempotency.IdempotencyScope;
import io.ge.redis.idempotency.Idempotent;
import io.ge.redis.test.SharedRedis;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import reactor.core.publisher.Mono;
import reactor.core.publisher.Sinks;

import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.autoconfigure.aop.AopAutoConfiguration;
import org.springframework.boot.data.redis.autoconfigure.DataRedisAutoConfiguration;
import org.springframework.boot.test.context.assertj.AssertableApplicationContext;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;
import org.springframework.resilience.annotation.Retryable;
import org.springframework.util.Assert;

import static org.assertj.core.api.Assertions.as;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;
import static org.assertj.core.api.Assertions.assertThatNoException;
import static org.assertj.core.api.InstanceOfAssertFactories.LIST;
import static org.assertj.core.api.InstanceOfAssertFactories.MAP;

/**
 * Circuit breakers of several instances on one Redis. Each context is an instance.
 */
class CircuitBreakersIntegrationTests {

	private static final String NAME = "supplier";

	private static final String SETTINGS = "ge.redis.breaker.breakers." + NAME;

	private final ApplicationContextRunner runner = new ApplicationContextRunner()
		.withConfiguration(AutoConfigurations.of(AopAutoConfiguration.class, DataRedisAutoConfiguration.class,
				GeRedisAutoConfiguration.class, BreakerAutoConfiguration.class, GeRedisMetricsAutoConfiguration.class))
		.withBean(SimpleMeterRegistry.class)
		.withBean(Suppliers.class)
		.withPropertyValues(SharedRedis.properties())
		// A busy machine is no outage
		.withPropertyValues("ge.redis.outage.command-timeout=5s", SETTINGS + ".minimum-calls=4",
				SETTINGS + ".open-for=1m", SETTINGS + ".window=1m");

	@BeforeEach
	void emptyRedis() {
		SharedRedis.standalone().flushAll();
	}

	@Test
	void opensForAllIfMostInstancesFail() {
		this.runner.run((first) -> this.runner.run((second) -> this.runner.run((third) -> {
			awaitLive(3, first, second, third);
			Awaitility.await().until(() -> {
				fail(first);
				fail(second);
				return state(third) == CircuitState.OPEN;
			});
			assertThatExceptionOfType(CircuitOpenException.class)
				.isThrownBy(() -> breakers(third).call(NAME, () -> "quote"))
				.satisfies((refusal) -> assertThat(refusal.retryAfter()).isBetween(Duration.ofSeconds(1),
						Duration.ofMinutes(1)));
			// One transition of all instances, on the one that opened the circuit
			assertThat(List.of(first, second, third)).extracting((instance) -> opened(instance, "rate"))
				.containsOnlyOnce(1.0);
			assertThat(third.getBean(MeterRegistry.class)
				.get("ge.redis.breaker.state")
				.tag("breaker", NAME)
				.gauge()
				.value()).isEqualTo(1);
			assertThat(first.getBean(BreakerPattern.class).control().read(request(Map.of())))
				.extracting("why", "since", "nextProbe")
				.satisfies((figures) -> {
					assertThat(figures.get(0)).isEqualTo("rate");
					assertThat(figures.get(2)).isEqualTo(((Instant) figures.get(1)).plus(Duration.ofMinutes(1)));
				});
			// An instance that starts later learns of it before its first call
			this.runner.run((later) -> assertThat(state(later)).isEqualTo(CircuitState.OPEN));
		})));
	}

	@Test
	void outageIsNoticedByAllAfterFewFailedCalls() {
		ApplicationContextRunner busy = this.runner.withPropertyValues(SETTINGS + ".minimum-calls=20");
		busy.run((first) -> busy.run((second) -> busy.run((third) -> {
			List<AssertableApplicationContext> all = List.of(first, second, third);
			awaitLive(3, first, second, third);
			AtomicInteger failed = new AtomicInteger();
			long begun = System.nanoTime();
			// 200 calls a second of all instances, which succeed for the first two
			for (int call = 0; call < 1400
					&& all.stream().anyMatch((each) -> state(each) != CircuitState.OPEN); call++) {
				boolean fails = call >= 400;
				LockSupport.parkNanos(begun + Duration.ofMillis(5).toNanos() * call - System.nanoTime());
				tryCall(all.get(call % 3), () -> {
					if (fails) {
						failed.incrementAndGet();
						throw new IllegalStateException("The supplier fails");
					}
				});
			}
			assertThat(failed).hasValueBetween(20, 150);
		})));
	}

	@Test
	void sickInstanceOpensItsOwnBreakerOnly() {
		this.runner.run((sick) -> this.runner.run((healthy) -> {
			awaitLive(2, sick, healthy);
			breakers(healthy).call(NAME, () -> "quote");
			Awaitility.await().until(() -> {
				fail(sick);
				return state(sick) == CircuitState.OPEN;
			});
			Awaitility.await()
				.untilAsserted(() -> assertThat(sick.getBean(BreakerPattern.class).control().read(request(Map.of())))
					.extracting("instances", as(MAP))
					.anySatisfy((instance, sums) -> assertThat(sums).asString().endsWith(" 4 4 0")));
			assertThat(breakers(healthy).call(NAME, () -> "quote")).isEqualTo("quote");
			assertThat(opened(sick, "local")).isEqualTo(1);
		}));
	}

	@Test
	void closesAfterProbesOfWhicheverInstance() {
		ApplicationContextRunner probing = this.runner.withPropertyValues(SETTINGS + ".open-for=200ms",
				SETTINGS + ".probes=2");
		probing.run((first) -> probing.run((second) -> {
			awaitLive(2, first, second);
			AtomicInteger calls = new AtomicInteger();
			Awaitility.await().until(() -> {
				fail(first);
				fail(second);
				return opened(first, "rate") + opened(second, "rate") == 1;
			});
			Awaitility.await().until(() -> {
				for (AssertableApplicationContext instance : List.of(first, second)) {
					if (state(instance) != CircuitState.CLOSED) {
						tryCall(instance, calls::incrementAndGet);
					}
				}
				return state(first) == CircuitState.CLOSED && state(second) == CircuitState.CLOSED;
			});
			assertThat(calls).hasValueBetween(2, 3);
		}));
	}

	@Test
	void callsCostNoCommand() {
		this.runner.run((context) -> {
			breakers(context).call(NAME, () -> "quote");
			long before = SharedRedis.standalone().commandCalls("evalsha");
			for (int i = 0; i < 1000; i++) {
				breakers(context).call(NAME, () -> "quote");
			}
			// At most a report each second
			assertThat(SharedRedis.standalone().commandCalls("evalsha") - before).isLessThan(10);
		});
	}

	@Test
	void operatorSetsTheStateOfAllInstances() {
		this.runner.run((first) -> this.runner.run((second) -> {
			awaitLive(2, first, second);
			GuardResource resource = first.getBean(BreakerPattern.class).control();
			resource.write(request(Map.of("state", "FORCED_OPEN", "reason", "supplier moves", "author", "anna")));
			Awaitility.await().until(() -> state(second) == CircuitState.FORCED_OPEN);
			assertThatExceptionOfType(CircuitOpenException.class)
				.isThrownBy(() -> breakers(second).call(NAME, () -> "quote"));
			assertThat(resource.read(request(Map.of()))).extracting("author", "reason")
				.containsExactly("anna", "supplier moves");
			resource.write(request(Map.of("state", "DISABLED", "reason", "test")));
			Awaitility.await().until(() -> state(second) == CircuitState.DISABLED);
			for (int i = 0; i < 10; i++) {
				fail(second);
			}
			assertThat(state(second)).isEqualTo(CircuitState.DISABLED);
			resource.write(request(Map.of("state", "AUTO", "reason", "done")));
			Awaitility.await().until(() -> state(second) == CircuitState.CLOSED);
		}));
	}

	@Test
	void idempotentCallGetsItsResultWhileTheCircuitIsOpenAndItsKeyBackIfItIsRefused() {
		this.runner.withConfiguration(AutoConfigurations.of(IdempotencyAutoConfiguration.class))
			.withBean(Desk.class)
			.run((context) -> {
				Desk desk = context.getBean(Desk.class);
				GuardResource resource = context.getBean(BreakerPattern.class).control();
				assertThat(desk.order("first")).isEqualTo("order 1");
				resource.write(request(Map.of("state", "FORCED_OPEN", "reason", "test")));
				Awaitility.await().until(() -> state(context) == CircuitState.FORCED_OPEN);
				assertThat(desk.order("first")).isEqualTo("order 1");
				assertThatExceptionOfType(CircuitOpenException.class).isThrownBy(() -> desk.order("second"));
				resource.write(request(Map.of("state", "AUTO", "reason", "test")));
				Awaitility.await().until(() -> state(context) == CircuitState.CLOSED);
				assertThat(desk.order("second")).isEqualTo("order 2");
			});
	}

	@Test
	void circuitIsOpenAgainWhenAForcedStateHasEnded() {
		this.runner.run((context) -> {
			GuardResource resource = context.getBean(BreakerPattern.class).control();
			Awaitility.await().until(() -> {
				fail(context);
				return opened(context, "rate") == 1;
			});
			resource.write(request(Map.of("state", "DISABLED", "reason", "test", "duration", "300ms")));
			Awaitility.await().until(() -> state(context) == CircuitState.DISABLED);
			Awaitility.await().until(() -> {
				tryCall(context, () -> {
				});
				return state(context) == CircuitState.OPEN;
			});
		});
	}

	@Test
	void eachFormIsRefusedAndCountsItsEnd() {
		this.runner.run((context) -> {
			Suppliers suppliers = context.getBean(Suppliers.class);
			suppliers.mono(true).subscribe().dispose();
			assertThat(suppliers.plain("a", false)).isEqualTo("quote");
			for (int i = 0; i < 2; i++) {
				assertThatExceptionOfType(IOException.class).isThrownBy(() -> suppliers.plain("a", true));
				assertThat(suppliers.future()).failsWithin(Duration.ofSeconds(10));
			}
			assertThatExceptionOfType(CircuitOpenException.class).isThrownBy(() -> suppliers.plain("a", false));
			assertThatExceptionOfType(CircuitOpenException.class).isThrownBy(() -> suppliers.mono(false).block());
			assertThat(suppliers.future()).failsWithin(Duration.ofSeconds(10))
				.withThrowableThat()
				.withCauseInstanceOf(CircuitOpenException.class);
			assertThat(suppliers.fallback("a")).isEqualTo("none of a: " + NAME);
			assertThat(suppliers.keyed("other")).isEqualTo("quote");
		});
	}

	@Test
	void circuitWithFailuresStaysInMemoryBesideManyKeys() {
		this.runner.run((context) -> {
			Suppliers suppliers = context.getBean(Suppliers.class);
			for (int i = 0; i < 3; i++) {
				assertThatIllegalStateException().isThrownBy(() -> suppliers.keyed("sick"));
			}
			for (int i = 0; i < 1100; i++) {
				suppliers.keyed("host " + i);
			}
			GuardResource control = context.getBean(BreakerPattern.class).control();
			GuardRequest list = new GuardRequest(List.of(), Map.of());
			Awaitility.await().untilAsserted(() -> assertThat(control.read(list)).asInstanceOf(LIST).hasSize(1000));
			assertThatIllegalStateException().isThrownBy(() -> suppliers.keyed("sick"));
			assertThat(breakers(context).state(NAME, "sick")).isEqualTo(CircuitState.OPEN);
		});
	}

	@Test
	void classesOfExceptionsAreSetByName() {
		this.runner.withPropertyValues(SETTINGS + ".ignore=java.lang.IllegalStateException").run((context) -> {
			Suppliers suppliers = context.getBean(Suppliers.class);
			for (int i = 0; i < 4; i++) {
				fail(context);
			}
			assertThat(state(context)).isEqualTo(CircuitState.CLOSED);
			for (int i = 0; i < 4; i++) {
				assertThatExceptionOfType(IOException.class).isThrownBy(() -> suppliers.plain("a", true));
			}
			assertThat(state(context)).isEqualTo(CircuitState.OPEN);
		});
	}

	@Test
	@ExtendWith(OutputCaptureExtension.class)
	void warnsOfRetriesOfRefusedCalls(CapturedOutput output) {
		this.runner.withBean(Retried.class).run((context) -> {
			context.getBean(Retried.class).retried();
			context.getBean(Retried.class).excluded();
		});
		assertThat(output.getOut().lines().filter((line) -> line.contains("@Retryable on"))).singleElement()
			.asString()
			.contains("Retried.retried()", "@Retryable(excludes = GeRedisException.class)");
	}

	@Test
	void worksWithoutRedis() {
		this.runner.withPropertyValues("spring.data.redis.port=1").run((context) -> {
			for (int i = 0; i < 4; i++) {
				fail(context);
			}
			assertThat(state(context)).isEqualTo(CircuitState.OPEN);
		});
	}

	@Test
	void shadowRefusesNothing() {
		this.runner.withPropertyValues(SETTINGS + ".shadow=true").run((context) -> {
			for (int i = 0; i < 4; i++) {
				fail(context);
			}
			assertThatNoException().isThrownBy(() -> breakers(context).call(NAME, () -> "quote"));
		});
	}

	@Test
	void wrongSettingsFailTheStart() {
		refused(SETTINGS + ".failure-rate=0", "failure-rate must be between 1 and 100 percent, was 0");
		refused(SETTINGS + ".minimum-calls=2", "minimum-calls must be at least 3");
		refused(SETTINGS + ".slow-call-rate=50", "no effect without each other");
		refused("ge.redis.breaker.breakers.inCode.slow-call-rate=50", "The circuit breaker 'inCode'");
		refused("ge.redis.breaker.breakers.redisConnectionFactory.probes=2",
				"'redisConnectionFactory': it has the name of a connection factory");
		this.runner.withBean(WrongKey.class)
			.run((context) -> assertThat(context).getFailure()
				.rootCause()
				.isInstanceOf(GuardConfigurationException.class)
				.hasMessageContaining("#hots"));
	}

	private void refused(String property, String message) {
		// On virtual threads the connection factory of Spring Boot has another name
		this.runner.withPropertyValues(property, "spring.threads.virtual.enabled=false")
			.run((context) -> assertThat(context).getFailure().hasStackTraceContaining(message));
	}

	@Test
	void refusalHasAnAnswerForHttp() {
		Refusal refusal = new CircuitOpenException(NAME, Duration.ofSeconds(7)).refusal();
		assertThat(refusal.status()).isEqualTo(503);
		assertThat(refusal.type()).hasToString("urn:ge-redis:problem:circuit-open");
		assertThat(refusal.retryAfter()).isEqualTo(Duration.ofSeconds(7));
		assertThat(refusal.members()).containsEntry("breaker", NAME);
	}

	private static GuardRequest request(Map<String, Object> parameters) {
		return new GuardRequest(List.of(NAME), parameters);
	}

	private static void awaitLive(int count, AssertableApplicationContext... instances) {
		for (AssertableApplicationContext instance : instances) {
			Awaitility.await()
				.until(() -> instance.getBean(RedisBackends.class).get(null).bus().liveInstances() == count);
		}
	}

	private static CircuitBreakers breakers(AssertableApplicationContext instance) {
		return instance.getBean(CircuitBreakers.class);
	}

	private static CircuitState state(AssertableApplicationContext instance) {
		return breakers(instance).state(NAME);
	}

	private static double opened(AssertableApplicationContext instance, String by) {
		return instance.getBean(MeterRegistry.class)
			.find("ge.redis.breaker.transitions")
			.tags("breaker", NAME, "to", "open", "by", by)
			.counters()
			.stream()
			.mapToDouble((counter) -> counter.count())
			.sum();
	}

	private static void fail(AssertableApplicationContext instance) {
		tryCall(instance, () -> {
			throw new IllegalStateException("The supplier fails");
		});
	}

	private static void tryCall(AssertableApplicationContext instance, Runnable work) {
		try {
			breakers(instance).call(NAME, () -> {
				work.run();
				return true;
			});
		}
		catch (CircuitOpenException | IllegalStateException ex) {
			// as is to be expected
		}
	}

	static class Suppliers {

		@CircuitBreaker(name = NAME)
		public String plain(String item, boolean fails) throws IOException {
			if (fails) {
				throw new IOException("The supplier fails");
			}
			return "quote";
		}

		@CircuitBreaker(name = NAME)
		public CompletableFuture<String> future() {
			return CompletableFuture.failedFuture(new IOException("The supplier fails"));
		}

		@CircuitBreaker(name = NAME)
		public Mono<String> mono(boolean hangs) {
			return hangs ? Sinks.<String>one().asMono() : Mono.just("quote");
		}

		@CircuitBreaker(name = NAME, fallback = "none")
		public String fallback(String item) {
			return "quote";
		}

		String none(String item, CircuitOpenException refusal) {
			return "none of " + item + ": " + refusal.name();
		}

		@CircuitBreaker(name = NAME, key = "#host")
		public String keyed(String host) {
			Assert.state(!host.equals("sick"), "The supplier fails");
			return "quote";
		}

	}

	static class Desk {

		private final AtomicInteger orders = new AtomicInteger();

		@Idempotent(name = "order", key = "#key", scope = IdempotencyScope.GLOBAL)
		@CircuitBreaker(name = NAME)
		public String order(String key) {
			return "order " + this.orders.incrementAndGet();
		}

	}

	static class Retried {

		@Retryable
		@CircuitBreaker
		public void retried() {
		}

		@Retryable(excludes = GeRedisException.class)
		@CircuitBreaker
		public void excluded() {
		}

	}

	static class WrongKey {

		@CircuitBreaker(key = "#hots")
		public void call(String host) {
		}

	}

}
