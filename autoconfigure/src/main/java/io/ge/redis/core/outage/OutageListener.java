/*
 * Copyright 2026 the GE Redis authors
 * SPDX-License-Identifier: Apache-2.0
 */

package io.ge.redis.core.outage;

/**
 * Told of failures and of the breaker's transitions.
 */
public interface OutageListener {

	/**
	 * Called for each failure of a command.
	 * @param pattern the pattern whose command failed
	 * @param cause why
	 */
	void onFailure(String pattern, OutageCause cause);

	/**
	 * Called when the breaker opens or closes.
	 * @param breaker the name of the connection it guards
	 * @param open whether it is open now
	 */
	void onTransition(String breaker, boolean open);

}
