// SPDX-License-Identifier: Apache-2.0

package io.ge.redis.breaker;

import java.util.Map;
import java.util.concurrent.CompletionStage;
import java.util.function.Supplier;

import io.ge.redis.core.StandIn;

/**
 * Circuit breakers in code, with the settings of
 * {@code ge.redis.breaker.breakers.<name>.*} or of annotations with the same name.
 */
public interface CircuitBreakers {

	/**
	 * Calls a service.
	 * @param name the name of the breaker
	 * @param work the call
	 * @return the result of the call
	 * @throws CircuitOpenException if the circuit is open
	 */
	<T> T call(String name, Supplier<T> work);

	/**
	 * Calls a service asynchronously.
	 * @param name the name of the breaker
	 * @param work starts the call
	 * @return completes as the call does, exceptionally with {@link CircuitOpenException}
	 * if the circuit is open. Cancelling it abandons the call
	 */
	<T> CompletionStage<T> callAsync(String name, Supplier<? extends CompletionStage<T>> work);

	/**
	 * Returns the state of a circuit on this instance. Costs no command.
	 * @param name the name of the breaker
	 * @param key the value of the key, or several, if the annotation has one
	 */
	CircuitState state(String name, Object... key);

	/**
	 * Returns breakers that never refuse a call, for tests and for a switched-off
	 * pattern.
	 */
	static CircuitBreakers unguarded() {
		return StandIn.of(CircuitBreakers.class, Map.of("state", (arguments) -> CircuitState.CLOSED));
	}

}
