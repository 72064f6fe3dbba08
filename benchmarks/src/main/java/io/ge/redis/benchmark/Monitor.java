// SPDX-License-Identifier: Apache-2.0

package io.ge.redis.benchmark;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.UncheckedIOException;
import java.net.Socket;
import java.net.SocketTimeoutException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.UUID;

import io.ge.redis.test.RedisNode;

/**
 * What a server was asked: by clients, and by scripts inside.
 */
final class Monitor {

	private static final int TIMEOUT_MILLIS = 5_000;

	private final RedisNode node;

	Monitor(RedisNode node) {
		this.node = node;
	}

	/**
	 * Records all commands that the server gets while something runs.
	 * @param work what runs
	 * @return the commands in the order in which the server executed them
	 */
	List<Command> during(Work work) throws Exception {
		String end = "end-" + UUID.randomUUID();
		try (Socket socket = new Socket(this.node.host(), this.node.port())) {
			socket.setSoTimeout(TIMEOUT_MILLIS);
			// One byte is one character, whatever it means
			BufferedReader lines = new BufferedReader(
					new InputStreamReader(socket.getInputStream(), StandardCharsets.ISO_8859_1));
			socket.getOutputStream().write("MONITOR\r\n".getBytes(StandardCharsets.US_ASCII));
			lines.readLine();
			work.run();
			this.node.command("ECHO", end);
			return read(lines, end);
		}
		catch (SocketTimeoutException ex) {
			throw new UncheckedIOException("MONITOR went silent", ex);
		}
	}

	private static List<Command> read(BufferedReader lines, String end) throws IOException {
		List<Command> commands = new ArrayList<>();
		for (String line = lines.readLine(); line != null; line = lines.readLine()) {
			Command command = Command.parse(line);
			if (command.parts().contains(end)) {
				return commands;
			}
			commands.add(command);
		}
		throw new IOException("MONITOR ended");
	}

	/**
	 * What is watched.
	 */
	@FunctionalInterface
	interface Work {

		void run() throws Exception;

	}

	/**
	 * One command.
	 *
	 * @param inside whether a script called it
	 * @param parts name and arguments, one character for each byte
	 */
	record Command(boolean inside, List<String> parts) {

		/**
		 * Reads a line such as {@code +1.2 [0 lua] "SET" "a\x00b" "1"}.
		 */
		static Command parse(String line) {
			int open = line.indexOf('[');
			int close = line.indexOf(']');
			List<String> parts = new ArrayList<>();
			StringBuilder part = null;
			for (int i = close + 1; i < line.length(); i++) {
				char c = line.charAt(i);
				if (c == '"') {
					if (part != null) {
						parts.add(part.toString());
						part = null;
					}
					else {
						part = new StringBuilder();
					}
				}
				else if (part != null && c == '\\') {
					i++;
					part.append(unescape(line, i));
					i += (line.charAt(i) == 'x') ? 2 : 0;
				}
				else if (part != null) {
					part.append(c);
				}
			}
			return new Command(line.substring(open, close).endsWith(" lua"), parts);
		}

		private static char unescape(String line, int index) {
			return switch (line.charAt(index)) {
				case 'n' -> '\n';
				case 'r' -> '\r';
				case 't' -> '\t';
				case 'a' -> 0x07;
				case 'b' -> '\b';
				case 'x' -> (char) Integer.parseInt(line.substring(index + 1, index + 3), 16);
				default -> line.charAt(index);
			};
		}

		String name() {
			return this.parts.get(0).toUpperCase(java.util.Locale.ROOT);
		}

		byte[] bytes(int index) {
			return this.parts.get(index).getBytes(StandardCharsets.ISO_8859_1);
		}

	}

}
