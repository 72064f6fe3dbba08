// SPDX-License-Identifier: Apache-2.0

package io.ge.redis.blacklist.internal;

import java.nio.ByteBuffer;
import java.util.List;

import io.ge.redis.blacklist.TokenIdentity;
import io.ge.redis.blacklist.TokenStatus;
import io.ge.redis.core.hash.Sha256;
import org.jspecify.annotations.Nullable;

/**
 * The name of a row, as 128 bits that reveal nothing of it.
 * <p>
 * One half is a fast hash, which every check computes. It has no key, so collisions in it
 * can be constructed. The other half is taken from a SHA-256, and is computed where the
 * fast half is known, and where Redis is asked. Collisions in both cannot be constructed,
 * and by chance they would refuse the wrong one, never admit it.
 * <p>
 * Both are shared by all instances and stored in Redis: they must stay as they are.
 *
 * @param issuer the issuer, the name of a list, or {@code null}
 */
record RowName(RowKind kind, @Nullable String issuer, String text, int parts) {

	public static final int MEMBER_BYTES = 1 + 2 * Long.BYTES;

	private static final long STEP = 0x9E3779B97F4A7C15L;

	private static final int CHARACTERS_AT_ONCE = 4;

	public RowName(RowKind kind, @Nullable String issuer, String text) {
		this(kind, issuer, text, 1);
	}

	static @Nullable RowName of(TokenStatus status, TokenIdentity token) {
		return switch (status) {
			case REVOKED -> of(RowKind.TOKEN, token.issuer(), token.id());
			case SESSION_REVOKED -> of(RowKind.SESSION, token.issuer(), token.sessionId());
			case SUBJECT_REVOKED -> of(RowKind.SUBJECT, token.issuer(), token.subject());
			case CLIENT_REVOKED -> of(RowKind.CLIENT, token.issuer(), token.clientId());
			default -> null;
		};
	}

	private static @Nullable RowName of(RowKind kind, @Nullable String issuer, @Nullable String text) {
		return (text != null) ? new RowName(kind, issuer, text) : null;
	}

	public static RowName block(String list, List<String> subject) {
		if (subject.size() == 1) {
			return new RowName(RowKind.BLOCK, list, subject.get(0));
		}
		StringBuilder all = new StringBuilder();
		for (String part : subject) {
			all.append(part.length()).append(':').append(part);
		}
		return new RowName(RowKind.BLOCK, list, all.toString(), subject.size());
	}

	/**
	 * Returns the fast half of the id, never zero.
	 */
	long fast() {
		return fast(this.kind, this.issuer, this.text, this.parts);
	}

	static long fast(RowKind kind, @Nullable String issuer, String text, int parts) {
		long hash = step(STEP, kind.letter() | (long) parts << Character.SIZE);
		hash = (issuer != null) ? hash(hash, issuer) : step(hash, -1);
		hash = hash(hash, text);
		hash = (hash ^ hash >>> 29) * 0xBF58476D1CE4E5B9L;
		hash ^= hash >>> 32;
		return (hash != 0) ? hash : 1;
	}

	private static long hash(long start, String text) {
		int length = text.length();
		long hash = step(start, length);
		int i = 0;
		for (; i + CHARACTERS_AT_ONCE <= length; i += CHARACTERS_AT_ONCE) {
			hash = step(hash, text.charAt(i) | (long) text.charAt(i + 1) << 16 | (long) text.charAt(i + 2) << 32
					| (long) text.charAt(i + 3) << 48);
		}
		long rest = 0;
		for (; i < length; i++) {
			rest = rest << 16 | text.charAt(i);
		}
		return step(hash, rest);
	}

	// Different blocks never meet in one step
	private static long step(long hash, long block) {
		long mixed = (hash ^ block) * STEP;
		return (mixed ^ mixed >>> 32) + STEP;
	}

	long strong() {
		String head = (this.issuer != null) ? this.issuer.length() + ":" + this.issuer : "-:";
		String all = this.kind.letter() + ":" + this.parts + ":" + head + this.text;
		ByteBuffer bytes = ByteBuffer.allocate(all.length() * Character.BYTES);
		bytes.asCharBuffer().put(all);
		return ByteBuffer.wrap(Sha256.of(bytes.array())).getLong();
	}

	public byte[] member() {
		return member(this.kind, fast(), strong());
	}

	public static byte[] member(RowKind kind, long fast, long strong) {
		return ByteBuffer.allocate(MEMBER_BYTES).put((byte) kind.letter()).putLong(fast).putLong(strong).array();
	}

	@Override
	public String toString() {
		return this.kind.name();
	}

}
