// SPDX-License-Identifier: Apache-2.0

package io.ge.redis.bulkhead;

import java.util.Map;
import java.util.function.Supplier;

import io.ge.redis.core.RedisBackends;
import io.ge.redis.core.call.GuardedCalls;
import io.ge.redis.core.endpoint.GuardRequest;
import io.ge.redis.core.endpoint.GuardResource;
import io.ge.redis.core.event.GuardEvents;
import io.ge.redis.core.guard.GuardAdvisor;
import io.ge.redis.core.invocation.AttributeReader;
import io.ge.redis.core.invocation.ExpressionCompiler;
import io.ge.redis.core.outage.Waiting;

import org.springframework.beans.factory.ObjectProvider;
import org.springframework.beans.factory.config.BeanDefinition;
import org.springframework.boot.context.properties.EnableConfigurationProperties;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.annotation.Role;
import org.springframework.util.function.SingletonSupplier;

/**
 * Assembles bulkheads.
 */
@Configuration(proxyBeanMethods = false)
@EnableConfigurationProperties(BulkheadProperties.class)
public class BulkheadConfiguration {

	@Bean
	@Role(BeanDefinition.ROLE_INFRASTRUCTURE)
	static GuardAdvisor bulkheadAdvisor(ObjectProvider<BulkheadProperties> properties, AttributeReader attributes,
			ExpressionCompiler expressions, ObjectProvider<RedisBackends> backends, GuardEvents events,
			GuardedCalls calls) {
		Supplier<RedisBulkhead> redis = SingletonSupplier.of(() -> redis(backends, properties));
		return new GuardAdvisor(new BulkheadOperationSource(properties::getObject, attributes, expressions), calls,
				new BulkheadGuard(redis, events), 0, redis);
	}

	private static RedisBulkhead redis(ObjectProvider<RedisBackends> backends,
			ObjectProvider<BulkheadProperties> properties) {
		return new RedisBulkhead(backends.getObject().get(null), properties.getObject().lease());
	}

	@Bean
	GuardResource bulkheadResource(ObjectProvider<RedisBackends> backends,
			ObjectProvider<BulkheadProperties> properties) {
		return new GuardResource("bulkheads") {

			@Override
			public Object read(GuardRequest request) {
				RedisBulkhead redis = redis(backends, properties);
				String name = request.name("bulkhead", (known) -> true);
				return Map.of("atWork", Waiting.await(redis.count(redis.key(name, request.texts("key")))));
			}

		};
	}

}
