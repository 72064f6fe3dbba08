// SPDX-License-Identifier: Apache-2.0

package io.ge.redis.idempotency.spi;

import org.jspecify.annotations.Nullable;

/**
 * Turns the results of one method into bytes and back.
 */
public interface ResultCodec {

	Recording record(@Nullable Object result);

	/**
	 * Returns why no result can be made again, as far as the declared type shows it, or
	 * {@code null}. Its response may be kept instead.
	 */
	default @Nullable String obstacle() {
		return null;
	}

	/**
	 * Makes the result again, from bytes possibly stored by another version of the
	 * application.
	 * @throws RuntimeException if the bytes cannot be read
	 */
	@Nullable Object replay(byte[] bytes);

}
