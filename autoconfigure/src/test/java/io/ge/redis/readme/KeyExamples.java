// SPDX-License-Identifier: Apache-2.0

package io.ge.redis.readme;

import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;

import io.ge.redis.lock.DistributedLock;
import io.ge.redis.ratelimit.RateLimited;

import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.PathVariable;
import org.springframework.web.bind.annotation.RestController;

/**
 * The code of the page on keys.
 */
@RestController
class KeyExamples {

	private final List<Order> submitted = new CopyOnWriteArrayList<>();

	private final List<Order> shipped = new CopyOnWriteArrayList<>();

	@GetMapping("/quotes/{symbol}")
	@RateLimited(name = "quotes-per-user", key = "principal", limit = 2, window = "1m")
	@RateLimited(name = "quotes-per-address", key = "client-address", limit = 3, window = "1m")
	public String quote(@PathVariable String symbol) {
		return symbol + " 42";
	}

	@RateLimited(name = "orders", key = "{#order.tenant, #order.buyer}", limit = 10, window = "1s")
	public void submit(Order order) {
		this.submitted.add(order);
	}

	@DistributedLock(name = "orders", key = "@orderKeys.of(#order)")
	public void ship(Order order) {
		this.shipped.add(order);
	}

	public List<Order> submitted() {
		return this.submitted;
	}

	public List<Order> shipped() {
		return this.shipped;
	}

	/** Has no text, and must not need one. */
	static class Order {

		private final String tenant;

		private final String buyer;

		Order(String tenant, String buyer) {
			this.tenant = tenant;
			this.buyer = buyer;
		}

		public String getTenant() {
			return this.tenant;
		}

		public String getBuyer() {
			return this.buyer;
		}

	}

	static class OrderKeys {

		public String of(Order order) {
			return order.getTenant() + "/" + order.getBuyer();
		}

	}

}
