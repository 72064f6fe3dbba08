// SPDX-License-Identifier: Apache-2.0

package io.ge.redis.lock;

import java.time.Duration;
import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;

import io.ge.redis.core.ProcessClock;
import io.ge.redis.core.StandIn;
import io.ge.redis.core.invocation.KeyText;
import io.ge.redis.lock.DistributedLocks.LockedWork;
import org.jspecify.annotations.Nullable;

/**
 * Grants every lock at once: see {@link DistributedLocks#unguarded()}.
 */
final class UnguardedDistributedLocks {

	private UnguardedDistributedLocks() {
	}

	static DistributedLocks create() {
		return StandIn.of(DistributedLocks.class,
				Map.of("tryLock", (call) -> Optional.of(one(call)), "lock", UnguardedDistributedLocks::one, "lockAll",
						UnguardedDistributedLocks::all, "execute", (call) -> run(one(call), call), "executeAll",
						(call) -> run(all(call), call), "executeAsync", (call) -> begin(one(call), call),
						"executeAllAsync", (call) -> begin(all(call), call)));
	}

	private static MultiLockHandle one(@Nullable Object[] call) {
		return grant(String.valueOf(call[0]), List.of(Objects.requireNonNull(call[1])));
	}

	private static MultiLockHandle all(@Nullable Object[] call) {
		return grant(String.valueOf(call[0]), (Collection<?>) Objects.requireNonNull(call[1]));
	}

	private static MultiLockHandle grant(String name, Collection<?> keys) {
		return grant(name, KeyText.several(keys, "The keys of the lock '" + name + "'"));
	}

	static MultiLockHandle grant(String name, List<List<String>> keys) {
		Map<List<String>, Long> granted = new LinkedHashMap<>();
		keys.forEach((key) -> granted.computeIfAbsent(key, (same) -> ProcessClock.next()));
		return new GrantedLock(name, granted);
	}

	static MultiLockHandle none(String name) {
		GrantedLock none = new GrantedLock(name, Map.of(List.of(), 0L));
		none.close();
		return none;
	}

	private static @Nullable Object run(MultiLockHandle lock, @Nullable Object[] call) throws Exception {
		try (lock; LockContext.Scope scope = BoundLocks.bind(List.of(), List.of(new BoundLocks.Frame(lock)))) {
			return work(call).run(lock);
		}
	}

	private static CompletionStage<?> begin(MultiLockHandle lock, @Nullable Object[] call) throws Exception {
		BoundLocks.Frame frame = new BoundLocks.Frame(lock);
		try (LockContext.Scope scope = BoundLocks.bind(List.of(), List.of(frame))) {
			if (!(work(call).run(lock) instanceof CompletionStage<?> stage)) {
				throw new IllegalStateException("The work has returned null instead of a stage");
			}
			return stage.whenComplete((value, failure) -> {
				frame.leave();
				lock.close();
			});
		}
		catch (Throwable ex) {
			lock.close();
			throw ex;
		}
	}

	@SuppressWarnings("unchecked")
	private static LockedWork<?, Exception> work(@Nullable Object[] call) {
		return (LockedWork<?, Exception>) Objects.requireNonNull(call[3]);
	}

	/**
	 * A lock without competitors.
	 */
	private static final class GrantedLock implements MultiLockHandle {

		private final String name;

		private final Map<List<String>, Long> tokens;

		private volatile boolean closed;

		GrantedLock(String name, Map<List<String>, Long> tokens) {
			this.name = name;
			this.tokens = tokens;
		}

		@Override
		public String name() {
			return this.name;
		}

		@Override
		public long token() {
			return this.tokens.values().iterator().next();
		}

		@Override
		public long token(Object key) {
			// The keys of an annotated method were not read, so its token is for all of
			// them
			Long token = this.tokens.getOrDefault(KeyText.of(key, "The key of the lock '" + this.name + "'"),
					this.tokens.get(List.of()));
			if (token == null) {
				throw new IllegalArgumentException("This is none of the keys of the lock '" + this.name + "'");
			}
			return token;
		}

		@Override
		public boolean isValid() {
			return !this.closed;
		}

		@Override
		public Duration remaining() {
			return this.closed ? Duration.ZERO : Duration.ofDays(1);
		}

		@Override
		public void assertHeld() {
			if (this.closed) {
				throw new LockLostException(this.name);
			}
		}

		@Override
		public void close() {
			this.closed = true;
		}

		@Override
		public CompletionStage<@Nullable Void> closeAsync() {
			close();
			return CompletableFuture.completedStage(null);
		}

	}

}
