// SPDX-License-Identifier: Apache-2.0

package io.ge.redis.ratelimit.internal;

import java.util.List;
import java.util.concurrent.atomic.AtomicBoolean;

import io.ge.redis.ratelimit.RateLimitPermits;

/**
 * The permits that a decision of the engine has taken, with the way to refund them.
 */
final class TakenPermits implements RateLimitPermits {

	static final TakenPermits NONE = new TakenPermits(0, () -> {
	});

	private final long count;

	private final Runnable refund;

	private final AtomicBoolean refunded = new AtomicBoolean();

	private TakenPermits(long count, Runnable refund) {
		this.count = count;
		this.refund = refund;
	}

	static TakenPermits of(List<PermitRequest> requests, Runnable refund) {
		long count = 0;
		for (PermitRequest request : requests) {
			count = Math.max(count, request.cost());
		}
		return new TakenPermits(count, refund);
	}

	@Override
	public long count() {
		return this.count;
	}

	public void refund() {
		if (this.count > 0 && this.refunded.compareAndSet(false, true)) {
			this.refund.run();
		}
	}

}
