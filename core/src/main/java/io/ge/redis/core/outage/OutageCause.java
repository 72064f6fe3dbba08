/*
 * Copyright 2026 the GE Redis authors
 * SPDX-License-Identifier: Apache-2.0
 */

package io.ge.redis.core.outage;

import java.nio.channels.ClosedChannelException;
import java.util.Locale;
import java.util.concurrent.CancellationException;
import java.util.concurrent.TimeoutException;

import io.ge.redis.core.connection.NotConnectedException;
import org.jspecify.annotations.Nullable;

/**
 * Why Redis did not decide. The tag of {@code ge.redis.errors}.
 */
public enum OutageCause {

	/** There is no connection; the command was not sent. */
	REFUSED(true),

	/** No answer within the budget; whether the command ran is unknown. */
	TIMEOUT(true),

	/** The connection was lost while waiting; whether the command ran is unknown. */
	DISCONNECTED(true),

	/** The server is loading its data set. */
	LOADING(true),

	/** The cluster has no owner for the slot. */
	CLUSTERDOWN(true),

	/** A script or module blocks the server. */
	BUSY(true),

	/** The server is a replica, such as a demoted primary. */
	READONLY(true),

	/** The server wants other credentials. */
	NOAUTH(true),

	/** The server's memory limit is reached and it may not evict. */
	OOM(false),

	/** The user lacks a permission. */
	NOPERM(false),

	/** The server stopped accepting writes, since it cannot persist or replicate them. */
	MISCONF(false),

	/** Fewer replicas than wanted have acknowledged a write, or it is not known. */
	REPLICAS(false),

	/**
	 * Any other error reply, such as a key of a foreign type, and replies that cannot be
	 * read.
	 */
	ERROR(false);

	private final boolean opensBreaker;

	OutageCause(boolean opensBreaker) {
		this.opensBreaker = opensBreaker;
	}

	/**
	 * Returns whether repeated failures of this kind open the breaker. Errors that a
	 * server answers promptly and for some commands only do not: a release still succeeds
	 * on a server without memory.
	 * @return whether the breaker counts it
	 */
	boolean opensBreaker() {
		return this.opensBreaker;
	}

	/**
	 * Returns whether the command may have run although it failed.
	 * @return whether the outcome is unknown
	 */
	boolean leavesOutcomeUnknown() {
		return this == TIMEOUT || this == DISCONNECTED;
	}

	/**
	 * Returns the cause as a tag value.
	 * @return the name in lower case
	 */
	public String tag() {
		return name().toLowerCase(Locale.ROOT);
	}

	static OutageCause of(Throwable failure) {
		for (Throwable cause = failure; cause != null; cause = cause.getCause()) {
			OutageCause found = ofOne(cause);
			if (found != null) {
				return (found == REFUSED) ? whyRefused(cause) : found;
			}
		}
		return ERROR;
	}

	/**
	 * A server that is reached and lets nobody in says why.
	 */
	private static OutageCause whyRefused(Throwable refusal) {
		for (Throwable cause = refusal.getCause(); cause != null; cause = cause.getCause()) {
			OutageCause replied = ofReply(cause.getMessage());
			if (replied != null && replied.opensBreaker()) {
				return replied;
			}
		}
		return REFUSED;
	}

	private static @Nullable OutageCause ofOne(Throwable failure) {
		if (failure instanceof NotConnectedException) {
			return REFUSED;
		}
		if (failure instanceof TimeoutException) {
			return TIMEOUT;
		}
		// Netty has subclasses of its own
		if (failure instanceof CancellationException || failure instanceof ClosedChannelException) {
			return DISCONNECTED;
		}
		OutageCause replied = ofReply(failure.getMessage());
		return (replied != null) ? replied : ofDriver(failure);
	}

	private static @Nullable OutageCause ofReply(@Nullable String message) {
		if (message == null) {
			return null;
		}
		// Servers before 7.0 wrap the error of a command inside a script, or say where a
		// returned one came from
		boolean wrapped = message.startsWith("ERR Error running script") || message.startsWith("@user_script:");
		int inner = wrapped ? message.indexOf(": -") : -1;
		String reply = (inner >= 0) ? message.substring(inner + 3) : message;
		if (reply.contains("The user executing the script can't")) {
			return NOPERM;
		}
		String code = reply.split("\\s", 2)[0];
		return switch (code) {
			case "OOM" -> OOM;
			case "READONLY" -> READONLY;
			case "LOADING", "MASTERDOWN" -> LOADING;
			case "CLUSTERDOWN", "TRYAGAIN" -> CLUSTERDOWN;
			case "BUSY" -> BUSY;
			case "NOPERM" -> NOPERM;
			case "NOAUTH", "WRONGPASS" -> NOAUTH;
			case "MISCONF", "NOREPLICAS" -> MISCONF;
			default -> null;
		};
	}

	// By name: neither driver need be on the classpath
	private static @Nullable OutageCause ofDriver(Throwable failure) {
		String message = String.valueOf(failure.getMessage());
		if (message.contains("Commands are rejected") || message.contains("Cannot determine a partition")) {
			return REFUSED;
		}
		// Netty throws subclasses without stack traces
		String name = failure.getClass().getSimpleName().replaceFirst("^Stackless", "");
		return switch (name) {
			case "RedisCommandTimeoutException", "SocketTimeoutException" -> TIMEOUT;
			case "RedisConnectionException", "ConnectException", "RedisConnectionFailureException", "PoolException" ->
				REFUSED;
			case "NativeIoException", "SocketException", "EOFException", "JedisConnectionException" -> DISCONNECTED;
			case "RedisException" -> message.contains("closed") || message.contains("onnection") ? DISCONNECTED : null;
			default -> null;
		};
	}

}
