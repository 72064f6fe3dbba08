// SPDX-License-Identifier: Apache-2.0

package io.ge.redis.test;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;

import org.jspecify.annotations.Nullable;

/**
 * A Redis server that answers at an address, wherever it runs.
 */
public class RedisEndpoint {

	private static final int BALLAST_BYTES = 100_000;

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
	 * Ends the connections of a kind, as {@code CLIENT KILL} does.
	 * @param type {@code normal}, {@code pubsub} or {@code replica}
	 * @return how many there were
	 */
	public final long killClients(String type) {
		return (Long) command("CLIENT", "KILL", "TYPE", type, "SKIPME", "yes");
	}

	/**
	 * Ends the connections that clients have given a name.
	 * @param name the whole name
	 * @return how many there were
	 */
	public final long killClientsNamed(String name) {
		long killed = 0;
		for (String client : String.valueOf(command("CLIENT", "LIST")).split("\n")) {
			List<String> fields = List.of(client.split(" "));
			if (fields.contains("name=" + name)) {
				killed += (Long) command("CLIENT", "KILL", "ID", fields.get(0).substring("id=".length()));
			}
		}
		return killed;
	}

	/**
	 * Answers nobody for a while: connections stay open and are accepted, and what
	 * arrives runs afterwards. Nothing ends this earlier.
	 * @param duration how long
	 */
	public final void pauseClients(Duration duration) {
		command("CLIENT", "PAUSE", String.valueOf(duration.toMillis()), "ALL");
	}

	/**
	 * Answers neither writes nor scripts, which run afterwards; everything else is
	 * answered.
	 * @param duration how long, if {@link #resumeWrites()} does not come first
	 */
	public final void pauseWrites(Duration duration) {
		command("CLIENT", "PAUSE", String.valueOf(duration.toMillis()), "WRITE");
	}

	/**
	 * Ends {@link #pauseWrites}.
	 */
	public final void resumeWrites() {
		command("CLIENT", "UNPAUSE");
	}

	/**
	 * Lets the limit of the memory be reached, under {@code noeviction}: the server
	 * refuses what may need memory.
	 */
	public final void exhaustMemory() {
		command("CONFIG", "SET", "maxmemory-policy", "noeviction");
		command("CONFIG", "SET", "maxmemory", "1");
	}

	/**
	 * Reaches the limit of the memory under {@code allkeys-lru}, until keys have been
	 * evicted. The policy stays, with some room below the limit.
	 * @param keys what has to go, others may go too
	 */
	public final void evict(String... keys) {
		String value = "x".repeat(BALLAST_BYTES);
		command("CONFIG", "SET", "maxmemory-policy", "allkeys-lru");
		command("CONFIG", "SET", "maxmemory",
				String.valueOf(Long.parseLong(String.valueOf(info("memory", "used_memory"))) + 10 * BALLAST_BYTES));
		List<String> exists = new ArrayList<>(List.of("EXISTS"));
		exists.addAll(List.of(keys));
		List<String> delete = new ArrayList<>(List.of("DEL"));
		while (!Long.valueOf(0).equals(command(exists.toArray(String[]::new)))) {
			delete.add("ballast:" + delete.size());
			command("SET", delete.get(delete.size() - 1), value, "PX", "60000");
		}
		command(delete.toArray(String[]::new));
	}

	/**
	 * Ends {@link #exhaustMemory()} and {@link #evict}.
	 */
	public final void freeMemory() {
		command("CONFIG", "SET", "maxmemory", "0");
		command("CONFIG", "SET", "maxmemory-policy", "noeviction");
	}

	/**
	 * Takes a permission from the user that every client of a test is.
	 * @param command the name of a command, in lower case
	 */
	public final void forbid(String command) {
		command("ACL", "SETUSER", "default", "-" + command);
	}

	/**
	 * Gives a permission back.
	 * @param command the name of a command, in lower case
	 */
	public final void permit(String command) {
		command("ACL", "SETUSER", "default", "+" + command);
	}

	/**
	 * Makes the server a replica, of nobody who answers: it serves reads and refuses
	 * writes with {@code READONLY}, as a former primary does after a failover.
	 */
	public final void demote() {
		command("REPLICAOF", "127.0.0.1", "1");
	}

	/**
	 * Makes the server a primary.
	 */
	public final void promote() {
		command("REPLICAOF", "NO", "ONE");
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
	public final long commandCalls(String command) {
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
