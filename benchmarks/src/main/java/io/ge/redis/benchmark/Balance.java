// SPDX-License-Identifier: Apache-2.0

package io.ge.redis.benchmark;

import java.math.BigDecimal;

/**
 * A value as applications keep them.
 *
 * @param wallet whose
 * @param currency of what
 * @param amount how much
 */
record Balance(String wallet, String currency, BigDecimal amount) {

	static Balance of(String wallet) {
		return new Balance(wallet, "SOL", new BigDecimal("1234567.890123"));
	}

}
