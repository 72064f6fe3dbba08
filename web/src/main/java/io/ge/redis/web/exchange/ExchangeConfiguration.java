// SPDX-License-Identifier: Apache-2.0

package io.ge.redis.web.exchange;

import io.ge.redis.idempotency.IdempotencyProperties;
import jakarta.servlet.Filter;

import org.springframework.beans.factory.ObjectProvider;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.core.Ordered;
import org.springframework.web.reactive.HandlerAdapter;
import org.springframework.web.reactive.HandlerResultHandler;
import org.springframework.web.servlet.config.annotation.InterceptorRegistry;
import org.springframework.web.servlet.config.annotation.WebMvcConfigurer;

/**
 * The beans for responses of idempotent handlers, on either web stack.
 */
public final class ExchangeConfiguration {

	private ExchangeConfiguration() {
	}

	/** Stores and replays responses of Spring MVC. */
	@Configuration(proxyBeanMethods = false)
	public static class OnServlets {

		/**
		 * Returns the filter that belongs behind all others.
		 */
		public static Filter filter(IdempotencyProperties properties) {
			return new IdempotentDispatch.Around(properties);
		}

		@Bean
		IdempotencyKeyHeader geRedisIdempotencyKeyHeader(ObjectProvider<IdempotencyProperties> properties,
				ServletRequests requests) {
			return new IdempotencyKeyHeader(() -> properties.getObject().header(), requests);
		}

		@Bean
		ServletRequests geRedisServletCallScope() {
			return new ServletRequests();
		}

		@Bean
		ResponseEntityRecorder geRedisResponseEntityRecorder(ObjectProvider<IdempotencyProperties> properties) {
			return ResponseEntityRecorder.onServlets(() -> properties.getObject().replayedHeaders());
		}

		@Bean
		IdempotentDispatch geRedisIdempotentDispatch(IdempotencyKeyHeader handlers) {
			return new IdempotentDispatch(handlers);
		}

		@Bean
		WebMvcConfigurer geRedisIdempotentDispatchConfigurer(ObjectProvider<IdempotentDispatch> dispatch) {
			return new WebMvcConfigurer() {

				@Override
				public void addInterceptors(InterceptorRegistry registry) {
					registry.addInterceptor(dispatch.getObject()).order(Ordered.HIGHEST_PRECEDENCE);
				}

			};
		}

	}

	/** Stores and replays responses of WebFlux. */
	@Configuration(proxyBeanMethods = false)
	public static class OnWebFlux {

		@Bean
		IdempotencyKeyHeader geRedisIdempotencyKeyHeader(ObjectProvider<IdempotencyProperties> properties,
				ReactiveRequests requests) {
			return new IdempotencyKeyHeader(() -> properties.getObject().header(), requests);
		}

		@Bean
		ReactiveRequests geRedisReactiveRequests() {
			return new ReactiveRequests();
		}

		@Bean
		ResponseEntityRecorder geRedisResponseEntityRecorder(ObjectProvider<IdempotencyProperties> properties) {
			return ResponseEntityRecorder.onWebFlux(() -> properties.getObject().replayedHeaders());
		}

		@Bean
		IdempotentHandlerAdapter geRedisIdempotentHandlerAdapter(IdempotencyKeyHeader handlers,
				IdempotencyProperties properties, ObjectProvider<HandlerAdapter> adapters,
				ObjectProvider<HandlerResultHandler> results) {
			return new IdempotentHandlerAdapter(handlers, ExchangeRules.of(properties), adapters, results);
		}

	}

}
