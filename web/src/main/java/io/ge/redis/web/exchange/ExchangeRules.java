/*
 * Copyright 2026 the GE Redis authors
 * SPDX-License-Identifier: Apache-2.0
 */

package io.ge.redis.web.exchange;

import io.ge.redis.idempotency.IdempotencyProperties;
import io.ge.redis.idempotency.OversizedResponse;

/**
 * Settings of all exchanges.
 *
 * @param response what responses mean
 * @param maxBytes the longest body that is kept
 * @param oversized what becomes of longer ones
 * @param maxUnreadBytes how much of a request may be kept in memory
 */
public record ExchangeRules(ResponseRules response, long maxBytes, OversizedResponse oversized, long maxUnreadBytes) {

	/**
	 * Returns the rules of an application.
	 * @throws io.ge.redis.core.invocation.GuardConfigurationException if a header is to
	 * be replayed that must not be
	 */
	public static ExchangeRules of(IdempotencyProperties properties) {
		ResponseRules response = new ResponseRules(properties::replayedHeaders);
		// Fails at the start if one must not be kept
		response.headers();
		return new ExchangeRules(response, properties.maxResultSize().toBytes(), properties.onOversizedResponse(),
				properties.maxUnreadBodySize().toBytes());
	}

}
