// SPDX-License-Identifier: Apache-2.0

package io.ge.redis.autoconfigure;

import io.ge.redis.core.consume.ConsumerFrame;
import io.ge.redis.core.consume.ListenerScanner;
import io.ge.redis.stream.DeadLetters;
import io.ge.redis.stream.StreamPattern;
import io.ge.redis.stream.StreamProperties;
import io.ge.redis.stream.StreamPublisher;
import io.ge.redis.stream.StreamViews;

import org.springframework.beans.factory.BeanFactory;
import org.springframework.beans.factory.ObjectProvider;
import org.springframework.beans.factory.config.BeanDefinition;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionalOnBean;
import org.springframework.boot.autoconfigure.condition.ConditionalOnBooleanProperty;
import org.springframework.boot.autoconfigure.condition.ConditionalOnMissingBean;
import org.springframework.boot.context.properties.EnableConfigurationProperties;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Lazy;
import org.springframework.context.annotation.Role;

/**
 * Streams.
 */
@AutoConfiguration(after = ConsumerAutoConfiguration.class)
@ConditionalOnBean(ListenerScanner.class)
@ConditionalOnBooleanProperty(name = "ge.redis.stream.enabled", matchIfMissing = true)
@EnableConfigurationProperties(StreamProperties.class)
public final class StreamAutoConfiguration {

	@Bean
	@Role(BeanDefinition.ROLE_INFRASTRUCTURE)
	static StreamPattern geRedisStreamPattern(ObjectProvider<StreamProperties> properties, ConsumerFrame frame,
			BeanFactory beans) {
		return new StreamPattern(properties::getObject, new PatternBackend("stream", beans), frame);
	}

	/**
	 * Lazy, so that it exists only if the application uses it.
	 */
	@Bean
	@Lazy
	@ConditionalOnMissingBean
	StreamPublisher geRedisStreamPublisher(StreamPattern pattern) {
		return pattern.publisher();
	}

	@Bean
	@Lazy
	@ConditionalOnMissingBean
	DeadLetters geRedisDeadLetters(StreamPattern pattern) {
		return pattern.deadLetters();
	}

	@Bean
	@Lazy
	@ConditionalOnMissingBean
	StreamViews geRedisStreamViews(StreamPattern pattern) {
		return pattern.views();
	}

}
