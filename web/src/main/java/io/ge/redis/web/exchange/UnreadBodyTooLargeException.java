// SPDX-License-Identifier: Apache-2.0

package io.ge.redis.web.exchange;

import io.ge.redis.Refusal;
import io.ge.redis.idempotency.IdempotencyException;

/**
 * There is more of the body of a request that its handler has not read than may be kept
 * to be compared.
 */
final class UnreadBodyTooLargeException extends IdempotencyException {

	public UnreadBodyTooLargeException(long most) {
		super("More than " + most + " bytes of the request were not read before its idempotency key was claimed");
	}

	@Override
	public Refusal refusal() {
		return Refusal.of(413, "request-too-large", "The request is too large to be compared with a repetition",
				String.valueOf(getMessage()));
	}

}
