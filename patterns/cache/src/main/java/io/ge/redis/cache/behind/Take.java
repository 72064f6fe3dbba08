/*
 * Copyright 2026 the GE Redis authors
 * SPDX-License-Identifier: Apache-2.0
 */

package io.ge.redis.cache.behind;

import java.time.Duration;
import java.util.List;

import org.jspecify.annotations.Nullable;

/**
 * The changes of a partition for the instance that asks to write them.
 */
sealed interface Take {

	/**
	 * Nothing waits.
	 */
	record Idle() implements Take {
	}

	/**
	 * Another instance holds the partition.
	 */
	record Busy(Duration left, long waiting) implements Take {
	}

	/**
	 * The caller holds the partition.
	 *
	 * @param due when the next one is tried again, or {@code null} if none is to be
	 * @param more whether there may be more to write now than was given
	 * @param changes what to write now; may be none though there is more
	 */
	record Taken(long waiting, @Nullable Duration due, boolean more, List<WaitingChange> changes) implements Take {
	}

}
