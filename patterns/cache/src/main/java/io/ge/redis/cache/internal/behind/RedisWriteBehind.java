// SPDX-License-Identifier: Apache-2.0

package io.ge.redis.cache.internal.behind;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import java.util.function.BiFunction;
import java.util.function.ObjIntConsumer;

import io.ge.redis.cache.WriteBehindProperties;
import io.ge.redis.cache.internal.behind.WaitingChange.Settled;
import io.ge.redis.core.bus.InstanceBus;
import io.ge.redis.core.key.KeyPart;
import io.ge.redis.core.key.KeySpace;
import io.ge.redis.core.key.RedisKey;
import io.ge.redis.core.outage.CallBudget;
import io.ge.redis.core.outage.GuardedRedis;
import io.ge.redis.core.script.LuaScript;
import io.ge.redis.core.script.ScriptCall;
import io.ge.redis.core.script.ScriptReply;
import org.jspecify.annotations.Nullable;

/**
 * Changes in Redis: {@code prefix:cache:{cache:p3}:c1} and its siblings are the changes
 * of the keys in partition 3 that wait for the store; {@code append.lua} says what each
 * is. The entries of those keys have the same hash tag, so that entry and change are
 * written by one script.
 * <p>
 * Sixteen partitions, and no setting for it: instances that disagree, or a number that is
 * changed while changes wait, would tear the order of a key.
 */
public final class RedisWriteBehind {

	static final int PARTITIONS = 16;

	private static final String TOPIC = "behind";

	/** Time for which the last version is kept when nothing waits. */
	private static final Duration EMPTY = Duration.ofDays(1);

	/** The functions by which scripts of caches send messages. */
	public static final LuaScript MESSAGES = LuaScript.functions(RedisWriteBehind.class, "messages.lua");

	private static final LuaScript APPEND = LuaScript.load(RedisWriteBehind.class, "append.lua", MESSAGES);

	private static final LuaScript TAKE = LuaScript.load(RedisWriteBehind.class, "take.lua");

	private static final LuaScript SETTLE = LuaScript.load(RedisWriteBehind.class, "settle.lua", MESSAGES);

	private static final LuaScript HOLD = LuaScript.load(RedisWriteBehind.class, "hold.lua");

	private static final LuaScript PENDING = LuaScript.load(RedisWriteBehind.class, "pending.lua");

	private static final KeyPart CHANGES = KeyPart.of("c1");

	private static final KeyPart QUEUE = KeyPart.of("s1");

	private static final KeyPart BOOK = KeyPart.of("b1");

	private static final KeyPart DUE = KeyPart.of("d1");

	private static final KeyPart LEASE = KeyPart.of("l1");

	private static final KeyPart DEAD = KeyPart.of("x1");

	private final GuardedRedis redis;

	private final KeySpace keys;

	private final InstanceBus bus;

	private final BiFunction<String, List<String>, List<RedisKey>> entries;

	private final long memoryMillis;

	private final String holder;

	/**
	 * Creates the adapter.
	 * @param entries the keys of an entry by its cache and key: the entry, its writers,
	 * its waiters, and any keys of a reader's lease. Each entry has the same number of
	 * keys, in the slot of its partition
	 * @param memory the time for which the writers of an entry are remembered
	 */
	public RedisWriteBehind(GuardedRedis redis, KeySpace keys, InstanceBus bus,
			BiFunction<String, List<String>, List<RedisKey>> entries, Duration memory) {
		this.redis = redis;
		this.keys = keys;
		this.bus = bus;
		this.entries = entries;
		this.memoryMillis = memory.toMillis();
		this.holder = bus.instanceId() + " " + bus.channel();
	}

	/**
	 * Returns what all keys of an entry begin with.
	 * @return the key that has the hash tag of the entry's partition
	 */
	public static RedisKey partition(KeySpace keys, String cache, List<String> key) {
		return root(keys, Partition.of(cache, key));
	}

	private static RedisKey root(KeySpace keys, Partition partition) {
		return keys.entity(KeyPart.of(partition.cache()), KeyPart.of("p" + partition.number()));
	}

	public CallBudget newBudget() {
		return this.redis.newBudget();
	}

	public void onRecovery(Runnable action) {
		this.redis.onRecovery(action);
	}

	/**
	 * Calls a listener with partitions that have something new.
	 */
	void onWake(ObjIntConsumer<String> waker) {
		this.bus.handle(TOPIC, (payload) -> {
			int space = payload.indexOf(' ');
			waker.accept(payload.substring(space + 1), Integer.parseInt(payload.substring(0, space)));
		});
	}

	/**
	 * Puts a value into the cache and its change into the queue.
	 * @param here whether this instance writes changes of the cache
	 */
	CompletableFuture<Appended> append(Partition partition, List<String> key, byte[] json, byte[] value, Duration ttl,
			int bound, long seen, boolean here, CallBudget budget) {
		RedisKey root = root(this.keys, partition);
		List<RedisKey> names = new ArrayList<>(
				List.of(root.with(CHANGES), root.with(QUEUE), root.with(BOOK), root.with(LEASE)));
		names.addAll(this.entries.apply(partition.cache(), key));
		ScriptCall call = ScriptCall.of(APPEND, names, KeyParts.join(key), json, value, ttl.toMillis(), bound, seen,
				here ? this.bus.channel() : this.bus.newsChannel(),
				TOPIC + " " + partition.number() + " " + partition.cache());
		return this.redis.run(call, budget)
			.thenApply((reply) -> new Appended(reply.text(0).equals("appended"), reply.number(1)));
	}

	CompletableFuture<PendingChange> pending(Partition partition, List<String> key, CallBudget budget) {
		ScriptCall call = ScriptCall.of(PENDING, root(this.keys, partition).with(CHANGES), KeyParts.join(key));
		return this.redis.run(call, budget)
			.thenApply((reply) -> new PendingChange((reply.number(0) == 1) ? reply.bytes(1) : null));
	}

	CompletableFuture<Take> take(Partition partition, Duration lease, int count) {
		RedisKey root = root(this.keys, partition);
		ScriptCall call = ScriptCall.of(TAKE,
				List.of(root.with(CHANGES), root.with(QUEUE), root.with(BOOK), root.with(DUE), root.with(LEASE)),
				this.holder, lease.toMillis(), count);
		return this.redis.run(call, newBudget()).thenApply(RedisWriteBehind::take);
	}

	private static Take take(ScriptReply reply) {
		return switch (reply.text(0)) {
			case "idle" -> new Take(0, null, false, List.of());
			case "busy" -> new Take(reply.number(2), due(reply.number(1)), false, List.of());
			default -> {
				List<WaitingChange> changes = new ArrayList<>();
				for (int i = 4; i < reply.size(); i += 5) {
					changes.add(new WaitingChange(reply.text(i), reply.number(i + 1), (int) reply.number(i + 2),
							Objects.requireNonNull(reply.bytes(i + 3)), reply.text(i + 4)));
				}
				yield new Take(reply.number(1), due(reply.number(2)), reply.number(3) == 1, changes);
			}
		};
	}

	private static @Nullable Duration due(long millis) {
		return (millis >= 0) ? Duration.ofMillis(millis) : null;
	}

	/**
	 * Says what became of changes.
	 * @return whether the caller still held the partition
	 */
	CompletableFuture<Settling> settle(Partition partition, WriteBehindProperties properties, List<Settled> settled) {
		RedisKey root = root(this.keys, partition);
		List<RedisKey> names = new ArrayList<>(List.of(root.with(CHANGES), root.with(QUEUE), root.with(BOOK),
				root.with(DUE), root.with(LEASE), root.with(DEAD)));
		List<Object> arguments = new ArrayList<>(List.of(this.holder, properties.leaseTime().toMillis(),
				this.memoryMillis, EMPTY.toMillis(), properties.deadLetterTtl().toMillis()));
		int fixed = names.size();
		for (Settled each : settled) {
			WaitingChange change = each.change();
			names.addAll(this.entries.apply(partition.cache(), KeyParts.split(change.key())));
			if (each == settled.get(0)) {
				arguments.add(names.size() - fixed);
			}
			arguments.addAll(List.of(each.outcome().name().toLowerCase(Locale.ROOT), change.key(), change.version(),
					change.mention(), each.failures(), each.detail()));
		}
		return this.redis.run(ScriptCall.of(SETTLE, names, arguments.toArray()), newBudget())
			.thenApply((reply) -> reply.text(0).equals("lost") ? Settling.LOST
					: new Settling(true, reply.number(1), due(reply.number(2))));
	}

	/**
	 * Extends the lease of a partition.
	 * @return whether the caller still held it
	 */
	CompletableFuture<Boolean> extend(Partition partition, Duration lease) {
		return hold(partition, lease.toMillis());
	}

	CompletableFuture<Boolean> release(Partition partition) {
		return hold(partition, 0);
	}

	private CompletableFuture<Boolean> hold(Partition partition, long millis) {
		ScriptCall call = ScriptCall.of(HOLD, root(this.keys, partition).with(LEASE), this.holder, millis);
		return this.redis.run(call, newBudget()).thenApply((reply) -> reply.number(0) == 1);
	}

	/**
	 * The result of appending a change.
	 *
	 * @param taken whether it waits for the store
	 * @param number its version, or how many keys wait where it was refused
	 */
	record Appended(boolean taken, long number) {
	}

	/**
	 * The state of a partition when its changes are settled.
	 *
	 * @param held whether the caller still held it; else nothing was changed
	 * @param due when the next one is tried again, or {@code null} if none is to be
	 */
	record Settling(boolean held, long waiting, @Nullable Duration due) {

		static final Settling LOST = new Settling(false, 0, null);

	}

	/**
	 * The changes of a partition for the instance that asks to write them.
	 *
	 * @param waiting how many keys wait
	 * @param due when to ask again: when a change is tried again, or the lease of another
	 * instance ends; {@code null} if there is nothing to wait for
	 * @param more whether there may be more to write now than was given
	 * @param changes the changes to write now; may be none though there is more
	 */
	record Take(long waiting, @Nullable Duration due, boolean more, List<WaitingChange> changes) {
	}

}
