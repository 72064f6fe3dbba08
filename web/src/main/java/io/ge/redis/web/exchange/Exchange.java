// SPDX-License-Identifier: Apache-2.0

package io.ge.redis.web.exchange;

import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.function.Supplier;

import io.ge.redis.GeRedisException;
import io.ge.redis.idempotency.OversizedResponse;
import io.ge.redis.idempotency.spi.IdempotentExchange;
import io.ge.redis.idempotency.spi.Recording;
import org.jspecify.annotations.Nullable;

import org.springframework.http.HttpHeaders;

/**
 * A request to a guarded handler and its response, on every web stack: whether the answer
 * fails, and whether it can be stored.
 */
abstract class Exchange implements IdempotentExchange {

	private static final List<String> OF_THE_BODY = List.of(HttpHeaders.CONTENT_TYPE, HttpHeaders.CONTENT_ENCODING,
			HttpHeaders.CONTENT_RANGE, HttpHeaders.CONTENT_DISPOSITION);

	private final ExchangeRules rules;

	private volatile @Nullable Completion call;

	private volatile CompletionStage<?> ready = CompletableFuture.completedFuture(null);

	private volatile @Nullable StoredResponse replayed;

	private volatile boolean failed;

	private volatile boolean refused;

	private volatile boolean late;

	Exchange(ExchangeRules rules) {
		this.rules = rules;
	}

	ExchangeRules rules() {
		return this.rules;
	}

	/**
	 * Returns this for a new call of the handler, {@code null} if the handler is called
	 * within itself. A call without an answer of its own is over when advice around it
	 * tries again.
	 */
	@Nullable Exchange forNextCall() {
		Completion last = this.call;
		if (last != null && last.isRunning()) {
			return null;
		}
		if (last != null) {
			this.call = null;
			awaitEnd(last.unanswered());
		}
		return this;
	}

	void awaitEnd(CompletionStage<Boolean> ending) {
		this.ready = ending;
	}

	@Override
	public CompletionStage<?> ready() {
		return this.ready;
	}

	void begin(@Nullable Completion begun) {
		this.call = begun;
		this.failed = false;
		this.refused = false;
	}

	@Nullable Completion call() {
		return this.call;
	}

	/**
	 * The method has ended, or will, without an answer; also if it is claiming its key
	 * just now.
	 */
	void unanswered() {
		Completion open = this.call;
		if (open != null) {
			open.unanswered();
		}
	}

	StoredResponse read(byte[] bytes) {
		return StoredResponse.read(bytes, this.rules.headers());
	}

	void replay(@Nullable StoredResponse response) {
		this.replayed = response;
	}

	@Nullable StoredResponse replayed() {
		return this.replayed;
	}

	void answersFailure(Throwable failure) {
		this.failed = true;
		this.refused = failure instanceof GeRedisException;
	}

	/**
	 * The response is streamed, so it cannot be stored.
	 */
	void stream() {
		this.late = true;
	}

	boolean isStreamed() {
		return this.late;
	}

	CompletionStage<Boolean> answer(Completion open, HeldResponse response) {
		return open.answered(recording(open, response), this.failed);
	}

	private Recording recording(Completion open, HeldResponse response) {
		Supplier<Recording> kept = () -> kept(response);
		if (open.isFinal()) {
			return kept.get();
		}
		// A guard may admit a refused call next time, whatever the status
		return this.refused ? new Recording.Failed() : ExchangeRules.judge(response.status(), this.failed, kept);
	}

	private Recording kept(HeldResponse response) {
		byte[] body = response.body();
		boolean oversized = body.length > this.rules.maxBytes();
		if (this.late || (oversized && this.rules.oversized() == OversizedResponse.LOST)) {
			return new Recording.Lost();
		}
		String error = response.error();
		Map<String, List<String>> headers = response.present(this.rules.headers());
		headers.entrySet().removeAll(response.before().entrySet());
		if (oversized || error != null) {
			OF_THE_BODY.forEach(headers::remove);
		}
		StoredResponse.Head head = new StoredResponse.Head(response.status(), headers, error, oversized);
		return new Recording.Stored(new StoredResponse(head, oversized ? new byte[0] : body).write());
	}

	/** A response that is held back until Redis has it. */
	interface HeldResponse {

		int status();

		/**
		 * Returns the message of an error whose page the server makes.
		 */
		@Nullable String error();

		@Nullable Collection<String> values(String header);

		/**
		 * Returns the headers that were set before it was held back. They are not kept,
		 * since filters set them for each response.
		 */
		Map<String, List<String>> before();

		byte[] body();

		default Map<String, List<String>> present(Set<String> names) {
			Map<String, List<String>> headers = new LinkedHashMap<>();
			for (String name : names) {
				Collection<String> values = values(name);
				if (values != null && !values.isEmpty()) {
					headers.put(name, List.copyOf(values));
				}
			}
			return headers;
		}

	}

}
