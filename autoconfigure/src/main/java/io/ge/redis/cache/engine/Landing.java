/*
 * Copyright 2026 the GE Redis authors
 * SPDX-License-Identifier: Apache-2.0
 */

package io.ge.redis.cache.engine;

/**
 * The result of a {@link Flight} for those who joined it.
 *
 * @param kind what it is
 * @param value the bytes, for {@link Kind#VALUE} and {@link Kind#EXPIRED}
 * @param leftMillis the time to the expiry, for {@link Kind#VALUE}
 */
record Landing(Kind kind, byte[] value, long leftMillis) {

	private static final byte[] NONE = {};

	static final Landing BYPASSED = new Landing(Kind.BYPASS, NONE, 0);

	static final Landing AGAIN = new Landing(Kind.AGAIN, NONE, 0);

	static final Landing LATE = new Landing(Kind.LATE, NONE, 0);

	static Landing of(byte[] value, long leftMillis) {
		return new Landing(Kind.VALUE, value, leftMillis);
	}

	static Landing expired(byte[] value) {
		return new Landing(Kind.EXPIRED, value, 0);
	}

	enum Kind {

		VALUE, EXPIRED, BYPASS, LATE, AGAIN

	}

}
