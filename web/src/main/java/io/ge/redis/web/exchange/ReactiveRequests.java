// SPDX-License-Identifier: Apache-2.0

package io.ge.redis.web.exchange;

import java.lang.reflect.Method;
import java.util.List;
import java.util.Set;
import java.util.function.UnaryOperator;

import io.ge.redis.core.call.ResultForm;
import io.ge.redis.core.call.SubscriberScope;
import io.ge.redis.core.call.ThreadBound;
import io.ge.redis.core.invocation.GuardedMethod;
import io.ge.redis.core.invocation.ReturnTypes;
import io.ge.redis.idempotency.spi.IdempotentExchange;
import org.jspecify.annotations.Nullable;
import org.reactivestreams.Publisher;
import reactor.util.context.ContextView;

import org.springframework.core.ResolvableType;
import org.springframework.core.io.buffer.DataBuffer;
import org.springframework.http.MediaType;
import org.springframework.http.codec.ServerSentEvent;
import org.springframework.http.codec.multipart.FilePart;
import org.springframework.http.codec.multipart.Part;

/**
 * Requests that are found in the context of a subscriber, and bound to a thread while it
 * asks for them. The unread rest of the body is read before.
 */
public final class ReactiveRequests implements HandlerRequests, SubscriberScope {

	private static final ThreadBound<Current> CURRENT = new ThreadBound<>();

	private static final List<Class<?>> PIECES = List.of(ServerSentEvent.class, DataBuffer.class);

	private static final Set<String> STREAMS = Set.of(MediaType.TEXT_EVENT_STREAM_VALUE,
			MediaType.APPLICATION_NDJSON_VALUE);

	@Override
	public @Nullable Publisher<UnaryOperator<Runnable>> find(ContextView context) {
		ReactiveExchange exchange = ReactiveExchange.of(context);
		if (exchange == null) {
			return null;
		}
		return exchange.readContent().thenReturn(CURRENT.binding(new Current(exchange)));
	}

	@Override
	public @Nullable CurrentRequest current() {
		return CURRENT.get();
	}

	/**
	 * Refuses values, and futures that have begun: they would be decided on before there
	 * is a subscriber, by waiting for Redis on the event loop.
	 */
	@Override
	public void require(GuardedMethod handler) {
		ResultForm.Kind kind = ReturnTypes.form(handler).kind();
		if (kind != ResultForm.Kind.SINGLE && kind != ResultForm.Kind.MULTIPLE) {
			throw handler.problem("a handler on WebFlux that returns no publisher cannot be guarded.",
					"Return a Mono, such as by Mono.fromCallable or Mono.fromFuture, or write a suspending function.");
		}
		if (kind == ResultForm.Kind.MULTIPLE && WebHandlers.isSentInPieces(handler,
				ResolvableType.forMethodReturnType(handler.method(), handler.targetClass()), PIECES, STREAMS)) {
			throw handler.problem("a response that is sent piece by piece cannot be kept.",
					"Return the whole response as a Mono or a ResponseEntity, or as a Flux that is no stream.");
		}
	}

	private record Current(ReactiveExchange exchange) implements CurrentRequest {

		@Override
		public List<String> headers(String name) {
			return this.exchange.exchange().getRequest().getHeaders().getOrEmpty(name);
		}

		@Override
		public @Nullable List<@Nullable Object> content(Method handler) {
			return this.exchange.isOf(handler) ? this.exchange.content() : null;
		}

		@Override
		public List<@Nullable Object> contentWithoutBody() {
			return this.exchange.contentWithoutBody();
		}

		// Content that is still to be read cannot be compared
		@Override
		public @Nullable Object comparable(@Nullable Object argument) {
			if (argument instanceof FilePart file) {
				return List.of(file.name(), file.filename());
			}
			if (argument instanceof Part part) {
				return part.name();
			}
			return (argument instanceof Publisher<?>) ? null : argument;
		}

		@Override
		public @Nullable IdempotentExchange exchange(Method handler) {
			return this.exchange.isOf(handler) ? this.exchange.forNextCall() : null;
		}

		@Override
		public Runnable replaying() {
			return this.exchange::replaying;
		}

	}

}
