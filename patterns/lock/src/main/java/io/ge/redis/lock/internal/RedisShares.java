// SPDX-License-Identifier: Apache-2.0

package io.ge.redis.lock.internal;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;

import io.ge.redis.core.RedisBackend;
import io.ge.redis.core.key.KeyPart;
import io.ge.redis.core.key.RedisKey;
import io.ge.redis.core.script.LuaScript;
import io.ge.redis.core.script.ScriptCall;
import io.ge.redis.lock.DistributedLocks;
import org.jspecify.annotations.Nullable;

/**
 * The shares of locks in Redis: beside the lock's own key, which says that it is shared,
 * {@code :s1} the holders, {@code :h1} their tokens, {@code :w1} the waiters and
 * {@code :r1} their requests; the digit is the format. The states are described in
 * {@code share.lua}, and recovery from failures in {@code docs/locks-design.md}.
 */
final class RedisShares extends RedisLocks {

	/** Number of holders of one lock that are shown. */
	private static final int MOST_SHOWN = 100;

	private static final byte[] TRY = ScriptCall.argument("try");

	private static final byte[] WAIT = ScriptCall.argument("wait");

	private static final byte[] LEAVE = ScriptCall.argument("leave");

	private static final byte[] FORCE = ScriptCall.argument("force");

	private static final LuaScript SHARE = LuaScript.load(DistributedLocks.class, "share.lua");

	private static final LuaScript UNSHARE = SHARE.runningWithoutMemory();

	private static final LuaScript CONFIRM = LuaScript.load(DistributedLocks.class, "renew-shares.lua");

	private static final LuaScript RENEW = CONFIRM.runningWithoutMemory();

	private static final LuaScript LOOK = LuaScript.load(DistributedLocks.class, "look-shares.lua");

	private static final KeyPart HOLDERS = KeyPart.of("s1");

	private static final KeyPart TOKENS = KeyPart.of("h1");

	private static final KeyPart QUEUE = KeyPart.of("w1");

	private static final KeyPart REQUESTS = KeyPart.of("r1");

	public RedisShares(RedisBackend backend, RedisLocks locks) {
		super(backend, locks.highestToken());
	}

	CompletableFuture<LockState.Shared> lookAtShares(RedisLockKey key) {
		ScriptCall call = ScriptCall.of(LOOK,
				List.of(key.lock(), key.lock().with(HOLDERS), key.lock().with(TOKENS), key.lock().with(QUEUE)),
				MOST_SHOWN);
		return this.redis.run(call, newBudget()).thenApply((reply) -> {
			List<LockState.Share> shares = new ArrayList<>();
			for (int i = 3; i + 4 < reply.size(); i += 5) {
				shares.add(new LockState.Share(LockState.instance(reply.text(i + 1)), reply.number(i) == 0,
						reply.number(i + 2), Duration.ofNanos(reply.number(i + 4) * 1000),
						Duration.ofMillis(Math.max(0, reply.number(i + 3)))));
			}
			return new LockState.Shared((int) reply.number(1), (int) reply.number(2), shares);
		});
	}

	/**
	 * Takes all shares of a lock away from their holders, notifies those, and serves the
	 * waiters.
	 */
	@Override
	public CompletableFuture<Boolean> force(RedisLockKey key) {
		return this.redis.run(call(UNSHARE, key, "-", FORCE, 1, Duration.ZERO), newBudget())
			.thenApply((reply) -> reply.number(0) > 0);
	}

	@Override
	String grantTopic() {
		return "lock.share";
	}

	@Override
	ScriptCall acquireCall(RedisLockKey key, String handle, LockSettings wanted, boolean waits) {
		return call(SHARE, key, handle, waits ? WAIT : TRY, wanted.limit(), wanted.leaseTime());
	}

	@Override
	ScriptCall releaseCall(RedisLockKey key, String handle, @Nullable String following, Duration lease, Duration keep) {
		return call(UNSHARE, key, handle, LEAVE, 1, keep);
	}

	@Override
	ScriptCall leaveCall(RedisLockKey key, String handle, boolean waits) {
		return releaseCall(key, handle, null, Duration.ZERO, Duration.ZERO);
	}

	/** A share is not written again, since others of it may be lost. */
	@Override
	int newPrimaries() {
		return 0;
	}

	@Override
	LuaScript renewScript() {
		return RENEW;
	}

	@Override
	LuaScript confirmScript() {
		return CONFIRM;
	}

	@Override
	List<RedisKey> leaseKeys(RedisLockKey key) {
		return List.of(key.lock(), key.lock().with(HOLDERS), key.lock().with(TOKENS));
	}

	private ScriptCall call(LuaScript script, RedisLockKey key, String handle, byte[] request, int limit,
			Duration lease) {
		RedisKey lock = key.lock();
		return ScriptCall.of(script,
				List.of(lock, key.lastToken(), lock.with(HOLDERS), lock.with(TOKENS), lock.with(QUEUE),
						lock.with(REQUESTS)),
				this.instance, handle, request, limit, lease.toMillis(), PLACE_MILLIS, highestToken().get(),
				GRANT_MILLIS, TOKEN_MEMORY_MILLIS);
	}

}
