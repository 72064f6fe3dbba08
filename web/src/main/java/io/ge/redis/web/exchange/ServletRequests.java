// SPDX-License-Identifier: Apache-2.0

package io.ge.redis.web.exchange;

import java.lang.reflect.Method;
import java.util.Collections;
import java.util.List;
import java.util.Set;
import java.util.function.UnaryOperator;

import io.ge.redis.core.call.CallScope;
import io.ge.redis.core.call.ResultForm;
import io.ge.redis.core.invocation.GuardedMethod;
import io.ge.redis.core.invocation.ReturnTypes;
import jakarta.servlet.http.HttpServletResponse;
import org.jspecify.annotations.Nullable;

import org.springframework.context.i18n.LocaleContext;
import org.springframework.context.i18n.LocaleContextHolder;
import org.springframework.core.ResolvableType;
import org.springframework.core.io.buffer.DataBuffer;
import org.springframework.http.MediaType;
import org.springframework.http.codec.ServerSentEvent;
import org.springframework.web.context.request.RequestAttributes;
import org.springframework.web.context.request.RequestContextHolder;
import org.springframework.web.context.request.ServletRequestAttributes;

/**
 * Requests that are bound to their threads. Request and locale are also bound where the
 * call of an idempotent handler continues on another thread, until the request is over.
 */
final class ServletRequests implements HandlerRequests, CallScope {

	private static final List<Class<?>> PIECES = List.of(ServerSentEvent.class, CharSequence.class, DataBuffer.class);

	private static final Set<String> STREAMS = Set.of(MediaType.TEXT_EVENT_STREAM_VALUE,
			MediaType.APPLICATION_NDJSON_VALUE, "application/stream+json");

	@Override
	public @Nullable Current current() {
		return (RequestContextHolder.getRequestAttributes() instanceof ServletRequestAttributes attributes)
				? new OfThread(attributes) : null;
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

	@Override
	public UnaryOperator<Runnable> capture() {
		RequestAttributes bound = RequestContextHolder.getRequestAttributes();
		ServletExchange exchange = (bound instanceof ServletRequestAttributes attributes)
				? ServletExchange.of(attributes.getRequest()) : null;
		if (exchange == null || !exchange.isAnsweredLater()) {
			return UnaryOperator.identity();
		}
		LocaleContext locale = LocaleContextHolder.getLocaleContext();
		return (task) -> () -> {
			if (exchange.isOver() || RequestContextHolder.getRequestAttributes() == bound) {
				task.run();
			}
			else {
				run(task, bound, locale);
			}
		};
	}

	private static void run(Runnable task, @Nullable RequestAttributes request, @Nullable LocaleContext locale) {
		RequestAttributes requestBefore = RequestContextHolder.getRequestAttributes();
		LocaleContext localeBefore = LocaleContextHolder.getLocaleContext();
		RequestContextHolder.setRequestAttributes(request);
		LocaleContextHolder.setLocaleContext(locale);
		try {
			task.run();
		}
		finally {
			RequestContextHolder.setRequestAttributes(requestBefore);
			LocaleContextHolder.setLocaleContext(localeBefore);
		}
	}

	private record OfThread(ServletRequestAttributes attributes) implements Current {

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
			return ExchangeRequest.contentWithoutBody(this.attributes.getRequest());
		}

		@Override
		public @Nullable Exchange exchange(Method handler) {
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
