// SPDX-License-Identifier: Apache-2.0

package io.ge.redis.archfixtures.core;

import java.sql.Connection;
import java.sql.SQLException;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;

class RemovesOverDatabase {

	private final List<Connection> connections = new CopyOnWriteArrayList<>();

	void planted() {
		this.connections.removeIf(RemovesOverDatabase::isClosed);
	}

	private static boolean isClosed(Connection connection) {
		try {
			return connection.isClosed();
		}
		catch (SQLException ex) {
			return true;
		}
	}

}
