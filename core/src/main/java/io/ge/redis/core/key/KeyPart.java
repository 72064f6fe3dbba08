// SPDX-License-Identifier: Apache-2.0

package io.ge.redis.core.key;

import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.Base64;
import java.util.HexFormat;

import io.ge.redis.core.hash.Sha256;

/**
 * One escaped part of a key.
 * <p>
 * The encoding is injective, so different texts never meet in one key:
 * <ul>
 * <li>{@code %}, braces, {@code :} and control characters become {@code %} and two hex
 * digits for each byte; everything else stays as it is, so keys are readable;</li>
 * <li>an unpaired surrogate, which UTF-8 cannot carry, becomes {@code %u} and four hex
 * digits;</li>
 * <li>the empty text becomes {@code %e}: an empty pair of braces would be no hash
 * tag;</li>
 * <li>text of more than {@value #MAX_BYTES} bytes after escaping becomes a readable head,
 * {@code %h} and the SHA-256 of the whole text;</li>
 * <li>a {@linkplain #secret(String) secret} becomes {@code %s} and its SHA-256 only.</li>
 * </ul>
 * A percent sign of the user is always followed by two digits, so none of the other forms
 * can be forged. Hashes are taken over the escaped text, which UTF-8 always carries.
 */
public final class KeyPart {

	static final int MAX_BYTES = 200;

	private static final int HEAD_CHARACTERS = 40;

	private static final byte[] SECRET = { '%', 's' };

	private static final Base64.Encoder BASE64 = Base64.getUrlEncoder().withoutPadding();

	private static final HexFormat HEX = HexFormat.of().withUpperCase();

	/** UTF-8, as keys go to Redis: they are put together without becoming text again. */
	private final byte[] encoded;

	private KeyPart(byte[] encoded) {
		this.encoded = encoded;
	}

	/**
	 * Encodes user text.
	 */
	public static KeyPart of(String text) {
		String escaped = escape(text);
		byte[] bytes = escaped.getBytes(StandardCharsets.UTF_8);
		if (bytes.length <= MAX_BYTES) {
			return new KeyPart(bytes);
		}
		int end = Character.isHighSurrogate(escaped.charAt(HEAD_CHARACTERS - 1)) ? HEAD_CHARACTERS - 1
				: HEAD_CHARACTERS;
		return hashed((escaped.substring(0, end) + "%h").getBytes(StandardCharsets.UTF_8), bytes);
	}

	/**
	 * Encodes user text that becomes part of a longer text.
	 * @return the text of {@link #of(String)}
	 */
	public static String text(String text) {
		String escaped = escape(text);
		return (escaped.length() * 3 <= MAX_BYTES) ? escaped : of(text).toString();
	}

	/**
	 * Encodes a secret, such as a token or an idempotency key, which must never be
	 * readable in Redis.
	 */
	public static KeyPart secret(String text) {
		return hashed(SECRET, escape(text).getBytes(StandardCharsets.UTF_8));
	}

	/**
	 * Returns the length of parts with a colon after each but the last.
	 */
	static int joinedLength(KeyPart[] parts) {
		int length = parts.length - 1;
		for (KeyPart part : parts) {
			length += part.length();
		}
		return length;
	}

	/**
	 * Writes parts with a colon after each but the last.
	 */
	static void join(KeyPart[] parts, byte[] target, int start) {
		int position = start;
		for (int i = 0; i < parts.length; i++) {
			if (i > 0) {
				target[position++] = ':';
			}
			parts[i].write(target, position);
			position += parts[i].length();
		}
	}

	int length() {
		return this.encoded.length;
	}

	void write(byte[] target, int start) {
		System.arraycopy(this.encoded, 0, target, start, this.encoded.length);
	}

	private static String escape(String text) {
		if (text.isEmpty()) {
			return "%e";
		}
		int i = 0;
		while (i < text.length() && isPlain(text, i)) {
			i++;
		}
		return (i == text.length()) ? text : escapeFrom(text, i);
	}

	private static String escapeFrom(String text, int start) {
		StringBuilder escaped = new StringBuilder(text.length() + 16).append(text, 0, start);
		for (int i = start; i < text.length(); i++) {
			char c = text.charAt(i);
			if (isPlain(text, i)) {
				escaped.append(c);
			}
			else if (Character.isSurrogate(c)) {
				escaped.append("%u").append(HEX.toHexDigits(c));
			}
			else {
				for (byte b : String.valueOf(c).getBytes(StandardCharsets.UTF_8)) {
					escaped.append('%').append(HEX.toHexDigits(b));
				}
			}
		}
		return escaped.toString();
	}

	private static boolean isPlain(String text, int index) {
		char c = text.charAt(index);
		if (Character.isHighSurrogate(c)) {
			return index + 1 < text.length() && Character.isLowSurrogate(text.charAt(index + 1));
		}
		if (Character.isLowSurrogate(c)) {
			return index > 0 && Character.isHighSurrogate(text.charAt(index - 1));
		}
		return c != '%' && c != '{' && c != '}' && c != ':' && !Character.isISOControl(c);
	}

	private static KeyPart hashed(byte[] head, byte[] escaped) {
		byte[] hash = BASE64.encode(Sha256.of(escaped));
		byte[] encoded = Arrays.copyOf(head, head.length + hash.length);
		System.arraycopy(hash, 0, encoded, head.length, hash.length);
		return new KeyPart(encoded);
	}

	@Override
	public String toString() {
		return new String(this.encoded, StandardCharsets.UTF_8);
	}

}
