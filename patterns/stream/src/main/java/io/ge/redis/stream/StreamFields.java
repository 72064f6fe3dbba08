// SPDX-License-Identifier: Apache-2.0

package io.ge.redis.stream;

import java.nio.charset.StandardCharsets;
import java.util.AbstractMap;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Set;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

import org.jspecify.annotations.Nullable;

/**
 * The fields of an entry as bytes, of which a handler decodes what it needs.
 * <p>
 * The first field marks messages of this library. With {@code 1} it begins a message in
 * that format. {@code 1 replay MILLIS GROUP} precedes an entry that was first published
 * at that time; without a group it is for all. {@code 1 dead N} begins a dead letter: N
 * headers, then the entry. Without the mark an entry is foreign, whatever its fields are
 * called.
 */
final class StreamFields extends AbstractMap<String, String> {

	static final String MARK = "ge_v";

	/** Other formats are not read. */
	static final String FORMAT = "1";

	private static final Pattern REPLAY = Pattern.compile("1 replay (\\d{1,15}) .*", Pattern.DOTALL);

	private static final Pattern DEAD = Pattern.compile("1 dead (\\d{1,4})");

	private final byte[][] parts;

	private final String mark;

	private final long publishedAt;

	/**
	 * Creates the fields of an entry, without the mark of a replay.
	 * @param parts names and values in turn
	 */
	StreamFields(byte[][] parts) {
		String mark = mark(parts);
		Matcher replay = REPLAY.matcher(mark);
		boolean replayed = mark.length() > 1 && replay.matches();
		this.parts = replayed ? Arrays.copyOfRange(parts, 2, parts.length) : parts;
		this.mark = replayed ? mark(this.parts) : mark;
		this.publishedAt = replayed ? Long.parseLong(replay.group(1)) : -1;
	}

	private static String mark(byte[][] parts) {
		return (parts.length > 1 && text(parts[0]).equals(MARK)) ? text(parts[1]) : "";
	}

	private static String text(byte[] part) {
		return new String(part, StandardCharsets.UTF_8);
	}

	/**
	 * Returns the format of a message of this library, or {@code null} if it is foreign.
	 */
	@Nullable String format() {
		return this.mark.isEmpty() ? null : this.mark;
	}

	/**
	 * Returns when a replayed entry was published first, in milliseconds, else -1.
	 */
	long publishedAt() {
		return this.publishedAt;
	}

	/**
	 * Returns the headers of a dead letter, none if another program has written it.
	 */
	StreamFields headers() {
		return new StreamFields(Arrays.copyOfRange(this.parts, Math.min(2, headerEnd()), headerEnd()));
	}

	/**
	 * Returns the fields of the entry that became a dead letter.
	 */
	StreamFields original() {
		return new StreamFields(Arrays.copyOfRange(this.parts, headerEnd(), this.parts.length));
	}

	private int headerEnd() {
		Matcher dead = DEAD.matcher(this.mark);
		return dead.matches() ? Math.min(this.parts.length, 2 + 2 * Integer.parseInt(dead.group(1))) : 0;
	}

	/**
	 * Returns the bytes of all names and values.
	 */
	long length() {
		long length = 0;
		for (byte[] part : this.parts) {
			length += part.length;
		}
		return length;
	}

	byte @Nullable [] bytes(String name) {
		byte[] wanted = name.getBytes(StandardCharsets.UTF_8);
		for (int i = 0; i + 1 < this.parts.length; i += 2) {
			if (Arrays.equals(this.parts[i], wanted)) {
				return this.parts[i + 1];
			}
		}
		return null;
	}

	/**
	 * Returns the text of a field that only counts in a message of this library.
	 */
	@Nullable String own(String name) {
		return isMessage() ? get(name) : null;
	}

	private boolean isMessage() {
		return !this.mark.isEmpty() && this.mark.chars().allMatch((each) -> each >= '0' && each <= '9');
	}

	@Override
	public @Nullable String get(Object name) {
		byte[] value = bytes((String) name);
		return (value != null) ? text(value) : null;
	}

	@Override
	public Set<Map.Entry<String, String>> entrySet() {
		Map<String, String> fields = new LinkedHashMap<>();
		for (int i = 0; i + 1 < this.parts.length; i += 2) {
			fields.putIfAbsent(text(this.parts[i]), text(this.parts[i + 1]));
		}
		return fields.entrySet();
	}

}
