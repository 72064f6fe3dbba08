// SPDX-License-Identifier: Apache-2.0

package io.ge.redis.web.exchange.reactive;

import java.io.ByteArrayOutputStream;
import java.net.InetSocketAddress;
import java.net.URLDecoder;
import java.nio.ByteBuffer;
import java.nio.charset.Charset;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.atomic.AtomicBoolean;

import io.ge.redis.core.hash.Sha256;
import io.ge.redis.web.exchange.UnreadBodyTooLargeException;
import org.jspecify.annotations.Nullable;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;

import org.springframework.core.io.buffer.DataBuffer;
import org.springframework.core.io.buffer.DataBufferUtils;
import org.springframework.core.io.buffer.DefaultDataBufferFactory;
import org.springframework.http.HttpCookie;
import org.springframework.http.HttpHeaders;
import org.springframework.http.MediaType;
import org.springframework.http.server.reactive.ServerHttpRequest;
import org.springframework.http.server.reactive.ServerHttpRequestDecorator;
import org.springframework.util.CollectionUtils;
import org.springframework.util.LinkedMultiValueMap;
import org.springframework.util.MultiValueMap;

/**
 * A request whose body is hashed while it is read. A form is remembered besides, unless
 * it is too large, since it is compared by its parameters.
 */
public final class ReactiveExchangeRequest extends ServerHttpRequestDecorator {

	private final long mostRemembered;

	private final AtomicBoolean begun = new AtomicBoolean();

	private volatile boolean watched;

	private volatile byte @Nullable [] hash;

	private volatile byte @Nullable [] rest;

	private volatile @Nullable UnreadBodyTooLargeException tooLarge;

	private volatile @Nullable Map<String, List<String>> form;

	private volatile @Nullable Received received;

	ReactiveExchangeRequest(ServerHttpRequest request, long mostRemembered) {
		super(request);
		this.mostRemembered = mostRemembered;
	}

	void watch() {
		this.watched = true;
	}

	/**
	 * Keeps what the server knows: a call may outlive the request, whose objects some
	 * servers use again.
	 */
	void keep() {
		if (this.received == null) {
			this.received = new Received(HttpHeaders.readOnlyHttpHeaders(HttpHeaders.copyOf(super.getHeaders())),
					CollectionUtils.unmodifiableMultiValueMap(new LinkedMultiValueMap<>(super.getCookies())),
					super.getRemoteAddress(), super.getLocalAddress());
		}
	}

	@Override
	public HttpHeaders getHeaders() {
		Received kept = this.received;
		return (kept != null) ? kept.headers() : super.getHeaders();
	}

	@Override
	public MultiValueMap<String, HttpCookie> getCookies() {
		Received kept = this.received;
		return (kept != null) ? kept.cookies() : super.getCookies();
	}

	@Override
	public @Nullable InetSocketAddress getRemoteAddress() {
		Received kept = this.received;
		return (kept != null) ? kept.remote() : super.getRemoteAddress();
	}

	@Override
	public @Nullable InetSocketAddress getLocalAddress() {
		Received kept = this.received;
		return (kept != null) ? kept.local() : super.getLocalAddress();
	}

	/**
	 * Returns the hash of the body, {@code null} if it was read before it was watched, or
	 * not to its end.
	 */
	byte @Nullable [] hash() {
		UnreadBodyTooLargeException refused = this.tooLarge;
		if (refused != null) {
			throw refused;
		}
		return this.hash;
	}

	@Nullable Map<String, List<String>> form() {
		return this.form;
	}

	boolean isUnread() {
		return this.rest != null;
	}

	boolean isOfType(MediaType type) {
		return type.isCompatibleWith(getHeaders().getContentType());
	}

	Mono<Void> readRest() {
		return Mono.defer(() -> {
			if (!this.watched || !this.begun.compareAndSet(false, true)) {
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
		if (read.size() + (long) bytes.length > this.mostRemembered) {
			this.tooLarge = new UnreadBodyTooLargeException(this.mostRemembered);
			return false;
		}
		read.writeBytes(bytes);
		return true;
	}

	private void end(ByteArrayOutputStream read) {
		if (this.tooLarge == null) {
			byte[] bytes = read.toByteArray();
			this.rest = bytes;
			parse(bytes);
			this.hash = Sha256.of(bytes);
		}
	}

	@Override
	public Flux<DataBuffer> getBody() {
		return Flux.defer(() -> {
			UnreadBodyTooLargeException refused = this.tooLarge;
			if (refused != null) {
				// What was read to hash it is gone, so what is left is not the body
				return Flux.error(refused);
			}
			byte[] kept = this.rest;
			if (kept != null) {
				return (kept.length > 0) ? Flux.just(DefaultDataBufferFactory.sharedInstance.wrap(kept)) : Flux.empty();
			}
			boolean first = this.begun.compareAndSet(false, true);
			return (first && this.watched) ? hashing(super.getBody()) : super.getBody();
		});
	}

	private Flux<DataBuffer> hashing(Flux<DataBuffer> body) {
		MessageDigest digest = Sha256.digest();
		ByteArrayOutputStream copy = isOfType(MediaType.APPLICATION_FORM_URLENCODED) ? new ByteArrayOutputStream()
				: null;
		return body.doOnNext((buffer) -> {
			update(digest, buffer);
			if (copy != null && copy.size() <= this.mostRemembered) {
				byte[] bytes = new byte[buffer.readableByteCount()];
				buffer.toByteBuffer(ByteBuffer.wrap(bytes));
				copy.writeBytes(bytes);
			}
		}).doOnComplete(() -> {
			if (copy != null && copy.size() <= this.mostRemembered) {
				parse(copy.toByteArray());
			}
			this.hash = digest.digest();
		});
	}

	static void update(MessageDigest digest, DataBuffer buffer) {
		try (DataBuffer.ByteBufferIterator bytes = buffer.readableByteBuffers()) {
			bytes.forEachRemaining(digest::update);
		}
	}

	private void parse(byte[] bytes) {
		MediaType type = getHeaders().getContentType();
		if (type == null || !isOfType(MediaType.APPLICATION_FORM_URLENCODED)) {
			return;
		}
		Charset charset = (type.getCharset() != null) ? type.getCharset() : StandardCharsets.UTF_8;
		Map<String, List<String>> parameters = new TreeMap<>();
		try {
			for (String pair : new String(bytes, charset).split("&")) {
				int equals = pair.indexOf('=');
				String name = (equals >= 0) ? pair.substring(0, equals) : pair;
				String value = (equals >= 0) ? pair.substring(equals + 1) : "";
				if (!pair.isEmpty()) {
					parameters.computeIfAbsent(URLDecoder.decode(name, charset), (added) -> new ArrayList<>())
						.add(URLDecoder.decode(value, charset));
				}
			}
			this.form = parameters;
		}
		catch (IllegalArgumentException ex) {
			// No form, whatever it says: compared as it came
		}
	}

	private record Received(HttpHeaders headers, MultiValueMap<String, HttpCookie> cookies,
			@Nullable InetSocketAddress remote, @Nullable InetSocketAddress local) {
	}

}
