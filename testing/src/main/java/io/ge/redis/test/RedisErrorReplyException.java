// SPDX-License-Identifier: Apache-2.0

package io.ge.redis.test;

/**
 * The server answered a {@linkplain RedisEndpoint#command command} with an error. The
 * message is the error as sent, such as
 * {@code READONLY You can't write against a read only replica.}
 */
public class RedisErrorReplyException extends RuntimeException {

	RedisErrorReplyException(String message) {
		super(message);
	}

}
