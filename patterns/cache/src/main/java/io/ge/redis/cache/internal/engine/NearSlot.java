// SPDX-License-Identifier: Apache-2.0

package io.ge.redis.cache.internal.engine;

/**
 * The place of an entry in memory: a value, or the token of a load that may bring one.
 */
sealed interface NearSlot permits NearToken, NearValue {

	/**
	 * Returns the token of the load that it belongs to.
	 */
	NearToken token();

}
