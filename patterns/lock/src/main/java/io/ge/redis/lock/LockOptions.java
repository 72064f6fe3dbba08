// SPDX-License-Identifier: Apache-2.0

package io.ge.redis.lock;

import java.time.Duration;

import org.jspecify.annotations.Nullable;

/**
 * Settings of one lock taken in code. Options that are {@code null} come from
 * {@code ge.redis.lock}; settings under {@code ge.redis.lock.locks.<name>} win.
 *
 * @param waitTime longest time to wait for the lock, zero to ask once
 * @param leaseTime the time for which the lock stays with an instance that died
 * @param renew whether the lease is extended while the lock is held
 * @param maxHold the longest time for which the lease is extended
 * @param atLeastFor the shortest time for which the lock stays taken, also if its holder
 * has finished
 * @param onLost what happens to a holder that loses the lock
 * @param replicas how many replicas of the server must have acknowledged the lock before
 * its holder begins, 0 for none
 * @param syncTimeout how long they may take, after which the lock is given up
 * @param mode who may hold the lock together: {@code READ} or {@code WRITE}, to be set
 * for each call; else one at a time or as many as there are permits
 * @param permits how many may hold the lock together
 */
public record LockOptions(@Nullable Duration waitTime, @Nullable Duration leaseTime, @Nullable Boolean renew,
		@Nullable Duration maxHold, @Nullable Duration atLeastFor, @Nullable OnLost onLost, @Nullable Integer replicas,
		@Nullable Duration syncTimeout, @Nullable LockMode mode, @Nullable Integer permits) {

	private static final LockOptions DEFAULTS = new LockOptions(null, null, null, null, null, null, null, null, null,
			null);

	/**
	 * Returns options that leave everything to the properties.
	 */
	public static LockOptions defaults() {
		return DEFAULTS;
	}

	/**
	 * Returns these options with a longest wait.
	 * @param waitTime the longest wait, zero to ask once
	 */
	public LockOptions waitTime(Duration waitTime) {
		return new LockOptions(waitTime, this.leaseTime, this.renew, this.maxHold, this.atLeastFor, this.onLost,
				this.replicas, this.syncTimeout, this.mode, this.permits);
	}

	/**
	 * Returns these options with a lease.
	 * @param leaseTime the lease, at least 100 ms
	 */
	public LockOptions leaseTime(Duration leaseTime) {
		return new LockOptions(this.waitTime, leaseTime, this.renew, this.maxHold, this.atLeastFor, this.onLost,
				this.replicas, this.syncTimeout, this.mode, this.permits);
	}

	/**
	 * Returns these options with or without extension of the lease.
	 * @param renew whether the lease is extended while the lock is held
	 */
	public LockOptions renew(boolean renew) {
		return new LockOptions(this.waitTime, this.leaseTime, renew, this.maxHold, this.atLeastFor, this.onLost,
				this.replicas, this.syncTimeout, this.mode, this.permits);
	}

	/**
	 * Returns these options with a longest hold.
	 * @param maxHold the longest time for which the lease is extended, not below the
	 * lease
	 */
	public LockOptions maxHold(Duration maxHold) {
		return new LockOptions(this.waitTime, this.leaseTime, this.renew, maxHold, this.atLeastFor, this.onLost,
				this.replicas, this.syncTimeout, this.mode, this.permits);
	}

	/**
	 * Returns these options with a shortest hold.
	 * @param atLeastFor for how long the lock stays taken at least
	 */
	public LockOptions atLeastFor(Duration atLeastFor) {
		return new LockOptions(this.waitTime, this.leaseTime, this.renew, this.maxHold, atLeastFor, this.onLost,
				this.replicas, this.syncTimeout, this.mode, this.permits);
	}

	/**
	 * Returns these options with what happens to a holder that loses the lock.
	 * @param onLost the policy
	 */
	public LockOptions onLost(OnLost onLost) {
		return new LockOptions(this.waitTime, this.leaseTime, this.renew, this.maxHold, this.atLeastFor, onLost,
				this.replicas, this.syncTimeout, this.mode, this.permits);
	}

	/**
	 * Returns these options with a number of replicas that must know of a holder before
	 * it begins. If fewer have acknowledged the lock within the sync timeout it is given
	 * up, and the attempt fails with {@code RedisUnavailableException} for the cause
	 * {@code REPLICAS}. Not a consensus: see {@code docs/locks-reference.md}.
	 * <p>
	 * Cost: one script call and one {@code WAIT}, on a connection of their own, for each
	 * time this instance gets the lock in Redis.
	 * @param replicas the number, 0 for none
	 */
	public LockOptions replicas(int replicas) {
		return new LockOptions(this.waitTime, this.leaseTime, this.renew, this.maxHold, this.atLeastFor, this.onLost,
				replicas, this.syncTimeout, this.mode, this.permits);
	}

	/**
	 * Returns these options with how long replicas may take.
	 * @param syncTimeout the longest delay by replicas, at least 1 ms and below the lease
	 */
	public LockOptions syncTimeout(Duration syncTimeout) {
		return new LockOptions(this.waitTime, this.leaseTime, this.renew, this.maxHold, this.atLeastFor, this.onLost,
				this.replicas, syncTimeout, this.mode, this.permits);
	}

	/**
	 * Returns these options for reading or writing. {@code READ}: any number together,
	 * {@code WRITE}: one alone, {@code EXCLUSIVE}: one at a time of those that neither
	 * read nor write. Two script calls, as for any lock.
	 * @param mode who may hold the lock together
	 */
	public LockOptions mode(LockMode mode) {
		return new LockOptions(this.waitTime, this.leaseTime, this.renew, this.maxHold, this.atLeastFor, this.onLost,
				this.replicas, this.syncTimeout, mode, this.permits);
	}

	/**
	 * Returns these options with a number of permits, of which each holder has one. Not
	 * for reading or writing. Two script calls, as for any lock.
	 * @param permits how many may hold the lock together, 1 to 1,000,000
	 */
	public LockOptions permits(int permits) {
		return new LockOptions(this.waitTime, this.leaseTime, this.renew, this.maxHold, this.atLeastFor, this.onLost,
				this.replicas, this.syncTimeout, this.mode, permits);
	}

}
