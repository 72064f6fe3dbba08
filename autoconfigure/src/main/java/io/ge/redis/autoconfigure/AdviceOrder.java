// SPDX-License-Identifier: Apache-2.0

package io.ge.redis.autoconfigure;

import org.springframework.boot.context.properties.bind.Binder;
import org.springframework.core.Ordered;
import org.springframework.core.env.Environment;

/**
 * The order of the guards on one method, outermost first.
 * <p>
 * All are inside method security, and outside transactions and Spring's own cache, which
 * are last. Refusals that cost least come first; a replay does not wait for a lock; a
 * lock is taken before the transaction begins and released after it has ended. The whole
 * block is moved by {@code ge.redis.aop.order}.
 */
enum AdviceOrder {

	BLACKLIST_CHECK, RATE_LIMITED, IDEMPOTENT, CIRCUIT_BREAKER, DISTRIBUTED_LOCK, CACHE;

	/** Position of the outermost guard unless configured. */
	public static final int DEFAULT_BASE = Ordered.LOWEST_PRECEDENCE - 1000;

	private static final int INTERVAL = 100;

	public int in(Environment environment) {
		int base = Binder.get(environment).bind("ge.redis.aop.order", Integer.class).orElse(DEFAULT_BASE);
		return base + ordinal() * INTERVAL;
	}

}
