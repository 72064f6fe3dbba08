/*
 * Copyright 2026 the GE Redis authors
 * SPDX-License-Identifier: Apache-2.0
 */

package io.ge.redis.autoconfigure.startup;

import io.ge.redis.cache.CacheWarmUpException;

import org.springframework.boot.diagnostics.AbstractFailureAnalyzer;
import org.springframework.boot.diagnostics.FailureAnalysis;

/**
 * Shows why a warm-up that is required keeps the application from starting.
 */
public class CacheWarmUpFailureAnalyzer extends AbstractFailureAnalyzer<CacheWarmUpException> {

	@Override
	protected FailureAnalysis analyze(Throwable rootFailure, CacheWarmUpException cause) {
		return new FailureAnalysis(cause.getMessage(),
				"Correct what the message names, or let the application start without the warm-up"
						+ " with ge.redis.cache.warm-up.readiness=wait.",
				cause);
	}

}
