// SPDX-License-Identifier: Apache-2.0

package io.ge.redis.test.oracle;

import java.io.FileOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.io.UncheckedIOException;
import java.net.URLEncoder;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;

/**
 * What one process has done, in a file of its own. A line is appended by one write of the
 * system, so that it survives the death of the process, and starts with
 * {@link System#nanoTime()}, which all processes of a machine share.
 */
public final class Journal implements AutoCloseable {

	/** A process has entered a critical section: key, token, when it had asked. */
	public static final String ENTER = "enter";

	/**
	 * A holder was told that its lock is valid: key, token. The line's time is before.
	 */
	public static final String VALID = "valid";

	/** A process has left a critical section: key, token. The line's time is before. */
	public static final String LEAVE = "leave";

	/** The resource has accepted a write of a holder: key, token, when that was asked. */
	public static final String WRITTEN = "written";

	/** A process was ended: its name. The line's time is before. */
	public static final String DIED = "died";

	/** An effect has happened: key. */
	public static final String EFFECT = "effect";

	/** A call was admitted: key, when it had asked. */
	public static final String ADMITTED = "admitted";

	/** What the database holds: key, value. */
	public static final String STORED = "stored";

	/** What the cache answers: key, value or nothing. */
	public static final String CACHED = "cached";

	/** A token was revoked: token. The line's time is after. */
	public static final String REVOKED = "revoked";

	/** A token was accepted: token, when that was asked. */
	public static final String ACCEPTED = "accepted";

	static final String SUFFIX = ".journal";

	private final Path directory;

	private final OutputStream output;

	private Journal(Path directory, OutputStream output) {
		this.directory = directory;
		this.output = output;
	}

	/**
	 * Opens a journal, and goes on in it if it exists.
	 * @param directory where the journals of a run stand, created if need be
	 * @param process the name of the process
	 * @return the journal
	 */
	public static Journal open(Path directory, String process) {
		try {
			Files.createDirectories(directory);
			return new Journal(directory, new FileOutputStream(directory.resolve(process + SUFFIX).toFile(), true));
		}
		catch (IOException ex) {
			throw new UncheckedIOException(ex);
		}
	}

	/**
	 * Where the journals of the run stand, and other files of it can.
	 * @return the directory
	 */
	public Path directory() {
		return this.directory;
	}

	/**
	 * Appends a line with the present time.
	 * @param kind what has happened
	 * @param fields about what
	 */
	public void write(String kind, Object... fields) {
		writeAt(System.nanoTime(), kind, fields);
	}

	/**
	 * Appends a line with another time.
	 * @param nanos the time, of {@link System#nanoTime()}
	 * @param kind what has happened
	 * @param fields about what
	 */
	public void writeAt(long nanos, String kind, Object... fields) {
		StringBuilder line = new StringBuilder().append(nanos).append('\t').append(kind);
		for (Object field : fields) {
			line.append('\t').append(URLEncoder.encode(field.toString(), StandardCharsets.UTF_8));
		}
		try {
			// No channel, which an interrupt would close
			this.output.write(line.append('\n').toString().getBytes(StandardCharsets.UTF_8));
		}
		catch (IOException ex) {
			throw new UncheckedIOException(ex);
		}
	}

	@Override
	public void close() {
		try {
			this.output.close();
		}
		catch (IOException ex) {
			throw new UncheckedIOException(ex);
		}
	}

}
