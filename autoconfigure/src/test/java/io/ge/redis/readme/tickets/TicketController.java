// SPDX-License-Identifier: Apache-2.0

package io.ge.redis.readme.tickets;

import io.ge.redis.idempotency.Idempotent;
import io.ge.redis.lock.DistributedLock;
import io.ge.redis.lock.FencingToken;
import io.ge.redis.lock.LockAssert;
import io.ge.redis.ratelimit.RateLimited;
import io.ge.redis.ratelimit.RateLimiter;

import org.springframework.web.bind.annotation.PathVariable;
import org.springframework.web.bind.annotation.PostMapping;
import org.springframework.web.bind.annotation.RestController;

/**
 * Is tested without guards.
 */
@RestController
class TicketController {

	private final RateLimiter limiter;

	TicketController(RateLimiter limiter) {
		this.limiter = limiter;
	}

	@RateLimited(name = "tickets", limit = 1, window = "1h")
	@Idempotent(name = "tickets")
	@DistributedLock(name = "tickets", key = "#concert")
	@PostMapping("/concerts/{concert}/tickets")
	public long sell(@PathVariable String concert, @FencingToken long token) {
		LockAssert.assertHeld("tickets");
		this.limiter.acquire("concerts", concert);
		return token;
	}

}
