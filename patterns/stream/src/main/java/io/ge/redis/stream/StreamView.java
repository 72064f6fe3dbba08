// SPDX-License-Identifier: Apache-2.0

package io.ge.redis.stream;

import java.time.Duration;
import java.util.List;

import org.jspecify.annotations.Nullable;

/**
 * A definition as it is in Redis, all its streams together, or one of the streams.
 *
 * @param name the name of the definition, of a single stream its key
 * @param streams how many streams it has
 * @param length how many entries they have
 * @param lengthLimit how many they may have
 * @param full how many streams are full of what a group still needs
 * @param deadLetters how many dead letters there are
 * @param lastDeadLetter the age of the last one, or {@code null} if there is none
 * @param groups the groups
 * @param members the streams, if the definition has more than one
 */
public record StreamView(String name, int streams, long length, long lengthLimit, long full, long deadLetters,
		@Nullable Duration lastDeadLetter, List<GroupView> groups, List<StreamView> members) {

	/**
	 * A group, over all streams.
	 *
	 * @param name its name
	 * @param consumers how many instances consume
	 * @param pending how many messages are delivered and not acknowledged
	 * @param lag how many are unread, as far as the server knows
	 * @param lagKnown whether the server knows it for all streams
	 * @param oldestUnread age of the oldest unread message, or {@code null}
	 * @param oldestPending age of the oldest message that is not acknowledged, or
	 * {@code null}
	 */
	public record GroupView(String name, long consumers, long pending, long lag, boolean lagKnown,
			@Nullable Duration oldestUnread, @Nullable Duration oldestPending) {
	}

}
