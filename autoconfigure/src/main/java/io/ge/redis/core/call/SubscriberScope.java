/*
 * Copyright 2026 the GE Redis authors
 * SPDX-License-Identifier: Apache-2.0
 */

package io.ge.redis.core.call;

import java.util.function.UnaryOperator;

import org.jspecify.annotations.Nullable;
import org.reactivestreams.Publisher;
import reactor.util.context.ContextView;

/**
 * Binds to a thread, while something is asked, what the context of a subscriber tells
 * only later, such as who is logged in.
 */
public interface SubscriberScope {

	/**
	 * Looks for it.
	 * @param context the context of the subscriber
	 * @return publishes what runs a task with it, or nothing if there is none; or
	 * {@code null} if that is known already
	 */
	@Nullable Publisher<UnaryOperator<Runnable>> find(ContextView context);

}
