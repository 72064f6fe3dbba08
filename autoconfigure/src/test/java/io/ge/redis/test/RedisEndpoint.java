/*
 * Copyright 2026 the GE Redis authors
 * SPDX-License-Identifier: Apache-2.0
 */

package io.ge.redis.test;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.util.ArrayList;
import java.util.List;

import org.jspecify.annotations.Nullable;

/**
 * A Redis server that answers at an address, wherever it runs.
 */
public class RedisEndpoint {

	private final String host;

	private final int port;

	/**
	 * Addresses a server that was started elsewhere.
	 * @param host its host
	 * @param port its port
	 */
	public RedisEndpoint(String host, int port) {
		this.host = host;
		this.port = port;
	}

	public final String host() {
		return this.host;
	}

	public final int port() {
		return this.port;
	}

	/**
	 * The address as the {@code spring.data.redis.*} properties want it.
	 * @return {@code host:port}
	 */
	public final String address() {
		return this.host + ":" + this.port;
	}

	/**
	 * Sends one command on a connection of its own and waits for the reply, at most 5
	 * seconds.
	 * @param parts the command and its arguments
	 * @return a {@code String}, a {@code Long}, {@code null} or a {@code List} of these
	 * @throws RedisErrorReplyException if the server answers with an error
	 * @throws UncheckedIOException if the server cannot be reached or does not answer
	 */
	public @Nullable Object command(String... parts) {
		try (RespClient client = new RespClient(this.host, this.port)) {
			return client.command(parts);
		}
		catch (IOException ex) {
			throw new UncheckedIOException(parts[0] + " to " + this, ex);
		}
	}

	/**
	 * A field of {@code INFO}.
	 * @param section the section to ask for, such as {@code replication}
	 * @param field the name before the colon
	 * @return the text after the colon, or {@code null} if there is no such field
	 */
	public final @Nullable String info(String section, String field) {
		String prefix = field + ":";
		for (String line : String.valueOf(command("INFO", section)).split("\r\n")) {
			if (line.startsWith(prefix)) {
				return line.substring(prefix.length());
			}
		}
		return null;
	}

	/**
	 * Whether this server takes writes, that is, replicates nobody.
	 * @return {@code true} for a primary
	 */
	public final boolean isPrimary() {
		return "master".equals(info("replication", "role"));
	}

	/**
	 * How often a command ran since start or {@code CONFIG RESETSTAT}, calls made inside
	 * scripts included.
	 * @param command the name in lower case, a subcommand after a bar:
	 * {@code script|load}
	 * @return the number of calls
	 */
	final long commandCalls(String command) {
		String statistics = info("commandstats", "cmdstat_" + command);
		if (statistics == null) {
			return 0;
		}
		return Long.parseLong(statistics.substring("calls=".length(), statistics.indexOf(',')));
	}

	final List<String> keysWithoutTtl() {
		List<String> permanent = new ArrayList<>();
		try (RespClient client = new RespClient(this.host, this.port)) {
			String cursor = "0";
			do {
				List<?> page = (List<?>) client.command("SCAN", cursor, "COUNT", "1000");
				cursor = (String) page.get(0);
				for (Object key : (List<?>) page.get(1)) {
					if (Long.valueOf(-1).equals(client.command("PTTL", (String) key))) {
						permanent.add((String) key);
					}
				}
			}
			while (!"0".equals(cursor));
			return permanent;
		}
		catch (IOException ex) {
			throw new UncheckedIOException("SCAN of " + this, ex);
		}
	}

	@Override
	public String toString() {
		return address();
	}

}
