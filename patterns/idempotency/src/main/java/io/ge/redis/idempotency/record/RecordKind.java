/*
 * Copyright 2026 the GE Redis authors
 * SPDX-License-Identifier: Apache-2.0
 */

package io.ge.redis.idempotency.record;

public enum RecordKind {

	/** The result of the method. */
	VALUE("v"),

	/** The response of the exchange, as it was sent. */
	EXCHANGE("h"),

	/** The exception that is the outcome. */
	EXCEPTION("e");

	/** In the place of a kind, where nothing was kept. */
	public static final String LOST = "l";

	private final String code;

	RecordKind(String code) {
		this.code = code;
	}

	public String code() {
		return this.code;
	}

}
