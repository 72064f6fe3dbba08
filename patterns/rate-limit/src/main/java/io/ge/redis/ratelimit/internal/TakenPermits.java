// SPDX-License-Identifier: Apache-2.0

package io.ge.redis.ratelimit.internal;

import java.util.List;
import java.util.concurrent.atomic.AtomicReference;

import io.ge.redis.ratelimit.RateLimitPermits;
import org.jspecify.annotations.Nullable;

/**
 * The permits that a decision of the engine has taken, with the way to refund them.
 */
final class TakenPermits implements RateLimitPermits {

	static final TakenPermits NONE = new TakenPermits(List.of(), () -> {
	});

	private final long count;

	private final AtomicReference<@Nullable Runnable> refund;

	TakenPermits(List<PermitRequest> requests, Runnable refund) {
		long most = 0;
		for (PermitRequest request : requests) {
			most = Math.max(most, request.cost());
		}
		this.count = most;
		this.refund = new AtomicReference<>(refund);
	}

	@Override
	public long count() {
		return this.count;
	}

	public void refund() {
		Runnable once = (this.count > 0) ? this.refund.getAndSet(null) : null;
		if (once != null) {
			once.run();
		}
	}

}
