// SPDX-License-Identifier: Apache-2.0

package io.ge.redis.web.exchange;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.lang.reflect.Method;
import java.util.Collections;
import java.util.List;
import java.util.Set;

import io.ge.redis.core.call.ResultForm;
import io.ge.redis.core.invocation.GuardedMethod;
import io.ge.redis.core.invocation.ReturnTypes;
import io.ge.redis.idempotency.spi.IdempotentExchange;
import jakarta.servlet.http.HttpServletResponse;
import jakarta.servlet.http.Part;
import org.jspecify.annotations.Nullable;

import org.springframework.core.ResolvableType;
import org.springframework.core.io.buffer.DataBuffer;
import org.springframework.http.MediaType;
import org.springframework.http.codec.ServerSentEvent;
import org.springframework.web.context.request.RequestContextHolder;
import org.springframework.web.context.request.ServletRequestAttributes;

/**
 * Requests that are bound to their threads.
 */
public final class ServletRequests implements HandlerRequests {

	private static final List<Class<?>> PIECES = List.of(ServerSentEvent.class, CharSequence.class, DataBuffer.class);

	private static final Set<String> STREAMS = Set.of(MediaType.TEXT_EVENT_STREAM_VALUE,
			MediaType.APPLICATION_NDJSON_VALUE, "application/stream+json");

	@Override
	public @Nullable CurrentRequest current() {
		return (RequestContextHolder.getRequestAttributes() instanceof ServletRequestAttributes attributes)
				? new Current(attributes) : null;
	}

	@Override
	public void require(GuardedMethod handler) {
		if (ReturnTypes.form(handler).kind() == ResultForm.Kind.MULTIPLE && WebHandlers.isSentInPieces(handler,
				ResolvableType.forType(ReturnTypes.promised(handler)), PIECES, STREAMS)) {
			throw handler.problem("a response that Spring MVC sends piece by piece cannot be kept.",
					"Return the whole response as a CompletableFuture or a Mono, or as a Flux that is no stream and not "
							+ "one of texts.");
		}
	}

	private record Current(ServletRequestAttributes attributes) implements CurrentRequest {

		@Override
		public List<String> headers(String name) {
			return Collections.list(this.attributes.getRequest().getHeaders(name));
		}

		private @Nullable ServletExchange exchangeOf(Method handler) {
			ServletExchange exchange = ServletExchange.of(this.attributes.getRequest());
			return (exchange != null && exchange.isOf(handler)) ? exchange : null;
		}

		@Override
		public @Nullable List<@Nullable Object> content(Method handler) {
			ServletExchange exchange = exchangeOf(handler);
			return (exchange != null) ? exchange.content() : null;
		}

		@Override
		public List<@Nullable Object> contentWithoutBody() {
			return RequestContent.withoutBody(this.attributes.getRequest());
		}

		@Override
		public @Nullable Object comparable(@Nullable Object argument) {
			if (!(argument instanceof Part part)) {
				return argument;
			}
			try {
				return List.of(String.valueOf(part.getSubmittedFileName()), part.getInputStream().readAllBytes());
			}
			catch (IOException ex) {
				throw new UncheckedIOException(ex);
			}
		}

		@Override
		public @Nullable IdempotentExchange exchange(Method handler) {
			ServletExchange exchange = exchangeOf(handler);
			return (exchange != null) ? exchange.forNextCall() : null;
		}

		@Override
		public Runnable replaying() {
			HttpServletResponse response = this.attributes.getResponse();
			return () -> {
				if (response != null) {
					response.setHeader(IdempotencyKeyHeader.REPLAYED, "true");
				}
			};
		}

	}

}
