// SPDX-License-Identifier: Apache-2.0

package io.ge.redis.autoconfigure;

import java.util.Objects;
import java.util.function.Function;
import java.util.function.Supplier;

import io.ge.redis.GuardConfigurationException;
import io.ge.redis.breaker.CircuitBreakers;
import io.ge.redis.breaker.internal.BreakerPattern;
import io.ge.redis.core.call.ResultForm;
import org.jspecify.annotations.Nullable;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;

import org.springframework.beans.factory.ObjectProvider;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.AutoConfigureOrder;
import org.springframework.boot.autoconfigure.condition.ConditionalOnClass;
import org.springframework.boot.autoconfigure.condition.ConditionalOnMissingBean;
import org.springframework.cloud.client.circuitbreaker.CircuitBreaker;
import org.springframework.cloud.client.circuitbreaker.CircuitBreakerFactory;
import org.springframework.cloud.client.circuitbreaker.ConfigBuilder;
import org.springframework.cloud.client.circuitbreaker.ReactiveCircuitBreaker;
import org.springframework.cloud.client.circuitbreaker.ReactiveCircuitBreakerFactory;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.annotation.Lazy;
import org.springframework.core.Ordered;
import org.springframework.core.ReactiveAdapterRegistry;

/**
 * Circuit breakers under the interfaces of Spring Cloud, unless the application has
 * another implementation. The id is the name of the breaker.
 */
@AutoConfiguration(after = BreakerAutoConfiguration.class)
@AutoConfigureOrder(Ordered.LOWEST_PRECEDENCE)
@ConditionalOnClass(CircuitBreakerFactory.class)
public final class SpringCloudBreakerAutoConfiguration {

	@Bean
	@Lazy
	@ConditionalOnMissingBean(CircuitBreakerFactory.class)
	CircuitBreakerFactory<?, ?> geRedisCircuitBreakerFactory(CircuitBreakers breakers) {
		return new Factory(breakers);
	}

	private static GuardConfigurationException notInCode(String id) {
		return new GuardConfigurationException("The circuit breaker '" + id + "'",
				"a factory of Spring Cloud cannot configure it.", "Set ge.redis.breaker.breakers." + id + ".*.");
	}

	@Configuration(proxyBeanMethods = false)
	@ConditionalOnClass(Mono.class)
	static class Reactive {

		@Bean
		@Lazy
		@ConditionalOnMissingBean(ReactiveCircuitBreakerFactory.class)
		ReactiveCircuitBreakerFactory<?, ?> geRedisReactiveCircuitBreakerFactory(
				ObjectProvider<BreakerPattern> pattern) {
			return new ReactiveFactory(pattern);
		}

	}

	private static final class Factory extends CircuitBreakerFactory<Object, ConfigBuilder<Object>> {

		private final CircuitBreakers breakers;

		Factory(CircuitBreakers breakers) {
			this.breakers = breakers;
		}

		@Override
		public CircuitBreaker create(String id) {
			return new CircuitBreaker() {

				@Override
				public <T> T run(Supplier<T> work, Function<@Nullable Throwable, T> fallback) {
					try {
						return Factory.this.breakers.call(id, work);
					}
					catch (Exception ex) {
						return fallback.apply(ex);
					}
				}

			};
		}

		@Override
		protected ConfigBuilder<Object> configBuilder(String id) {
			throw notInCode(id);
		}

		@Override
		public void configureDefault(Function<String, Object> configuration) {
			throw notInCode("<name>");
		}

	}

	private static final class ReactiveFactory extends ReactiveCircuitBreakerFactory<Object, ConfigBuilder<Object>> {

		private final ObjectProvider<BreakerPattern> pattern;

		ReactiveFactory(ObjectProvider<BreakerPattern> pattern) {
			this.pattern = pattern;
		}

		@Override
		public ReactiveCircuitBreaker create(String id) {
			return new ReactiveCircuitBreaker() {

				@Override
				public <T> Mono<T> run(Mono<T> work, Function<Throwable, Mono<T>> fallback) {
					return guard(id, Mono.class, work).onErrorResume(fallback);
				}

				@Override
				public <T> Flux<T> run(Flux<T> work, Function<Throwable, Flux<T>> fallback) {
					return guard(id, Flux.class, work).onErrorResume(fallback);
				}

			};
		}

		// Unguarded where breakers are switched off
		@SuppressWarnings("unchecked")
		private <P> P guard(String id, Class<?> type, P publisher) {
			BreakerPattern breakers = this.pattern.getIfAvailable();
			ResultForm form = ResultForm
				.of(Objects.requireNonNull(ReactiveAdapterRegistry.getSharedInstance().getAdapter(type)));
			return (breakers != null) ? (P) breakers.guard(id, form, publisher) : publisher;
		}

		@Override
		protected ConfigBuilder<Object> configBuilder(String id) {
			throw notInCode(id);
		}

		@Override
		public void configureDefault(Function<String, Object> configuration) {
			throw notInCode("<name>");
		}

	}

}
