/*
 * Copyright 2026 the GE Redis authors
 * SPDX-License-Identifier: Apache-2.0
 */

package io.ge.redis.idempotency;

import org.jspecify.annotations.Nullable;

/**
 * Keeps the results of a method that publishes several values, as one JSON array.
 *
 * @param values keeps each of them
 * @param all reads them all
 * @param maxBytes size above which they are not kept
 */
record StreamCodec(ResultCodec values, ResultCodec all, long maxBytes) implements ResultCodec {

	/**
	 * Returns what records the values of one call.
	 */
	StreamRecorder newRecorder() {
		return new StreamRecorder(this.values, this.maxBytes);
	}

	@Override
	public Recording record(@Nullable Object result) {
		return (result instanceof StreamRecorder recorder) ? recorder.recording() : new Recording.Lost();
	}

	@Override
	public @Nullable String obstacle() {
		return this.values.obstacle();
	}

	@Override
	public @Nullable Object replay(byte[] bytes) {
		return this.all.replay(bytes);
	}

}
