// SPDX-License-Identifier: Apache-2.0

package io.ge.redis.cache.internal;

import java.io.IOException;
import java.io.ObjectOutputStream;
import java.io.OutputStream;
import java.util.Arrays;
import java.util.List;

import io.ge.redis.cache.internal.engine.CacheKey;
import io.ge.redis.core.invocation.KeyText;
import org.jspecify.annotations.Nullable;

import org.springframework.cache.interceptor.SimpleKey;
import org.springframework.util.ObjectUtils;

/**
 * Turns the keys of Spring's caches into ours. The key of a method with several
 * parameters is the list of its arguments, as {@code {#first, #second}}. An argument that
 * is {@code null}, or blank text, is a part of its own: unlike an expression of ours, a
 * method without one is called with what there is.
 */
final class SpringKeys {

	/** The key of a method without parameters. */
	static final List<String> NO_PARAMETERS = List.of(SimpleKey.EMPTY.toString());

	private SpringKeys() {
	}

	/**
	 * Names an entry.
	 * @throws io.ge.redis.InvalidKeyException if a part has no text of its own
	 */
	static CacheKey of(String cache, Object key) {
		String what = "The key of cache '" + cache + "'";
		if (key.equals(SimpleKey.EMPTY)) {
			return new CacheKey(cache, NO_PARAMETERS);
		}
		if (!(key instanceof SimpleKey simple)) {
			return new CacheKey(cache, KeyText.ofIncomplete(key, what));
		}
		@Nullable Object[] arguments = arguments(simple);
		return new CacheKey(cache,
				KeyText.ofIncomplete((arguments.length == 1) ? arguments[0] : Arrays.asList(arguments), what));
	}

	/**
	 * Returns the arguments that a key is made of. It has no method for them, and its
	 * text is the same for ("a, b", "c") and ("a", "b, c"). But it can be serialized, and
	 * is taken apart thereby; nothing is written.
	 */
	private static @Nullable Object[] arguments(SimpleKey key) {
		try (Arguments found = new Arguments()) {
			found.writeObject(key);
			return found.arguments;
		}
		catch (IOException ex) {
			throw new IllegalArgumentException("The parts of the key " + key + " are not known", ex);
		}
	}

	/**
	 * Writes keys nowhere, but sees the arguments on their way.
	 */
	private static final class Arguments extends ObjectOutputStream {

		private @Nullable Object[] arguments = {};

		Arguments() throws IOException {
			super(OutputStream.nullOutputStream());
			enableReplaceObject(true);
		}

		@Override
		protected @Nullable Object replaceObject(Object written) {
			if (!(written instanceof Object[])) {
				return written;
			}
			this.arguments = ObjectUtils.toObjectArray(written);
			return null;
		}

	}

}
