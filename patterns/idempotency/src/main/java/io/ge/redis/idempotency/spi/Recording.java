// SPDX-License-Identifier: Apache-2.0

package io.ge.redis.idempotency.spi;

import io.ge.redis.idempotency.ResponseLostException;

/**
 * The record that a result leaves under the key of its call.
 */
public sealed interface Recording {

	/**
	 * The call has succeeded, or failed in a way that a repetition would not change: kept
	 * and given to repetitions.
	 */
	record Stored(byte[] bytes) implements Recording {
	}

	/**
	 * The call has succeeded, but its result cannot be kept: repetitions are refused with
	 * {@link ResponseLostException}.
	 */
	record Lost() implements Recording {
	}

	/**
	 * The call asks for another attempt: the key is freed unless a transaction was
	 * committed.
	 */
	record Retryable() implements Recording {
	}

	record Failed() implements Recording {
	}

}
