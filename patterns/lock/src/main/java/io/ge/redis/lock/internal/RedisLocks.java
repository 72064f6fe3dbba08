// SPDX-License-Identifier: Apache-2.0

package io.ge.redis.lock.internal;

import java.nio.ByteBuffer;
import java.security.SecureRandom;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HexFormat;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.BiConsumer;
import java.util.function.Consumer;

import io.ge.redis.RedisUnavailableException;
import io.ge.redis.core.RedisBackend;
import io.ge.redis.core.bus.InstanceBus;
import io.ge.redis.core.bus.Reports;
import io.ge.redis.core.hash.Sha256;
import io.ge.redis.core.key.KeyPart;
import io.ge.redis.core.key.KeySpace;
import io.ge.redis.core.key.RedisKey;
import io.ge.redis.core.outage.CallBudget;
import io.ge.redis.core.outage.GuardedRedis;
import io.ge.redis.core.outage.Replication;
import io.ge.redis.core.script.LuaScript;
import io.ge.redis.core.script.ScriptCall;
import io.ge.redis.lock.DistributedLocks;
import org.jspecify.annotations.Nullable;

/**
 * The locks' state in Redis: {@code prefix:lock:{name:key}} and, beside it, {@code :f1}
 * the last token, {@code :q1} the queue and {@code :d1} its requests; the digit is the
 * format. The states are described in {@code acquire.lua}, and races in
 * {@code docs/locks-design.md}.
 * <p>
 * A release grants the lock to the first living instance in the queue, under the handle
 * that it has left there and for {@link #GRANT}. Only that instance is notified, over its
 * channel, by which instances are named. That instance asks, and has the lock by the
 * reply: a message alone grants nothing, since any client may have sent it. Where the
 * outcome of a command is unknown, acquiring again with the same handle gives the same
 * tokens. An instance that does not need the answer any more releases that handle until
 * Redis has answered.
 */
class RedisLocks {

	static final String TOPIC = "lock";

	private static final String LOST_TOPIC = "lock.lost";

	/**
	 * Time for which a released lock is the next instance's, unless that one extends it.
	 */
	public static final Duration GRANT = Duration.ofSeconds(2);

	/** Number of tokens that are reserved at once, for callers of one instance. */
	static final int TOKENS = 512;

	/**
	 * Time for which an instance counts as waiting after it has asked; it asks every
	 * second.
	 */
	static final byte[] PLACE_MILLIS = ScriptCall.argument(Duration.ofSeconds(4).toMillis());

	private static final byte[] NO_PLACE = ScriptCall.argument(0);

	static final byte[] TOKEN_MEMORY_MILLIS = ScriptCall.argument(Duration.ofHours(24).toMillis());

	static final byte[] GRANT_MILLIS = ScriptCall.argument(GRANT.toMillis());

	/**
	 * Number of leases per call. Leases are extended between one half of their interval
	 * and the whole. So ten thousand locks take at most twenty calls, of two milliseconds
	 * each on the server.
	 */
	private static final int MOST_AT_ONCE = 1200;

	private static final int SECRET_BYTES = 16;

	private static final int HANDLE_BYTES = 12;

	private static final byte[] WANTED_TOKENS = ScriptCall.argument(TOKENS);

	private static final byte[] NOTHING = ScriptCall.argument("");

	private static final byte[] NO = ScriptCall.argument(0);

	private static final byte[] YES = ScriptCall.argument(1);

	private static final LuaScript ACQUIRE = LuaScript.load(DistributedLocks.class, "acquire.lua");

	private static final LuaScript RELEASE = LuaScript.load(DistributedLocks.class, "release.lua")
		.runningWithoutMemory();

	private static final LuaScript LOOK = LuaScript.load(DistributedLocks.class, "look.lua");

	private static final LuaScript RENEW = LuaScript.load(DistributedLocks.class, "renew.lua");

	private static final LuaScript RESTORE = LuaScript.load(DistributedLocks.class, "restore.lua");

	private static final KeyPart LAST_TOKEN = KeyPart.of("f1");

	private static final KeyPart QUEUE = KeyPart.of("q1");

	private static final KeyPart REQUESTS = KeyPart.of("d1");

	final GuardedRedis redis;

	/** The name of this instance in Redis. */
	final byte[] instance;

	private final InstanceBus bus;

	private final KeySpace keys;

	/** The highest token that this instance has seen, of any lock. */
	private final AtomicLong highestToken;

	private final byte[] secret = new byte[SECRET_BYTES];

	private final AtomicLong handles = new AtomicLong();

	public RedisLocks(RedisBackend backend) {
		this(backend, new AtomicLong());
	}

	RedisLocks(RedisBackend backend, AtomicLong highestToken) {
		this.redis = backend.redis("lock");
		this.instance = ScriptCall.argument(backend.bus().channel());
		new SecureRandom().nextBytes(this.secret);
		this.keys = backend.keys("lock");
		this.bus = backend.bus();
		this.highestToken = highestToken;
	}

	/**
	 * Listens for messages to this instance.
	 * @param offered takes the key of a lock that is free, since it could not be granted
	 * @param lost takes handle and key of a lock that an operator has released
	 */
	void listen(Consumer<RedisLockKey> offered, BiConsumer<String, RedisLockKey> lost, Runnable uncertain) {
		this.bus.handle(LOST_TOPIC, handleAndKey(lost));
		this.bus.handle(TOPIC, (text) -> offered.accept(key(text)));
		this.bus.onSubscribed(uncertain);
		this.redis.onRecovery(uncertain);
	}

	/**
	 * Listens for locks that are granted to this instance.
	 */
	void onGrant(BiConsumer<String, RedisLockKey> granted) {
		this.bus.handle(grantTopic(), handleAndKey(granted));
	}

	private Consumer<String> handleAndKey(BiConsumer<String, RedisLockKey> taker) {
		return (text) -> {
			int space = text.indexOf(' ');
			taker.accept(text.substring(0, space), key(text.substring(space + 1)));
		};
	}

	Reports<LockReport> reports() {
		return new Reports<>(this.bus, "lock.report", LockReport.class);
	}

	RedisUnavailableException closed() {
		return this.redis.closed();
	}

	public CallBudget newBudget() {
		return this.redis.newBudget();
	}

	/**
	 * Makes a handle that no client can guess, not even from earlier ones. A source of
	 * random numbers would read a file once in a while, also on an event loop.
	 */
	String newHandle() {
		byte[] text = Arrays.copyOf(this.secret, SECRET_BYTES + Long.BYTES);
		ByteBuffer.wrap(text).putLong(SECRET_BYTES, this.handles.incrementAndGet());
		return HexFormat.of().formatHex(Sha256.of(text), 0, HANDLE_BYTES);
	}

	public RedisLockKey key(String name, List<String> parts) {
		KeyPart[] entity = new KeyPart[parts.size() + 1];
		entity[0] = KeyPart.of(name);
		for (int i = 1; i < entity.length; i++) {
			entity[i] = KeyPart.of(parts.get(i - 1));
		}
		return key(this.keys.entity(entity));
	}

	public RedisLockKey key(String text) {
		return key(this.keys.restore(text));
	}

	private static RedisLockKey key(RedisKey lock) {
		return new RedisLockKey(lock, List.of(lock, lock.with(LAST_TOKEN), lock.with(QUEUE), lock.with(REQUESTS)));
	}

	/**
	 * Asks for a lock. If the outcome is unknown, a lock that it may have taken is
	 * released.
	 * @param wanted the mode and the lease
	 * @param waits whether the instance waits in the queue from now on
	 */
	public CompletableFuture<LockAnswer> acquire(RedisLockKey key, String handle, LockSettings wanted, boolean waits,
			CallBudget budget) {
		return this.redis
			.run(acquireCall(key, handle, wanted, waits), budget, () -> leaveCall(key, handle, waits),
					wanted.leaseTime())
			.thenApply((reply) -> (reply.number(0) == 0)
					? new LockAnswer(null, reply.number(1), reply.size() > 2 && reply.number(2) == 1)
					: new LockAnswer(seen(reply.number(1), reply.number(reply.size() - 1)), 0, false));
	}

	// The script has made sure that they are near the time
	private LockAnswer.TokenRange seen(long first, long last) {
		this.highestToken.accumulateAndGet(last, Math::max);
		return new LockAnswer.TokenRange(first, last);
	}

	public AtomicLong highestToken() {
		return this.highestToken;
	}

	/**
	 * Releases a lock.
	 * @param following the handle under which this instance keeps waiting for it, or
	 * {@code null}
	 * @param keep the time until another may have it, or zero
	 */
	public CompletableFuture<LockAnswer.Released> release(RedisLockKey key, String handle, @Nullable String following,
			Duration lease, Duration keep, CallBudget budget) {
		return this.redis.run(releaseCall(key, handle, following, lease, keep), budget).thenApply((reply) -> {
			int code = (int) reply.number(0);
			return new LockAnswer.Released(code > 0, code == 2,
					(code == 3) ? seen(reply.number(1), reply.number(2)) : null);
		});
	}

	/**
	 * Releases a lock at the next opportunity, however long Redis is unavailable.
	 */
	void releaseEventually(RedisLockKey key, String handle, Duration lease, Duration keep) {
		this.redis.compensate(releaseCall(key, handle, null, Duration.ZERO, keep), lease);
	}

	/**
	 * Releases the lock of an abandoned call.
	 */
	CompletableFuture<?> releaseUnused(RedisLockKey key, String handle, Duration lease) {
		return this.redis.run(releaseCall(key, handle, null, Duration.ZERO, Duration.ZERO), newBudget())
			.whenComplete((reply, failure) -> {
				if (failure != null) {
					releaseEventually(key, handle, lease, Duration.ZERO);
				}
			});
	}

	/**
	 * Leaves the queue and hands on a lock that was granted to the handle, without
	 * waiting for that: if the command is lost, deadline and TTL do the same.
	 */
	CompletableFuture<?> leave(RedisLockKey key, String handle) {
		return this.redis.run(leaveCall(key, handle, true), newBudget());
	}

	/**
	 * Extends leases: on a Cluster with one call for each slot, else with one for each
	 * {@value #MOST_AT_ONCE} locks, all sent at once. After a failover by Sentinel each
	 * lock is written again if the new primary does not know it.
	 * @param extended notified of each answer: the lease, and whether the handle still
	 * held the lock
	 * @param failed notified of those that Redis has not answered
	 */
	public void renew(List<LeaseRenewal> renewals, BiConsumer<LeaseRenewal, Boolean> extended,
			Consumer<LeaseRenewal> failed) {
		List<RedisKey> locks = renewals.stream().map((renewal) -> renewal.key().lock()).toList();
		int most = renewals.stream().anyMatch((renewal) -> renewal.lost() != null) ? 1 : MOST_AT_ONCE;
		for (List<Integer> group : this.redis.groups(locks, most)) {
			List<LeaseRenewal> batch = group.stream().map(renewals::get).toList();
			LockAnswer.TokenRange lost = batch.get(0).lost();
			ScriptCall call = (lost != null) ? restoreCall(batch.get(0), lost) : call(renewScript(), batch);
			this.redis.run(call, this.redis.newBudget()).whenComplete((reply, failure) -> {
				if (failure != null) {
					batch.forEach(failed);
					return;
				}
				for (int i = 0; i < batch.size(); i++) {
					extended.accept(batch.get(i), reply.number(i) > 0);
				}
			});
		}
	}

	private ScriptCall restoreCall(LeaseRenewal renewal, LockAnswer.TokenRange tokens) {
		return ScriptCall
			.of(RESTORE, List.of(renewal.key().lock(), renewal.key().lastToken()), this.instance, renewal.handle(),
					renewal.lease().toMillis(), tokens.first(), tokens.last(), TOKEN_MEMORY_MILLIS)
			.inOrder(); // A release after it must find the lock
	}

	/**
	 * Has replicas confirm that a handle holds its lock. Extends the lease, which comes
	 * after everything that made the handle the holder, and creates nothing: arriving
	 * late, after a release or a loss, it finds nothing to extend.
	 */
	public CompletableFuture<Void> confirm(LeaseRenewal renewal, LockSettings settings) {
		Replication replication = new Replication(settings.replicas(), settings.syncTimeout(),
				"The lock '" + settings.name() + "'",
				"It was released. Repair the replicas, or change ge.redis.lock.replicas or ge.redis.lock.sync-timeout"
						+ " (for this lock alone: ge.redis.lock.locks." + settings.name() + ".*).");
		return this.redis
			.runReplicated(call(confirmScript(), List.of(renewal)), replication, (reply) -> reply.number(0) > 0)
			.thenApply((reply) -> null);
	}

	private ScriptCall call(LuaScript script, List<LeaseRenewal> renewals) {
		List<RedisKey> all = new ArrayList<>();
		Object[] arguments = new Object[1 + 2 * renewals.size()];
		arguments[0] = this.instance;
		for (int i = 0; i < renewals.size(); i++) {
			LeaseRenewal renewal = renewals.get(i);
			all.addAll(leaseKeys(renewal.key()));
			arguments[1 + 2 * i] = renewal.handle();
			arguments[2 + 2 * i] = renewal.lease().toMillis();
		}
		return ScriptCall.of(script, all, arguments);
	}

	public CompletableFuture<LockState> look(RedisLockKey key) {
		ScriptCall call = ScriptCall.of(LOOK, List.of(key.lock(), key.queue()));
		return this.redis.run(call, newBudget()).thenApply((reply) -> {
			int waiters = (int) reply.number(1);
			if (reply.number(0) == 0) {
				return LockState.free(waiters);
			}
			boolean kept = reply.number(2) == 1;
			return new LockState(!kept, kept, reply.text(3), reply.text(4), reply.number(5),
					Duration.ofMillis(Math.max(0, reply.number(6))), Duration.ofNanos(reply.number(7) * 1000), waiters,
					null);
		});
	}

	/**
	 * Takes a lock away from its holder, notifies that one, and hands the lock on.
	 */
	public CompletableFuture<Boolean> force(RedisLockKey key) {
		return look(key).thenCompose((state) -> {
			if (!state.isTaken() || state.isShared()) {
				return CompletableFuture.completedFuture(false);
			}
			// The words by which the script knows the owner
			ScriptCall call = state.kept()
					? releaseCall(ScriptCall.argument("="), key, state.holder(), NO, null, Duration.ZERO, Duration.ZERO,
							NO)
					: releaseCall(ScriptCall.argument(state.holder()), key, state.handle(), NO, null, Duration.ZERO,
							Duration.ZERO, YES);
			return this.redis.run(call, newBudget()).thenApply((reply) -> reply.number(0) > 0);
		});
	}

	int newPrimaries() {
		return this.redis.newPrimaries();
	}

	// Differs if several may hold a lock

	String grantTopic() {
		return "lock.grant";
	}

	ScriptCall acquireCall(RedisLockKey key, String handle, LockSettings wanted, boolean waits) {
		return ScriptCall.of(ACQUIRE, key.all(), this.instance, handle, wanted.leaseTime().toMillis(),
				this.highestToken.get(), waits ? PLACE_MILLIS : NO_PLACE, TOKEN_MEMORY_MILLIS, WANTED_TOKENS);
	}

	ScriptCall releaseCall(RedisLockKey key, String handle, @Nullable String following, Duration lease, Duration keep) {
		return releaseCall(this.instance, key, handle, NO, following, lease, keep, NO);
	}

	ScriptCall leaveCall(RedisLockKey key, String handle, boolean waits) {
		return releaseCall(this.instance, key, handle, waits ? YES : NO, null, Duration.ZERO, Duration.ZERO, NO);
	}

	LuaScript renewScript() {
		return RENEW;
	}

	/**
	 * Returns the script that extends a lease which replicas are to confirm.
	 */
	LuaScript confirmScript() {
		return RENEW;
	}

	List<RedisKey> leaseKeys(RedisLockKey key) {
		return List.of(key.lock());
	}

	private ScriptCall releaseCall(byte[] owner, RedisLockKey key, String handle, byte[] leave,
			@Nullable String following, Duration lease, Duration keep, byte[] tell) {
		return ScriptCall.of(RELEASE, key.all(), owner, handle, GRANT_MILLIS, leave,
				(following != null) ? following : NOTHING, this.highestToken.get(), WANTED_TOKENS, lease.toMillis(),
				PLACE_MILLIS, TOKEN_MEMORY_MILLIS, keep.toMillis(), tell);
	}

}
