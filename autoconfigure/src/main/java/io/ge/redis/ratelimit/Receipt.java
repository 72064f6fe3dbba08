/*
 * Copyright 2026 the GE Redis authors
 * SPDX-License-Identifier: Apache-2.0
 */

package io.ge.redis.ratelimit;

import java.util.List;
import java.util.concurrent.atomic.AtomicBoolean;

/**
 * The permits of a decision, and how to refund them.
 */
final class Receipt implements RateLimitReceipt {

	private static final Runnable NOTHING = () -> {
	};

	private final long permits;

	private final Runnable giveBack;

	private final AtomicBoolean given = new AtomicBoolean();

	private Receipt(long permits, Runnable giveBack) {
		this.permits = permits;
		this.giveBack = giveBack;
	}

	static Receipt of(List<Demand> demands, Runnable giveBack) {
		long permits = 0;
		for (Demand demand : demands) {
			permits = Math.max(permits, demand.cost());
		}
		return new Receipt(permits, giveBack);
	}

	static Receipt ofNothing() {
		return new Receipt(0, NOTHING);
	}

	@Override
	public long permits() {
		return this.permits;
	}

	/**
	 * Gives back what was taken, the first time.
	 */
	void giveBack() {
		if (this.permits > 0 && this.given.compareAndSet(false, true)) {
			this.giveBack.run();
		}
	}

}
