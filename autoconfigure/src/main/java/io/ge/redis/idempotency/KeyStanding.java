/*
 * Copyright 2026 the GE Redis authors
 * SPDX-License-Identifier: Apache-2.0
 */

package io.ge.redis.idempotency;

import java.time.Duration;

/**
 * How a key stands for all instances.
 *
 * @param state the state, {@link IdempotencyControl.State#NONE} if Redis knows nothing of
 * the key; then the rest says nothing
 * @param fence the fence of the last claim
 * @param owner who has or had the claim, empty if nobody
 * @param age the time since the claim
 * @param lease what is left of its lease, or of its grace
 * @param retention what is left until the record is removed
 * @param takenOver whether an earlier call may have had its effect
 */
record KeyStanding(IdempotencyControl.State state, long fence, String owner, Duration age, Duration lease,
		Duration retention, boolean takenOver) {

	/**
	 * The instance of the owner: its calls have numbers after a colon.
	 */
	String instance() {
		int end = this.owner.lastIndexOf(':');
		return (end < 0) ? this.owner : this.owner.substring(0, end);
	}

}
