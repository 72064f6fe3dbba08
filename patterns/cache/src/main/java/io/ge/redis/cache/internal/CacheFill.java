// SPDX-License-Identifier: Apache-2.0

package io.ge.redis.cache.internal;

/**
 * The outcome for a value that a reader brings, as {@code fill.lua} decides.
 */
enum CacheFill {

	/** It is stored. */
	FILLED,

	/** Another reader was first, and no writer came since this one has asked. */
	STANDS,

	/** It was too late, and may be newer than the entry, which is removed. */
	REMOVED,

	/** It is not stored. */
	LOST

}
