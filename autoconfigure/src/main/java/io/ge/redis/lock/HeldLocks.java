/*
 * Copyright 2026 the GE Redis authors
 * SPDX-License-Identifier: Apache-2.0
 */

package io.ge.redis.lock;

import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.function.Function;

import io.ge.redis.core.invocation.KeyText;
import io.ge.redis.core.outage.Waiting;

/**
 * Several locks in the hands of one caller, in the order in which they were taken. Those
 * that its call chain held already are not its own to give up.
 */
final class HeldLocks implements MultiLockHandle {

	private final String name;

	private final Map<List<String>, HeldLock> locks = new LinkedHashMap<>();

	private final List<HeldLock> own = new ArrayList<>();

	private final List<HeldLock> shared = new ArrayList<>(0);

	HeldLocks(String name) {
		this.name = name;
	}

	void add(List<String> parts, HeldLock lock, boolean owned) {
		this.locks.put(parts, lock);
		if (owned) {
			this.own.add(lock);
		}
	}

	/**
	 * Adds a lock of another thread that is kept for the caller.
	 */
	void share(HeldLock lock) {
		this.shared.add(lock);
	}

	List<HeldLock> own() {
		return this.own;
	}

	List<HeldLock> shared() {
		return this.shared;
	}

	@Override
	public String name() {
		return this.name;
	}

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
		for (HeldLock lock : this.locks.values()) {
			if (!lock.isValid()) {
				return false;
			}
		}
		return true;
	}

	@Override
	public Duration remaining() {
		Duration least = Duration.ofSeconds(Long.MAX_VALUE);
		for (HeldLock lock : this.locks.values()) {
			Duration remaining = lock.remaining();
			least = (remaining.compareTo(least) < 0) ? remaining : least;
		}
		return least;
	}

	@Override
	public void assertHeld() {
		this.locks.values().forEach(HeldLock::assertHeld);
	}

	/**
	 * Gives up, at once, what was taken for nothing, and returns when nobody is kept from
	 * it any more.
	 */
	void giveBack() {
		this.shared.forEach(HeldLock::leave);
		giveUp(HeldLock::giveBack);
	}

	@Override
	public void close() {
		giveUp(HeldLock::beginClose);
	}

	private void giveUp(Function<HeldLock, CompletableFuture<Void>> release) {
		CompletableFuture<?>[] releases = new CompletableFuture<?>[this.own.size()];
		for (int i = 0; i < releases.length; i++) {
			releases[i] = release.apply(this.own.get(releases.length - 1 - i));
		}
		Waiting.await(CompletableFuture.allOf(releases));
	}

	@Override
	public String toString() {
		return "lock '" + this.name + "' of " + this.locks.size() + " keys, " + (isValid() ? "HELD" : "not held");
	}

}
