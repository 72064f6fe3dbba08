// SPDX-License-Identifier: Apache-2.0

package io.ge.redis.web.exchange.reactive;

import java.io.ByteArrayOutputStream;
import java.util.List;
import java.util.Map;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Function;
import java.util.function.Supplier;

import io.ge.redis.web.exchange.StoredResponse;
import org.jspecify.annotations.Nullable;
import org.reactivestreams.Publisher;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;
import reactor.core.publisher.Signal;

import org.springframework.core.io.buffer.DataBuffer;
import org.springframework.core.io.buffer.DataBufferUtils;
import org.springframework.http.HttpHeaders;
import org.springframework.http.HttpStatus;
import org.springframework.http.HttpStatusCode;
import org.springframework.http.ZeroCopyHttpOutputMessage;
import org.springframework.http.server.reactive.ServerHttpResponse;
import org.springframework.http.server.reactive.ServerHttpResponseDecorator;
import org.springframework.web.server.ResponseStatusException;

/**
 * A response that passes everything on, until it is told to hold it back or to give
 * another response in its place.
 * <p>
 * Held back is the body, and with it the commit. A body sent in pieces, or longer than is
 * kept, is passed on as it comes. This is decided when the body is subscribed to, since
 * it may be what the guarded method publishes. For files see
 * {@link ZeroCopyExchangeResponse}.
 */
class ReactiveExchangeResponse extends ServerHttpResponseDecorator {

	private final long maxBytes;

	private final Listener listener;

	private volatile Mode mode = Mode.PASSING;

	private volatile boolean watched;

	private volatile boolean closed;

	private volatile boolean unawaited;

	private volatile byte[] body = {};

	private volatile @Nullable HttpHeaders detached;

	ReactiveExchangeResponse(ServerHttpResponse response, long maxBytes, Listener listener) {
		super(response);
		this.maxBytes = maxBytes;
		this.listener = listener;
	}

	static ReactiveExchangeResponse of(ServerHttpResponse response, long maxBytes, Listener listener) {
		return (response instanceof ZeroCopyHttpOutputMessage)
				? new ZeroCopyExchangeResponse(response, maxBytes, listener)
				: new ReactiveExchangeResponse(response, maxBytes, listener);
	}

	void watch() {
		this.watched = true;
	}

	/**
	 * Holds the response back; of an earlier attempt only the headers stay.
	 */
	void capture() {
		this.watched = true;
		this.body = new byte[0];
		this.closed = false;
		this.mode = Mode.CAPTURING;
	}

	void pass() {
		this.body = new byte[0];
		this.closed = false;
		this.mode = Mode.PASSING;
	}

	void discard() {
		this.watched = true;
		this.closed = false;
		this.mode = Mode.REPLAYING;
	}

	void forget() {
		this.body = new byte[0];
		this.closed = false;
		if (this.mode == Mode.REPLAYING) {
			this.mode = Mode.PASSING;
		}
	}

	boolean isCapturing() {
		return this.mode == Mode.CAPTURING;
	}

	/**
	 * Nobody waits for it any more. Status and headers are then of another answer as
	 * well, so they cannot be kept.
	 */
	void leave() {
		this.unawaited = true;
		detach();
	}

	/**
	 * Lets the call go on after the request, whose objects some servers use again for the
	 * next one.
	 */
	void detach() {
		if (this.detached == null) {
			this.detached = HttpHeaders.copyOf(super.getHeaders());
		}
	}

	@Override
	public HttpHeaders getHeaders() {
		HttpHeaders own = this.detached;
		return (own != null) ? own : super.getHeaders();
	}

	boolean isUnawaited() {
		return this.unawaited;
	}

	int status() {
		HttpStatusCode status = getStatusCode();
		return (status != null) ? status.value() : HttpStatus.OK.value();
	}

	@Nullable List<String> values(String name) {
		return getHeaders().get(name);
	}

	StoredResponse captured(Map<String, List<String>> headers) {
		return new StoredResponse(new StoredResponse.Head(status(), headers), this.body);
	}

	StoredResponse withoutBody(Map<String, List<String>> headers) {
		return new StoredResponse(new StoredResponse.Head(status(), headers, null, true), new byte[0]);
	}

	Mono<Void> release() {
		return Mono.defer(() -> {
			if (this.mode != Mode.CAPTURING) {
				return Mono.empty();
			}
			this.mode = Mode.PASSING;
			return this.closed ? send(this.body) : Mono.empty();
		});
	}

	Mono<Void> send(StoredResponse response) {
		return Mono.defer(() -> {
			this.mode = Mode.PASSING;
			StoredResponse.Head head = response.head();
			if (super.isCommitted()) {
				return Mono.empty();
			}
			head.headers().forEach(getHeaders()::put);
			if (head.error() != null) {
				String reason = head.error().isEmpty() ? null : head.error();
				return Mono.error(new ResponseStatusException(HttpStatusCode.valueOf(head.status()), reason));
			}
			setStatusCode(HttpStatusCode.valueOf(head.status()));
			if (head.bodiless()) {
				getHeaders().set("Preference-Applied", "return=minimal");
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
		return Mono.defer(() -> switch (this.mode) {
			case PASSING -> super.setComplete();
			case CAPTURING -> {
				this.closed = true;
				yield Mono.empty();
			}
			case REPLAYING -> Mono.empty();
		});
	}

	@Override
	public Mono<Void> writeWith(Publisher<? extends DataBuffer> written) {
		if (!this.watched) {
			return super.writeWith(written);
		}
		boolean single = written instanceof Mono;
		return Flux.<DataBuffer>from(written).switchOnFirst((first, all) -> switch (this.mode) {
			case PASSING -> getDelegate().writeWith(single ? all.singleOrEmpty() : all);
			case CAPTURING -> hold(all);
			case REPLAYING -> all.map(ReactiveExchangeRequest::take).then();
		}).doOnDiscard(DataBuffer.class, DataBufferUtils::release).then();
	}

	@Override
	public Mono<Void> writeAndFlushWith(Publisher<? extends Publisher<? extends DataBuffer>> written) {
		if (!this.watched) {
			return super.writeAndFlushWith(written);
		}
		return Flux.<Publisher<? extends DataBuffer>>from(written).switchOnFirst((first, all) -> switch (this.mode) {
			case PASSING -> getDelegate().writeAndFlushWith(all);
			case CAPTURING -> {
				this.mode = Mode.PASSING;
				this.listener.late();
				yield getDelegate().writeAndFlushWith(all);
			}
			case REPLAYING ->
				all.concatMap((piece) -> Flux.<DataBuffer>from(piece)).map(ReactiveExchangeRequest::take).then();
		}).doOnDiscard(DataBuffer.class, DataBufferUtils::release).then();
	}

	final Mono<Void> writeFile(long length, Supplier<Mono<Void>> passing, Supplier<Flux<DataBuffer>> read) {
		return Mono.defer(() -> switch (this.watched ? this.mode : Mode.PASSING) {
			case PASSING -> passing.get();
			case CAPTURING -> (length > this.maxBytes) ? Mono.defer(() -> {
				this.mode = Mode.PASSING;
				return this.listener.oversized(this)
					.then(Mono.defer(() -> this.unawaited ? Mono.empty() : passing.get()));
			}) : writeWith(read.get());
			case REPLAYING -> Mono.empty();
		});
	}

	/**
	 * Holds the body back as a copy, so that nothing has to be released.
	 */
	private Mono<Void> hold(Flux<DataBuffer> written) {
		AtomicLong total = new AtomicLong();
		return written.map(ReactiveExchangeRequest::take)
			.bufferUntil((bytes) -> total.addAndGet(bytes.length) > this.maxBytes)
			.switchOnFirst((first, pieces) -> (total.get() > this.maxBytes) ? passOn(pieces)
					: pieces.then(Mono.fromRunnable(() -> close(first))))
			.doOnError((failure) -> getHeaders().clearContentHeaders())
			.then();
	}

	private void close(Signal<? extends List<byte[]>> first) {
		List<byte[]> pieces = first.get();
		if (pieces != null) {
			ByteArrayOutputStream joined = new ByteArrayOutputStream();
			pieces.forEach(joined::writeBytes);
			this.body = joined.toByteArray();
		}
		this.closed = true;
	}

	private Mono<Void> passOn(Flux<List<byte[]>> pieces) {
		this.mode = Mode.PASSING;
		return this.listener.oversized(this)
			.then(Mono.defer(() -> this.unawaited ? pieces.then() : getDelegate()
				.writeWith(pieces.concatMapIterable(Function.identity()).map((bytes) -> bufferFactory().wrap(bytes)))));
	}

	private enum Mode {

		PASSING,

		CAPTURING,

		REPLAYING

	}

	interface Listener {

		/**
		 * Completes when the body, too large to be kept, may be passed on.
		 */
		Mono<Void> oversized(ReactiveExchangeResponse response);

		void late();

	}

}
