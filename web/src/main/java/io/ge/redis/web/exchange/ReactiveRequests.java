// SPDX-License-Identifier: Apache-2.0

package io.ge.redis.web.exchange;

import java.util.List;
import java.util.Set;
import java.util.function.UnaryOperator;

import io.ge.redis.core.call.ResultForm;
import io.ge.redis.core.call.SubscriberScope;
import io.ge.redis.core.call.ThreadBound;
import io.ge.redis.core.invocation.GuardedMethod;
import io.ge.redis.core.invocation.ReturnTypes;
import org.jspecify.annotations.Nullable;
import org.reactivestreams.Publisher;
import reactor.util.context.ContextView;

import org.springframework.core.ResolvableType;
import org.springframework.core.io.buffer.DataBuffer;
import org.springframework.http.MediaType;
import org.springframework.http.codec.ServerSentEvent;

/**
 * Requests that are found in the context of a subscriber, and bound to a thread while it
 * asks for them. The unread rest of the body is read before.
 */
final class ReactiveRequests implements HandlerRequests, SubscriberScope {

	private static final ThreadBound<ReactiveExchange> CURRENT = new ThreadBound<>();

	private static final List<Class<?>> PIECES = List.of(ServerSentEvent.class, DataBuffer.class);

	private static final Set<String> STREAMS = Set.of(MediaType.TEXT_EVENT_STREAM_VALUE,
			MediaType.APPLICATION_NDJSON_VALUE);

	@Override
	public @Nullable Publisher<UnaryOperator<Runnable>> find(ContextView context) {
		ReactiveExchange exchange = ReactiveExchange.of(context);
		if (exchange == null) {
			return null;
		}
		return exchange.readContent().thenReturn(CURRENT.binding(exchange));
	}

	@Override
	public @Nullable Current current() {
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

}
