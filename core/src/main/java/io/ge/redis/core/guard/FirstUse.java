// SPDX-License-Identifier: Apache-2.0

package io.ge.redis.core.guard;

import java.util.function.Consumer;
import java.util.function.Supplier;

import org.jspecify.annotations.Nullable;

import org.springframework.util.function.SingletonSupplier;

/**
 * Creates the engine of a pattern on first use. An engine that nothing has used need not
 * be paused or closed, and has no figures.
 */
public final class FirstUse<T> implements Supplier<T> {

	private final SingletonSupplier<T> supplier;

	private volatile @Nullable T created;

	public FirstUse(Supplier<T> factory) {
		this.supplier = SingletonSupplier.of(() -> {
			T engine = factory.get();
			this.created = engine;
			return engine;
		});
	}

	@Override
	public T get() {
		return this.supplier.obtain();
	}

	public @Nullable T created() {
		return this.created;
	}

	public void ifCreated(Consumer<T> action) {
		T engine = this.created;
		if (engine != null) {
			action.accept(engine);
		}
	}

}
