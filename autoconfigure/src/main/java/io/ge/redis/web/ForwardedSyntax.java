/*
 * Copyright 2026 the GE Redis authors
 * SPDX-License-Identifier: Apache-2.0
 */

package io.ge.redis.web;

import org.jspecify.annotations.Nullable;

/**
 * How a request field lists whom each proxy was called by. It is read from its end, since
 * its beginning is whatever the client wrote and need follow no syntax.
 */
interface ForwardedSyntax {

	/**
	 * Returns the name of the field.
	 */
	String field();

	/**
	 * Finds the comma before the last element of a part of a line.
	 * @param line the line
	 * @param end the end of that part
	 * @return its index, or -1 if the element begins with the line
	 */
	int commaBefore(String line, int end);

	/**
	 * Returns whom a proxy says it was called by.
	 * @param element an element of the list
	 * @return an address, perhaps with a port, or anything else; {@code null} if the
	 * element says nothing
	 */
	@Nullable String node(String element);

}
