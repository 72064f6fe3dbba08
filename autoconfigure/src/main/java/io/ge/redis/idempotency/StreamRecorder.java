/*
 * Copyright 2026 the GE Redis authors
 * SPDX-License-Identifier: Apache-2.0
 */

package io.ge.redis.idempotency;

import java.io.ByteArrayOutputStream;

import org.apache.commons.logging.Log;
import org.apache.commons.logging.LogFactory;
import org.jspecify.annotations.Nullable;

/**
 * Records the values of one call while they are passed on, so that nothing done to them
 * later changes what is kept. Takes no more memory than what may be kept: if there is
 * more, or a value cannot be kept, nothing is.
 */
final class StreamRecorder {

	private static final Log logger = LogFactory.getLog(StreamRecorder.class);

	private final ResultCodec values;

	private final long maxBytes;

	private @Nullable ByteArrayOutputStream recorded;

	StreamRecorder(ResultCodec values, long maxBytes) {
		this.values = values;
		this.maxBytes = maxBytes;
		ByteArrayOutputStream empty = new ByteArrayOutputStream();
		empty.write('[');
		this.recorded = empty;
	}

	/**
	 * Records a value. They come one after the other, as publishers publish them.
	 */
	void add(Object value) {
		ByteArrayOutputStream before = this.recorded;
		if (before == null) {
			return;
		}
		Recording recording = record(value);
		// With its comma or bracket
		if (!(recording instanceof Recording.Stored stored)
				|| before.size() + stored.bytes().length + 1 > this.maxBytes) {
			this.recorded = null;
			return;
		}
		if (before.size() > 1) {
			before.write(',');
		}
		before.writeBytes(stored.bytes());
	}

	// The effect goes on, whatever its values are like
	private Recording record(Object value) {
		try {
			return this.values.record(value);
		}
		catch (RuntimeException | Error ex) {
			logger.warn("A value of a result cannot be kept: " + ex);
			return new Recording.Lost();
		}
	}

	Recording recording() {
		ByteArrayOutputStream all = this.recorded;
		if (all == null) {
			return new Recording.Lost();
		}
		all.write(']');
		return new Recording.Stored(all.toByteArray());
	}

}
