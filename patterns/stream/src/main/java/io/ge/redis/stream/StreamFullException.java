// SPDX-License-Identifier: Apache-2.0

package io.ge.redis.stream;

import java.time.Duration;

import io.ge.redis.GeRedisException;
import io.ge.redis.Refusal;

/**
 * A message was not published, because a group still needs all that is in the stream.
 * Over HTTP a 503 with {@code Retry-After}.
 */
public class StreamFullException extends GeRedisException {

	private final Duration retryAfter;

	public StreamFullException(String stream, Duration retryAfter) {
		super("Stream '" + stream + "' is full of messages that a group has not acknowledged. Look at why its listeners"
				+ " are slow, or raise ge.redis.stream.definitions." + stream + ".max-length", false);
		this.retryAfter = retryAfter;
	}

	public Duration retryAfter() {
		return this.retryAfter;
	}

	@Override
	public Refusal refusal() {
		return Refusal.temporary("Too much work waits. Nothing was published. Please try again.")
			.withRetryAfter(this.retryAfter);
	}

}
