/*
 * Copyright 2026 the GE Redis authors
 * SPDX-License-Identifier: Apache-2.0
 */

package io.ge.redis.readme;

import io.ge.redis.idempotency.IdempotencyContext;
import io.ge.redis.idempotency.Idempotent;
import io.ge.redis.readme.IdempotencyExamples.Receipt;
import reactor.core.publisher.Mono;

import org.springframework.transaction.annotation.Transactional;

/**
 * The code on the page on idempotency about futures and publishers.
 */
class IdempotencyFormsExamples {

	private final Orders orders;

	private final Pages pages;

	IdempotencyFormsExamples(Orders orders, Pages pages) {
		this.orders = orders;
		this.pages = pages;
	}

	// @formatter:off
	@Idempotent(name = "order", key = "#id")
	@Transactional
	public Mono<Receipt> order(String id, int cents) {
		return this.orders.save(id, cents).thenReturn(new Receipt(id, cents));
	}

	@Idempotent(name = "publish-later", key = "#id")
	public Mono<Long> publishLater(String id, String text) {
		return Mono.deferContextual((context) -> this.pages.write(id, text, context.get(IdempotencyContext.class).fence()));
	}
	// @formatter:on

	/**
	 * Where orders are.
	 */
	interface Orders {

		Mono<Void> save(String id, int cents);

	}

	/**
	 * Where pages are.
	 */
	interface Pages {

		Mono<Long> write(String id, String text, long fence);

	}

}
