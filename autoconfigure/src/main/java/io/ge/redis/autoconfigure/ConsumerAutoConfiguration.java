/*
 * Copyright 2026 the GE Redis authors
 * SPDX-License-Identifier: Apache-2.0
 */

package io.ge.redis.autoconfigure;

import io.ge.redis.core.consume.ConsumerFrame;
import io.ge.redis.core.consume.ConsumerProperties;
import io.ge.redis.core.consume.ConsumerThreads;
import io.ge.redis.core.consume.Consumers;
import io.ge.redis.core.consume.JsonPayloads;
import io.ge.redis.core.consume.ListenerScanner;
import io.ge.redis.core.event.GuardEvents;
import io.ge.redis.core.invocation.AttributeReader;
import tools.jackson.databind.json.JsonMapper;

import org.springframework.beans.factory.ObjectProvider;
import org.springframework.beans.factory.config.BeanDefinition;
import org.springframework.beans.factory.config.ConfigurableListableBeanFactory;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionalOnBean;
import org.springframework.boot.autoconfigure.condition.ConditionalOnMissingBean;
import org.springframework.boot.context.properties.EnableConfigurationProperties;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Lazy;
import org.springframework.context.annotation.Role;

/**
 * The frame on which listeners of streams, queues and channels run, and write-behind. It
 * has no thread before there is something to listen to.
 */
@AutoConfiguration(after = GeRedisAutoConfiguration.class)
@ConditionalOnBean(name = "geRedisGuardVerifier")
@EnableConfigurationProperties(ConsumerProperties.class)
public final class ConsumerAutoConfiguration {

	@Bean
	@ConditionalOnMissingBean
	Consumers geRedisConsumers(ConsumerThreads threads) {
		return new Consumers(threads);
	}

	@Bean
	@Role(BeanDefinition.ROLE_INFRASTRUCTURE)
	static ConsumerFrame geRedisConsumerFrame(ObjectProvider<Consumers> consumers,
			ObjectProvider<ConsumerProperties> properties, AttributeReader attributes,
			ObjectProvider<JsonMapper> mapper, GuardEvents events) {
		return new ConsumerFrame(consumers::getObject, properties::getObject, attributes,
				new JsonPayloads(() -> mapper.getIfAvailable(JsonMapper::shared)), events);
	}

	@Bean
	@Lazy
	ListenerScanner geRedisListenerScanner(ConfigurableListableBeanFactory beans) {
		return new ListenerScanner(beans);
	}

}
