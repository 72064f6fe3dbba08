// SPDX-License-Identifier: Apache-2.0

package io.ge.redis.readme;

import java.math.BigDecimal;
import java.util.Map;
import java.util.concurrent.CompletionStage;

import io.ge.redis.ratelimit.RateLimitDecision;
import io.ge.redis.ratelimit.RateLimited;
import io.ge.redis.ratelimit.RateLimiter;
import reactor.core.publisher.Mono;

/**
 * The code of the page on futures, publishers and suspending functions.
 */
class CallingStyleExamples {

	private final RateLimiter limiter;

	private final Exchange exchange;

	private final Map<String, BigDecimal> last = Map.of("SOL", BigDecimal.TEN);

	CallingStyleExamples(RateLimiter limiter, Exchange exchange) {
		this.limiter = limiter;
		this.exchange = exchange;
	}

	// @formatter:off
	@RateLimited(key = "#symbol", limit = 100, window = "1s", fallback = "lastKnown")
	public Mono<Quote> quote(String symbol) {
		return this.exchange.ask(symbol);
	}

	Mono<Quote> lastKnown(String symbol) {
		return Mono.just(new Quote(symbol, this.last.getOrDefault(symbol, BigDecimal.ZERO)));
	}

	public CompletionStage<Boolean> mayTrade(String account) {
		return this.limiter.tryAcquireAsync("trades", account).thenApply(RateLimitDecision::isAllowed);
	}
	// @formatter:on

	/**
	 * Where quotes come from.
	 */
	interface Exchange {

		Mono<Quote> ask(String symbol);

	}

	record Quote(String symbol, BigDecimal price) {
	}

}
