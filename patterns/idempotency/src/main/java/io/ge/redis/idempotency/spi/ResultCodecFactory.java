// SPDX-License-Identifier: Apache-2.0

package io.ge.redis.idempotency.spi;

import java.util.function.BiFunction;

import io.ge.redis.core.invocation.GuardedMethod;
import org.jspecify.annotations.Nullable;

import org.springframework.core.ResolvableType;

/**
 * Makes codecs for return types that are more than a value, such as a response with
 * status and headers. A bean of this type is asked once for each annotated method; every
 * other type is stored as JSON.
 */
@FunctionalInterface
public interface ResultCodecFactory {

	/**
	 * Makes the codec of a method, or {@code null} if the type is none of this factory's.
	 * @param values makes the codec of a value, and is passed whether only clients get it
	 * @throws io.ge.redis.GuardConfigurationException if results of the type cannot be
	 * kept
	 */
	@Nullable ResultCodec create(GuardedMethod method, ResolvableType returnType,
			BiFunction<ResolvableType, Boolean, ResultCodec> values);

}
