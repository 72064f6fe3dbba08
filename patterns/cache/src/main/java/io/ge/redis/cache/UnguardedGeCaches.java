// SPDX-License-Identifier: Apache-2.0

package io.ge.redis.cache;

import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.CompletionStage;
import java.util.function.Function;
import java.util.function.Supplier;

import io.ge.redis.core.ProcessClock;
import io.ge.redis.core.StandIn;
import io.ge.redis.core.invocation.KeyText;
import org.jspecify.annotations.Nullable;

/**
 * Loads every value: see {@link GeCaches#unguarded()}.
 */
final class UnguardedGeCaches {

	private UnguardedGeCaches() {
	}

	@SuppressWarnings("unchecked")
	static GeCaches over(Supplier<List<WriteBehindStore<?>>> stores) {
		return StandIn.of(GeCaches.class,
				Map.of("getAll",
						(call) -> getAll((Collection<?>) Objects.requireNonNull(call[1]),
								(Function<List<?>, ?>) Objects.requireNonNull(call[3])),
						"writeBehind", (call) -> writeBehind(stores.get(), String.valueOf(call[0]), call[1], call[2])));
	}

	private static @Nullable Object getAll(Collection<?> keys, Function<List<?>, ?> loader) {
		List<?> distinct = List.copyOf(new LinkedHashSet<>(keys));
		Object loaded = loader.apply(distinct);
		return (loaded instanceof CompletionStage<?> stage) ? stage.thenApply((values) -> present(distinct, values))
				: present(distinct, loaded);
	}

	private static Map<Object, Object> present(List<?> keys, @Nullable Object loaded) {
		Map<Object, Object> present = new LinkedHashMap<>();
		for (Object key : keys) {
			Object value = (loaded instanceof Map<?, ?> values) ? values.get(key) : null;
			if (value != null) {
				present.put(key, value);
			}
		}
		return present;
	}

	@SuppressWarnings("unchecked")
	private static long writeBehind(List<WriteBehindStore<?>> stores, String cache, @Nullable Object key,
			@Nullable Object value) {
		Change<Object> change = new Change<>(KeyText.of(key, "The key of cache '" + cache + "'"), value,
				ProcessClock.next());
		for (WriteBehindStore<?> store : stores) {
			if (store.cache().equals(cache)) {
				write((WriteBehindStore<Object>) store, change);
			}
		}
		return change.version();
	}

	private static void write(WriteBehindStore<Object> store, Change<Object> change) {
		try {
			store.writeAll(List.of(change));
		}
		catch (RuntimeException ex) {
			throw ex;
		}
		catch (Exception ex) {
			throw new IllegalStateException("The store of cache '" + store.cache() + "' has not taken a change", ex);
		}
	}

}
