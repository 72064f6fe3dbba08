// SPDX-License-Identifier: Apache-2.0

package io.ge.redis.web.limit;

import java.time.Duration;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Supplier;
import java.util.function.UnaryOperator;
import java.util.stream.Collectors;

import io.ge.redis.GeRedisException;
import io.ge.redis.core.call.SubscriberScope;
import io.ge.redis.core.call.ThreadBound;
import io.ge.redis.core.event.GuardEvent;
import io.ge.redis.core.event.GuardListener;
import io.ge.redis.ratelimit.Quota;
import io.ge.redis.ratelimit.RateLimitEvent;
import io.ge.redis.ratelimit.RateLimitExceededException;
import io.ge.redis.ratelimit.RateLimitProperties.Headers;
import io.ge.redis.ratelimit.RateLimitProperties.Phase;
import io.ge.redis.web.problem.ProblemResolver;
import io.ge.redis.web.problem.ReactiveProblemResolver;
import jakarta.servlet.Filter;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletResponse;
import org.jspecify.annotations.Nullable;
import org.reactivestreams.Publisher;
import reactor.core.publisher.Mono;
import reactor.util.context.ContextView;

import org.springframework.beans.factory.ObjectProvider;
import org.springframework.http.server.reactive.ServerHttpResponse;
import org.springframework.util.function.SingletonSupplier;
import org.springframework.web.context.request.RequestContextHolder;
import org.springframework.web.context.request.ServletRequestAttributes;
import org.springframework.web.filter.reactive.ServerWebExchangeContextFilter;
import org.springframework.web.server.ServerWebExchange;
import org.springframework.web.server.WebFilter;

/**
 * The response fields with the state of all deciding limits, the tightest first, as of
 * draft-ietf-httpapi-ratelimit-headers-10. They are written also when the request is
 * admitted; limits on trial do not count. The legacy fields show the tightest limit only;
 * {@code X-RateLimit-Reset} counts seconds from now.
 */
public final class RateLimitHeaders {

	private static final String QUOTAS = RateLimitHeaders.class.getName() + ".quotas";

	private static final String POLICY = "RateLimit-Policy";

	private static final String LIMIT = "RateLimit";

	/** Largest integer of a structured field. */
	private static final long LARGEST = 999_999_999_999_999L;

	private static final Comparator<Quota> TIGHTEST_FIRST = Comparator.comparingLong(Quota::remaining)
		.thenComparing(Quota::restoredAfter, Comparator.reverseOrder());

	private RateLimitHeaders() {
	}

	/**
	 * Adds new quotas to the earlier ones; limits on trial do not count.
	 */
	static List<Quota> merge(List<Quota> earlier, List<Quota> quotas) {
		List<Quota> all = new ArrayList<>(earlier);
		for (Quota quota : quotas) {
			if (!quota.limit().shadow()) {
				all.removeIf((known) -> known.limit().name().equals(quota.limit().name()));
				all.add(quota);
			}
		}
		return all;
	}

	static Map<String, String> of(Headers dialect, List<Quota> quotas) {
		List<Quota> sorted = quotas.stream().sorted(TIGHTEST_FIRST).toList();
		return switch (dialect) {
			case DRAFT_10 -> Map.of(POLICY, policy(sorted), LIMIT, limit(sorted));
			case LEGACY -> legacy(sorted.get(0));
			case NONE -> Map.of();
		};
	}

	private static Map<String, String> legacy(Quota tightest) {
		return Map.of("X-RateLimit-Limit", Long.toString(tightest.limit().limit()), "X-RateLimit-Remaining",
				Long.toString(integer(tightest.remaining())), "X-RateLimit-Reset",
				Long.toString(integer(ceilSeconds(tightest.restoredAfter()))));
	}

	private static String policy(List<Quota> quotas) {
		return quotas.stream()
			.map((quota) -> name(quota) + ";q=" + integer(quota.limit().limit()) + ";w="
					+ integer(Math.max(1, ceilSeconds(quota.limit().window()))))
			.collect(Collectors.joining(", "));
	}

	private static String limit(List<Quota> quotas) {
		return quotas.stream()
			.map((quota) -> name(quota) + ";r=" + integer(quota.remaining()) + ";t="
					+ integer(ceilSeconds(quota.restoredAfter())))
			.collect(Collectors.joining(", "));
	}

	// A string of a structured field is printable ASCII
	private static String name(Quota quota) {
		String name = quota.limit().name();
		StringBuilder quoted = new StringBuilder(name.length() + 2).append('"');
		for (int i = 0; i < name.length(); i++) {
			char c = name.charAt(i);
			if (c == '"' || c == '\\') {
				quoted.append('\\');
			}
			quoted.append((c < ' ' || c > '~') ? '?' : c);
		}
		return quoted.append('"').toString();
	}

	private static long ceilSeconds(Duration duration) {
		return duration.plusNanos(999_999_999).toSeconds();
	}

	private static long integer(long value) {
		return Math.max(0, Math.min(value, LARGEST));
	}

	/** Writes the fields on servlets, as soon as a limit has decided. */
	public static final class OnServlets implements GuardListener, ProblemResolver.Fields {

		private final Supplier<Headers> dialect;

		public OnServlets(Supplier<Headers> dialect) {
			this.dialect = SingletonSupplier.of(dialect);
		}

		@Override
		public void onEvent(GuardEvent event) {
			if (event instanceof RateLimitEvent decided && decided.quota() != null
					&& RequestContextHolder.getRequestAttributes() instanceof ServletRequestAttributes attributes
					&& attributes.getResponse() != null) {
				add(List.of(decided.quota()), attributes.getRequest(), attributes.getResponse());
			}
		}

		// Nothing was written yet where the limits have decided on another thread
		@Override
		public void add(GeRedisException exception, HttpServletRequest request, HttpServletResponse response) {
			if (exception instanceof RateLimitExceededException exceeded) {
				add(exceeded.quotas(), request, response);
			}
		}

		/**
		 * Returns the filter that decides by the rules of a phase.
		 */
		public Filter filter(Phase phase, RequestRules rules, ProblemResolver problems) {
			return new RateLimitFilter(phase, rules, this, problems);
		}

		@SuppressWarnings("unchecked")
		void add(List<Quota> quotas, HttpServletRequest request, HttpServletResponse response) {
			if (this.dialect.get() == Headers.NONE || response.isCommitted()) {
				return;
			}
			List<Quota> earlier = (List<Quota>) request.getAttribute(QUOTAS);
			List<Quota> all = merge((earlier != null) ? earlier : List.of(), quotas);
			request.setAttribute(QUOTAS, all);
			if (!all.isEmpty()) {
				of(this.dialect.get(), all).forEach(response::setHeader);
			}
		}

	}

	/**
	 * Binds the exchange of a subscriber to the threads on which guards decide. Several
	 * may decide for one exchange, so the fields are written once, when the response is
	 * committed.
	 */
	public static final class OnWebFlux implements GuardListener, SubscriberScope, ReactiveProblemResolver.Fields {

		private static final ThreadBound<ServerWebExchange> CURRENT = new ThreadBound<>();

		private final Supplier<Headers> dialect;

		public OnWebFlux(Supplier<Headers> dialect) {
			this.dialect = SingletonSupplier.of(dialect);
		}

		static @Nullable ServerWebExchange current() {
			return CURRENT.get();
		}

		@Override
		public @Nullable Publisher<UnaryOperator<Runnable>> find(ContextView context) {
			return ServerWebExchangeContextFilter.getExchange(context)
				.map((exchange) -> Mono.just(CURRENT.binding(exchange)))
				.orElse(null);
		}

		@Override
		public UnaryOperator<Runnable> capture() {
			return CURRENT.capture();
		}

		@Override
		public void onEvent(GuardEvent event) {
			ServerWebExchange exchange = current();
			if (exchange != null && event instanceof RateLimitEvent decided && decided.quota() != null) {
				add(List.of(decided.quota()), exchange);
			}
		}

		@Override
		public void add(GeRedisException exception, ServerWebExchange exchange) {
			if (exception instanceof RateLimitExceededException exceeded) {
				add(exceeded.quotas(), exchange);
			}
		}

		/**
		 * Returns the filter that decides by the rules of a phase.
		 */
		public WebFilter filter(Phase phase, RequestRules rules, ReactiveProblemResolver problems,
				ObjectProvider<SubscriberScope> scopes, int order) {
			return new RateLimitWebFilter(phase, rules, this, problems, () -> scopes.orderedStream().toList(), order);
		}

		void add(List<Quota> quotas, ServerWebExchange exchange) {
			Headers headers = this.dialect.get();
			if (headers != Headers.NONE) {
				Quotas sent = (Quotas) exchange.getAttributes()
					.computeIfAbsent(QUOTAS, (name) -> begin(headers, exchange.getResponse()));
				sent.updateAndGet((earlier) -> merge(earlier, quotas));
			}
		}

		private static Quotas begin(Headers headers, ServerHttpResponse response) {
			Quotas quotas = new Quotas();
			response.beforeCommit(() -> {
				if (!quotas.get().isEmpty()) {
					of(headers, quotas.get()).forEach(response.getHeaders()::set);
				}
				return Mono.empty();
			});
			return quotas;
		}

	}

	private static final class Quotas extends AtomicReference<List<Quota>> {

		Quotas() {
			super(List.of());
		}

	}

}
