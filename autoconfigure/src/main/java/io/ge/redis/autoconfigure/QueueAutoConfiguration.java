// SPDX-License-Identifier: Apache-2.0

package io.ge.redis.autoconfigure;

import io.ge.redis.core.consume.ConsumerFrame;
import io.ge.redis.core.consume.ListenerScanner;
import io.ge.redis.queue.JobQueue;
import io.ge.redis.queue.QueuePattern;
import io.ge.redis.queue.QueueProperties;

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
 * Job queues.
 */
@AutoConfiguration(after = { GeRedisAutoConfiguration.class, ConsumerAutoConfiguration.class })
@ConditionalOnBean(ListenerScanner.class)
@ConditionalOnBooleanProperty(name = "ge.redis.queue.enabled", matchIfMissing = true)
@EnableConfigurationProperties(QueueProperties.class)
public final class QueueAutoConfiguration {

	@Bean
	QueuePattern geRedisQueuePattern(ObjectProvider<QueueProperties> properties, ConsumerFrame frame,
			BeanFactory beans) {
		return new QueuePattern(properties::getObject, new PatternBackend("queue", beans), frame);
	}

	/**
	 * Lazy, so that it needs no Redis unless the application uses it.
	 */
	@Bean
	@Lazy
	@ConditionalOnMissingBean
	JobQueue geRedisJobQueue(QueuePattern pattern) {
		return pattern.jobQueue();
	}

}
