// SPDX-License-Identifier: Apache-2.0

package io.ge.redis.idempotency;

import java.time.Duration;
import java.util.Locale;

import com.fasterxml.jackson.annotation.JsonValue;
import org.jspecify.annotations.Nullable;

/**
 * The record of a key in Redis, as operators see it.
 *
 * @param operation the name of the operation
 * @param hash identifies the key; the {@code id} of its row, if it has one
 * @param state its state; if that is {@link State#NONE}, nothing else is known
 * @param instance the id of the instance that has or had the claim, {@code null} if there
 * is none
 * @param fence the fence of the last claim
 * @param age the time since the claim
 * @param lease the remaining lease of a call in flight, or its remaining grace;
 * {@code null} if there is none
 * @param retention the time until Redis forgets the key
 * @param takenOver whether an earlier call with the key may have had its effect
 */
public record IdempotencyRecord(String operation, String hash, State state, @Nullable String instance,
		@Nullable Long fence, @Nullable Duration age, @Nullable Duration lease, @Nullable Duration retention,
		boolean takenOver) {

	/**
	 * The result of an attempt to free a key.
	 *
	 * @param cleared whether it was freed
	 * @param fence the fence of the call that has it, if that was not named; else
	 * {@code null}, and if nothing was freed there was nothing to free
	 */
	public record Clearing(boolean cleared, @Nullable Long fence) {
	}

	/**
	 * The state of a key.
	 */
	public enum State {

		/** Redis has no record of it. */
		NONE,

		/** A call with it runs, or has died and may be taken over soon. */
		IN_FLIGHT,

		/** It has its result, which repetitions get. */
		COMPLETED,

		/** It has had its effect, and no result was kept. */
		LOST,

		/** It is unknown whether it has had its effect. */
		UNKNOWN,

		/** It was freed, and the next call runs. */
		FREE;

		/**
		 * Returns the state as the endpoint writes it.
		 * @return the name in lower case
		 */
		@JsonValue
		public String text() {
			return name().toLowerCase(Locale.ROOT);
		}

	}

}
