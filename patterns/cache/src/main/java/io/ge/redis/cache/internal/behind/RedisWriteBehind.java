// SPDX-License-Identifier: Apache-2.0

package io.ge.redis.cache.internal.behind;

import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.BiFunction;
import java.util.function.ObjIntConsumer;
import java.util.stream.Stream;

import io.ge.redis.cache.WriteBehindEvent;
import io.ge.redis.cache.WriteBehindFullException;
import io.ge.redis.cache.WriteBehindProperties;
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

	private static final LuaScript PENDING = LuaScript.command(RedisWriteBehind.class, "pending", "HGET");

	private final GuardedRedis redis;

	private final KeySpace keys;

	private final InstanceBus bus;

	private final BiFunction<String, List<String>, List<RedisKey>> entries;

	private final long memoryMillis;

	private final String holder;

	/** The highest version that this instance has seen, so that versions rise. */
	private final Map<Partition, AtomicLong> versions = new ConcurrentHashMap<>();

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

	/**
	 * Returns keys of a partition. Changes are {@code c1}, the queue is {@code s1}, the
	 * book {@code b1}. Due keys are {@code d1}, the lease {@code l1}, dead letters
	 * {@code x1}.
	 */
	private List<RedisKey> keys(Partition partition, String... parts) {
		RedisKey root = root(this.keys, partition);
		return new ArrayList<>(Stream.of(parts).map((part) -> root.with(KeyPart.of(part))).toList());
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

	void onRecovery(Runnable action) {
		this.redis.onRecovery(action);
	}

	/**
	 * Puts a value into the cache and its change into the queue.
	 * @param bound how many keys may wait in a partition
	 * @param here whether this instance writes changes of the cache
	 * @return completes with the version of the change, or with
	 * {@link WriteBehindFullException}
	 */
	CompletableFuture<Long> append(String cache, List<String> key, byte[] change, byte[] entry, Duration ttl, int bound,
			boolean here, CallBudget budget) {
		Partition partition = Partition.of(cache, key);
		AtomicLong seen = this.versions.computeIfAbsent(partition, (unseen) -> new AtomicLong());
		List<RedisKey> names = keys(partition, "c1", "s1", "b1", "l1");
		names.addAll(this.entries.apply(cache, key));
		ScriptCall call = ScriptCall.of(APPEND, names, KeyParts.join(key), change, entry, ttl.toMillis(), bound,
				seen.get(), here ? this.bus.channel() : this.bus.notificationChannel(),
				TOPIC + " " + partition.number() + " " + cache);
		return this.redis.run(call, budget).thenApply((reply) -> {
			if (!reply.text(0).equals("appended")) {
				throw new WriteBehindFullException(cache, reply.number(1));
			}
			seen.accumulateAndGet(reply.number(1), Math::max);
			return reply.number(1);
		});
	}

	CompletableFuture<PendingChange> pending(String cache, List<String> key, CallBudget budget) {
		ScriptCall call = ScriptCall.of(PENDING, keys(Partition.of(cache, key), "c1"), KeyParts.join(key));
		return this.redis.run(call, budget).thenApply((reply) -> pending(reply.bytes(0)));
	}

	// The change stands behind its version and a space
	private static PendingChange pending(byte @Nullable [] found) {
		if (found == null) {
			return new PendingChange(null);
		}
		int space = 0;
		while (found[space] != ' ') {
			space++;
		}
		return new PendingChange(Arrays.copyOfRange(found, space + 1, found.length));
	}

	CompletableFuture<Take> take(Partition partition, Duration lease, int count) {
		ScriptCall call = ScriptCall.of(TAKE, keys(partition, "c1", "s1", "b1", "d1", "l1"), this.holder,
				lease.toMillis(), count);
		return this.redis.run(call, this.redis.newBudget()).thenApply(RedisWriteBehind::take);
	}

	private static Take take(ScriptReply reply) {
		return switch (reply.text(0)) {
			case "idle" -> Take.NOTHING;
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
	 * Records the outcome of changes.
	 * @return whether the caller still held the partition
	 */
	CompletableFuture<Settling> settle(Partition partition, WriteBehindProperties properties, List<Settled> settled) {
		List<RedisKey> names = keys(partition, "c1", "s1", "b1", "d1", "l1", "x1");
		List<Object> arguments = new ArrayList<>(List.of(this.holder, properties.leaseTime().toMillis(),
				this.memoryMillis, EMPTY.toMillis(), properties.deadLetterTtl().toMillis()));
		for (Settled each : settled) {
			WaitingChange change = each.change();
			List<RedisKey> entry = this.entries.apply(partition.cache(), KeyParts.split(change.key()));
			names.addAll(entry);
			if (each == settled.get(0)) {
				arguments.add(entry.size());
			}
			String outcome = switch (each.outcome()) {
				case STARTED, WRITTEN -> "done";
				case RETRIED -> "retry";
				case DEAD -> "dead";
			};
			arguments.addAll(
					List.of(outcome, change.key(), change.version(), change.mention(), each.failures(), each.detail()));
		}
		return this.redis.run(ScriptCall.of(SETTLE, names, arguments.toArray()), this.redis.newBudget())
			.thenApply((reply) -> reply.text(0).equals("lost") ? new Settling(false, 0, null)
					: new Settling(true, reply.number(1), due(reply.number(2))));
	}

	/**
	 * Extends the lease of a partition, or releases it.
	 * @param lease its length, zero to release it
	 * @return whether the caller still held it
	 */
	CompletableFuture<Boolean> hold(Partition partition, Duration lease) {
		ScriptCall call = ScriptCall.of(HOLD, keys(partition, "l1"), this.holder, lease.toMillis());
		return this.redis.run(call, this.redis.newBudget()).thenApply((reply) -> reply.number(0) == 1);
	}

	/**
	 * One of the parts into which the keys of a cache are divided. Each is written by one
	 * instance at a time.
	 *
	 * @param number from 0
	 */
	record Partition(String cache, int number) {

		static Partition of(String cache, List<String> key) {
			int hash = key.hashCode();
			return new Partition(cache, (hash ^ (hash >>> 16) ^ (hash >>> 8)) & (PARTITIONS - 1));
		}

	}

	/**
	 * A change in the form that Redis stores.
	 *
	 * @param json the value, empty for none
	 * @param mention the position of the key in the queue, empty for none
	 */
	record WaitingChange(String key, long version, int failures, byte[] json, String mention) {
	}

	/**
	 * The result of a change.
	 *
	 * @param failures how often its writing has failed by now
	 * @param detail for a retry the milliseconds until then, for a dead letter the reason
	 */
	record Settled(WaitingChange change, WriteBehindEvent.Outcome outcome, int failures, String detail) {
	}

	/**
	 * The state of a partition when its changes are settled.
	 *
	 * @param held whether the caller still held it; else nothing was changed
	 * @param due when the next one is tried again, or {@code null} if none is to be
	 */
	record Settling(boolean held, long waiting, @Nullable Duration due) {
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

		static final Take NOTHING = new Take(0, null, false, List.of());

	}

}
