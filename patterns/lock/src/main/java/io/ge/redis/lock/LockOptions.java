/*
 * Copyright 2026 the GE Redis authors
 * SPDX-License-Identifier: Apache-2.0
 */

package io.ge.redis.lock;

import java.time.Duration;
import java.util.function.Consumer;

import org.jspecify.annotations.Nullable;

/**
 * Settings of one lock taken in code. What is {@code null} comes from
 * {@code ge.redis.lock}; what is set under {@code ge.redis.lock.locks.<name>} wins.
 *
 * @param waitTime longest time to wait for the lock, zero to ask once
 * @param leaseTime how long the lock stays with an instance that died
 * @param renew whether the lease is extended while the lock is held
 * @param maxHold for how long the lease is extended at most
 * @param atLeastFor for how long the lock stays taken at least, also if its holder has
 * finished
 * @param onLost what happens to a holder that loses the lock
 * @param replicas how many replicas of the server must have acknowledged the lock before
 * its holder begins, 0 for none
 * @param syncTimeout how long they may take, after which the lock is given up
 * @param mode who may hold the lock together: {@code READ} or {@code WRITE}, which is to
 * be said for each call, else one at a time or as many as there are permits
 * @param permits how many may hold the lock together
 */
public record LockOptions(@Nullable Duration waitTime, @Nullable Duration leaseTime, @Nullable Boolean renew,
		@Nullable Duration maxHold, @Nullable Duration atLeastFor, @Nullable OnLost onLost, @Nullable Integer replicas,
		@Nullable Duration syncTimeout, @Nullable LockMode mode, @Nullable Integer permits) {

	private static final LockOptions DEFAULTS = new LockOptions(null, null, null, null, null, null, null, null, null,
			null);

	/**
	 * Returns options that leave everything to the properties.
	 * @return the options
	 */
	public static LockOptions defaults() {
		return DEFAULTS;
	}

	/**
	 * Returns these options with a longest wait.
	 * @param waitTime the longest wait, zero to ask once
	 * @return the options
	 */
	public LockOptions waitTime(Duration waitTime) {
		return with((draft) -> draft.waitTime = waitTime);
	}

	/**
	 * Returns these options with a lease.
	 * @param leaseTime the lease, at least 100 ms
	 * @return the options
	 */
	public LockOptions leaseTime(Duration leaseTime) {
		return with((draft) -> draft.leaseTime = leaseTime);
	}

	/**
	 * Returns these options with or without extension of the lease.
	 * @param renew whether the lease is extended while the lock is held
	 * @return the options
	 */
	public LockOptions renew(boolean renew) {
		return with((draft) -> draft.renew = renew);
	}

	/**
	 * Returns these options with a longest hold.
	 * @param maxHold for how long the lease is extended at most, not below the lease
	 * @return the options
	 */
	public LockOptions maxHold(Duration maxHold) {
		return with((draft) -> draft.maxHold = maxHold);
	}

	/**
	 * Returns these options with a shortest hold.
	 * @param atLeastFor for how long the lock stays taken at least
	 * @return the options
	 */
	public LockOptions atLeastFor(Duration atLeastFor) {
		return with((draft) -> draft.atLeastFor = atLeastFor);
	}

	/**
	 * Returns these options with what happens to a holder that loses the lock.
	 * @param onLost the policy
	 * @return the options
	 */
	public LockOptions onLost(OnLost onLost) {
		return with((draft) -> draft.onLost = onLost);
	}

	/**
	 * Returns these options with a number of replicas that must know of a holder before
	 * it begins. If fewer have acknowledged the lock within the sync timeout it is given
	 * up, and the attempt fails with {@code RedisUnavailableException} for the cause
	 * {@code REPLICAS}. Not a consensus: see {@code docs/locks.md}.
	 * <p>
	 * Cost: one script call and one {@code WAIT}, on a connection of their own, for each
	 * time this instance gets the lock in Redis.
	 * @param replicas the number, 0 for none
	 * @return the options
	 */
	public LockOptions replicas(int replicas) {
		return with((draft) -> draft.replicas = replicas);
	}

	/**
	 * Returns these options with how long replicas may take.
	 * @param syncTimeout the longest delay by replicas, at least 1 ms and below the lease
	 * @return the options
	 */
	public LockOptions syncTimeout(Duration syncTimeout) {
		return with((draft) -> draft.syncTimeout = syncTimeout);
	}

	/**
	 * Returns these options for reading or writing. {@code READ}: any number together,
	 * {@code WRITE}: one alone, {@code EXCLUSIVE}: one at a time of those that neither
	 * read nor write. Two script calls, as for any lock.
	 * @param mode who may hold the lock together
	 * @return the options
	 */
	public LockOptions mode(LockMode mode) {
		return with((draft) -> draft.mode = mode);
	}

	/**
	 * Returns these options with a number of permits, of which each holder has one. Not
	 * for reading or writing. Two script calls, as for any lock.
	 * @param permits how many may hold the lock together, 1 to 1,000,000
	 * @return the options
	 */
	public LockOptions permits(int permits) {
		return with((draft) -> draft.permits = permits);
	}

	private LockOptions with(Consumer<Draft> change) {
		Draft draft = new Draft(this);
		change.accept(draft);
		return new LockOptions(draft.waitTime, draft.leaseTime, draft.renew, draft.maxHold, draft.atLeastFor,
				draft.onLost, draft.replicas, draft.syncTimeout, draft.mode, draft.permits);
	}

	/**
	 * Options of which one is being changed.
	 */
	private static final class Draft {

		private @Nullable Duration waitTime;

		private @Nullable Duration leaseTime;

		private @Nullable Boolean renew;

		private @Nullable Duration maxHold;

		private @Nullable Duration atLeastFor;

		private @Nullable OnLost onLost;

		private @Nullable Integer replicas;

		private @Nullable Duration syncTimeout;

		private @Nullable LockMode mode;

		private @Nullable Integer permits;

		Draft(LockOptions options) {
			this.waitTime = options.waitTime;
			this.leaseTime = options.leaseTime;
			this.renew = options.renew;
			this.maxHold = options.maxHold;
			this.atLeastFor = options.atLeastFor;
			this.onLost = options.onLost;
			this.replicas = options.replicas;
			this.syncTimeout = options.syncTimeout;
			this.mode = options.mode;
			this.permits = options.permits;
		}

	}

}
