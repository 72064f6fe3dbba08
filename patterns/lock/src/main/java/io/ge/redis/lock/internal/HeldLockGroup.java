// SPDX-License-Identifier: Apache-2.0

package io.ge.redis.lock.internal;

import java.time.Duration;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletionStage;

import io.ge.redis.core.invocation.KeyText;
import io.ge.redis.core.outage.Waiting;
import io.ge.redis.lock.MultiLockHandle;
import org.jspecify.annotations.Nullable;

/**
 * Several locks in the hands of one caller, in the order in which they were taken. It
 * does not release locks that its call chain held before.
 */
record HeldLockGroup(LockEngine engine, String name, Map<List<String>, HeldLock> locks,
		List<HeldLock> own) implements MultiLockHandle {

	@Override
	public long token() {
		return this.locks.values().iterator().next().token();
	}

	@Override
	public long token(Object key) {
		HeldLock lock = this.locks.get(KeyText.of(key, "The key of the lock '" + this.name + "'"));
		if (lock == null) {
			throw new IllegalArgumentException("This is none of the keys of the lock '" + this.name + "'");
		}
		return lock.token();
	}

	@Override
	public boolean isValid() {
		return this.locks.values().stream().allMatch(HeldLock::isValid);
	}

	@Override
	public Duration remaining() {
		return this.locks.values()
			.stream()
			.map(HeldLock::remaining)
			.min(Comparator.naturalOrder())
			.orElse(Duration.ZERO);
	}

	@Override
	public void assertHeld() {
		this.locks.values().forEach(HeldLock::assertHeld);
	}

	@Override
	public void close() {
		Waiting.await(HeldLocks.giveUp(this.own, HeldLock::release));
	}

	@Override
	public CompletionStage<@Nullable Void> closeAsync() {
		return this.engine.handOver(HeldLocks.giveUp(this.own, HeldLock::release));
	}

	@Override
	public String toString() {
		return "lock '" + this.name + "' of " + this.locks.size() + " keys, " + (isValid() ? "HELD" : "not held");
	}

}
