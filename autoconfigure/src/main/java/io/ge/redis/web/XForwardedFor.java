/*
 * Copyright 2026 the GE Redis authors
 * SPDX-License-Identifier: Apache-2.0
 */

package io.ge.redis.web;

/**
 * {@code X-Forwarded-For}: nothing but addresses.
 */
final class XForwardedFor implements ForwardedSyntax {

	@Override
	public String field() {
		return "X-Forwarded-For";
	}

	@Override
	public int commaBefore(String line, int end) {
		return line.lastIndexOf(',', end - 1);
	}

	@Override
	public String node(String element) {
		return element.trim();
	}

}
