/*
 * Copyright 2026 the GE Redis authors
 * SPDX-License-Identifier: Apache-2.0
 */

package io.ge.redis.web;

import jakarta.servlet.AsyncEvent;
import jakarta.servlet.AsyncListener;

/**
 * Sees the end of a request that was not answered by the thread that received it, however
 * it has come: the server may end it without dispatching it once more.
 *
 * @param exchange told of it
 */
record ExchangeListener(ServletExchange exchange) implements AsyncListener {

	@Override
	public void onComplete(AsyncEvent event) {
		this.exchange.completed();
	}

	// Whoever has promised the answer is told, too, and has the request dispatched or
	// completed

	@Override
	public void onTimeout(AsyncEvent event) {
	}

	@Override
	public void onError(AsyncEvent event) {
	}

	@Override
	public void onStartAsync(AsyncEvent event) {
	}

}
