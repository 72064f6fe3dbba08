// SPDX-License-Identifier: Apache-2.0

package io.ge.redis.idempotency.internal;

import java.io.ByteArrayOutputStream;

import io.ge.redis.idempotency.spi.Recording;
import io.ge.redis.idempotency.spi.ResultCodec;
import org.apache.commons.logging.Log;
import org.apache.commons.logging.LogFactory;
import org.jspecify.annotations.Nullable;

/**
 * Keeps the results of a method that publishes several values, as one JSON array.
 */
record StreamCodec(ResultCodec values, ResultCodec all, long maxBytes) implements ResultCodec {

	private static final Log logger = LogFactory.getLog(StreamCodec.class);

	@Override
	public Recording record(@Nullable Object result) {
		return (result instanceof Recorder recorder) ? recorder.recording() : new Recording.Lost();
	}

	@Override
	public @Nullable String obstacle() {
		return this.values.obstacle();
	}

	@Override
	public @Nullable Object replay(byte[] bytes) {
		return this.all.replay(bytes);
	}

	/**
	 * Records values while they are passed on, so that nothing done to them later changes
	 * what is kept. If there is more than may be kept, or a value cannot be, nothing is.
	 */
	public final class Recorder {

		private @Nullable ByteArrayOutputStream recorded = new ByteArrayOutputStream();

		public void add(Object value) {
			ByteArrayOutputStream before = this.recorded;
			if (before == null) {
				return;
			}
			// Each with the bracket or comma before it, and the last bracket
			if (!(recordOne(value) instanceof Recording.Stored stored)
					|| before.size() + stored.bytes().length + 2 > StreamCodec.this.maxBytes) {
				this.recorded = null;
				return;
			}
			before.write((before.size() > 0) ? ',' : '[');
			before.writeBytes(stored.bytes());
		}

		// The effect continues, also if its values cannot be kept
		private Recording recordOne(Object value) {
			try {
				return StreamCodec.this.values.record(value);
			}
			catch (RuntimeException | Error ex) {
				logger.warn("A value of a result cannot be kept: " + ex);
				return new Recording.Lost();
			}
		}

		private Recording recording() {
			ByteArrayOutputStream all = this.recorded;
			if (all == null) {
				return new Recording.Lost();
			}
			if (all.size() == 0) {
				all.write('[');
			}
			all.write(']');
			return new Recording.Stored(all.toByteArray());
		}

	}

}
