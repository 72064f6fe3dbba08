// SPDX-License-Identifier: Apache-2.0

package io.ge.redis.bulkhead;

import io.ge.redis.GeRedisException;
import io.ge.redis.Refusal;

/**
 * Too many calls are at work.
 */
public class BulkheadFullException extends GeRedisException {

	private final String name;

	BulkheadFullException(String name) {
		super("Too many calls of '" + name + "' are at work");
		this.name = name;
	}

	@Override
	public Refusal refusal() {
		return Refusal.of(429, "bulkhead-full", "Too many calls at work", "Try again later.")
			.withMember("bulkhead", this.name);
	}

}
