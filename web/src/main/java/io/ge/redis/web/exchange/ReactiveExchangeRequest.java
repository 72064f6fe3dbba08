// SPDX-License-Identifier: Apache-2.0

package io.ge.redis.web.exchange;

import java.io.ByteArrayOutputStream;
import java.security.MessageDigest;
import java.util.concurrent.atomic.AtomicBoolean;

import io.ge.redis.core.hash.Sha256;
import org.jspecify.annotations.Nullable;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;

import org.springframework.core.io.buffer.DataBuffer;
import org.springframework.core.io.buffer.DataBufferUtils;
import org.springframework.core.io.buffer.DefaultDataBufferFactory;
import org.springframework.http.MediaType;
import org.springframework.http.server.reactive.ServerHttpRequest;
import org.springframework.http.server.reactive.ServerHttpRequestDecorator;

/**
 * Request whose body is hashed while it is read. It copies what the server knows, since a
 * call may outlive the request, whose objects some servers use again.
 */
public final class ReactiveExchangeRequest extends ServerHttpRequestDecorator {

	private final long mostUnread;

	private final AtomicBoolean begun = new AtomicBoolean();

	private volatile byte @Nullable [] hash;

	private volatile byte @Nullable [] rest;

	private volatile @Nullable UnreadBodyTooLargeException tooLarge;

	ReactiveExchangeRequest(ServerHttpRequest request, long mostUnread) {
		super(request.mutate().build());
		super.getCookies();
		this.mostUnread = mostUnread;
	}

	/**
	 * Returns the hash of the body, {@code null} if it was not read to its end.
	 */
	byte @Nullable [] hash() {
		UnreadBodyTooLargeException refused = this.tooLarge;
		if (refused != null) {
			throw refused;
		}
		return this.hash;
	}

	boolean isBegun() {
		return this.begun.get();
	}

	boolean isOfType(MediaType type) {
		return type.isCompatibleWith(getHeaders().getContentType());
	}

	/**
	 * Reads the body if it is unread, and keeps it for later readers.
	 */
	Mono<Void> readRest() {
		return Mono.defer(() -> {
			if (!this.begun.compareAndSet(false, true)) {
				return Mono.empty();
			}
			ByteArrayOutputStream read = new ByteArrayOutputStream();
			return super.getBody().map(ReactiveExchangeRequest::take)
				.takeWhile((bytes) -> keep(bytes, read))
				.then(Mono.fromRunnable(() -> end(read)));
		});
	}

	public static byte[] take(DataBuffer buffer) {
		byte[] bytes = new byte[buffer.readableByteCount()];
		buffer.read(bytes);
		DataBufferUtils.release(buffer);
		return bytes;
	}

	private boolean keep(byte[] bytes, ByteArrayOutputStream read) {
		if (read.size() + (long) bytes.length > this.mostUnread) {
			this.tooLarge = new UnreadBodyTooLargeException(this.mostUnread);
			return false;
		}
		read.writeBytes(bytes);
		return true;
	}

	private void end(ByteArrayOutputStream read) {
		if (this.tooLarge == null) {
			byte[] bytes = read.toByteArray();
			this.rest = bytes;
			this.hash = Sha256.of(bytes);
		}
	}

	@Override
	public Flux<DataBuffer> getBody() {
		return Flux.defer(() -> {
			UnreadBodyTooLargeException refused = this.tooLarge;
			if (refused != null) {
				// The hashed part cannot be read again, so the rest is not the body
				return Flux.error(refused);
			}
			byte[] kept = this.rest;
			if (kept != null) {
				return (kept.length > 0) ? Flux.just(DefaultDataBufferFactory.sharedInstance.wrap(kept)) : Flux.empty();
			}
			return this.begun.compareAndSet(false, true) ? hashing(super.getBody()) : super.getBody();
		});
	}

	private Flux<DataBuffer> hashing(Flux<DataBuffer> body) {
		MessageDigest digest = Sha256.digest();
		return body.doOnNext((buffer) -> update(digest, buffer)).doOnComplete(() -> this.hash = digest.digest());
	}

	static void update(MessageDigest digest, DataBuffer buffer) {
		try (DataBuffer.ByteBufferIterator bytes = buffer.readableByteBuffers()) {
			bytes.forEachRemaining(digest::update);
		}
	}

}
