// SPDX-License-Identifier: Apache-2.0

package io.ge.redis.core.connection;

/**
 * The part of a clustered deployment that one server serves, at the time of reading: the
 * server may hang, and its slots may move to another one.
 */
public interface Shard {

	/**
	 * Returns the name of the server.
	 * @return host and port, the same for every reading of one server
	 */
	String server();

	/**
	 * Returns whether a key belonged to this part.
	 */
	boolean holds(byte[] key);

}
