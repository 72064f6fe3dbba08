// SPDX-License-Identifier: Apache-2.0

package io.ge.redis.breaker;

/**
 * State of a circuit.
 */
public enum CircuitState {

	/** Calls proceed. */
	CLOSED,

	/** Calls are refused. */
	OPEN,

	/** Only probes proceed. */
	HALF_OPEN,

	/** An operator has opened it on all instances. */
	FORCED_OPEN,

	/** An operator has disabled it on all instances: calls proceed. */
	DISABLED

}
