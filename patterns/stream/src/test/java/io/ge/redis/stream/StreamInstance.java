// SPDX-License-Identifier: Apache-2.0

package io.ge.redis.stream;

import java.time.Duration;

import io.ge.redis.stream.StreamEvent.Kind;
import io.ge.redis.test.ConsumerInstance;
import io.ge.redis.test.RedisFixture;

import org.springframework.data.redis.connection.RedisConnectionFactory;

/**
 * One instance of an application, as far as streams are concerned.
 */
final class StreamInstance extends ConsumerInstance {

	private final StreamPattern pattern;

	/**
	 * Starts an instance.
	 * @param properties below {@code ge.redis.stream.definitions}, keys and values in
	 * turn
	 */
	StreamInstance(RedisFixture redis, String... properties) {
		super(redis.connectionFactory());
		this.pattern = start(properties);
	}

	/**
	 * Starts an instance whose commands may not take long.
	 */
	StreamInstance(RedisConnectionFactory factory, Duration commandTimeout, String... properties) {
		super(factory, commandTimeout);
		this.pattern = start(properties);
	}

	private StreamPattern start(String... properties) {
		StreamProperties streams = properties(properties);
		StreamPattern started = new StreamPattern(() -> streams, backend()::get, frame(name()));
		started.verify();
		consumers().start();
		return started;
	}

	static StreamProperties properties(String... definitions) {
		return bind("ge.redis.stream.definitions", StreamProperties.class, definitions);
	}

	/**
	 * Has the annotated methods of a bean called.
	 */
	StreamInstance listen(Object bean) {
		listen(bean, RedisStreamListener.class, (method, listener) -> this.pattern.listen(bean, method, listener));
		return this;
	}

	/**
	 * Does what an application does once it has connected.
	 */
	void resume() {
		this.pattern.resume();
	}

	StreamPublisher publisher() {
		return this.pattern.publisher();
	}

	DeadLetters deadLetters() {
		return this.pattern.deadLetters();
	}

	StreamPattern pattern() {
		return this.pattern;
	}

	int scripts(String name) {
		return runs("stream/" + name);
	}

	long events(Kind kind) {
		return events(StreamEvent.class).filter((event) -> event.kind() == kind).mapToLong(StreamEvent::amount).sum();
	}

}
