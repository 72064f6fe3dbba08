// SPDX-License-Identifier: Apache-2.0

package io.ge.redis.cache.internal.engine;

import java.nio.ByteBuffer;
import java.util.Arrays;

import org.jspecify.annotations.Nullable;

/**
 * The header of an entry, before its content, big endian. The scripts read the load time
 * and the time for which it is kept.
 * <p>
 * Byte 0 is the format, 1 to 4 the shape of the type, 5 flags, 6 to 9 the load time.
 * Bytes 10 to 13 are the time for which it is kept beyond its expiry, 14 to 21 the stamp.
 * Bytes 22 to 29 are the server time in milliseconds at which Redis drops it, which the
 * scripts write: 0 if that is not known, below 0 for never. If there are tags, their
 * number follows in a byte, and eight bytes for each.
 *
 * @param loadMillis the load time of the value, in milliseconds; 0 if that is not known,
 * and the value is not refreshed before its expiry
 * @param keptMillis the time for which it is kept beyond its expiry, in milliseconds
 * @param stamp the sequence of invalidations that its loader knew before that; 0 for none
 * @param tags hashes of its tags
 */
public record CacheHeader(long loadMillis, long keptMillis, long stamp, long... tags) {

	private static final long[] NO_TAGS = {};

	/** Says nothing. */
	public static final CacheHeader NONE = new CacheHeader(0, 0, 0, NO_TAGS);

	public static final int MOST_TAGS = 255;

	static final byte FORMAT = 4;

	/** Number of the first bytes that show whether a reader can read the rest. */
	static final int READABLE = 1 + Integer.BYTES;

	private static final int FLAGS = READABLE;

	private static final int END = READABLE + 1 + 2 * Integer.BYTES + Long.BYTES;

	private static final int FIXED = END + Long.BYTES;

	private static final byte ABSENT = 1;

	private static final byte COMPRESSED = 2;

	private static final byte TAGGED = 4;

	private static final long TOLERANCE = 1000;

	private static final long MOST_MILLIS = 0xFFFF_FFFFL;

	public CacheHeader {
		loadMillis = clamp(loadMillis);
		keptMillis = clamp(keptMillis);
		if (tags.length > MOST_TAGS) {
			throw new IllegalArgumentException("An entry has at most " + MOST_TAGS + " tags, not " + tags.length);
		}
	}

	private static long clamp(long millis) {
		return Math.max(0, Math.min(millis, MOST_MILLIS));
	}

	/**
	 * Returns a header for a value that was loaded or is published.
	 * @param loadMillis the load time of the value, in milliseconds, or 0
	 */
	public static CacheHeader loadedIn(long loadMillis) {
		return new CacheHeader(loadMillis, 0, 0, NO_TAGS);
	}

	public CacheHeader with(long newLoadMillis, long newKeptMillis) {
		return new CacheHeader(newLoadMillis, newKeptMillis, this.stamp, this.tags);
	}

	public CacheHeader marked(long newStamp, long... newTags) {
		return new CacheHeader(this.loadMillis, this.keptMillis, newStamp, newTags);
	}

	/**
	 * Writes an entry.
	 * @param content the content, or {@code null} for an entry that says that there is no
	 * value
	 * @param compressed whether the content is compressed
	 */
	public byte[] entry(int shape, byte @Nullable [] content, boolean compressed) {
		int tagged = (this.tags.length > 0) ? 1 + this.tags.length * Long.BYTES : 0;
		int flags = ((content == null) ? ABSENT : 0) | (compressed ? COMPRESSED : 0) | ((tagged > 0) ? TAGGED : 0);
		ByteBuffer entry = ByteBuffer.allocate(FIXED + tagged + ((content != null) ? content.length : 0))
			.put(FORMAT)
			.putInt(shape)
			.put((byte) flags)
			.putInt((int) this.loadMillis)
			.putInt((int) this.keptMillis)
			.putLong(this.stamp)
			.putLong(0);
		if (tagged > 0) {
			entry.put((byte) this.tags.length);
			for (long tag : this.tags) {
				entry.putLong(tag);
			}
		}
		if (content != null) {
			entry.put(content);
		}
		return entry.array();
	}

	/**
	 * Returns how entries begin that can be read as a shape.
	 */
	public static byte[] readable(int shape) {
		return ByteBuffer.allocate(READABLE).put(FORMAT).putInt(shape).array();
	}

	static int shape(byte[] entry) {
		return ByteBuffer.wrap(entry).getInt(1);
	}

	/**
	 * Reads the header of an entry.
	 * @return the header, or {@code null} if the bytes are too short to have one
	 */
	public static @Nullable CacheHeader read(byte[] entry) {
		if (entry.length < FIXED) {
			return null;
		}
		ByteBuffer from = ByteBuffer.wrap(entry).position(FLAGS);
		byte flags = from.get();
		long load = Integer.toUnsignedLong(from.getInt());
		long kept = Integer.toUnsignedLong(from.getInt());
		long stamp = from.getLong();
		from.getLong();
		if ((flags & TAGGED) == 0) {
			return (load == 0 && kept == 0 && stamp == 0) ? NONE : new CacheHeader(load, kept, stamp, NO_TAGS);
		}
		int number = from.hasRemaining() ? Byte.toUnsignedInt(from.get()) : MOST_TAGS;
		if (from.remaining() < number * Long.BYTES) {
			return null;
		}
		long[] tags = new long[number];
		from.asLongBuffer().get(tags);
		return new CacheHeader(load, kept, stamp, tags);
	}

	/**
	 * Returns where the content of an entry begins that has this header.
	 */
	public int length() {
		return FIXED + ((this.tags.length > 0) ? 1 + this.tags.length * Long.BYTES : 0);
	}

	/**
	 * Says of an entry that it has no end.
	 */
	public static void endless(byte[] entry) {
		ByteBuffer.wrap(entry).putLong(END, -1);
	}

	/**
	 * Returns the time to the expiry of an entry.
	 * @param now the server time in milliseconds
	 * @return milliseconds, -1 if it has none, or 0 if it has passed or is not known
	 */
	public static long leftMillis(byte[] entry, long now) {
		long end = (entry.length >= FIXED) ? ByteBuffer.wrap(entry).getLong(END) : 0;
		if (end <= 0) {
			return end;
		}
		long kept = keptMillis(entry);
		// Clocks of servers differ, so what is kept counts as expired a little earlier
		return Math.max(0, end - kept - now - ((kept > 0) ? TOLERANCE : 0));
	}

	/**
	 * Returns the load time of the value of an entry, in milliseconds.
	 */
	public static long loadMillis(byte[] entry) {
		return Integer.toUnsignedLong(ByteBuffer.wrap(entry).getInt(FLAGS + 1));
	}

	private static long keptMillis(byte[] entry) {
		return Integer.toUnsignedLong(ByteBuffer.wrap(entry).getInt(FLAGS + 1 + Integer.BYTES));
	}

	static boolean isAbsence(byte[] entry) {
		return (entry[FLAGS] & ABSENT) != 0;
	}

	static boolean isCompressed(byte[] entry) {
		return (entry[FLAGS] & COMPRESSED) != 0;
	}

	@Override
	public boolean equals(@Nullable Object other) {
		return other instanceof CacheHeader header && this.loadMillis == header.loadMillis
				&& this.keptMillis == header.keptMillis && this.stamp == header.stamp
				&& Arrays.equals(this.tags, header.tags);
	}

	@Override
	public int hashCode() {
		return 31 * Long.hashCode(this.stamp) + Arrays.hashCode(this.tags);
	}

}
