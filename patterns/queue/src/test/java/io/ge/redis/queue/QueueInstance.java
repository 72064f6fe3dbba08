// SPDX-License-Identifier: Apache-2.0

package io.ge.redis.queue;

import java.time.Duration;

import io.ge.redis.test.ConsumerInstance;
import io.ge.redis.test.RedisFixture;

import org.springframework.data.redis.connection.RedisConnectionFactory;

/**
 * One instance of an application, as far as queues are concerned.
 */
final class QueueInstance extends ConsumerInstance {

	private final QueuePattern pattern;

	/**
	 * Starts an instance.
	 * @param properties below {@code ge.redis.queue.queues}, keys and values in turn
	 */
	QueueInstance(RedisFixture redis, String... properties) {
		super(redis.connectionFactory());
		this.pattern = start(properties);
	}

	/**
	 * Starts an instance whose commands may not take long.
	 */
	QueueInstance(RedisConnectionFactory factory, Duration commandTimeout, String... properties) {
		super(factory, commandTimeout);
		this.pattern = start(properties);
	}

	private QueuePattern start(String... properties) {
		QueueProperties bound = properties(properties);
		QueuePattern started = new QueuePattern(() -> bound, backend()::get, frame(null));
		consumers().start();
		return started;
	}

	static QueueProperties properties(String... properties) {
		return bind("ge.redis.queue.queues", QueueProperties.class, properties);
	}

	/**
	 * Has the annotated methods of a bean called.
	 */
	QueueInstance listen(Object bean) {
		listen(bean, RedisJob.class, (method, annotation) -> this.pattern.listen(bean, method, annotation));
		return this;
	}

	JobQueue jobQueue() {
		return this.pattern.jobQueue();
	}

	QueuePattern pattern() {
		return this.pattern;
	}

	int scripts(String name) {
		return runs("queue/" + name);
	}

	long events(JobEvent.Outcome outcome) {
		return events(JobEvent.class).filter((event) -> event.outcome() == outcome).count();
	}

}
