// SPDX-License-Identifier: Apache-2.0

package io.ge.redis.web.exchange;

import java.io.ByteArrayOutputStream;
import java.security.MessageDigest;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.atomic.AtomicBoolean;

import io.ge.redis.core.hash.Sha256;
import org.jspecify.annotations.Nullable;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;

import org.springframework.core.codec.DecodingException;
import org.springframework.core.io.buffer.DataBuffer;
import org.springframework.core.io.buffer.DataBufferUtils;
import org.springframework.core.io.buffer.DefaultDataBufferFactory;
import org.springframework.http.MediaType;
import org.springframework.http.codec.multipart.FilePart;
import org.springframework.http.codec.multipart.FormFieldPart;
import org.springframework.http.codec.multipart.Part;
import org.springframework.http.server.reactive.ServerHttpRequest;
import org.springframework.http.server.reactive.ServerHttpRequestDecorator;
import org.springframework.util.MultiValueMap;
import org.springframework.web.server.ServerWebExchange;
import org.springframework.web.server.ServerWebInputException;

/**
 * Request whose body is hashed while it is read. It copies what the server knows, since a
 * call may outlive the request, whose objects some servers use again.
 */
final class ReactiveExchangeRequest extends ServerHttpRequestDecorator {

	private final long mostUnread;

	private final AtomicBoolean begun = new AtomicBoolean();

	private volatile byte @Nullable [] hash;

	private volatile byte @Nullable [] rest;

	private volatile @Nullable Form form;

	private volatile ExchangeRules.@Nullable UnreadBodyTooLargeException tooLarge;

	ReactiveExchangeRequest(ServerHttpRequest request, long mostUnread) {
		super(request.mutate().build());
		super.getCookies();
		this.mostUnread = mostUnread;
	}

	/**
	 * Returns the hash of the body, {@code null} if it was not read to its end.
	 */
	private byte @Nullable [] hash() {
		ExchangeRules.UnreadBodyTooLargeException refused = this.tooLarge;
		if (refused != null) {
			throw refused;
		}
		return this.hash;
	}

	private boolean isOfType(MediaType type) {
		return type.isCompatibleWith(getHeaders().getContentType());
	}

	/**
	 * Reads the body if it is unread, and keeps it for later readers.
	 */
	private Mono<Void> readRest() {
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

	static byte[] take(DataBuffer buffer) {
		byte[] bytes = new byte[buffer.readableByteCount()];
		buffer.read(bytes);
		DataBufferUtils.release(buffer);
		return bytes;
	}

	private boolean keep(byte[] bytes, ByteArrayOutputStream read) {
		if (read.size() + (long) bytes.length > this.mostUnread) {
			this.tooLarge = new ExchangeRules.UnreadBodyTooLargeException(this.mostUnread);
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
			ExchangeRules.UnreadBodyTooLargeException refused = this.tooLarge;
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

	private static void update(MessageDigest digest, DataBuffer buffer) {
		try (DataBuffer.ByteBufferIterator bytes = buffer.readableByteBuffers()) {
			bytes.forEachRemaining(digest::update);
		}
	}

	/**
	 * Reads the content that has to be equal in a repetition. A form is compared by its
	 * parameters and parts, unless its body was read directly.
	 */
	Mono<Void> read(ServerWebExchange exchange) {
		return Mono.defer(() -> {
			if (this.form != null || this.begun.get()) {
				return Mono.empty();
			}
			if (isOfType(MediaType.APPLICATION_FORM_URLENCODED)) {
				return exchange.getFormData()
					.doOnNext((fields) -> this.form = new Form(fields, HandlerRequests.NO_BODY))
					.then();
			}
			return isOfType(MediaType.MULTIPART_FORM_DATA) ? readParts(exchange) : readRest();
		})
			.onErrorMap(
					(failure) -> failure instanceof DecodingException || failure instanceof IllegalArgumentException,
					(failure) -> new ServerWebInputException("The form cannot be read", null, failure));
	}

	private Mono<Void> readParts(ServerWebExchange exchange) {
		Map<String, List<String>> fields = new TreeMap<>();
		List<Object> others = new ArrayList<>();
		return exchange.getMultipartData()
			.flatMapIterable(MultiValueMap::values)
			.concatMap(Flux::fromIterable)
			.concatMap((part) -> readPart(part, fields, others))
			.then(Mono.fromRunnable(() -> this.form = new Form(fields, others)));
	}

	private static Mono<Void> readPart(Part part, Map<String, List<String>> fields, List<Object> others) {
		if (part instanceof FormFieldPart field) {
			fields.computeIfAbsent(field.name(), (name) -> new ArrayList<>()).add(field.value());
			return Mono.empty();
		}
		String file = (part instanceof FilePart named) ? named.filename() : null;
		MessageDigest digest = Sha256.digest();
		// Not released, since the handler is to find it, too
		return part.content()
			.doOnNext((buffer) -> update(digest, buffer))
			.then(Mono.fromRunnable(() -> others.add(HandlerRequests.part(part.name(), file, digest.digest()))));
	}

	@Nullable List<@Nullable Object> content() {
		Form read = this.form;
		Object body = (read != null) ? read.body() : hash();
		if (body == null) {
			return null;
		}
		List<@Nullable Object> content = compared((read != null) ? read.fields() : Map.of());
		content.add(body);
		return content;
	}

	List<@Nullable Object> contentWithoutBody() {
		return compared(Map.of());
	}

	private List<@Nullable Object> compared(Map<String, List<String>> fields) {
		Map<String, List<String>> parameters = new TreeMap<>();
		add(parameters, getQueryParams());
		add(parameters, fields);
		return HandlerRequests.content(getMethod().name(), getPath().pathWithinApplication().value(), parameters);
	}

	private static void add(Map<String, List<String>> parameters, Map<String, List<String>> more) {
		more.forEach((name, values) -> {
			List<String> all = parameters.computeIfAbsent(name, (added) -> new ArrayList<>());
			values.forEach((value) -> all.add((value != null) ? value : ""));
		});
	}

	private record Form(Map<String, List<String>> fields, Object body) {
	}

}
