// SPDX-License-Identifier: Apache-2.0

package io.ge.redis.stream;

/**
 * The result of publishing a message.
 *
 * @param outcome the outcome
 * @param messageId the id in the stream; for a duplicate, the id of the first message;
 * otherwise empty
 * @param triggerId the trigger id; for a duplicate, the one of the first message
 */
public record Published(Outcome outcome, String messageId, String triggerId) {

	/**
	 * Returns whether the same message was published before, within the dedup window.
	 */
	public boolean isDuplicate() {
		return this.outcome == Outcome.DUPLICATE;
	}

	public enum Outcome {

		/** The message is in the stream. */
		PUBLISHED,

		/** A message with the same dedup key is or was in the stream. */
		DUPLICATE,

		/** A group still needs all that is in the stream; nothing was written. */
		FULL,

		/** The message is deeper in its chain than allowed; nothing was written. */
		TOO_DEEP

	}

}
