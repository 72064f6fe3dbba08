// SPDX-License-Identifier: Apache-2.0

package io.ge.redis;

import java.util.Locale;

/**
 * The reason why Redis did not decide. The tag of {@code ge.redis.errors}.
 */
public enum OutageCause {

	/** There is no connection; the command was not sent. */
	REFUSED(true,
			"Start Redis there, or correct the address. If no Redis is configured: set spring.data.redis.host "
					+ "or add org.signal:embedded-redis"),

	/** No connection was made in time; the command was not sent. */
	CONNECT_TIMEOUT(true, "Correct the address, open the firewall, or switch on TLS if the server wants it"),

	/** The name of the server cannot be resolved; the command was not sent. */
	UNKNOWN_HOST(true, "Correct spring.data.redis.host, or the name server"),

	/** No TLS connection can be made; the command was not sent. */
	TLS(true, "Correct spring.data.redis.ssl: whether the server speaks TLS, and which certificates are trusted"),

	/** The server wants other credentials. */
	CREDENTIALS(true, "Correct spring.data.redis.username and password"),

	/** No answer within the budget; whether the command ran is unknown. */
	TIMEOUT(true, "Find what blocks Redis with SLOWLOG; raise ge.redis.outage.command-timeout on a slow network"),

	/** The connection was lost while waiting; whether the command ran is unknown. */
	DISCONNECTED(true, "Look at the network and at timeout of the server"),

	/** The server is loading its data set. */
	LOADING(true, "Wait until Redis has loaded its data"),

	/** The cluster has no owner for the slot. */
	CLUSTERDOWN(true, "Wait for the failover, or repair the cluster"),

	/** A script or module blocks the server. */
	BUSY(true, "Find the script or module that blocks Redis and stop it"),

	/** Two keys of the call are on different servers, while their slot moves. */
	TRYAGAIN(false, "Wait until the slot has moved, or finish the resharding"),

	/** The server is a replica, such as a demoted primary. */
	READONLY(true, "Wait for the failover, or connect to the primary"),

	/** The server's memory limit is reached and it may not evict. */
	OOM(false, "Raise maxmemory, or move caches with ge.redis.cache.connection-factory"),

	/** The user lacks a permission. */
	NOPERM(false, "Give the user of Redis the rights of the guards"),

	/** The server stopped accepting writes, since it cannot persist or replicate them. */
	MISCONF(false, "Free disk space, or repair the replication"),

	/**
	 * Fewer replicas than required have acknowledged a write, or their number is unknown.
	 */
	REPLICAS(false, "Repair the replicas, or lower replicas of the lock"),

	/**
	 * Any other error reply, such as a key of a foreign type, and replies that cannot be
	 * read.
	 */
	ERROR(false, "Read the error that Redis replied"),

	/** The application closes or has closed; the command was not sent. */
	CLOSED(false, "Call guards while the application runs, such as in a SmartLifecycle, not in @PreDestroy");

	private final boolean opensBreaker;

	private final String hint;

	OutageCause(boolean opensBreaker, String hint) {
		this.opensBreaker = opensBreaker;
		this.hint = hint;
	}

	/**
	 * Returns whether repeated failures of this kind open the breaker. Errors that a
	 * server answers promptly and for some commands only do not: a release still succeeds
	 * on a server without memory.
	 * @return whether the breaker counts it
	 */
	public boolean opensBreaker() {
		return this.opensBreaker;
	}

	/**
	 * Returns whether the command may have run although it failed.
	 * @return whether the outcome is unknown
	 */
	public boolean leavesOutcomeUnknown() {
		return this == TIMEOUT || this == DISCONNECTED;
	}

	/**
	 * Returns the cause as a tag value.
	 * @return the name in lower case, with dashes
	 */
	public String tag() {
		return name().toLowerCase(Locale.ROOT).replace('_', '-');
	}

	/** Returns what to do about it, without a full stop. */
	public String hint() {
		return this.hint;
	}

}
