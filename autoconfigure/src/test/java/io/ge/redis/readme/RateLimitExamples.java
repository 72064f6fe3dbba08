// SPDX-License-Identifier: Apache-2.0

package io.ge.redis.readme;

import java.util.List;

import io.ge.redis.ratelimit.RateLimitAlgorithm;
import io.ge.redis.ratelimit.RateLimitDecision;
import io.ge.redis.ratelimit.RateLimitExceededException;
import io.ge.redis.ratelimit.RateLimitRequest;
import io.ge.redis.ratelimit.RateLimitResolver;
import io.ge.redis.ratelimit.RateLimited;
import io.ge.redis.ratelimit.RateLimiter;

import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;

/**
 * The code of the page on rate limits.
 */
class RateLimitExamples {

	private final RateLimiter limiter;

	private final Shop orders = new Shop();

	private final Market market = new Market();

	private final Files files = new Files();

	private final Items items = new Items();

	private final Table table = new Table();

	private final Partner partner = new Partner();

	RateLimitExamples(RateLimiter limiter) {
		this.limiter = limiter;
	}

	// @formatter:off
	@RateLimited(name = "orders", key = "#user", limit = 100, window = "1m")
	public Order order(String user, Cart cart) {
		return this.orders.place(user, cart);
	}

	@RateLimited(name = "quotes", key = "#user", limit = 10, window = "1s", fallback = "lastQuote")
	public Quote quote(String user) {
		return this.market.quote();
	}

	Quote lastQuote(String user, RateLimitExceededException refusal) {
		return this.market.lastQuote();
	}

	@RateLimited(name = "uploads", key = "#tenant", limit = 60, window = "1m",
			algorithm = RateLimitAlgorithm.TOKEN_BUCKET, burst = 10)
	public void upload(String tenant, byte[] file) {
		this.files.add(file);
	}

	@RateLimited(name = "per-user", key = "#user", limit = 10, window = "1s")
	@RateLimited(name = "per-tenant", key = "#tenant", limit = 100, window = "1s")
	public List<Item> find(String tenant, String user, String text) {
		return this.items.find(text);
	}

	@RateLimited(name = "rows", key = "#tenant", cost = "#rows.size()", limit = 1000, window = "1m",
			refundOn = IllegalStateException.class)
	public int insert(String tenant, List<String> rows) {
		return this.table.insert(rows);
	}

	@RateLimited(name = "partner", limit = 5, window = "1s", waitTime = "2s")
	public Answer ask(Question question) {
		return this.partner.ask(question);
	}

	String read(String user, String tenant, long rows) {
		RateLimitDecision decision = this.limiter
			.tryAcquire(RateLimitRequest.of("user", user).and("tenant", tenant).withCost(rows));
		if (decision instanceof RateLimitDecision.Denied denied) {
			return "again in " + denied.retryAfter();
		}
		return "read";
	}
	// @formatter:on

	@Configuration(proxyBeanMethods = false)
	static class Beans {

		// @formatter:off
		@Bean
		RateLimitResolver plans(Plans plans) {
			return (limit, key) -> plans.isLarge(key) ? limit.withLimit(limit.limit() * 10) : limit;
		}
		// @formatter:on

		@Bean
		Plans largePlans() {
			return new Plans();
		}

	}

	static class Plans {

		boolean isLarge(List<String> key) {
			return key.contains("large");
		}

	}

	record Order(String user, Cart cart) {
	}

	record Cart(String content) {
	}

	record Quote(int number) {
	}

	record Item(String text) {
	}

	record Question(String text) {
	}

	record Answer(String text) {
	}

	private static final class Shop {

		Order place(String user, Cart cart) {
			return new Order(user, cart);
		}

	}

	private static final class Market {

		private int quotes;

		Quote quote() {
			this.quotes++;
			return lastQuote();
		}

		Quote lastQuote() {
			return new Quote(this.quotes);
		}

	}

	private static final class Files {

		private long bytes;

		void add(byte[] file) {
			this.bytes += file.length;
		}

	}

	private static final class Items {

		List<Item> find(String text) {
			return List.of(new Item(text));
		}

	}

	private static final class Table {

		int insert(List<String> rows) {
			if (rows.contains("broken")) {
				throw new IllegalStateException("A row is broken");
			}
			return rows.size();
		}

	}

	private static final class Partner {

		Answer ask(Question question) {
			return new Answer(question.text());
		}

	}

}
