// SPDX-License-Identifier: Apache-2.0

package io.ge.redis.web.limit;

import java.security.Principal;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.function.Supplier;
import java.util.function.UnaryOperator;

import io.ge.redis.GeRedisException;
import io.ge.redis.core.call.SubscriberScope;
import io.ge.redis.ratelimit.RateLimitDecision;
import io.ge.redis.ratelimit.RateLimitExceededException;
import io.ge.redis.ratelimit.RateLimitProperties.Phase;
import io.ge.redis.ratelimit.internal.RateLimitRules;
import io.ge.redis.web.problem.ReactiveProblemResolver;
import org.jspecify.annotations.Nullable;
import reactor.core.publisher.Mono;
import reactor.core.scheduler.Schedulers;

import org.springframework.core.Ordered;
import org.springframework.http.server.reactive.ServerHttpRequest;
import org.springframework.util.function.SingletonSupplier;
import org.springframework.web.cors.reactive.CorsUtils;
import org.springframework.web.server.ServerWebExchange;
import org.springframework.web.server.WebFilter;
import org.springframework.web.server.WebFilterChain;

/**
 * Lets requests through that the rules of one phase admit, without waiting on an event
 * loop: what {@link RateLimitFilter} is for servlets.
 */
class RateLimitWebFilter implements WebFilter, Ordered {

	private final Phase phase;

	private final RequestRules rules;

	private final RateLimitHeaders.OnWebFlux headers;

	private final ReactiveProblemResolver problems;

	private final Supplier<List<SubscriberScope>> scopes;

	private final int order;

	RateLimitWebFilter(Phase phase, RequestRules rules, RateLimitHeaders.OnWebFlux headers,
			ReactiveProblemResolver problems, Supplier<List<SubscriberScope>> scopes, int order) {
		this.phase = phase;
		this.rules = rules;
		this.headers = headers;
		this.problems = problems;
		this.scopes = SingletonSupplier.of(scopes);
		this.order = order;
	}

	@Override
	public int getOrder() {
		return this.order;
	}

	@Override
	public Mono<Void> filter(ServerWebExchange exchange, WebFilterChain chain) {
		if (!this.rules.existFor(this.phase) || CorsUtils.isPreFlightRequest(exchange.getRequest())) {
			return chain.filter(exchange);
		}
		return refusal(exchange).singleOptional()
			.flatMap((refusal) -> refusal.isPresent() ? this.problems.answer(refusal.get(), exchange)
					: chain.filter(exchange));
	}

	private Mono<GeRedisException> refusal(ServerWebExchange exchange) {
		return matches(exchange).flatMap((matches) -> matches.isEmpty() ? Mono.empty() : ask(matches, exchange))
			.onErrorResume(GeRedisException.class, Mono::just);
	}

	private Mono<GeRedisException> ask(List<RateLimitRules.Match> matches, ServerWebExchange exchange) {
		return Mono.defer(() -> {
			CompletableFuture<RateLimitDecision> asked = this.rules.decideAsync(matches).toCompletableFuture();
			Mono<RateLimitDecision> answer = Mono.fromFuture(asked);
			// The rest of the chain may be the whole application
			return asked.isDone() ? answer : answer.publishOn(Schedulers.parallel());
		}).mapNotNull((decision) -> {
			this.headers.add(decision.quotas(), exchange);
			return (decision instanceof RateLimitDecision.Denied denied)
					? new RateLimitExceededException(denied, RateLimitRules.PROPERTY) : null;
		});
	}

	private Mono<List<RateLimitRules.Match>> matches(ServerWebExchange exchange) {
		return Mono.deferContextual((context) -> {
			Mono<UnaryOperator<Runnable>> found = SubscriberScope.findAll(this.scopes.get(), context);
			Mono<UnaryOperator<Runnable>> scope = (found != null) ? found : Mono.just(UnaryOperator.identity());
			return Mono.zip(scope, user(exchange),
					(binding, user) -> matches(exchange, binding, user.map(Principal::getName).orElse(null)));
		});
	}

	// Spring Security's own may be anonymous
	private Mono<Optional<Principal>> user(ServerWebExchange exchange) {
		return (this.phase == Phase.AFTER_AUTHENTICATION && !this.rules.knowPrincipals())
				? exchange.getPrincipal().singleOptional() : Mono.just(Optional.empty());
	}

	private List<RateLimitRules.Match> matches(ServerWebExchange exchange, UnaryOperator<Runnable> scope,
			@Nullable String user) {
		ServerHttpRequest request = exchange.getRequest();
		LimitedRequest limited = LimitedRequest.of(request, user);
		CompletableFuture<List<RateLimitRules.Match>> matches = new CompletableFuture<>();
		scope
			.apply(() -> matches
				.complete(this.rules.matches(this.phase, limited, request.getPath().pathWithinApplication())))
			.run();
		return matches.join();
	}

}
