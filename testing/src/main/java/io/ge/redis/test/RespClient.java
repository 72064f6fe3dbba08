// SPDX-License-Identifier: Apache-2.0

package io.ge.redis.test;

import java.io.BufferedInputStream;
import java.io.ByteArrayOutputStream;
import java.io.EOFException;
import java.io.IOException;
import java.io.InputStream;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.net.SocketTimeoutException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;

import org.jspecify.annotations.Nullable;

/**
 * A connection that speaks just enough RESP2 to drive a server from a test, independent
 * of every driver under test. Replies are {@code String}, {@code Long}, {@code null} or a
 * {@code List} of these; an error reply is thrown.
 */
final class RespClient implements AutoCloseable {

	private static final int TIMEOUT_MILLIS = 5_000;

	private final Socket socket;

	private final InputStream input;

	RespClient(String host, int port) throws IOException {
		this.socket = new Socket();
		try {
			this.socket.setTcpNoDelay(true);
			this.socket.setSoTimeout(TIMEOUT_MILLIS);
			this.socket.connect(new InetSocketAddress(host, port), TIMEOUT_MILLIS);
			this.input = new BufferedInputStream(this.socket.getInputStream());
		}
		catch (IOException ex) {
			this.socket.close();
			throw ex;
		}
	}

	@Nullable Object command(String... parts) throws IOException {
		send(parts);
		return readReply();
	}

	/**
	 * Sends a command and tells whether a reply begins to arrive; if so, or later,
	 * {@link #readReply()} reads it.
	 */
	boolean hasReplyWithin(int millis, String... parts) throws IOException {
		send(parts);
		this.socket.setSoTimeout(millis);
		this.input.mark(1);
		try {
			this.input.read();
			this.input.reset();
			return true;
		}
		catch (SocketTimeoutException ex) {
			return false;
		}
		finally {
			this.socket.setSoTimeout(TIMEOUT_MILLIS);
		}
	}

	void send(String... parts) throws IOException {
		ByteArrayOutputStream request = new ByteArrayOutputStream();
		request.writeBytes(ascii("*" + parts.length + "\r\n"));
		for (String part : parts) {
			byte[] bytes = part.getBytes(StandardCharsets.UTF_8);
			request.writeBytes(ascii("$" + bytes.length + "\r\n"));
			request.writeBytes(bytes);
			request.writeBytes(ascii("\r\n"));
		}
		this.socket.getOutputStream().write(request.toByteArray());
	}

	@Nullable Object readReply() throws IOException {
		String line = readLine();
		String value = line.substring(1);
		return switch (line.charAt(0)) {
			case '+' -> value;
			case '-' -> throw new RedisErrorReplyException(value);
			case ':' -> Long.valueOf(value);
			case '$' -> readBulk(Integer.parseInt(value));
			case '*' -> readArray(Integer.parseInt(value));
			default -> throw new IOException("Not a RESP2 reply: " + line);
		};
	}

	private @Nullable String readBulk(int length) throws IOException {
		if (length < 0) {
			return null;
		}
		byte[] bytes = this.input.readNBytes(length);
		readLine();
		return new String(bytes, StandardCharsets.UTF_8);
	}

	private @Nullable List<@Nullable Object> readArray(int length) throws IOException {
		if (length < 0) {
			return null;
		}
		List<@Nullable Object> elements = new ArrayList<>(length);
		for (int i = 0; i < length; i++) {
			elements.add(readElement());
		}
		return elements;
	}

	/**
	 * An error inside an array (a command of a transaction) must not leave the rest
	 * unread.
	 */
	private @Nullable Object readElement() throws IOException {
		try {
			return readReply();
		}
		catch (RedisErrorReplyException ex) {
			return ex.getMessage();
		}
	}

	private String readLine() throws IOException {
		ByteArrayOutputStream line = new ByteArrayOutputStream();
		for (int next = this.input.read(); next != '\r'; next = this.input.read()) {
			if (next < 0) {
				throw new EOFException("Connection closed by the server");
			}
			line.write(next);
		}
		this.input.read();
		return line.toString(StandardCharsets.UTF_8);
	}

	private static byte[] ascii(String text) {
		return text.getBytes(StandardCharsets.US_ASCII);
	}

	@Override
	public void close() throws IOException {
		this.socket.close();
	}

}
