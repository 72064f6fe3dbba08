// SPDX-License-Identifier: Apache-2.0

package io.ge.redis.cache.internal.engine;

import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collection;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;

import io.ge.redis.core.hash.Sha256;
import io.ge.redis.core.invocation.KeyText;
import org.jspecify.annotations.Nullable;

import org.springframework.util.ObjectUtils;

/**
 * Tags of an entry, or what is to be invalidated: tags by hash, or all entries. Two tags
 * with the same hash are invalidated together, which costs a load and nothing else.
 */
public final class CacheTags {

	public static final CacheTags NONE = new CacheTags(Set.of());

	public static final CacheTags ALL = new CacheTags(Set.of());

	private static final int MOST = 1000;

	private final Set<Long> hashes;

	private CacheTags(Set<Long> hashes) {
		this.hashes = hashes;
	}

	/**
	 * Returns the tags that a value names: one, or each element of a collection or array,
	 * where an element that is a list itself names a tag by several parts.
	 * @param value a tag or several; {@code null} or nothing in it for none
	 * @param what the origin of the value, for the message
	 * @return the tags, {@link #ALL} if there are too many to count
	 * @throws io.ge.redis.InvalidKeyException if an element names nothing
	 */
	public static CacheTags of(@Nullable Object value, Object what) {
		if (value == null) {
			return NONE;
		}
		Set<Long> hashes = new TreeSet<>();
		for (Object tag : elements(value)) {
			hashes.add(hash(texts(tag, what)));
		}
		return (hashes.size() <= MOST) ? new CacheTags(hashes) : ALL;
	}

	// A column may hold only blank text. As a tag it is like any other: if it were none,
	// its entries could not be invalidated by it
	private static List<String> texts(Object tag, Object what) {
		return (tag instanceof CharSequence text && text.toString().isBlank()) ? List.of(text.toString())
				: KeyText.of(tag, what);
	}

	private static Collection<?> elements(Object value) {
		if (value instanceof Collection<?> several) {
			return several;
		}
		return ObjectUtils.isArray(value) ? Arrays.asList(ObjectUtils.toObjectArray(value)) : List.of(value);
	}

	private static long hash(List<String> parts) {
		MessageDigest digest = Sha256.digest();
		for (String part : parts) {
			byte[] text = part.getBytes(StandardCharsets.UTF_8);
			digest.update(ByteBuffer.allocate(Integer.BYTES).putInt(text.length).flip());
			digest.update(text);
		}
		return ByteBuffer.wrap(digest.digest()).getLong();
	}

	public boolean isAll() {
		return this == ALL;
	}

	public boolean isEmpty() {
		return this.hashes.isEmpty() && !isAll();
	}

	public Set<Long> hashes() {
		return this.hashes;
	}

	public long[] toArray() {
		return this.hashes.stream().mapToLong(Long::longValue).toArray();
	}

	@Override
	public boolean equals(@Nullable Object other) {
		return other instanceof CacheTags tags && isAll() == tags.isAll() && this.hashes.equals(tags.hashes);
	}

	@Override
	public int hashCode() {
		return this.hashes.hashCode();
	}

	CacheTags plus(CacheTags others) {
		if (isAll() || others.isAll()) {
			return ALL;
		}
		Set<Long> both = new TreeSet<>(this.hashes);
		both.addAll(others.hashes);
		return (both.size() <= MOST) ? new CacheTags(both) : ALL;
	}

	public List<String> names() {
		if (isAll()) {
			return List.of("*");
		}
		List<String> names = new ArrayList<>(this.hashes.size());
		this.hashes.forEach((hash) -> names.add(Long.toHexString(hash)));
		return names;
	}

	static CacheTags named(List<String> names) {
		if (names.contains("*")) {
			return ALL;
		}
		Set<Long> hashes = new TreeSet<>();
		names.forEach((name) -> hashes.add(Long.parseUnsignedLong(name, 16)));
		return new CacheTags(hashes);
	}

}
