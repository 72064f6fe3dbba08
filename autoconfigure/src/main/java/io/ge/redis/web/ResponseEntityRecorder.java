/*
 * Copyright 2026 the GE Redis authors
 * SPDX-License-Identifier: Apache-2.0
 */

package io.ge.redis.web;

import java.io.ByteArrayOutputStream;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.function.Function;
import java.util.function.Supplier;

import io.ge.redis.core.invocation.GuardConfigurationException;
import io.ge.redis.core.invocation.GuardedMethod;
import io.ge.redis.idempotency.Recording;
import io.ge.redis.idempotency.ResultCodec;
import io.ge.redis.idempotency.ResultCodecFactory;
import org.jspecify.annotations.Nullable;
import tools.jackson.databind.json.JsonMapper;

import org.springframework.core.ResolvableType;
import org.springframework.http.HttpEntity;
import org.springframework.http.HttpHeaders;
import org.springframework.http.ResponseEntity;
import org.springframework.util.function.SingletonSupplier;
import org.springframework.web.context.request.async.DeferredResult;
import org.springframework.web.context.request.async.WebAsyncTask;
import org.springframework.web.servlet.ModelAndView;
import org.springframework.web.servlet.View;
import org.springframework.web.servlet.mvc.method.annotation.ResponseBodyEmitter;
import org.springframework.web.servlet.mvc.method.annotation.StreamingResponseBody;

/**
 * Keeps the status, the headers that describe the content, and the body of a
 * {@link ResponseEntity}.
 * <p>
 * Kept are successes, redirections, and errors of the client that a repetition would get
 * again. Those that ask for another attempt (401, 403, 408, 409, 425, 429 and 503) free
 * the key unless something was committed, and all other errors of the server count as a
 * failure of the call.
 */
public class ResponseEntityRecorder implements ResultCodecFactory {

	private static final Set<Integer> RETRYABLE = Set.of(401, 403, 408, 409, 425, 429, 503);

	private static final List<String> KEPT = List.of(HttpHeaders.ALLOW, HttpHeaders.CACHE_CONTROL,
			HttpHeaders.CONTENT_DISPOSITION, HttpHeaders.CONTENT_LANGUAGE, HttpHeaders.CONTENT_LOCATION,
			HttpHeaders.CONTENT_TYPE, HttpHeaders.ETAG, HttpHeaders.EXPIRES, HttpHeaders.LAST_MODIFIED,
			HttpHeaders.LINK, HttpHeaders.LOCATION, HttpHeaders.VARY);

	// Of the user, of the moment, or of the connection
	private static final Set<String> NEVER_KEPT = Set.of("set-cookie", "set-cookie2", "date", "connection",
			"keep-alive", "proxy-authenticate", "proxy-authorization", "te", "trailer", "transfer-encoding", "upgrade",
			"content-length", "www-authenticate", "authorization");

	private static final List<Class<?>> UNRECORDABLE = List.of(DeferredResult.class, WebAsyncTask.class,
			ResponseBodyEmitter.class, StreamingResponseBody.class, ModelAndView.class, View.class);

	private static final byte END_OF_HEAD = '\n';

	private final Supplier<Set<String>> kept;

	/**
	 * Creates a recorder.
	 * @param further names of headers to keep besides the standard ones
	 */
	public ResponseEntityRecorder(Supplier<List<String>> further) {
		this.kept = SingletonSupplier.of(() -> kept(further.get()));
	}

	private static Set<String> kept(List<String> further) {
		Set<String> names = new TreeSet<>(String.CASE_INSENSITIVE_ORDER);
		names.addAll(KEPT);
		for (String name : further) {
			if (NEVER_KEPT.contains(name.toLowerCase(Locale.ROOT))) {
				throw new GuardConfigurationException("ge.redis.idempotency.replayed-headers",
						"the header " + name + " belongs to one response and must not be given to another.",
						"Remove it from the list.");
			}
			names.add(name);
		}
		return names;
	}

	@Override
	public @Nullable ResultCodec create(GuardedMethod method, ResolvableType returnType,
			Function<ResolvableType, ResultCodec> values) {
		requireRecordable(method, returnType.resolve(Object.class));
		if (!HttpEntity.class.isAssignableFrom(returnType.resolve(Object.class))) {
			return null;
		}
		if (!ResponseEntity.class.isAssignableFrom(returnType.resolve(Object.class))) {
			throw method.problem("an HttpEntity has no status to be kept.", "Return a ResponseEntity.");
		}
		ResolvableType body = returnType.as(ResponseEntity.class).getGeneric(0);
		Class<?> type = body.resolve(Object.class);
		requireRecordable(method, type);
		return new Codec(this.kept.get(),
				values.apply((body.resolve() != null) ? body : ResolvableType.forClass(Object.class)));
	}

	private static void requireRecordable(GuardedMethod method, Class<?> type) {
		for (Class<?> unrecordable : UNRECORDABLE) {
			if (unrecordable.isAssignableFrom(type)) {
				throw method.problem(
						"a response of type " + type.getSimpleName()
								+ " is written after the method has returned, so it cannot be kept.",
						"Return the whole response as a value or a ResponseEntity.");
			}
		}
	}

	/**
	 * Status and headers as one line of JSON, then the body.
	 */
	private static final class Codec implements ResultCodec {

		private final JsonMapper json = JsonMapper.shared();

		private final Set<String> kept;

		private final ResultCodec bodies;

		Codec(Set<String> kept, ResultCodec bodies) {
			this.kept = kept;
			this.bodies = bodies;
		}

		@Override
		public Recording record(@Nullable Object result) {
			if (!(result instanceof ResponseEntity<?> response)) {
				return new Recording.Lost();
			}
			int status = response.getStatusCode().value();
			if (RETRYABLE.contains(status)) {
				return new Recording.Retryable();
			}
			if (status >= 500) {
				return new Recording.Failed();
			}
			Recording body = this.bodies.record(response.getBody());
			return (body instanceof Recording.Stored stored)
					? new Recording.Stored(join(head(status, response.getHeaders()), stored.bytes())) : body;
		}

		private byte[] head(int status, HttpHeaders headers) {
			Map<String, List<String>> lines = new LinkedHashMap<>();
			headers.forEach((name, values) -> {
				if (this.kept.contains(name)) {
					lines.put(name, values);
				}
			});
			return this.json.writeValueAsString(new Head(status, lines)).getBytes(StandardCharsets.UTF_8);
		}

		private static byte[] join(byte[] head, byte[] body) {
			ByteArrayOutputStream joined = new ByteArrayOutputStream(head.length + 1 + body.length);
			joined.writeBytes(head);
			joined.write(END_OF_HEAD);
			joined.writeBytes(body);
			return joined.toByteArray();
		}

		@Override
		public Object replay(byte[] bytes) {
			int end = 0;
			while (bytes[end] != END_OF_HEAD) {
				end++;
			}
			Head head = this.json.readValue(bytes, 0, end, Head.class);
			HttpHeaders headers = new HttpHeaders();
			headers.putAll(head.headers());
			return new ResponseEntity<>(this.bodies.replay(Arrays.copyOfRange(bytes, end + 1, bytes.length)), headers,
					head.status());
		}

	}

	/**
	 * What stands before the body.
	 *
	 * @param status the status
	 * @param headers the headers that are kept
	 */
	record Head(int status, Map<String, List<String>> headers) {
	}

}
