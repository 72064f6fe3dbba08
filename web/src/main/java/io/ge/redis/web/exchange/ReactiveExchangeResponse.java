// SPDX-License-Identifier: Apache-2.0

package io.ge.redis.web.exchange;

import java.io.ByteArrayOutputStream;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;

import org.jspecify.annotations.Nullable;
import org.reactivestreams.Publisher;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;

import org.springframework.core.io.buffer.DataBuffer;
import org.springframework.core.io.buffer.DataBufferUtils;
import org.springframework.http.HttpHeaders;
import org.springframework.http.HttpStatus;
import org.springframework.http.HttpStatusCode;
import org.springframework.http.ResponseCookie;
import org.springframework.http.server.reactive.ServerHttpResponse;
import org.springframework.http.server.reactive.ServerHttpResponseDecorator;
import org.springframework.web.server.ResponseStatusException;

/**
 * Response of a guarded handler, whose body is held in memory until Redis has it, or
 * which is replaced by a stored one. A streamed body is passed on piece by piece.
 */
final class ReactiveExchangeResponse extends ServerHttpResponseDecorator implements Exchange.HeldResponse {

	private final Set<String> kept;

	private final Runnable streaming;

	private final Map<String, List<String>> before;

	private volatile Mode mode = Mode.PASSING;

	private volatile boolean closed;

	private volatile byte[] body = {};

	private volatile @Nullable HttpHeaders detached;

	private volatile @Nullable ResponseStatusException error;

	ReactiveExchangeResponse(ServerHttpResponse response, Set<String> kept, Runnable streaming) {
		super(response);
		this.streaming = streaming;
		this.kept = kept;
		// For example the type of the content, which is set before the handler runs
		this.before = present(kept);
	}

	/**
	 * Begins the response to a call; of an earlier attempt only the headers stay.
	 */
	void capture() {
		begin(Mode.CAPTURING);
	}

	void discard() {
		begin(Mode.REPLAYING);
	}

	/**
	 * Discards output before an exception.
	 */
	void forget() {
		begin((this.mode == Mode.REPLAYING) ? Mode.PASSING : this.mode);
		if (!super.isCommitted()) {
			getHeaders().remove(IdempotencyKeyHeader.REPLAYED);
		}
	}

	private void begin(Mode begun) {
		this.body = new byte[0];
		this.closed = false;
		this.mode = begun;
	}

	/**
	 * Lets the call proceed after its request was cancelled. From now on nothing reaches
	 * the server, which may be answered by a filter or use its objects for another
	 * request.
	 */
	void detach() {
		this.detached = HttpHeaders.copyOf(super.getHeaders());
	}

	boolean isDetached() {
		return this.detached != null;
	}

	/**
	 * The exception is answered in front of the handler.
	 */
	void failed(ResponseStatusException error) {
		this.error = error;
	}

	@Override
	public boolean setStatusCode(@Nullable HttpStatusCode status) {
		return !isDetached() && super.setStatusCode(status);
	}

	@Override
	public void addCookie(ResponseCookie cookie) {
		if (!isDetached()) {
			super.addCookie(cookie);
		}
	}

	@Override
	public HttpHeaders getHeaders() {
		HttpHeaders own = this.detached;
		return (own != null) ? own : super.getHeaders();
	}

	@Override
	public @Nullable List<String> values(String name) {
		return getHeaders().get(name);
	}

	@Override
	public int status() {
		ResponseStatusException failure = this.error;
		HttpStatusCode status = (failure != null) ? failure.getStatusCode() : getStatusCode();
		return (status != null) ? status.value() : HttpStatus.OK.value();
	}

	@Override
	public @Nullable String error() {
		ResponseStatusException failure = this.error;
		return (failure != null) ? Objects.requireNonNullElse(failure.getReason(), "") : null;
	}

	@Override
	public Map<String, List<String>> before() {
		return this.before;
	}

	@Override
	public byte[] body() {
		return this.body;
	}

	Mono<Void> release() {
		return Mono.defer(
				() -> (this.mode == Mode.CAPTURING && this.closed && !isDetached()) ? send(this.body) : Mono.empty());
	}

	/**
	 * Sends a stored response instead of this one.
	 */
	Mono<Void> send(StoredResponse response) {
		return Mono.defer(() -> {
			StoredResponse.Head head = response.head();
			HttpHeaders headers = getHeaders();
			if (isDetached() || super.isCommitted()) {
				return Mono.empty();
			}
			// Headers of a body that is not sent
			present(this.kept).keySet().forEach(headers::remove);
			headers.remove(HttpHeaders.CONTENT_LENGTH);
			this.before.forEach(headers::put);
			head.headers().forEach(headers::put);
			if (head.error() != null) {
				return Mono.error(new ResponseStatusException(HttpStatusCode.valueOf(head.status()),
						head.error().isEmpty() ? null : head.error()));
			}
			setStatusCode(HttpStatusCode.valueOf(head.status()));
			if (head.bodiless()) {
				headers.set("Preference-Applied", "return=minimal");
			}
			return send(response.body());
		});
	}

	private Mono<Void> send(byte[] bytes) {
		if (bytes.length == 0) {
			return getDelegate().setComplete();
		}
		getHeaders().setContentLength(bytes.length);
		return getDelegate().writeWith(Mono.fromSupplier(() -> bufferFactory().wrap(bytes)));
	}

	@Override
	public boolean isCommitted() {
		return this.closed || super.isCommitted();
	}

	@Override
	public Mono<Void> setComplete() {
		return Mono.defer(() -> write(new byte[0]));
	}

	// The call may be claimed only when the body is subscribed to
	@Override
	public Mono<Void> writeWith(Publisher<? extends DataBuffer> written) {
		return Flux.<DataBuffer>from(written)
			.switchOnFirst((first, body) -> (this.mode == Mode.PASSING && !isDetached()) ? getDelegate().writeWith(body)
					: hold(body))
			.doOnDiscard(DataBuffer.class, DataBufferUtils::release)
			.then();
	}

	private Mono<Void> hold(Flux<DataBuffer> body) {
		return body.map(ReactiveExchangeRequest::take)
			.collect(ByteArrayOutputStream::new, ByteArrayOutputStream::writeBytes)
			.doOnError((failure) -> getHeaders().clearContentHeaders())
			.flatMap((bytes) -> write(bytes.toByteArray()));
	}

	private Mono<Void> write(byte[] bytes) {
		if (this.mode == Mode.PASSING) {
			return isDetached() ? Mono.empty() : send(bytes);
		}
		if (this.mode == Mode.CAPTURING) {
			this.body = bytes;
			this.closed = true;
		}
		return Mono.empty();
	}

	@Override
	public Mono<Void> writeAndFlushWith(Publisher<? extends Publisher<? extends DataBuffer>> written) {
		return Flux.<Publisher<? extends DataBuffer>>from(written).switchOnFirst((first, pieces) -> {
			if (this.mode == Mode.REPLAYING || isDetached()) {
				// There may be no end of them
				return (isDetached() ? pieces.take(1) : pieces).concatMap((piece) -> Flux.<DataBuffer>from(piece))
					.map(ReactiveExchangeRequest::take)
					.then();
			}
			this.mode = Mode.PASSING;
			this.streaming.run();
			return getDelegate().writeAndFlushWith(pieces);
		}).then();
	}

	private enum Mode {

		PASSING,

		CAPTURING,

		REPLAYING

	}

}
