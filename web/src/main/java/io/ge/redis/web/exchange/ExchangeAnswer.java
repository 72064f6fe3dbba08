// SPDX-License-Identifier: Apache-2.0

package io.ge.redis.web.exchange;

import java.util.function.Supplier;

import io.ge.redis.GeRedisException;
import io.ge.redis.idempotency.OversizedResponse;
import io.ge.redis.idempotency.spi.IdempotentExchange.Completion;
import io.ge.redis.idempotency.spi.Recording;

/**
 * How a call is answered: what its response means for the key, and whether it can be
 * kept.
 */
public final class ExchangeAnswer {

	private final OversizedResponse onOversized;

	private volatile boolean failed;

	private volatile boolean refused;

	private volatile boolean oversized;

	private volatile boolean late;

	public ExchangeAnswer(OversizedResponse onOversized) {
		this.onOversized = onOversized;
	}

	public void begin() {
		this.failed = false;
		this.refused = false;
	}

	public void failed(Throwable failure) {
		this.failed = true;
		this.refused = failure instanceof GeRedisException;
	}

	public boolean isFailed() {
		return this.failed;
	}

	public void oversized() {
		this.oversized = true;
	}

	public void late() {
		this.late = true;
	}

	public boolean isLate() {
		return this.late;
	}

	public Recording recording(Completion call, int status, Supplier<StoredResponse> whole,
			Supplier<StoredResponse> withoutBody) {
		Supplier<Recording> kept = () -> kept(whole, withoutBody);
		if (call.isFinal()) {
			return kept.get();
		}
		// What a guard has refused it may let through next time, whatever its status
		return this.refused ? new Recording.Failed() : ResponseRules.judge(status, this.failed, kept);
	}

	private Recording kept(Supplier<StoredResponse> whole, Supplier<StoredResponse> withoutBody) {
		if (!this.late && !this.oversized) {
			return new Recording.Stored(whole.get().write());
		}
		return (this.oversized && this.onOversized == OversizedResponse.MINIMAL)
				? new Recording.Stored(withoutBody.get().write()) : new Recording.Lost();
	}

}
