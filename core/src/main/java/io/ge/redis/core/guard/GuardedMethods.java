/*
 * Copyright 2026 the GE Redis authors
 * SPDX-License-Identifier: Apache-2.0
 */

package io.ge.redis.core.guard;

import java.util.List;
import java.util.Set;
import java.util.concurrent.CopyOnWriteArraySet;

import io.ge.redis.core.invocation.GuardDescription;

/**
 * The guarded methods of the application, as far as their beans are known.
 */
public final class GuardedMethods {

	private final Set<Entry> entries = new CopyOnWriteArraySet<>();

	void add(Entry entry) {
		this.entries.add(entry);
	}

	/**
	 * Returns the guarded methods.
	 * @return one entry for each annotation on each method of each bean
	 */
	public List<Entry> all() {
		return List.copyOf(this.entries);
	}

	public record Entry(String bean, String method, GuardDescription guard) {
	}

}
