// SPDX-License-Identifier: Apache-2.0

package io.ge.redis.core.guard;

import java.util.List;
import java.util.Set;
import java.util.concurrent.CopyOnWriteArraySet;
import java.util.function.Consumer;

import io.ge.redis.core.invocation.GuardDescription;

/**
 * The guarded methods of the application, as far as their beans are known.
 */
public final class GuardedMethods {

	private final Set<Entry> entries = new CopyOnWriteArraySet<>();

	private volatile Consumer<Entry> check = (entry) -> {
	};

	void add(Entry entry) {
		this.check.accept(entry);
		this.entries.add(entry);
	}

	/**
	 * Adds a check of each method: the known ones now, the methods of later beans on
	 * creation, which an exception fails.
	 */
	public void onEach(Consumer<Entry> check) {
		this.check = this.check.andThen(check);
		this.entries.forEach(check);
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
