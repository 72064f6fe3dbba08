/*
 * Copyright 2026 the GE Redis authors
 * SPDX-License-Identifier: Apache-2.0
 */

package io.ge.redis.core.connection;

import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * Reads what a server tells about its replicas.
 */
final class ReplicationInfo {

	static final String SECTION = "replication";

	private static final Pattern CONNECTED = Pattern.compile("connected_slaves:(\\d+)");

	private ReplicationInfo() {
	}

	/**
	 * Returns how many replicas are connected.
	 * @param info the section of {@code INFO}
	 * @return the number, negative if it is not told
	 */
	static int connected(String info) {
		Matcher matcher = CONNECTED.matcher(info);
		return matcher.find() ? Integer.parseInt(matcher.group(1)) : -1;
	}

}
