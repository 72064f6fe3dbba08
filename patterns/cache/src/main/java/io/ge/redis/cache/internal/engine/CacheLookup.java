// SPDX-License-Identifier: Apache-2.0

package io.ge.redis.cache.internal.engine;

import java.time.Duration;

import org.jspecify.annotations.Nullable;

/**
 * The answer of the engine to a reader.
 */
public sealed interface CacheLookup {

	/**
	 * Returns the permit that it brings, which must be used or released, if there is one.
	 */
	default @Nullable Permit permit() {
		return null;
	}

	/**
	 * The value is there.
	 *
	 * @param value its bytes
	 * @param leftMillis the time to its expiry in milliseconds, or -1 if it has none
	 * @param permit permit to replace it before that, which must be used or released;
	 * {@code null} if another caller does, or it is too early
	 * @param asked whether the caller has asked Redis itself, not joined another one that
	 * had asked before
	 */
	record Found(byte[] value, long leftMillis, @Nullable Permit permit, boolean asked) implements CacheLookup {
	}

	/**
	 * There is a value that has expired, and another caller has just failed to load
	 * another one, or is at it for too long.
	 *
	 * @param value its bytes
	 */
	record Expired(byte[] value) implements CacheLookup {
	}

	/**
	 * The value is to be loaded.
	 *
	 * @param permit permit to store it, which must be used or released; {@code null} if
	 * it is not to be stored
	 * @param bypassed whether the cache was bypassed rather than found empty
	 * @param replacing whether there was a value that cannot be read
	 * @param standIn the bytes of a value for the case that it cannot be loaded: one that
	 * is kept beyond its expiry, or that is replaced before
	 * @param early whether the value is replaced before it expires
	 */
	record Load(@Nullable Permit permit, boolean bypassed, boolean replacing, byte @Nullable [] standIn,
			boolean early) implements CacheLookup {

		public static final Load BYPASS = new Load(null, true, false, null, false);

		public static final Load UNSTORED = new Load(null, false, false, null, false);

		/**
		 * Returns the same for a reader that has found an entry of no use.
		 */
		public Load replacing(boolean unreadable) {
			return new Load(this.permit, this.bypassed, unreadable, null, false);
		}

	}

	/**
	 * Another caller loads the value, for longer than this one may wait.
	 */
	record Late() implements CacheLookup {
	}

	/**
	 * Another caller loads the value: the answer of Redis before the wait.
	 *
	 * @param left the time to the end of its lease
	 * @param expired a value that has expired, if there is one
	 */
	record Busy(Duration left, byte @Nullable [] expired) implements CacheLookup {
	}

	/**
	 * Permit to store one entry.
	 */
	interface Permit {

		/**
		 * Returns the time for which it is valid.
		 */
		Duration lease();

	}

}
