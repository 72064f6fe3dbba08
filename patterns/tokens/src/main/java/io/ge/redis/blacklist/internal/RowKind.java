// SPDX-License-Identifier: Apache-2.0

package io.ge.redis.blacklist.internal;

import java.util.Locale;

import com.fasterxml.jackson.annotation.JsonValue;

/**
 * The kinds of rows, and how they are compared.
 */
enum RowKind {

	/** A revoked token. */
	TOKEN('t'),

	/** A session whose tokens are revoked, for good. */
	SESSION('s'),

	/** A subject whose tokens from before an instant are revoked. */
	SUBJECT('n'),

	/** A client whose tokens from before an instant are revoked. */
	CLIENT('c'),

	/** A blocked subject of a list. */
	BLOCK('b');

	private static final RowKind[] ALL = values();

	private final char letter;

	RowKind(char letter) {
		this.letter = letter;
	}

	char letter() {
		return this.letter;
	}

	boolean isNotBefore() {
		return this == SUBJECT || this == CLIENT;
	}

	/**
	 * Returns whether there may be many rows of this kind.
	 */
	boolean isOfTokens() {
		return this == TOKEN || this == SESSION;
	}

	@JsonValue
	public String text() {
		return name().toLowerCase(Locale.ROOT);
	}

	static RowKind of(byte letter) {
		for (RowKind kind : ALL) {
			if (kind.letter == letter) {
				return kind;
			}
		}
		throw new IllegalStateException("There is no kind of row '" + (char) letter + "'");
	}

}
