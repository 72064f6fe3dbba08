// SPDX-License-Identifier: Apache-2.0

package io.ge.redis.web.exchange.reactive;

import java.security.MessageDigest;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.function.Consumer;

import io.ge.redis.core.hash.Sha256;
import io.ge.redis.web.exchange.ComparedRequest;
import org.jspecify.annotations.Nullable;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;

import org.springframework.http.MediaType;
import org.springframework.http.codec.multipart.FilePart;
import org.springframework.http.codec.multipart.FormFieldPart;
import org.springframework.http.codec.multipart.Part;
import org.springframework.http.server.reactive.ServerHttpRequest;
import org.springframework.web.server.ServerWebExchange;

/**
 * The content that has to be equal in a repetition: method, path, parameters and body. A
 * multipart form that was taken apart is compared by its parts, since a repetition may
 * part them by another line.
 */
final class ReactiveContent {

	private final ReactiveExchangeRequest request;

	private volatile @Nullable Parts parts;

	ReactiveContent(ReactiveExchangeRequest request) {
		this.request = request;
	}

	Mono<Void> read(ServerWebExchange exchange) {
		return this.request.readRest().then(Mono.defer(() -> readParts(exchange)));
	}

	// Only if somebody has had them taken apart: who reads the body itself is to find it
	private Mono<Void> readParts(ServerWebExchange exchange) {
		if (this.parts != null || this.request.isUnread() || !this.request.isOfType(MediaType.MULTIPART_FORM_DATA)) {
			return Mono.empty();
		}
		return exchange.getMultipartData()
			.flatMapMany((data) -> Flux.fromIterable(data.values()).concatMapIterable((several) -> several))
			.concatMap((part) -> entry(part))
			.collectList()
			.doOnNext((entries) -> {
				Parts read = new Parts(new TreeMap<>(), new ArrayList<>());
				entries.forEach((entry) -> entry.accept(read));
				this.parts = read;
			})
			.then()
			// It is compared as it came
			.onErrorComplete();
	}

	private static Mono<Consumer<Parts>> entry(Part part) {
		if (part instanceof FormFieldPart field) {
			return Mono.just((parts) -> parts.fields()
				.computeIfAbsent(field.name(), (name) -> new ArrayList<>())
				.add(field.value()));
		}
		String file = (part instanceof FilePart named) ? named.filename() : null;
		MessageDigest digest = Sha256.digest();
		// Looked at only, since the handler is to find it, too
		return part.content()
			.doOnNext((buffer) -> ReactiveExchangeRequest.update(digest, buffer))
			.then(Mono.fromSupplier(() -> {
				List<Object> compared = ComparedRequest.part(part.name(), file, digest.digest());
				return (parts) -> parts.others().add(compared);
			}));
	}

	@Nullable List<@Nullable Object> whole(ServerHttpRequest asked) {
		Parts taken = this.parts;
		// Who takes the parts does not read on to the end
		byte[] hash = (taken != null) ? ComparedRequest.NOTHING : this.request.hash();
		if (hash == null) {
			return null;
		}
		Map<String, List<String>> parameters = query();
		Map<String, List<String>> form = (taken != null) ? taken.fields() : this.request.form();
		if (form != null) {
			form.forEach(
					(name, values) -> parameters.computeIfAbsent(name, (added) -> new ArrayList<>()).addAll(values));
		}
		List<@Nullable Object> content = compared(asked, parameters);
		content.add((taken != null) ? taken.others() : (form != null) ? ComparedRequest.NOTHING : hash);
		return content;
	}

	List<@Nullable Object> withoutBody(ServerHttpRequest asked) {
		return compared(asked, query());
	}

	private List<@Nullable Object> compared(ServerHttpRequest asked, Map<String, List<String>> parameters) {
		return ComparedRequest.withoutBody(this.request.getMethod().name(),
				asked.getPath().pathWithinApplication().value(), parameters);
	}

	private Map<String, List<String>> query() {
		Map<String, List<String>> parameters = new TreeMap<>();
		this.request.getQueryParams()
			.forEach((name, values) -> parameters.put(name,
					new ArrayList<>(values.stream().map((value) -> (value != null) ? value : "").toList())));
		return parameters;
	}

	private record Parts(Map<String, List<String>> fields, List<Object> others) {
	}

}
