// SPDX-License-Identifier: Apache-2.0

package io.ge.redis.web.exchange;

import io.ge.redis.idempotency.IdempotencyProperties;
import io.ge.redis.idempotency.OversizedResponse;

/**
 * Settings of all exchanges.
 */
public record ExchangeRules(ResponseRules response, long maxBytes, OversizedResponse oversized, long maxUnreadBytes) {

	public static ExchangeRules of(IdempotencyProperties properties) {
		ResponseRules response = new ResponseRules(properties::replayedHeaders);
		// Fails at the start if one must not be kept
		response.headers();
		return new ExchangeRules(response, properties.maxResultSize().toBytes(), properties.onOversizedResponse(),
				properties.maxUnreadBodySize().toBytes());
	}

}
