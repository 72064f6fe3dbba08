// SPDX-License-Identifier: Apache-2.0

package io.ge.redis.idempotency.spi;

import java.util.List;

import io.ge.redis.core.invocation.GuardedMethod;
import io.ge.redis.idempotency.IdempotencyKeyException;
import org.jspecify.annotations.Nullable;

/**
 * Gives the keys of calls that carry one of their own, such as requests with a header, to
 * methods that name no key. A bean of this type is asked once for each annotated method.
 */
@FunctionalInterface
public interface IdempotencyKeySource {

	/**
	 * Binds the source to a method.
	 * @param method the annotated method
	 * @return the calls of the method, or {@code null} if they carry no key
	 * @throws io.ge.redis.GuardConfigurationException if they would, but the method
	 * cannot be guarded
	 */
	@Nullable Calls bind(GuardedMethod method);

	/**
	 * The calls of one method, each asked for on its own thread, and, where the method
	 * returns a publisher, in the scope of its subscriber.
	 */
	interface Calls {

		/**
		 * Returns the key of the current call, or {@code null} if it carries none.
		 * @throws IdempotencyKeyException if it carries one that is not allowed
		 */
		@Nullable String key();

		/**
		 * Returns what must be equal in a repetition of the current call, compared by the
		 * fields of the values.
		 */
		List<@Nullable Object> payload(@Nullable Object[] arguments);

		/**
		 * Returns the exchange that the current call answers, whose response is kept
		 * instead of the result; {@code null} if there is none, or it is not captured as
		 * a whole.
		 */
		default @Nullable IdempotentExchange exchange() {
			return null;
		}

		/**
		 * Returns what is done before the result of an earlier call is given to the
		 * current one, possibly on another thread.
		 */
		default Runnable replaying() {
			return () -> {
			};
		}

	}

}
