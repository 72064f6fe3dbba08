// SPDX-License-Identifier: Apache-2.0

package io.ge.redis.idempotency;

/**
 * Whether calls leave a row in the application's database, in the transaction of their
 * effect.
 */
public enum WitnessMode {

	/** If there are a transaction manager with a {@code DataSource} and the table. */
	AUTO,

	/** Always: the application does not start without. */
	REQUIRED,

	/** Never. */
	OFF

}
