/*
 * Copyright 2026 the GE Redis authors
 * SPDX-License-Identifier: Apache-2.0
 */

package io.ge.redis.lock;

import java.time.Duration;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Consumer;

import io.ge.redis.core.RedisBackend;
import io.ge.redis.core.bus.InstanceBus;
import io.ge.redis.core.invocation.KeyText;
import io.ge.redis.core.key.KeyPart;
import io.ge.redis.core.key.KeySpace;
import io.ge.redis.core.key.RedisKey;
import io.ge.redis.core.outage.CallBudget;
import io.ge.redis.core.outage.GuardedRedis;
import io.ge.redis.core.script.LuaScript;
import io.ge.redis.core.script.ScriptCall;

/**
 * The locks' state in Redis: {@code prefix:lock:{name:key}} and, beside it, {@code :f1}
 * the last token, {@code :q1} the queue and {@code :d1} its deadlines; the digit is the
 * format. What the states mean stands in {@code acquire.lua}.
 * <p>
 * How a lock goes from one instance to the next: whoever finds it taken leaves its
 * instance in the queue. A release sets the lock aside for the first instance that is
 * alive, for {@link #SET_ASIDE}, and tells it over its channel; there the first waiter
 * takes it. So a release wakes exactly one instance, and nobody can push in between.
 * Everything that can go wrong heals by itself:
 * <ul>
 * <li>the message is lost: the waiter asks again within about a second, and whenever the
 * subscription stands anew;</li>
 * <li>nobody waits there any more: the instance hands back what was set aside;</li>
 * <li>the instance has died: its deadline in the queue passes, or what was set aside
 * expires;</li>
 * <li>the holder has died: the lease expires;</li>
 * <li>nobody knows whether a command ran: acquiring again with the same handle gives the
 * same token; who does not want to know any more releases that handle, which is repeated
 * until Redis has answered;</li>
 * <li>Redis has lost its data: the holder is told at its next extension, and tokens go on
 * rising since they are never below the time nor below one that the asking instance has
 * seen.</li>
 * </ul>
 * An instance is named by its channel, so that scripts of any instance can tell it.
 */
final class RedisLocks {

	static final String TOPIC = "lock";

	/** How long a released lock is set aside for the next instance. */
	static final Duration SET_ASIDE = Duration.ofSeconds(2);

	/**
	 * How long an instance counts as waiting after it has asked; it asks every second.
	 */
	private static final byte[] PLACE_MILLIS = ScriptCall.argument(Duration.ofSeconds(4).toMillis());

	private static final byte[] NO_PLACE = ScriptCall.argument(0);

	private static final byte[] TOKEN_MEMORY_MILLIS = ScriptCall.argument(Duration.ofHours(24).toMillis());

	private static final byte[] SET_ASIDE_MILLIS = ScriptCall.argument(SET_ASIDE.toMillis());

	/** What a message to a waiting instance begins with; the key follows. */
	private static final byte[] MESSAGE = ScriptCall.argument(TOPIC + " ");

	private static final LuaScript ACQUIRE = LuaScript.load(RedisLocks.class, "acquire.lua");

	private static final LuaScript RELEASE = LuaScript.load(RedisLocks.class, "release.lua").runningWithoutMemory();

	private static final LuaScript RENEW = LuaScript.load(RedisLocks.class, "renew.lua");

	private static final KeyPart LAST_TOKEN = KeyPart.of("f1");

	private static final KeyPart QUEUE = KeyPart.of("q1");

	private static final KeyPart DEADLINES = KeyPart.of("d1");

	/** In the place of a handle: leaves the queue and hands back what was set aside. */
	private static final String NO_HANDLE = "-";

	private final GuardedRedis redis;

	private final KeySpace keys;

	private final InstanceBus bus;

	private final byte[] instance;

	private final AtomicLong highestToken = new AtomicLong();

	RedisLocks(RedisBackend backend) {
		this.redis = backend.redis("lock");
		this.keys = backend.keys("lock");
		this.bus = backend.bus();
		this.instance = ScriptCall.argument(this.bus.channel());
	}

	/**
	 * Listens for locks that are set aside for this instance.
	 * @param offered takes the text of the lock's key
	 * @param uncertain called when messages may have been lost
	 */
	void listen(Consumer<String> offered, Runnable uncertain) {
		this.bus.handle(TOPIC, offered);
		this.bus.onSubscribed(uncertain);
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
		return new RedisLockKey(lock, List.of(lock, lock.with(LAST_TOKEN), lock.with(QUEUE), lock.with(DEADLINES)));
	}

	/**
	 * Asks for a lock. If nobody learns the answer, what it may have taken is given back.
	 * @param waits whether the instance stands in the queue from now on
	 */
	CompletableFuture<Answer> acquire(RedisLockKey key, String handle, Duration lease, boolean waits,
			CallBudget budget) {
		ScriptCall call = ScriptCall.of(ACQUIRE, key.all(), this.instance, handle, lease.toMillis(),
				this.highestToken.get(), waits ? PLACE_MILLIS : NO_PLACE, TOKEN_MEMORY_MILLIS);
		return this.redis.run(call, budget, () -> releaseCall(key, handle), lease).thenApply((reply) -> {
			if (reply.number(0) == 0) {
				return Answer.busy(reply.number(1));
			}
			long token = reply.number(1);
			this.highestToken.accumulateAndGet(token, Math::max);
			return Answer.acquired(token);
		});
	}

	/**
	 * Releases a lock.
	 * @return whether the handle still held it
	 */
	CompletableFuture<Boolean> release(RedisLockKey key, String handle, CallBudget budget) {
		return this.redis.run(releaseCall(key, handle), budget).thenApply((reply) -> reply.number(0) > 0);
	}

	/**
	 * Releases a lock at the next opportunity, however long Redis is away.
	 */
	void releaseEventually(RedisLockKey key, String handle, Duration lease) {
		this.redis.compensate(releaseCall(key, handle), lease);
	}

	/**
	 * Leaves the queue and hands on what was set aside for this instance, without waiting
	 * for it: if the command is lost, deadline and TTL do the same.
	 */
	void leave(RedisLockKey key) {
		this.redis.run(releaseCall(key, NO_HANDLE), newBudget());
	}

	/**
	 * Extends a lease.
	 * @return whether the handle still held the lock
	 */
	CompletableFuture<Boolean> renew(RedisLockKey key, String handle, Duration lease) {
		ScriptCall call = ScriptCall.of(RENEW, key.lock(), this.instance, handle, lease.toMillis());
		return this.redis.run(call, newBudget()).thenApply((reply) -> reply.number(0) > 0);
	}

	private ScriptCall releaseCall(RedisLockKey key, String handle) {
		byte[] lock = key.lock().bytes();
		byte[] message = Arrays.copyOf(MESSAGE, MESSAGE.length + lock.length);
		System.arraycopy(lock, 0, message, MESSAGE.length, lock.length);
		return ScriptCall.of(RELEASE, key.all(), this.instance, handle, SET_ASIDE_MILLIS, message);
	}

	/**
	 * What Redis said.
	 *
	 * @param acquired whether the lock is held now
	 * @param token the token, if it is
	 * @param leaseMillis the rest of the present lease, if it is not; negative if unknown
	 */
	record Answer(boolean acquired, long token, long leaseMillis) {

		static Answer acquired(long token) {
			return new Answer(true, token, 0);
		}

		static Answer busy(long leaseMillis) {
			return new Answer(false, 0, leaseMillis);
		}

	}

}
