/*
 * Copyright 2026 the GE Redis authors
 * SPDX-License-Identifier: Apache-2.0
 */

package io.ge.redis.lock;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.function.BiConsumer;
import java.util.function.Consumer;

import io.ge.redis.core.RedisBackend;
import io.ge.redis.core.bus.InstanceBus;
import io.ge.redis.core.key.KeyPart;
import io.ge.redis.core.key.RedisKey;
import io.ge.redis.core.outage.CallBudget;
import io.ge.redis.core.outage.GuardedRedis;
import io.ge.redis.core.script.LuaScript;
import io.ge.redis.core.script.ScriptCall;

/**
 * The shares of locks in Redis: beside the lock's own key, which says that it is shared,
 * {@code :s1} who holds, {@code :h1} their tokens, {@code :w1} who waits and {@code :r1}
 * what for; the digit is the format. What the states mean stands in {@code share.lua}.
 * <p>
 * What goes wrong heals as it does for {@link RedisLocks}: a lost message by asking again
 * within a second, a dead waiter by its deadline, a dead holder by the lease of its
 * share, an unknown outcome by giving up the handle until Redis has answered.
 */
final class RedisShares {

	private static final String GRANT_TOPIC = "lock.share";

	/** The entry of a shared lock in place of an instance. */
	static final String SHARED = "*";

	/** How many holders of one lock are shown. */
	private static final int MOST_SHOWN = 100;

	private static final byte[] TRY = ScriptCall.argument("try");

	private static final byte[] WAIT = ScriptCall.argument("wait");

	private static final byte[] LEAVE = ScriptCall.argument("leave");

	private static final byte[] FORCE = ScriptCall.argument("force");

	private static final LuaScript SHARE = LuaScript.load(RedisShares.class, "share.lua");

	private static final LuaScript UNSHARE = SHARE.runningWithoutMemory();

	private static final LuaScript CONFIRM = LuaScript.load(RedisShares.class, "renew-shares.lua");

	private static final LuaScript RENEW = CONFIRM.runningWithoutMemory();

	private static final LuaScript LOOK = LuaScript.load(RedisShares.class, "look-shares.lua");

	private static final KeyPart HOLDERS = KeyPart.of("s1");

	private static final KeyPart TOKENS = KeyPart.of("h1");

	private static final KeyPart QUEUE = KeyPart.of("w1");

	private static final KeyPart REQUESTS = KeyPart.of("r1");

	private final GuardedRedis redis;

	private final InstanceBus bus;

	private final byte[] instance;

	private final RedisLocks locks;

	private final RedisLeases leases;

	RedisShares(RedisBackend backend, RedisLocks locks) {
		this.redis = backend.redis("lock");
		this.bus = backend.bus();
		this.instance = ScriptCall.argument(this.bus.channel());
		this.locks = locks;
		this.leases = new RedisLeases(this.redis, backend.connection()::isClustered, this.instance,
				(key) -> List.of(key.lock(), key.lock().with(HOLDERS), key.lock().with(TOKENS)));
	}

	/**
	 * Listens for shares that are granted to callers of this instance.
	 */
	void listen(BiConsumer<String, String> granted) {
		this.bus.handle(GRANT_TOPIC, RedisLocks.handleAndKey(granted));
	}

	CallBudget newBudget() {
		return this.redis.newBudget();
	}

	RedisLockKey key(String text) {
		return this.locks.key(text);
	}

	/**
	 * Asks for a share. If nobody learns the answer, what it may have taken is given
	 * back.
	 */
	CompletableFuture<LockAnswer> ask(ShareAttempt attempt) {
		LockSettings settings = attempt.settings;
		Duration lease = settings.leaseTime();
		ScriptCall call = call(SHARE, attempt.key, attempt.handle, attempt.waits() ? WAIT : TRY, settings.limit(),
				lease);
		return this.redis.run(call, attempt.budget, () -> leaveCall(attempt.key, attempt.handle, Duration.ZERO), lease)
			.thenApply((reply) -> (reply.number(0) == 0) ? LockAnswer.busy(reply.number(1), false)
					: LockAnswer.acquired(this.locks.seen(reply.number(1), reply.number(1))));
	}

	/**
	 * Gives up a share.
	 * @param keep for how long its place stays taken, or zero
	 * @return whether the handle still had it
	 */
	CompletableFuture<Boolean> release(RedisLockKey key, String handle, Duration keep, CallBudget budget) {
		return this.redis.run(leaveCall(key, handle, keep), budget).thenApply((reply) -> reply.number(0) > 0);
	}

	/**
	 * Gives up a share at the next opportunity, however long Redis is away.
	 */
	void releaseEventually(RedisLockKey key, String handle, Duration lease, Duration keep) {
		this.redis.compensate(leaveCall(key, handle, keep), lease);
	}

	/**
	 * Gives up a share that nobody wants any more.
	 * @return completes when Redis has answered for the first time
	 */
	CompletableFuture<?> giveBack(RedisLockKey key, String handle, Duration lease) {
		ScriptCall call = leaveCall(key, handle, Duration.ZERO);
		return this.redis.run(call, newBudget()).whenComplete((reply, failure) -> {
			if (failure != null) {
				this.redis.compensate(call, lease);
			}
		});
	}

	/**
	 * Has a caller that nobody serves any more leave the queue, if it stands there.
	 * @return completes when Redis has answered
	 */
	CompletableFuture<?> leave(ShareAttempt attempt) {
		return attempt.waits() ? leave(attempt.key, attempt.handle) : CompletableFuture.completedFuture(null);
	}

	/**
	 * Gives up what the handle has, a share or a place in the queue, without waiting for
	 * it: if the command is lost, deadline and lease do the same.
	 * @return completes when Redis has answered
	 */
	CompletableFuture<?> leave(RedisLockKey key, String handle) {
		return this.redis.run(leaveCall(key, handle, Duration.ZERO), newBudget());
	}

	/**
	 * Extends leases.
	 * @see RedisLeases#renew
	 */
	void renew(List<LeaseRenewal> renewals, BiConsumer<LeaseRenewal, Boolean> extended, Consumer<LeaseRenewal> failed) {
		this.leases.renew(RENEW, renewals, extended, failed);
	}

	/**
	 * Has replicas confirm that a handle has its share.
	 * @see RedisLeases#confirm
	 */
	CompletableFuture<Void> confirm(LeaseRenewal renewal, LockSettings settings) {
		return this.leases.confirm(CONFIRM, renewal, settings);
	}

	/**
	 * Looks at the shares of a lock.
	 */
	CompletableFuture<LockControl.Shared> look(RedisLockKey key) {
		ScriptCall call = ScriptCall.of(LOOK,
				List.of(key.lock(), key.lock().with(HOLDERS), key.lock().with(TOKENS), key.lock().with(QUEUE)),
				MOST_SHOWN);
		return this.redis.run(call, newBudget()).thenApply((reply) -> {
			List<LockControl.Share> shares = new ArrayList<>();
			for (int i = 3; i + 4 < reply.size(); i += 5) {
				shares.add(new LockControl.Share(LockStanding.instance(reply.text(i + 1)), reply.number(i) == 0,
						reply.number(i + 2), Duration.ofNanos(reply.number(i + 4) * 1000),
						Duration.ofMillis(Math.max(0, reply.number(i + 3)))));
			}
			return new LockControl.Shared((int) reply.number(1), (int) reply.number(2), shares);
		});
	}

	/**
	 * Takes all shares of a lock away from their holders, who are told, and serves those
	 * that wait.
	 * @return whether there was any
	 */
	CompletableFuture<Boolean> force(RedisLockKey key) {
		return this.redis.run(call(UNSHARE, key, "-", FORCE, 1, Duration.ZERO), newBudget())
			.thenApply((reply) -> reply.number(0) > 0);
	}

	private ScriptCall leaveCall(RedisLockKey key, String handle, Duration keep) {
		return call(UNSHARE, key, handle, LEAVE, 1, keep);
	}

	private ScriptCall call(LuaScript script, RedisLockKey key, String handle, byte[] wish, int limit, Duration lease) {
		return ScriptCall.of(script, keys(key), this.instance, handle, wish, limit, lease.toMillis(),
				RedisLocks.PLACE_MILLIS, this.locks.highestToken(), RedisLocks.GRANT_MILLIS,
				RedisLocks.TOKEN_MEMORY_MILLIS);
	}

	private static List<RedisKey> keys(RedisLockKey key) {
		RedisKey lock = key.lock();
		return List.of(lock, key.lastToken(), lock.with(HOLDERS), lock.with(TOKENS), lock.with(QUEUE),
				lock.with(REQUESTS));
	}

}
