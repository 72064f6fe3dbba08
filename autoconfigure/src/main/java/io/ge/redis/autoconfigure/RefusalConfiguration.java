/*
 * Copyright 2026 the GE Redis authors
 * SPDX-License-Identifier: Apache-2.0
 */

package io.ge.redis.autoconfigure;

import java.net.URI;

import io.ge.redis.idempotency.IdempotencyException;
import io.ge.redis.idempotency.IdempotencyProperties;
import io.ge.redis.lock.LockNotAcquiredException;
import io.ge.redis.lock.LockProperties;
import io.ge.redis.web.RefusalCustomizer;

import org.springframework.beans.factory.ObjectProvider;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.http.HttpHeaders;

/**
 * Changes refusals as the properties of the patterns want them.
 */
@Configuration(proxyBeanMethods = false)
class RefusalConfiguration {

	@Bean
	RefusalCustomizer geRedisLockRefusals(ObjectProvider<LockProperties> properties) {
		LockProperties lock = properties.getIfAvailable();
		return (exception, refusal) -> (lock != null && exception instanceof LockNotAcquiredException)
				? refusal.withStatus(lock.httpStatus()) : refusal;
	}

	@Bean
	RefusalCustomizer geRedisIdempotencyRefusals(ObjectProvider<IdempotencyProperties> properties) {
		IdempotencyProperties idempotency = properties.getIfAvailable();
		URI page = (idempotency != null) ? idempotency.documentation() : null;
		return (exception, refusal) -> (page != null && exception instanceof IdempotencyException) ? refusal.withHeader(
				HttpHeaders.LINK, "<" + page.toASCIIString() + ">; rel=\"describedby\"; type=\"text/html\"") : refusal;
	}

}
