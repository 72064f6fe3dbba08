/*
 * Copyright 2026 the GE Redis authors
 * SPDX-License-Identifier: Apache-2.0
 */

package io.ge.redis.web;

import java.util.List;

import jakarta.servlet.ServletResponse;

import org.springframework.core.io.InputStreamSource;
import org.springframework.http.HttpEntity;
import org.springframework.web.context.request.async.DeferredResult;
import org.springframework.web.context.request.async.WebAsyncTask;
import org.springframework.web.servlet.ModelAndView;
import org.springframework.web.servlet.View;
import org.springframework.web.servlet.mvc.method.annotation.ResponseBodyEmitter;
import org.springframework.web.servlet.mvc.method.annotation.StreamingResponseBody;

/**
 * The results of handlers on Spring MVC.
 */
final class ServletResults implements HandlerResults {

	@Override
	public List<Class<?>> late() {
		return List.of(DeferredResult.class, WebAsyncTask.class, ResponseBodyEmitter.class,
				StreamingResponseBody.class);
	}

	@Override
	public String remedy() {
		return "Return the whole response as a value or a ResponseEntity, or a CompletableFuture or Mono of one.";
	}

	@Override
	public List<Class<?>> noValue() {
		return List.of(HttpEntity.class, ModelAndView.class, View.class, InputStreamSource.class);
	}

	@Override
	public List<Class<?>> written() {
		return List.of(ServletResponse.class);
	}

}
