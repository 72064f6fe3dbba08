/*
 * Copyright 2026 the GE Redis authors
 * SPDX-License-Identifier: Apache-2.0
 */

package io.ge.redis.web;

import java.util.List;

import org.springframework.core.io.InputStreamSource;
import org.springframework.http.HttpEntity;
import org.springframework.http.ReactiveHttpOutputMessage;
import org.springframework.http.codec.ServerSentEvent;
import org.springframework.web.reactive.result.view.FragmentsRendering;
import org.springframework.web.reactive.result.view.Rendering;
import org.springframework.web.reactive.result.view.View;
import org.springframework.web.server.ServerWebExchange;

/**
 * The results of handlers on WebFlux.
 */
final class ReactiveResults implements HandlerResults {

	@Override
	public List<Class<?>> late() {
		return List.of(ServerSentEvent.class);
	}

	@Override
	public String remedy() {
		return "Return the whole response as a value or a ResponseEntity.";
	}

	@Override
	public List<Class<?>> noValue() {
		return List.of(HttpEntity.class, Rendering.class, FragmentsRendering.class, View.class,
				InputStreamSource.class);
	}

	@Override
	public List<Class<?>> written() {
		return List.of(ReactiveHttpOutputMessage.class, ServerWebExchange.class);
	}

}
