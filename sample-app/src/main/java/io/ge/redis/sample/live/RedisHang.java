// SPDX-License-Identifier: Apache-2.0

package io.ge.redis.sample.live;

import java.time.Duration;
import java.util.concurrent.atomic.AtomicLong;

import io.ge.redis.embedded.EmbeddedRedisServer;
import io.lettuce.core.RedisClient;
import io.lettuce.core.RedisURI;
import io.lettuce.core.api.StatefulRedisConnection;
import org.jspecify.annotations.Nullable;

import org.springframework.beans.factory.ObjectProvider;
import org.springframework.http.HttpStatus;
import org.springframework.stereotype.Component;
import org.springframework.web.server.ResponseStatusException;

/**
 * Makes the embedded Redis hang: it accepts commands and does not answer. A Redis that
 * the application does not own is left alone.
 */
@Component
class RedisHang {

	private static final Duration LENGTH = Duration.ofSeconds(5);

	private static final Duration TIMEOUT = Duration.ofSeconds(2);

	private final @Nullable EmbeddedRedisServer server;

	/** By the clock of {@link System#nanoTime()}. */
	private final AtomicLong end = new AtomicLong(System.nanoTime());

	RedisHang(ObjectProvider<EmbeddedRedisServer> server) {
		this.server = server.getIfAvailable();
	}

	boolean isOffered() {
		return this.server != null;
	}

	/**
	 * Returns the port of the embedded Redis, zero if another one is used.
	 */
	int port() {
		return (this.server != null) ? this.server.getPort() : 0;
	}

	/**
	 * Returns for how long Redis will hang, zero if it does not.
	 */
	Duration left() {
		return Duration.ofNanos(Math.max(0, this.end.get() - System.nanoTime()));
	}

	/**
	 * Makes Redis hang, unless it does already.
	 */
	void begin() {
		EmbeddedRedisServer embedded = this.server;
		if (embedded == null) {
			throw new ResponseStatusException(HttpStatus.NOT_FOUND, "There is no embedded Redis that could hang");
		}
		long last = this.end.get();
		long now = System.nanoTime();
		if (now - last >= 0 && this.end.compareAndSet(last, now + LENGTH.toNanos())) {
			pause(embedded);
		}
	}

	/**
	 * On a connection of its own: {@code CLIENT PAUSE} with the mode {@code ALL}, which
	 * is the default.
	 */
	private static void pause(EmbeddedRedisServer embedded) {
		RedisURI address = RedisURI.builder()
			.withHost(embedded.getHost())
			.withPort(embedded.getPort())
			.withTimeout(TIMEOUT)
			.build();
		try (RedisClient client = RedisClient.create(address);
				StatefulRedisConnection<String, String> connection = client.connect()) {
			connection.sync().clientPause(LENGTH.toMillis());
		}
	}

}
