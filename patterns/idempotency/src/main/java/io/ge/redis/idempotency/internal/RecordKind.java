// SPDX-License-Identifier: Apache-2.0

package io.ge.redis.idempotency.internal;

import java.util.List;

import org.jspecify.annotations.Nullable;

enum RecordKind {

	/** The result of the method. */
	VALUE("v"),

	/** The response of the exchange, as it was sent. */
	EXCHANGE("h"),

	/** The exception that is the outcome. */
	EXCEPTION("e");

	/** In the place of a kind, where nothing was kept. */
	public static final String LOST = "l";

	private static final List<RecordKind> ALL = List.of(values());

	private final String code;

	RecordKind(String code) {
		this.code = code;
	}

	public String code() {
		return this.code;
	}

	/**
	 * Returns the kind of a code, or {@code null} where nothing was kept.
	 */
	public static @Nullable RecordKind of(String code) {
		for (RecordKind kind : ALL) {
			if (kind.code.equals(code)) {
				return kind;
			}
		}
		return null;
	}

}
