// SPDX-License-Identifier: Apache-2.0

package io.ge.redis.idempotency;

import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.function.Supplier;

import io.ge.redis.core.StandIn;
import org.jspecify.annotations.Nullable;

import org.springframework.core.ParameterizedTypeReference;

/**
 * Idempotent calls in code, for cases that an annotation cannot express. The rules of
 * {@link Idempotent} apply.
 */
public interface Idempotency {

	/**
	 * Returns the settings of an operation.
	 * @param name the name, of an annotated method, of properties under
	 * {@code ge.redis.idempotency.operations}, or any other for the defaults
	 * @return the settings
	 */
	IdempotencySettings settings(String name);

	/**
	 * Runs an action once for a key.
	 * @param settings the operation
	 * @param key the key: text, a number, or a list of those, each of 1 to 255 characters
	 * @param payload the data that must be equal in a repetition, compared by its fields;
	 * {@code null} if the key alone identifies the call
	 * @param type the type as which a kept result is read
	 * @param action the action
	 * @param <T> the type of the result
	 * @return the result, of this call or of the first one
	 * @throws IdempotencyKeyException if the key is not valid
	 * @throws IdempotencyInFlightException if the first call still runs
	 * @throws IdempotencyMismatchException if the key was used with another payload
	 * @throws OutcomeUnknownException if the first call has failed with unknown effect
	 * @throws ResponseLostException if the result of the first call was not kept
	 * @throws io.ge.redis.RedisUnavailableException if Redis is unavailable and the
	 * policy is to deny
	 */
	<T extends @Nullable Object> T execute(IdempotencySettings settings, Object key, @Nullable Object payload,
			ParameterizedTypeReference<T> type, Supplier<T> action);

	/** Runs an action once for a key, by the settings of a name. */
	default <T extends @Nullable Object> T execute(String name, Object key, @Nullable Object payload, Class<T> type,
			Supplier<T> action) {
		return execute(settings(name), key, payload, ParameterizedTypeReference.forType(type), action);
	}

	/** Runs an action without result once for a key, by the settings of a name. */
	default void run(String name, Object key, @Nullable Object payload, Runnable action) {
		execute(name, key, payload, Void.class, () -> {
			action.run();
			return null;
		});
	}

	/**
	 * Runs an action once for a key without blocking, as
	 * {@link #execute(IdempotencySettings, Object, Object, ParameterizedTypeReference, Supplier)}.
	 * The action begins when the key is claimed, and has ended when its stage has.
	 * Cancelling the returned stage before the action begins releases the claim.
	 * Afterwards it also cancels the stage of the action, and the outcome is unknown.
	 * @param settings the operation
	 * @param key as there
	 * @param payload as there
	 * @param type as there
	 * @param action begins the action
	 * @param <T> the type of the result
	 * @return completes with the result, of this call or of the first one, or with the
	 * refusal
	 * @throws IdempotencyKeyException if the key is not valid
	 */
	default <T extends @Nullable Object> CompletionStage<T> executeAsync(IdempotencySettings settings, Object key,
			@Nullable Object payload, ParameterizedTypeReference<T> type,
			Supplier<? extends CompletionStage<T>> action) {
		return CompletableFuture
			.supplyAsync(() -> execute(settings, key, payload, type, () -> action.get().toCompletableFuture().join()));
	}

	/** Runs an action once for a key without blocking, by the settings of a name. */
	default <T extends @Nullable Object> CompletionStage<T> executeAsync(String name, Object key,
			@Nullable Object payload, Class<T> type, Supplier<? extends CompletionStage<T>> action) {
		return executeAsync(settings(name), key, payload, ParameterizedTypeReference.forType(type), action);
	}

	/** Runs an action without result once for a key without blocking. */
	@SuppressWarnings("NullAway")
	default CompletionStage<@Nullable Void> runAsync(String name, Object key, @Nullable Object payload,
			Supplier<? extends CompletionStage<@Nullable Void>> action) {
		return executeAsync(settings(name), key, payload, ParameterizedTypeReference.forType(Void.class), action);
	}

	/**
	 * Returns the API that is injected where idempotency is switched off, without Redis,
	 * for unit tests as well. It runs every action, also a repeated one, keeps no result,
	 * and has the same settings for every name. {@link IdempotencyContext#current()}
	 * throws, as in every call that runs unprotected.
	 * @return the API
	 */
	static Idempotency unguarded() {
		return StandIn.of(Idempotency.class,
				Map.of("settings", (call) -> IdempotencySettings.of(String.valueOf(call[0]))));
	}

}
