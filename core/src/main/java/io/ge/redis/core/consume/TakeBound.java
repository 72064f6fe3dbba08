// SPDX-License-Identifier: Apache-2.0

package io.ge.redis.core.consume;

import java.util.List;

import io.ge.redis.RedisUnavailableException;
import io.ge.redis.core.outage.Waiting;

import org.springframework.util.unit.DataSize;

/**
 * The bytes of messages that a source takes together; a script always gives the first.
 * Each lost reply halves them, since it may have been too much for the network or the
 * command timeout. Each look for what others have left doubles them again. A message that
 * is larger than the whole bound cannot be taken in smaller parts: its lost replies count
 * as deliveries.
 */
public final class TakeBound {

	private static final int MOST_HALVINGS = 6;

	private final long most;

	private volatile int halvings;

	public TakeBound(DataSize most) {
		this.most = most.toBytes();
	}

	/**
	 * Returns the most bytes to take now, and the bytes above which a lost reply counts.
	 */
	public List<Object> arguments(boolean reclaim) {
		this.halvings = reclaim ? Math.max(0, this.halvings - 1) : this.halvings;
		return List.of(this.most >> this.halvings, this.most);
	}

	/**
	 * Notes that a take has failed.
	 */
	public void failed(Throwable failure) {
		if (Waiting.cause(failure) instanceof RedisUnavailableException unavailable && unavailable.isOutcomeUnknown()) {
			this.halvings = Math.min(MOST_HALVINGS, this.halvings + 1);
		}
	}

}
