/*
 * Copyright 2026 the GE Redis authors
 * SPDX-License-Identifier: Apache-2.0
 */

package io.ge.redis.idempotency;

import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;

import io.ge.redis.core.call.ResultForm;
import org.aopalliance.intercept.MethodInvocation;
import org.jspecify.annotations.Nullable;

/**
 * The calls in progress that one invocation has become, by being subscribed to several
 * times. Which of them has come to the method cannot be told where they share all else,
 * so it counts for all.
 */
final class Attempts {

	private final ResultForm form;

	private final Set<Progress> inProgress = ConcurrentHashMap.newKeySet();

	Attempts(ResultForm form) {
		this.form = form;
	}

	void begin(Progress progress) {
		this.inProgress.add(progress);
	}

	void end(Progress progress) {
		this.inProgress.remove(progress);
	}

	/**
	 * One of them has come to the method.
	 */
	@Nullable Object proceed(MethodInvocation invocation) throws Throwable {
		this.inProgress.forEach(Progress::reach);
		Object promise = invocation.proceed();
		return (promise != null && this.form.kind() != ResultForm.Kind.FUTURE)
				? ReactiveTransactions.entering(this.form, promise) : promise;
	}

}
