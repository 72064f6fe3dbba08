// SPDX-License-Identifier: Apache-2.0

package io.ge.redis.autoconfigure;

import io.ge.redis.GuardConfigurationException;
import io.ge.redis.breaker.CircuitBreakers;
import io.ge.redis.breaker.CircuitOpenException;
import io.ge.redis.breaker.CircuitState;
import io.ge.redis.test.SharedRedis;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;

import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.autoconfigure.aop.AopAutoConfiguration;
import org.springframework.boot.data.redis.autoconfigure.DataRedisAutoConfiguration;
import org.springframework.boot.test.context.FilteredClassLoader;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.cloud.client.circuitbreaker.CircuitBreakerFactory;
import org.springframework.cloud.client.circuitbreaker.NoFallbackAvailableException;
import org.springframework.cloud.client.circuitbreaker.ReactiveCircuitBreaker;
import org.springframework.cloud.client.circuitbreaker.ReactiveCircuitBreakerFactory;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.mockito.Mockito.mock;

/**
 * Code that knows the interfaces of Spring Cloud only.
 */
class SpringCloudBreakerIntegrationTests {

	private static final String NAME = "supplier";

	private final ApplicationContextRunner runner = new ApplicationContextRunner()
		.withConfiguration(AutoConfigurations.of(AopAutoConfiguration.class, DataRedisAutoConfiguration.class,
				GeRedisAutoConfiguration.class, GeRedisDisabledAutoConfiguration.class, BreakerAutoConfiguration.class,
				SpringCloudBreakerAutoConfiguration.class))
		.withPropertyValues(SharedRedis.properties())
		.withPropertyValues("ge.redis.outage.command-timeout=5s",
				"ge.redis.breaker.breakers." + NAME + ".minimum-calls=4");

	@BeforeEach
	void emptyRedis() {
		SharedRedis.standalone().flushAll();
	}

	@Test
	void callsAreRefusedWhileTheCircuitIsOpen() {
		this.runner.withBean(Shop.class).run((context) -> {
			Shop shop = context.getBean(Shop.class);
			assertThat(shop.quote(false)).isEqualTo("quote");
			for (int i = 0; i < 3; i++) {
				assertThat(shop.quote(true)).isEqualTo("IllegalStateException");
			}
			assertThat(context.getBean(CircuitBreakers.class).state(NAME)).isEqualTo(CircuitState.OPEN);
			assertThat(shop.quote(false)).isEqualTo("CircuitOpenException");
			assertThatExceptionOfType(NoFallbackAvailableException.class).isThrownBy(shop::quoteOrFail)
				.withCauseInstanceOf(CircuitOpenException.class);
		});
	}

	@Test
	void publishersAreRefusedWhileTheCircuitIsOpen() {
		this.runner.run((context) -> {
			ReactiveCircuitBreaker breaker = context.getBean(ReactiveCircuitBreakerFactory.class).create(NAME);
			Mono<String> failing = Mono.error(new IllegalStateException("The supplier fails"));
			assertThat(breaker.run(Mono.just("quote")).block()).isEqualTo("quote");
			assertThat(breaker.run(Flux.just(1, 2)).collectList().block()).containsExactly(1, 2);
			for (int i = 0; i < 2; i++) {
				assertThat(breaker.run(failing, (failure) -> Mono.just(failure.getClass().getSimpleName())).block())
					.isEqualTo("IllegalStateException");
				assertThat(breaker.run(failing.flux(), (failure) -> Flux.empty()).collectList().block()).isEmpty();
			}
			assertThat(
					breaker.run(Mono.just("quote"), (failure) -> Mono.just(failure.getClass().getSimpleName())).block())
				.isEqualTo("CircuitOpenException");
			assertThatExceptionOfType(NoFallbackAvailableException.class)
				.isThrownBy(() -> breaker.run(Flux.just(1, 2)).collectList().block())
				.withCauseInstanceOf(CircuitOpenException.class);
		});
	}

	@Test
	void existOnlyBesideSpringCloudAndNoOtherImplementation() {
		this.runner.withClassLoader(new FilteredClassLoader(CircuitBreakerFactory.class))
			.run((context) -> assertThat(context).hasNotFailed()
				.doesNotHaveBean("geRedisCircuitBreakerFactory")
				.doesNotHaveBean("geRedisReactiveCircuitBreakerFactory"));
		CircuitBreakerFactory<?, ?> other = mock();
		this.runner.withBean(CircuitBreakerFactory.class, () -> other)
			.run((context) -> assertThat(context).getBean(CircuitBreakerFactory.class).isSameAs(other));
	}

	@Test
	void refuseNothingWhereBreakersAreSwitchedOff() {
		this.runner.withPropertyValues("ge.redis.breaker.enabled=false").run((context) -> {
			assertThat(context.getBean(CircuitBreakerFactory.class).create(NAME).<String>run(() -> "quote"))
				.isEqualTo("quote");
			assertThat(
					context.getBean(ReactiveCircuitBreakerFactory.class).create(NAME).run(Mono.just("quote")).block())
				.isEqualTo("quote");
		});
	}

	@Test
	void settingsInCodeAreRefused() {
		this.runner.run((context) -> assertThatExceptionOfType(GuardConfigurationException.class)
			.isThrownBy(() -> context.getBean(CircuitBreakerFactory.class).configure((builder) -> {
			}, NAME))
			.withMessageContaining("ge.redis.breaker.breakers." + NAME + ".*"));
	}

	static class Shop {

		private final CircuitBreakerFactory<?, ?> breakers;

		Shop(CircuitBreakerFactory<?, ?> breakers) {
			this.breakers = breakers;
		}

		String quote(boolean fails) {
			return this.breakers.create(NAME).run(() -> {
				if (fails) {
					throw new IllegalStateException("The supplier fails");
				}
				return "quote";
			}, (failure) -> failure.getClass().getSimpleName());
		}

		String quoteOrFail() {
			return this.breakers.create(NAME).run(() -> "quote");
		}

	}

}
