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

	HeldLocks(String name) {
		this.name = name;
	}

	void add(List<String> parts, HeldLock lock, boolean owned) {
		this.locks.put(parts, lock);
		if (owned) {
			this.own.add(lock);
		}
	}

	List<HeldLock> own() {
		return this.own;
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
	 * Gives up, at once, what was taken for nothing.
	 */
	void giveBack() {
		for (int i = this.own.size() - 1; i >= 0; i--) {
			this.own.get(i).release();
		}
	}

	@Override
	public void close() {
		CompletableFuture<?>[] releases = new CompletableFuture<?>[this.own.size()];
		for (int i = 0; i < releases.length; i++) {
			releases[i] = this.own.get(releases.length - 1 - i).beginClose();
		}
		Waiting.await(CompletableFuture.allOf(releases));
	}

	@Override
	public String toString() {
		return "lock '" + this.name + "' of " + this.locks.size() + " keys, " + (isValid() ? "HELD" : "not held");
	}

}
