// SPDX-License-Identifier: Apache-2.0

package io.ge.redis.web.exchange;

import java.security.MessageDigest;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

import io.ge.redis.core.hash.Sha256;
import org.jspecify.annotations.Nullable;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;

import org.springframework.core.codec.DecodingException;
import org.springframework.http.MediaType;
import org.springframework.http.codec.multipart.FilePart;
import org.springframework.http.codec.multipart.FormFieldPart;
import org.springframework.http.codec.multipart.Part;
import org.springframework.util.MultiValueMap;
import org.springframework.web.server.ServerWebExchange;
import org.springframework.web.server.ServerWebInputException;

/**
 * Content that has to be equal in a repetition: method, path, parameters and body. A form
 * is compared by its parameters and parts, unless its body was read directly.
 */
final class ReactiveContent {

	private final ServerWebExchange exchange;

	private final ReactiveExchangeRequest request;

	private volatile @Nullable Form form;

	ReactiveContent(ServerWebExchange exchange, ReactiveExchangeRequest request) {
		this.exchange = exchange;
		this.request = request;
	}

	Mono<Void> read() {
		return Mono.defer(() -> {
			if (this.form != null || this.request.isBegun()) {
				return Mono.empty();
			}
			if (this.request.isOfType(MediaType.APPLICATION_FORM_URLENCODED)) {
				return this.exchange.getFormData()
					.doOnNext((fields) -> this.form = new Form(fields, ComparedRequest.NOTHING))
					.then();
			}
			return this.request.isOfType(MediaType.MULTIPART_FORM_DATA) ? readParts() : this.request.readRest();
		})
			.onErrorMap(
					(failure) -> failure instanceof DecodingException || failure instanceof IllegalArgumentException,
					(failure) -> new ServerWebInputException("The form cannot be read", null, failure));
	}

	private Mono<Void> readParts() {
		Map<String, List<String>> fields = new TreeMap<>();
		List<Object> others = new ArrayList<>();
		return this.exchange.getMultipartData()
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
			.doOnNext((buffer) -> ReactiveExchangeRequest.update(digest, buffer))
			.then(Mono.fromRunnable(() -> others.add(ComparedRequest.part(part.name(), file, digest.digest()))));
	}

	@Nullable List<@Nullable Object> whole() {
		Form read = this.form;
		Object body = (read != null) ? read.body() : this.request.hash();
		if (body == null) {
			return null;
		}
		List<@Nullable Object> content = compared((read != null) ? read.fields() : Map.of());
		content.add(body);
		return content;
	}

	List<@Nullable Object> withoutBody() {
		return compared(Map.of());
	}

	private List<@Nullable Object> compared(Map<String, List<String>> fields) {
		Map<String, List<String>> parameters = new TreeMap<>();
		add(parameters, this.request.getQueryParams());
		add(parameters, fields);
		return ComparedRequest.withoutBody(this.request.getMethod().name(),
				this.request.getPath().pathWithinApplication().value(), parameters);
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
