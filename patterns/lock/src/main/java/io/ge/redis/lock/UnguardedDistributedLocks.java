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
import io.ge.redis.core.invocation.KeyText;
import org.jspecify.annotations.Nullable;

/**
 * Grants every lock at once: see {@link DistributedLocks#unguarded()}.
 */
final class UnguardedDistributedLocks implements DistributedLocks {

	@Override
	public Optional<LockHandle> tryLock(String name, Object key, LockOptions options) {
		return Optional.of(lock(name, key, options));
	}

	@Override
	public LockHandle lock(String name, Object key, LockOptions options) {
		return lockAll(name, List.of(key), options);
	}

	@Override
	public <T extends @Nullable Object, E extends Throwable> T execute(String name, Object key, LockOptions options,
			LockedWork<T, E> work) throws E {
		return executeAll(name, List.of(key), options, work);
	}

	@Override
	public MultiLockHandle lockAll(String name, Collection<?> keys, LockOptions options) {
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

	@Override
	public CompletionStage<Optional<LockHandle>> tryLockAsync(String name, Object key, LockOptions options) {
		return CompletableFuture.completedStage(tryLock(name, key, options));
	}

	@Override
	public CompletionStage<LockHandle> lockAsync(String name, Object key, LockOptions options) {
		return CompletableFuture.completedStage(lock(name, key, options));
	}

	@Override
	public CompletionStage<MultiLockHandle> lockAllAsync(String name, Collection<?> keys, LockOptions options) {
		return CompletableFuture.completedStage(lockAll(name, keys, options));
	}

	@Override
	public <T extends @Nullable Object, E extends Throwable> T executeAll(String name, Collection<?> keys,
			LockOptions options, LockedWork<T, E> work) throws E {
		try (MultiLockHandle lock = lockAll(name, keys, options);
				LockContext.Scope scope = BoundLocks.bind(List.of(), List.of(new BoundLocks.Frame(lock)))) {
			return work.run(lock);
		}
	}

	@Override
	public <T extends @Nullable Object> CompletionStage<T> executeAsync(String name, Object key, LockOptions options,
			LockedWork<? extends CompletionStage<T>, ?> work) {
		return executeAllAsync(name, List.of(key), options, work);
	}

	@Override
	public <T extends @Nullable Object> CompletionStage<T> executeAllAsync(String name, Collection<?> keys,
			LockOptions options, LockedWork<? extends CompletionStage<T>, ?> work) {
		MultiLockHandle lock = lockAll(name, keys, options);
		BoundLocks.Frame frame = new BoundLocks.Frame(lock);
		CompletionStage<T> working;
		try (LockContext.Scope scope = BoundLocks.bind(List.of(), List.of(frame))) {
			working = Objects.requireNonNull(work.run(lock), "The work has returned null instead of a stage");
		}
		catch (Throwable ex) {
			working = CompletableFuture.failedStage(ex);
		}
		return working.whenComplete((value, failure) -> {
			frame.leave();
			lock.close();
		});
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
