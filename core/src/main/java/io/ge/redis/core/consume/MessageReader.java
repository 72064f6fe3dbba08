// SPDX-License-Identifier: Apache-2.0

package io.ge.redis.core.consume;

import java.lang.reflect.Type;
import java.util.Map;
import java.util.function.BiFunction;
import java.util.function.Function;

import io.ge.redis.NotRetryableException;
import org.jspecify.annotations.Nullable;

/**
 * Reads the messages of a source for a listener method. Called on the thread of the
 * listener, before it.
 *
 * @param payload reads the payload by its declared type, as {@code null} only if that was
 * sent; throws {@link NotRetryableException} if it cannot be read
 * @param envelope makes the message around a payload, of the type that a pattern shows
 * its users
 * @param headers reads the headers
 * @param <T> the messages
 */
public record MessageReader<T>(BiFunction<Delivery<T>, Type, @Nullable Object> payload,
		BiFunction<Delivery<T>, @Nullable Object, Object> envelope,
		Function<Delivery<T>, Map<String, String>> headers) {
}
