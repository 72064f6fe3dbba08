// SPDX-License-Identifier: Apache-2.0

package io.ge.redis.autoconfigure;

import io.ge.redis.broadcast.BroadcastPattern;
import io.ge.redis.broadcast.BroadcastProperties;
import io.ge.redis.broadcast.Broadcaster;
import io.ge.redis.core.consume.ConsumerFrame;
import io.ge.redis.core.consume.ListenerScanner;

import org.springframework.beans.factory.BeanFactory;
import org.springframework.beans.factory.ObjectProvider;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionalOnBean;
import org.springframework.boot.autoconfigure.condition.ConditionalOnBooleanProperty;
import org.springframework.boot.autoconfigure.condition.ConditionalOnMissingBean;
import org.springframework.boot.context.properties.EnableConfigurationProperties;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Lazy;

/**
 * Broadcasts.
 */
@AutoConfiguration(after = { GeRedisAutoConfiguration.class, ConsumerAutoConfiguration.class })
@ConditionalOnBean(ListenerScanner.class)
@ConditionalOnBooleanProperty(name = "ge.redis.broadcast.enabled", matchIfMissing = true)
@EnableConfigurationProperties(BroadcastProperties.class)
public final class BroadcastAutoConfiguration {

	@Bean
	BroadcastPattern geRedisBroadcastPattern(ObjectProvider<BroadcastProperties> properties, ConsumerFrame frame,
			BeanFactory beans) {
		return new BroadcastPattern(properties::getObject, new PatternBackend("broadcast", beans), frame);
	}

	/**
	 * Lazy, so that it needs no Redis unless the application uses it.
	 */
	@Bean
	@Lazy
	@ConditionalOnMissingBean
	Broadcaster geRedisBroadcaster(BroadcastPattern pattern) {
		return pattern.broadcaster();
	}

}
