// SPDX-License-Identifier: Apache-2.0

package io.ge.redis.core.outage;

import io.ge.redis.OutageCause;

/**
 * Notified of failures and of the breaker's transitions.
 */
public interface OutageListener {

	void onFailure(String pattern, OutageCause cause);

	/**
	 * Called when the breaker opens or closes, on a Cluster for each server.
	 * @param breaker the name of the connection it guards, followed by the server if it
	 * is about one
	 */
	void onTransition(String breaker, boolean open);

}
