// SPDX-License-Identifier: Apache-2.0

package io.ge.redis.core.outage;

import java.net.UnknownHostException;
import java.nio.channels.ClosedChannelException;
import java.util.concurrent.CancellationException;
import java.util.concurrent.TimeoutException;

import javax.net.ssl.SSLException;

import io.ge.redis.OutageCause;
import io.ge.redis.core.connection.NotConnectedException;
import org.jspecify.annotations.Nullable;

/**
 * Finds the cause of an outage in the report of the driver or the server.
 */
final class OutageCauses {

	private OutageCauses() {
	}

	static OutageCause of(Throwable failure) {
		for (Throwable cause = failure; cause != null; cause = cause.getCause()) {
			OutageCause found = ofOne(cause);
			if (found != null) {
				return (found == OutageCause.REFUSED) ? ofConnecting(cause) : found;
			}
		}
		return OutageCause.ERROR;
	}

	/**
	 * Without a connection nothing was sent, whatever prevented it.
	 */
	static OutageCause ofConnecting(Throwable failure) {
		for (Throwable cause = failure; cause != null; cause = cause.getCause()) {
			if (cause instanceof UnknownHostException) {
				return OutageCause.UNKNOWN_HOST;
			}
			if (cause instanceof SSLException) {
				return OutageCause.TLS;
			}
			OutageCause found = ofOne(cause);
			if (found == OutageCause.TIMEOUT) {
				return OutageCause.CONNECT_TIMEOUT;
			}
			if (found != null && found.opensBreaker() && found != OutageCause.REFUSED
					&& found != OutageCause.DISCONNECTED) {
				return found;
			}
		}
		return OutageCause.REFUSED;
	}

	private static @Nullable OutageCause ofOne(Throwable failure) {
		if (failure instanceof NotConnectedException) {
			return OutageCause.REFUSED;
		}
		if (failure instanceof TimeoutException) {
			return OutageCause.TIMEOUT;
		}
		// Netty has subclasses of its own
		if (failure instanceof CancellationException || failure instanceof ClosedChannelException) {
			return OutageCause.DISCONNECTED;
		}
		OutageCause replied = ofReply(failure.getMessage());
		return (replied != null) ? replied : ofDriver(failure);
	}

	private static @Nullable OutageCause ofReply(@Nullable String message) {
		if (message == null) {
			return null;
		}
		// Servers before 7.0 wrap the error of a command inside a script, or name the
		// origin of a returned one
		boolean wrapped = message.startsWith("ERR Error running script") || message.startsWith("@user_script:");
		int inner = wrapped ? message.indexOf(": -") : -1;
		String reply = (inner >= 0) ? message.substring(inner + 3) : message;
		if (reply.contains("The user executing the script can't")) {
			return OutageCause.NOPERM;
		}
		String code = reply.split("\\s", 2)[0];
		return switch (code) {
			case "OOM" -> OutageCause.OOM;
			case "READONLY" -> OutageCause.READONLY;
			case "LOADING", "MASTERDOWN" -> OutageCause.LOADING;
			case "CLUSTERDOWN" -> OutageCause.CLUSTERDOWN;
			case "TRYAGAIN" -> OutageCause.TRYAGAIN;
			case "BUSY" -> OutageCause.BUSY;
			case "NOPERM" -> OutageCause.NOPERM;
			case "NOAUTH", "WRONGPASS" -> OutageCause.CREDENTIALS;
			case "MISCONF", "NOREPLICAS" -> OutageCause.MISCONF;
			default -> null;
		};
	}

	// By name: most of them are internal to the driver
	private static @Nullable OutageCause ofDriver(Throwable failure) {
		String message = String.valueOf(failure.getMessage());
		if (message.contains("Commands are rejected") || message.contains("Cannot determine a partition")) {
			return OutageCause.REFUSED;
		}
		// Netty throws subclasses without stack traces
		String name = failure.getClass().getSimpleName().replaceFirst("^Stackless", "");
		return switch (name) {
			case "RedisCommandTimeoutException", "SocketTimeoutException", "ConnectTimeoutException" ->
				OutageCause.TIMEOUT;
			case "RedisConnectionException", "ConnectException", "RedisConnectionFailureException", "PoolException" ->
				OutageCause.REFUSED;
			case "NativeIoException", "SocketException", "EOFException" -> OutageCause.DISCONNECTED;
			case "RedisException" ->
				message.contains("closed") || message.contains("onnection") ? OutageCause.DISCONNECTED : null;
			default -> null;
		};
	}

}
