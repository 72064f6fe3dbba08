// SPDX-License-Identifier: Apache-2.0

package io.ge.redis.broadcast;

import io.ge.redis.test.ConsumerInstance;
import io.ge.redis.test.RedisFixture;

import org.springframework.data.redis.connection.RedisConnectionFactory;

/**
 * One instance of an application, as far as broadcasts are concerned.
 */
final class BroadcastInstance extends ConsumerInstance {

	private final BroadcastPattern pattern;

	/**
	 * Starts an instance.
	 * @param properties below {@code ge.redis.broadcast.channels}, keys and values in
	 * turn
	 */
	BroadcastInstance(RedisFixture redis, String... properties) {
		this(redis.connectionFactory(), properties);
	}

	BroadcastInstance(RedisConnectionFactory factory, String... properties) {
		super(factory);
		BroadcastProperties bound = properties(properties);
		this.pattern = new BroadcastPattern(() -> bound, backend()::get, frame(null));
		consumers().start();
	}

	static BroadcastProperties properties(String... properties) {
		return bind("ge.redis.broadcast.channels", BroadcastProperties.class, properties);
	}

	/**
	 * Has the annotated methods of a bean called.
	 */
	BroadcastInstance listen(Object bean) {
		listen(bean, RedisBroadcastListener.class,
				(method, annotation) -> this.pattern.listen(bean, method, annotation));
		return this;
	}

	Broadcaster broadcaster() {
		return this.pattern.broadcaster();
	}

	BroadcastPattern pattern() {
		return this.pattern;
	}

	int scripts(String name) {
		return runs("broadcast/" + name);
	}

	long events(BroadcastEvent.Outcome outcome) {
		return events(BroadcastEvent.class).filter((event) -> event.outcome() == outcome)
			.mapToLong((event) -> event.amount())
			.sum();
	}

}
