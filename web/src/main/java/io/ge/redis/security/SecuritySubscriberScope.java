// SPDX-License-Identifier: Apache-2.0

package io.ge.redis.security;

import java.util.function.UnaryOperator;

import io.ge.redis.core.call.SubscriberScope;
import org.jspecify.annotations.Nullable;
import org.reactivestreams.Publisher;
import reactor.core.publisher.Mono;
import reactor.util.context.ContextView;

import org.springframework.security.core.context.SecurityContext;
import org.springframework.security.core.context.SecurityContextHolder;

/**
 * Lets a thread that asks for a subscriber know who is logged in there.
 */
public class SecuritySubscriberScope implements SubscriberScope {

	@Override
	public boolean isOfCaller() {
		return true;
	}

	@Override
	public @Nullable Publisher<UnaryOperator<Runnable>> find(ContextView context) {
		Mono<SecurityContext> found = context.getOrDefault(SecurityContext.class, null);
		return (found != null) ? found.map((security) -> (task) -> () -> run(security, task)) : null;
	}

	private static void run(SecurityContext security, Runnable task) {
		SecurityContext before = SecurityContextHolder.getContext();
		SecurityContextHolder.setContext(security);
		try {
			task.run();
		}
		finally {
			if (SecurityContextHolder.createEmptyContext().equals(before)) {
				SecurityContextHolder.clearContext();
			}
			else {
				SecurityContextHolder.setContext(before);
			}
		}
	}

}
