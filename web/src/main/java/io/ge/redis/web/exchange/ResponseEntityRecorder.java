// SPDX-License-Identifier: Apache-2.0

package io.ge.redis.web.exchange;

import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.BiFunction;
import java.util.function.Supplier;

import io.ge.redis.core.invocation.GuardedMethod;
import io.ge.redis.idempotency.spi.Recording;
import io.ge.redis.idempotency.spi.ResultCodec;
import io.ge.redis.idempotency.spi.ResultCodecFactory;
import jakarta.servlet.ServletResponse;
import org.jspecify.annotations.Nullable;

import org.springframework.core.ResolvableType;
import org.springframework.core.io.InputStreamSource;
import org.springframework.http.HttpEntity;
import org.springframework.http.HttpHeaders;
import org.springframework.http.ReactiveHttpOutputMessage;
import org.springframework.http.ResponseEntity;
import org.springframework.http.codec.ServerSentEvent;
import org.springframework.web.server.ServerWebExchange;
import org.springframework.web.servlet.ModelAndView;
import org.springframework.web.servlet.View;

/**
 * Keeps the value of a web handler where its response is not there (yet): in the row that
 * is written before the commit, and where the response could not be made. A
 * {@link ResponseEntity} is stored as status, content headers and body.
 */
final class ResponseEntityRecorder implements ResultCodecFactory {

	private final Supplier<List<String>> further;

	/** Types that control the response and are no values. */
	private final List<Class<?>> noValue;

	/** Types of parameters to which a handler writes the response itself. */
	private final List<Class<?>> written;

	private ResponseEntityRecorder(Supplier<List<String>> further, List<Class<?>> noValue, List<Class<?>> written) {
		this.further = further;
		this.noValue = noValue;
		this.written = written;
	}

	static ResponseEntityRecorder onServlets(Supplier<List<String>> further) {
		return new ResponseEntityRecorder(further,
				List.of(HttpEntity.class, ModelAndView.class, View.class, InputStreamSource.class),
				List.of(ServletResponse.class));
	}

	static ResponseEntityRecorder onWebFlux(Supplier<List<String>> further) {
		return new ResponseEntityRecorder(further, List.of(HttpEntity.class,
				org.springframework.web.reactive.result.view.View.class, InputStreamSource.class),
				List.of(ReactiveHttpOutputMessage.class, ServerWebExchange.class));
	}

	@Override
	public @Nullable ResultCodec create(GuardedMethod method, ResolvableType returnType,
			BiFunction<ResolvableType, Boolean, ResultCodec> values) {
		Set<String> kept = ExchangeRules.keptHeaders(this.further.get());
		Class<?> type = returnType.resolve(Object.class);
		refuseEvents(method, type);
		boolean handler = WebHandlers.isHandler(method);
		if (ResponseEntity.class.isAssignableFrom(type)) {
			ResolvableType body = returnType.as(ResponseEntity.class).getGeneric(0);
			refuseEvents(method, body.resolve(Object.class));
			return (handler && isAnyOf(this.noValue, body.resolve(Object.class))) ? new NoValue()
					: new Codec(kept, values.apply(declared(body), handler));
		}
		if (!handler) {
			refuse(method, type, this.noValue, "is no value that could be kept outside of a web handler");
			return null;
		}
		if (isAnyOf(this.noValue, type) || writesItself(method, type)) {
			return new NoValue();
		}
		return values.apply(declared(returnType), true);
	}

	private boolean writesItself(GuardedMethod method, Class<?> type) {
		if (type != void.class && type != Void.class) {
			return !WebHandlers.returnsBody(method);
		}
		for (Class<?> parameter : method.method().getParameterTypes()) {
			if (isAnyOf(this.written, parameter)) {
				return true;
			}
		}
		return false;
	}

	private static ResolvableType declared(ResolvableType type) {
		return (type.resolve() != null) ? type : ResolvableType.forClass(Object.class);
	}

	private static boolean isAnyOf(List<Class<?>> types, Class<?> type) {
		return types.stream().anyMatch((candidate) -> candidate.isAssignableFrom(type));
	}

	private static void refuseEvents(GuardedMethod method, Class<?> type) {
		refuse(method, type, List.of(ServerSentEvent.class), "is written after the method has returned");
	}

	private static void refuse(GuardedMethod method, Class<?> type, List<Class<?>> refused, String why) {
		if (isAnyOf(refused, type)) {
			throw method.problem("a response of type " + type.getSimpleName() + " " + why + ".",
					"Return the whole response as a value or a ResponseEntity.");
		}
	}

	private static final class NoValue implements ResultCodec {

		@Override
		public Recording record(@Nullable Object result) {
			return new Recording.Lost();
		}

		@Override
		public Object replay(byte[] bytes) {
			throw new IllegalArgumentException("there is no value to be read");
		}

	}

	private record Codec(Set<String> kept, ResultCodec bodies) implements ResultCodec {

		@Override
		public Recording record(@Nullable Object result) {
			if (!(result instanceof ResponseEntity<?> response)) {
				return new Recording.Lost();
			}
			int status = response.getStatusCode().value();
			return ExchangeRules.judge(status, false, () -> {
				Recording body = this.bodies.record(response.getBody());
				return (body instanceof Recording.Stored stored) ? new Recording.Stored(
						new StoredResponse(head(status, response.getHeaders()), stored.bytes()).write()) : body;
			});
		}

		private StoredResponse.Head head(int status, HttpHeaders headers) {
			Map<String, List<String>> lines = new LinkedHashMap<>();
			headers.forEach(lines::put);
			lines.keySet().retainAll(this.kept);
			return new StoredResponse.Head(status, lines);
		}

		@Override
		public Object replay(byte[] bytes) {
			StoredResponse stored = StoredResponse.read(bytes, this.kept);
			HttpHeaders headers = new HttpHeaders();
			headers.putAll(stored.head().headers());
			return new ResponseEntity<>(this.bodies.replay(stored.body()), headers, stored.head().status());
		}

	}

}
