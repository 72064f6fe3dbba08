// SPDX-License-Identifier: Apache-2.0

package io.ge.redis.autoconfigure;

import java.time.Duration;
import java.util.List;
import java.util.function.Supplier;
import java.util.stream.Stream;

import io.ge.redis.broadcast.BroadcastPattern;
import io.ge.redis.broadcast.RedisBroadcastListener;
import io.ge.redis.core.consume.ConsumerFrame;
import io.ge.redis.core.consume.ConsumerProperties;
import io.ge.redis.core.consume.ConsumerThreads;
import io.ge.redis.core.consume.Consumers;
import io.ge.redis.core.consume.JsonPayloads;
import io.ge.redis.core.consume.ListenerScanner;
import io.ge.redis.core.event.GuardEvents;
import io.ge.redis.core.invocation.AttributeReader;
import io.ge.redis.queue.QueuePattern;
import io.ge.redis.queue.RedisJob;
import io.ge.redis.stream.RedisStreamListener;
import io.ge.redis.stream.StreamPattern;
import org.apache.commons.logging.LogFactory;
import tools.jackson.databind.json.JsonMapper;

import org.springframework.beans.factory.ObjectProvider;
import org.springframework.beans.factory.config.BeanDefinition;
import org.springframework.beans.factory.config.ConfigurableListableBeanFactory;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionalOnBean;
import org.springframework.boot.autoconfigure.condition.ConditionalOnMissingBean;
import org.springframework.boot.context.properties.EnableConfigurationProperties;
import org.springframework.boot.context.properties.bind.Binder;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Role;
import org.springframework.core.env.Environment;
import org.springframework.util.function.SingletonSupplier;

/**
 * The frame on which listeners of streams, queues and channels run, and write-behind. It
 * has no thread before there is something to listen to.
 */
@AutoConfiguration(after = GeRedisAutoConfiguration.class)
@ConditionalOnBean(name = "geRedisGuardVerifier")
@EnableConfigurationProperties(ConsumerProperties.class)
public final class ConsumerAutoConfiguration {

	private static final String PHASE_TIMEOUT = "spring.lifecycle.timeout-per-shutdown-phase";

	@Bean
	@ConditionalOnMissingBean
	Consumers geRedisConsumers(ConsumerThreads threads, Environment environment) {
		return new Consumers(threads, environment.getProperty("spring.main.keep-alive", Boolean.class, true));
	}

	@Bean
	@Role(BeanDefinition.ROLE_INFRASTRUCTURE)
	static ConsumerFrame geRedisConsumerFrame(ObjectProvider<Consumers> consumers,
			ObjectProvider<ConsumerProperties> properties, AttributeReader attributes,
			ObjectProvider<JsonMapper> mapper, GuardEvents events, Environment environment) {
		return new ConsumerFrame(consumers::getObject,
				SingletonSupplier.of(() -> checked(properties.getObject(), environment)), attributes,
				new JsonPayloads(() -> mapper.getIfAvailable(JsonMapper::shared)), events);
	}

	private static ConsumerProperties checked(ConsumerProperties properties, Environment environment) {
		Duration phase = Binder.get(environment).bind(PHASE_TIMEOUT, Duration.class).orElse(Duration.ofSeconds(30));
		if (properties.shutdownTimeout().compareTo(phase) > 0) {
			LogFactory.getLog(ConsumerAutoConfiguration.class)
				.warn("ge.redis.consumer.shutdown-timeout is " + properties.shutdownTimeout()
						+ ", and Spring waits no longer than " + phase + ". Set " + PHASE_TIMEOUT + " to at least "
						+ properties.shutdownTimeout().toMillis() + "ms, or lower shutdown-timeout");
		}
		return properties;
	}

	@Bean
	@Role(BeanDefinition.ROLE_INFRASTRUCTURE)
	static ListenerScanner geRedisListenerScanner(ConfigurableListableBeanFactory beans,
			ObjectProvider<StreamPattern> streams, ObjectProvider<QueuePattern> queues,
			ObjectProvider<BroadcastPattern> broadcasts, Environment environment) {
		List<ListenerScanner.Kind<?>> kinds = List.of(
				new ListenerScanner.Kind<>(RedisStreamListener.class,
						(bean, method, listener) -> streams
							.ifAvailable((pattern) -> pattern.listen(bean, method, listener))),
				new ListenerScanner.Kind<>(RedisJob.class,
						(bean, method, listener) -> queues
							.ifAvailable((pattern) -> pattern.listen(bean, method, listener))),
				new ListenerScanner.Kind<>(RedisBroadcastListener.class, (bean, method, listener) -> broadcasts
					.ifAvailable((pattern) -> pattern.listen(bean, method, listener))));
		Supplier<Boolean> consumes = SingletonSupplier
			.of(() -> Stream.of("stream.definitions", "queue.queues", "broadcast.channels")
				.anyMatch((defined) -> PatternUse.findProperty(environment, "ge.redis." + defined) != null));
		return new ListenerScanner(beans, kinds, (name) -> consumes.get() && PatternUse.isOfApplication(beans, name));
	}

}
