/*
 * Copyright 2026 the GE Redis authors
 * SPDX-License-Identifier: Apache-2.0
 */

package io.ge.redis.autoconfigure;

import java.util.concurrent.CancellationException;
import java.util.function.Consumer;

import io.ge.redis.cache.CacheResultWatcher;
import org.jspecify.annotations.Nullable;
import org.reactivestreams.Publisher;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;

import org.springframework.core.ReactiveAdapter;
import org.springframework.core.ReactiveAdapterRegistry;
import org.springframework.util.ClassUtils;

/**
 * Observes the end of publishers, where Reactor is present: without it Spring caches
 * nothing that is published.
 */
final class ReactiveResultWatcher {

	private static final boolean PRESENT = ClassUtils.isPresent("reactor.core.publisher.Mono",
			ReactiveResultWatcher.class.getClassLoader());

	private ReactiveResultWatcher() {
	}

	static CacheResultWatcher watcher() {
		return PRESENT ? Reactor::watch : (result, ended) -> result;
	}

	private static final class Reactor {

		static Object watch(Object result, Consumer<@Nullable Throwable> ended) {
			ReactiveAdapter adapter = ReactiveAdapterRegistry.getSharedInstance().getAdapter(result.getClass());
			if (adapter == null) {
				return result;
			}
			Publisher<?> source = adapter.toPublisher(result);
			Runnable cancelled = () -> ended.accept(new CancellationException());
			if (adapter.isMultiValue()) {
				return adapter.fromPublisher(Flux.from(source)
					.doOnComplete(() -> ended.accept(null))
					.doOnError(ended)
					.doOnCancel(cancelled));
			}
			return adapter.fromPublisher(Mono.from(source)
				.doOnSuccess((value) -> ended.accept(null))
				.doOnError(ended)
				.doOnCancel(cancelled));
		}

	}

}
