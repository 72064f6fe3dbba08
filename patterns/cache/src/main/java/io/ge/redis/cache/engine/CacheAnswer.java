// SPDX-License-Identifier: Apache-2.0

package io.ge.redis.cache.engine;

import java.time.Duration;

import org.jspecify.annotations.Nullable;

/**
 * The answer of Redis to a reader.
 */
public sealed interface CacheAnswer {

	/**
	 * The value is there.
	 *
	 * @param leftMillis the time to its expiry in milliseconds, or -1 if it has none
	 * @param refreshing whether the reader is to replace it before that
	 */
	record Hit(byte[] value, long leftMillis, boolean refreshing) implements CacheAnswer {
	}

	/**
	 * The reader may load and fill.
	 *
	 * @param replaced whether there was a value that it cannot read
	 * @param expired a value that has expired, if there is one
	 * @param shared the token of an open lease that was there already, if there was one
	 * @param seen what an open lease shows of the writers before it, else {@code null}
	 */
	record Leased(boolean replaced, byte @Nullable [] expired, @Nullable String shared,
			@Nullable String seen) implements CacheAnswer {
	}

	/**
	 * Another reader loads.
	 *
	 * @param expired a value that has expired, if there is one
	 */
	record Busy(Duration left, byte @Nullable [] expired) implements CacheAnswer {
	}

	/**
	 * The value has expired, and another reader has just failed to load another one.
	 */
	record Stale(byte[] value) implements CacheAnswer {
	}

	/**
	 * A writer is at work, or nothing can be stored.
	 *
	 * @param expired a value that has expired, if there is one
	 */
	record Bypass(byte @Nullable [] expired) implements CacheAnswer {
	}

}
