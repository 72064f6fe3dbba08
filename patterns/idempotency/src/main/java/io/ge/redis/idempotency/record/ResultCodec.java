/*
 * Copyright 2026 the GE Redis authors
 * SPDX-License-Identifier: Apache-2.0
 */

package io.ge.redis.idempotency.record;

import org.jspecify.annotations.Nullable;

/**
 * Turns the results of one method into bytes and back.
 */
public interface ResultCodec {

	/**
	 * Records a result.
	 * @param result what the method returned
	 * @return the recording
	 */
	Recording record(@Nullable Object result);

	/**
	 * Returns why no result can be made again, as far as the declared type shows it. A
	 * method whose responses are kept instead may still have such results.
	 * @return the reason, or {@code null} if none shows
	 */
	default @Nullable String obstacle() {
		return null;
	}

	/**
	 * Makes the result again.
	 * @param bytes what was {@linkplain Recording.Stored stored}, possibly by another
	 * version of the application
	 * @return the result
	 * @throws RuntimeException if the bytes cannot be read
	 */
	@Nullable Object replay(byte[] bytes);

}
