// SPDX-License-Identifier: Apache-2.0

package io.ge.redis.ratelimit;

import java.util.Locale;

import io.ge.redis.core.event.GuardEvent;
import org.jspecify.annotations.Nullable;

/**
 * An operator has changed a limit, or what a key may do, while the application runs.
 * Published on the instance that was asked, on the thread of the request.
 *
 * @param name the limit's name
 * @param action the action
 * @param keyHash the hash of the key it was done to, as the endpoint shows it, or
 * {@code null} if it concerns all keys
 * @param detail what exactly, such as {@code limit=200, window=PT1M}; may be empty
 */
public record RateLimitChangeEvent(String name, Action action, @Nullable String keyHash,
		String detail) implements GuardEvent {

	@Override
	public String pattern() {
		return "ratelimit";
	}

	@Override
	public String result() {
		return this.action.name().toLowerCase(Locale.ROOT);
	}

	/**
	 * The kinds of changes.
	 */
	public enum Action {

		/** The limit, its window or its burst was changed. */
		CHANGED,

		/** A change was reverted. */
		RESTORED,

		/** A key was blocked. */
		BLOCKED,

		/** A block was lifted before its time. */
		UNBLOCKED,

		/** The use of a key was reset. */
		RESET,

		/** Permits of a key were refunded. */
		REFUNDED

	}

}
