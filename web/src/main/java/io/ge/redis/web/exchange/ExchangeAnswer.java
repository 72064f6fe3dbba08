// SPDX-License-Identifier: Apache-2.0

package io.ge.redis.web.exchange;

import java.util.List;
import java.util.Map;
import java.util.function.Supplier;

import io.ge.redis.GeRedisException;
import io.ge.redis.idempotency.OversizedResponse;
import io.ge.redis.idempotency.spi.IdempotentExchange.Completion;
import io.ge.redis.idempotency.spi.Recording;
import org.jspecify.annotations.Nullable;

/**
 * Answer to a call: whether it fails, and whether its response can be stored.
 */
final class ExchangeAnswer {

	private final ExchangeRules rules;

	private volatile boolean failed;

	private volatile boolean refused;

	private volatile boolean late;

	public ExchangeAnswer(ExchangeRules rules) {
		this.rules = rules;
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

	/**
	 * The response is streamed, so it cannot be stored.
	 */
	public void late() {
		this.late = true;
	}

	public boolean isLate() {
		return this.late;
	}

	public Recording recording(Completion call, Response response) {
		Supplier<Recording> kept = () -> kept(response);
		if (call.isFinal()) {
			return kept.get();
		}
		// A guard may admit a refused call next time, whatever the status
		return this.refused ? new Recording.Failed() : ResponseRules.judge(response.status(), this.failed, kept);
	}

	private Recording kept(Response response) {
		byte[] body = response.body();
		boolean oversized = body.length > this.rules.maxBytes();
		if (this.late || (oversized && this.rules.oversized() == OversizedResponse.LOST)) {
			return new Recording.Lost();
		}
		String error = response.error();
		StoredResponse.Head head = new StoredResponse.Head(response.status(),
				response.headers(!oversized && error == null), error, oversized);
		return new Recording.Stored(new StoredResponse(head, oversized ? new byte[0] : body).write());
	}

	/**
	 * Response that is held back.
	 */
	public interface Response {

		int status();

		/**
		 * Returns the message of an error whose page the server makes.
		 */
		@Nullable String error();

		/**
		 * Returns the headers to store.
		 * @param body whether those that describe the body are among them
		 */
		Map<String, List<String>> headers(boolean body);

		byte[] body();

	}

}
