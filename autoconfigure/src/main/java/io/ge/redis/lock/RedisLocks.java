/*
 * Copyright 2026 the GE Redis authors
 * SPDX-License-Identifier: Apache-2.0
 */

package io.ge.redis.lock;

import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.BiConsumer;
import java.util.function.BooleanSupplier;
import java.util.function.Consumer;

import io.ge.redis.core.RedisBackend;
import io.ge.redis.core.bus.InstanceBus;
import io.ge.redis.core.bus.Reports;
import io.ge.redis.core.invocation.KeyText;
import io.ge.redis.core.key.KeyPart;
import io.ge.redis.core.key.KeySpace;
import io.ge.redis.core.key.RedisKey;
import io.ge.redis.core.outage.CallBudget;
import io.ge.redis.core.outage.GuardedRedis;
import io.ge.redis.core.script.LuaScript;
import io.ge.redis.core.script.ScriptCall;
import org.jspecify.annotations.Nullable;

/**
 * The locks' state in Redis: {@code prefix:lock:{name:key}} and, beside it, {@code :f1}
 * the last token, {@code :q1} the queue and {@code :d1} its requests; the digit is the
 * format. What the states mean stands in {@code acquire.lua}.
 * <p>
 * How a lock goes from one instance to the next: whoever finds it taken leaves its
 * instance in the queue, with a handle. A release grants the lock to the first instance
 * that is alive, under that handle and for {@link #GRANT}, and tells it and no other over
 * its channel. That instance asks, and has the lock by the reply: a message alone gives
 * nothing to anybody, whoever has sent it. Everything that can go wrong heals by itself:
 * <ul>
 * <li>the message is lost: the waiter asks again within about a second, and whenever the
 * subscription stands anew, and learns of the grant;</li>
 * <li>nobody waits there any more: the instance hands on what it was granted;</li>
 * <li>the instance has died: its deadline in the queue passes, or the grant ends;</li>
 * <li>the holder has died: the lease expires;</li>
 * <li>nobody knows whether a command ran: acquiring again with the same handle gives the
 * same tokens; who does not want to know any more releases that handle, which is repeated
 * until Redis has answered;</li>
 * <li>Redis has lost its data: the holder is told at its next extension, and tokens go on
 * rising since they are never below the time nor below one that the asking instance has
 * seen.</li>
 * </ul>
 * An instance is named by its channel, so that scripts of any instance can tell it.
 */
final class RedisLocks {

	static final String TOPIC = "lock";

	private static final String GRANT_TOPIC = "lock.grant";

	private static final String LOST_TOPIC = "lock.lost";

	/** How long a released lock is the next instance's, unless that one extends it. */
	static final Duration GRANT = Duration.ofSeconds(2);

	/** How many tokens are reserved at once, for callers of one instance. */
	static final int TOKENS = 512;

	/**
	 * How long an instance counts as waiting after it has asked; it asks every second.
	 */
	static final byte[] PLACE_MILLIS = ScriptCall.argument(Duration.ofSeconds(4).toMillis());

	private static final byte[] NO_PLACE = ScriptCall.argument(0);

	static final byte[] TOKEN_MEMORY_MILLIS = ScriptCall.argument(Duration.ofHours(24).toMillis());

	static final byte[] GRANT_MILLIS = ScriptCall.argument(GRANT.toMillis());

	private static final byte[] WANTED_TOKENS = ScriptCall.argument(TOKENS);

	private static final byte[] NOTHING = ScriptCall.argument("");

	private static final byte[] NO = ScriptCall.argument(0);

	private static final byte[] YES = ScriptCall.argument(1);

	private static final LuaScript ACQUIRE = LuaScript.load(RedisLocks.class, "acquire.lua");

	private static final LuaScript RELEASE = LuaScript.load(RedisLocks.class, "release.lua").runningWithoutMemory();

	private static final LuaScript LOOK = LuaScript.load(RedisLocks.class, "look.lua");

	private static final LuaScript RENEW = LuaScript.load(RedisLocks.class, "renew.lua");

	private static final KeyPart LAST_TOKEN = KeyPart.of("f1");

	private static final KeyPart QUEUE = KeyPart.of("q1");

	private static final KeyPart REQUESTS = KeyPart.of("d1");

	private final GuardedRedis redis;

	private final KeySpace keys;

	private final InstanceBus bus;

	private final byte[] instance;

	private final RedisLeases leases;

	private final BooleanSupplier confirmable;

	private final AtomicLong highestToken = new AtomicLong();

	RedisLocks(RedisBackend backend) {
		this.redis = backend.redis("lock");
		this.keys = backend.keys("lock");
		this.bus = backend.bus();
		this.instance = ScriptCall.argument(this.bus.channel());
		this.leases = new RedisLeases(this.redis, backend.connection()::isClustered, this.instance,
				(key) -> List.of(key.lock()));
		this.confirmable = backend.connection()::canAwaitReplicas;
	}

	/**
	 * Listens for locks that are granted to this instance.
	 * @param granted takes handle and text of the key of a lock that is said to be
	 * granted
	 * @param offered takes the text of the key of a lock that is free, since it could not
	 * be granted
	 * @param lost takes handle and text of the key of a lock that an operator has
	 * released
	 * @param uncertain called when messages may have been lost
	 */
	void listen(BiConsumer<String, String> granted, Consumer<String> offered, BiConsumer<String, String> lost,
			Runnable uncertain) {
		this.bus.handle(LOST_TOPIC, handleAndKey(lost));
		this.bus.handle(GRANT_TOPIC, handleAndKey(granted));
		this.bus.handle(TOPIC, offered);
		this.bus.onSubscribed(uncertain);
	}

	static Consumer<String> handleAndKey(BiConsumer<String, String> taker) {
		return (text) -> {
			int space = text.indexOf(' ');
			taker.accept(text.substring(0, space), text.substring(space + 1));
		};
	}

	Reports<LockReport> reports() {
		return LockReport.over(this.bus);
	}

	void onRecovery(Runnable action) {
		this.redis.onRecovery(action);
	}

	CallBudget newBudget() {
		return this.redis.newBudget();
	}

	RedisLockKey key(String name, List<String> parts) {
		KeyPart[] entity = new KeyPart[parts.size() + 1];
		entity[0] = KeyPart.of(name);
		System.arraycopy(KeyText.parts(parts), 0, entity, 1, parts.size());
		return key(this.keys.entity(entity));
	}

	/**
	 * Returns the keys of the lock that another instance has named.
	 */
	RedisLockKey key(String text) {
		return key(this.keys.restore(text));
	}

	private static RedisLockKey key(RedisKey lock) {
		return new RedisLockKey(lock, List.of(lock, lock.with(LAST_TOKEN), lock.with(QUEUE), lock.with(REQUESTS)));
	}

	/**
	 * Asks for a lock. If nobody learns the answer, what it may have taken is given back.
	 * @param waits whether the instance stands in the queue from now on
	 */
	CompletableFuture<LockAnswer> acquire(RedisLockKey key, String handle, Duration lease, boolean waits,
			CallBudget budget) {
		ScriptCall call = ScriptCall.of(ACQUIRE, key.all(), this.instance, handle, lease.toMillis(),
				this.highestToken.get(), waits ? PLACE_MILLIS : NO_PLACE, TOKEN_MEMORY_MILLIS, WANTED_TOKENS);
		return this.redis.run(call, budget, () -> undoCall(key, handle, waits), lease)
			.thenApply((reply) -> (reply.number(0) == 0) ? LockAnswer.busy(reply.number(1), reply.number(2) == 1)
					: LockAnswer.acquired(seen(reply.number(1), reply.number(2))));
	}

	/**
	 * Remembers tokens, of which the script has made sure that they are near the time.
	 */
	TokenRange seen(long first, long last) {
		this.highestToken.accumulateAndGet(last, Math::max);
		return new TokenRange(first, last);
	}

	long highestToken() {
		return this.highestToken.get();
	}

	/**
	 * Releases a lock.
	 * @param following the handle under which this instance goes on waiting for it, or
	 * {@code null}
	 * @param lease the lease for that
	 * @param keep for how long nobody may have it, or zero
	 */
	CompletableFuture<LockHandover> release(RedisLockKey key, String handle, @Nullable String following, Duration lease,
			Duration keep, CallBudget budget) {
		return this.redis.run(releaseCall(key, handle, NO, following, lease, keep), budget).thenApply((reply) -> {
			int code = (int) reply.number(0);
			return new LockHandover(code > 0, code == 2, (code == 3) ? seen(reply.number(1), reply.number(2)) : null);
		});
	}

	/**
	 * Releases a lock at the next opportunity, however long Redis is away.
	 */
	void releaseEventually(RedisLockKey key, String handle, Duration lease, Duration keep) {
		this.redis.compensate(releaseCall(key, handle, NO, null, Duration.ZERO, keep), lease);
	}

	/**
	 * Releases what nobody wants any more.
	 * @return completes when Redis has answered for the first time
	 */
	CompletableFuture<?> giveBack(RedisLockKey key, String handle, Duration lease) {
		ScriptCall call = releaseCall(key, handle, NO, null, Duration.ZERO, Duration.ZERO);
		return this.redis.run(call, newBudget()).whenComplete((reply, failure) -> {
			if (failure != null) {
				this.redis.compensate(call, lease);
			}
		});
	}

	/**
	 * Leaves the queue and hands on what was granted to the handle, without waiting for
	 * it: if the command is lost, deadline and TTL do the same.
	 * @return completes when Redis has answered
	 */
	CompletableFuture<?> leave(RedisLockKey key, String handle) {
		return this.redis.run(undoCall(key, handle, true), newBudget());
	}

	/**
	 * Hands on what was granted to a handle that nobody waits for any more.
	 * @return completes when Redis has answered
	 */
	CompletableFuture<?> refuse(RedisLockKey key, String handle) {
		return this.redis.run(undoCall(key, handle, false), newBudget());
	}

	/**
	 * Extends leases.
	 * @see RedisLeases#renew
	 */
	void renew(List<LeaseRenewal> renewals, BiConsumer<LeaseRenewal, Boolean> extended, Consumer<LeaseRenewal> failed) {
		this.leases.renew(RENEW, renewals, extended, failed);
	}

	/**
	 * Has replicas confirm that a handle holds its lock.
	 * @see RedisLeases#confirm
	 */
	CompletableFuture<Void> confirm(LeaseRenewal renewal, LockSettings settings) {
		return this.leases.confirm(RENEW, renewal, settings);
	}

	/**
	 * Returns whether replicas can be waited for at all.
	 */
	boolean canBeConfirmed() {
		return this.confirmable.getAsBoolean();
	}

	/**
	 * Looks at a lock.
	 */
	CompletableFuture<LockStanding> look(RedisLockKey key) {
		ScriptCall call = ScriptCall.of(LOOK, List.of(key.lock(), key.queue()));
		return this.redis.run(call, newBudget()).thenApply((reply) -> {
			int waiters = (int) reply.number(1);
			if (reply.number(0) == 0) {
				return LockStanding.free(waiters);
			}
			return new LockStanding(true, reply.number(2) == 1, reply.text(3), reply.text(4), reply.number(5),
					Duration.ofMillis(Math.max(0, reply.number(6))), Duration.ofNanos(reply.number(7) * 1000), waiters);
		});
	}

	/**
	 * Takes a lock away from whoever holds it, who is told, and hands it on.
	 * @return whether there was a holder, or the rest of a shortest hold
	 */
	CompletableFuture<Boolean> force(RedisLockKey key) {
		return look(key).thenCompose((standing) -> {
			if (!standing.held() || standing.isShared()) {
				return CompletableFuture.completedFuture(false);
			}
			// The words by which the script knows the owner
			ScriptCall call = standing.kept()
					? releaseCall(ScriptCall.argument("="), key, standing.holder(), NO, null, Duration.ZERO,
							Duration.ZERO, NO)
					: releaseCall(ScriptCall.argument(standing.holder()), key, standing.handle(), NO, null,
							Duration.ZERO, Duration.ZERO, YES);
			return this.redis.run(call, newBudget()).thenApply((reply) -> reply.number(0) > 0);
		});
	}

	private ScriptCall undoCall(RedisLockKey key, String handle, boolean leave) {
		return releaseCall(key, handle, leave ? YES : NO, null, Duration.ZERO, Duration.ZERO);
	}

	private ScriptCall releaseCall(RedisLockKey key, String handle, byte[] leave, @Nullable String following,
			Duration lease, Duration keep) {
		return releaseCall(this.instance, key, handle, leave, following, lease, keep, NO);
	}

	private ScriptCall releaseCall(byte[] owner, RedisLockKey key, String handle, byte[] leave,
			@Nullable String following, Duration lease, Duration keep, byte[] tell) {
		return ScriptCall.of(RELEASE, key.all(), owner, handle, GRANT_MILLIS, leave,
				(following != null) ? following : NOTHING, this.highestToken.get(), WANTED_TOKENS, lease.toMillis(),
				PLACE_MILLIS, TOKEN_MEMORY_MILLIS, keep.toMillis(), tell);
	}

}
