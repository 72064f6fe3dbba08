// SPDX-License-Identifier: Apache-2.0

package io.ge.redis.test.oracle;

import java.io.IOException;
import java.io.RandomAccessFile;
import java.io.UncheckedIOException;
import java.nio.channels.FileLock;
import java.nio.file.Path;

/**
 * A number in a file that each holder of a lock increments, and which refuses a token
 * lower than one it has seen: the resource that a lock protects.
 */
public final class FencedCounter {

	/** Threads of one process; processes are kept apart by the system. */
	private static final Object MONITOR = new Object();

	private final Path file;

	/**
	 * A counter that starts at zero.
	 * @param file where it stands, created if need be
	 */
	public FencedCounter(Path file) {
		this.file = file;
	}

	/**
	 * Adds one.
	 * @param token the token of the holder
	 * @return whether that was accepted; {@code false} if a higher token was here
	 */
	public boolean add(long token) {
		synchronized (MONITOR) {
			try (RandomAccessFile access = new RandomAccessFile(this.file.toFile(), "rw");
					FileLock lock = access.getChannel().lock()) {
				boolean empty = access.length() == 0;
				long count = empty ? 0 : access.readLong();
				long highest = empty ? Long.MIN_VALUE : access.readLong();
				if (token < highest) {
					return false;
				}
				access.seek(0);
				access.writeLong(count + 1);
				access.writeLong(token);
				return true;
			}
			catch (IOException ex) {
				throw new UncheckedIOException(ex);
			}
		}
	}

	/**
	 * Whether another process is just using the counter, be it paused.
	 * @return whether it would have to be waited for
	 */
	public boolean isBusy() {
		synchronized (MONITOR) {
			try (RandomAccessFile access = new RandomAccessFile(this.file.toFile(), "rw");
					FileLock lock = access.getChannel().tryLock()) {
				return lock == null;
			}
			catch (IOException ex) {
				throw new UncheckedIOException(ex);
			}
		}
	}

	/**
	 * How often something was added.
	 * @return the number
	 */
	public long count() {
		synchronized (MONITOR) {
			try (RandomAccessFile access = new RandomAccessFile(this.file.toFile(), "rw");
					FileLock lock = access.getChannel().lock()) {
				return (access.length() == 0) ? 0 : access.readLong();
			}
			catch (IOException ex) {
				throw new UncheckedIOException(ex);
			}
		}
	}

}
