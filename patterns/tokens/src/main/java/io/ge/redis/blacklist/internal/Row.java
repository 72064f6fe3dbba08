// SPDX-License-Identifier: Apache-2.0

package io.ge.redis.blacklist.internal;

import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.HexFormat;

import org.jspecify.annotations.Nullable;

/**
 * A row as Redis returns it.
 *
 * @param standsUntil its end in milliseconds of the server's clock, 0 if it was removed
 * @param notBefore its not-before in microseconds of the server's clock, 0 if it has
 * none, or {@link #LOST}
 */
record Row(RowKind kind, long fast, long strong, long standsUntil, long notBefore, @Nullable String reason) {

	/** A not-before that Redis has lost. */
	static final long LOST = Long.MAX_VALUE;

	static Row of(byte[] member, long standsUntil, long notBefore, @Nullable String reason) {
		ByteBuffer buffer = ByteBuffer.wrap(member);
		return new Row(RowKind.of(buffer.get()), buffer.getLong(), buffer.getLong(), standsUntil, notBefore, reason);
	}

	static Row of(byte[] change) {
		int start = RowName.MEMBER_BYTES;
		return of(change, new String(change, start, change.length - start, StandardCharsets.UTF_8));
	}

	static Row of(String message) {
		int start = 2 * RowName.MEMBER_BYTES;
		return of(HexFormat.of().parseHex(message, 0, start), message.substring(start));
	}

	private static Row of(byte[] member, String change) {
		String[] parts = change.substring(1).split(" ", 3);
		long standsUntil = (change.charAt(0) == '-') ? 0 : Long.parseLong(parts[0]);
		return of(member, standsUntil, Long.parseLong(parts[1]), (parts.length > 2) ? parts[2] : null);
	}

	boolean isRemoved() {
		return this.standsUntil == 0;
	}

	/**
	 * Returns whether it may be heard of before, after or without any other one, since
	 * nothing reverts it.
	 */
	boolean isForGood() {
		return this.kind != RowKind.BLOCK && !isRemoved();
	}

	Id id() {
		return new Id(this.fast, this.strong);
	}

	record Id(long fast, long strong) {

		@Override
		public int hashCode() {
			// Texts that meet in the fast half can be found, and would meet in the map
			return Long.hashCode(this.strong);
		}

	}

}
