// SPDX-License-Identifier: Apache-2.0

package io.ge.redis.core.consume;

/** What a broken listener throws; without a stack trace, since it is logged. */
class TellingFailedError extends Error {

	TellingFailedError() {
		super("telling failed", null, false, false);
	}

}
