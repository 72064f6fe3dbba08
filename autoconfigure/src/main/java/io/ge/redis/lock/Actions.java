/*
 * Copyright 2026 the GE Redis authors
 * SPDX-License-Identifier: Apache-2.0
 */

package io.ge.redis.lock;

import java.util.ArrayList;
import java.util.List;

import org.jspecify.annotations.Nullable;

/**
 * The actions after a decision, in order: see {@link LocalLocks#decide}. Most often it is
 * one thing.
 */
final class Actions {

	private @Nullable Runnable first;

	private @Nullable List<Runnable> more;

	void add(Runnable action) {
		if (this.first == null) {
			this.first = action;
			return;
		}
		if (this.more == null) {
			this.more = new ArrayList<>(2);
		}
		this.more.add(action);
	}

	void run() {
		if (this.first != null) {
			this.first.run();
		}
		if (this.more != null) {
			this.more.forEach(Runnable::run);
		}
	}

}
