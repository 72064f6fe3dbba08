/*
 * Copyright 2026 the GE Redis authors
 * SPDX-License-Identifier: Apache-2.0
 */

package io.ge.redis.idempotency;

import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;

/**
 * The calls in progress that one invocation has become, by being subscribed to several
 * times. Which of them has come to the method cannot be told where they share all else,
 * so it counts for all.
 */
final class Attempts {

	private final Set<Progress> inProgress = ConcurrentHashMap.newKeySet();

	void begin(Progress progress) {
		this.inProgress.add(progress);
	}

	void end(Progress progress) {
		this.inProgress.remove(progress);
	}

	void reach() {
		this.inProgress.forEach(Progress::reach);
	}

}
