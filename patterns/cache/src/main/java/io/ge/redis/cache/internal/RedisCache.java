// SPDX-License-Identifier: Apache-2.0

package io.ge.redis.cache.internal;

import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Consumer;
import java.util.function.Function;
import java.util.function.LongConsumer;
import java.util.function.Predicate;
import java.util.function.Supplier;

import io.ge.redis.cache.GeCaches;
import io.ge.redis.cache.OnLoadTimeout;
import io.ge.redis.cache.internal.behind.RedisWriteBehind;
import io.ge.redis.cache.internal.engine.CacheKey;
import io.ge.redis.cache.internal.engine.CacheLookup;
import io.ge.redis.cache.internal.engine.NewValue;
import io.ge.redis.cache.internal.engine.RedisCacheKeys;
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
 * The caches' state in Redis. The key {@code prefix:cache:{cache:key}:e1} is the entry,
 * {@code :w1} the hash of its writers. {@code :q1} is the set of callers that wait for
 * it, and {@code :r1} the token of the reader that refreshes it. The scripts state the
 * protocol; {@code docs/caching-design.md} explains it.
 * {@code prefix:cache:{warm-up:name}:u1} is the state of a warm-up.
 * <p>
 * A step with unknown outcome leaves something in Redis:
 * <ul>
 * <li>a lookup: a lease, which is compensated</li>
 * <li>a fill: the value or the lease, which is compensated</li>
 * <li>an announcement or a publication: a pending ticket, which the journal or its
 * deadline ends</li>
 * </ul>
 */
public final class RedisCache {

	static final String TOPIC = "cache";

	/** Followed by the name of a cache and the parts of a key. */
	public static final String NEAR_TOPIC = "cache.near";

	/** First character of the token of a reader for which no caller waits. */
	private static final String OPEN = "~";

	/**
	 * Time for which writers are remembered after their deadline. The value of a reader
	 * is stored only if its transaction has begun within that time.
	 */
	private static final Duration MEMORY = Duration.ofMinutes(1);

	private static final LuaScript GET = LuaScript.command(GeCaches.class, "get", "GET");

	private static final LuaScript LOOKUP = LuaScript.load(GeCaches.class, "lookup.lua");

	private static final LuaScript FILL = script("fill.lua");

	/** Releases a lease, or the permit to refresh a value. */
	private static final LuaScript FREE = script("free.lua");

	private static final LuaScript LOOKUP_ALL = LOOKUP.forEach();

	private static final LuaScript FILL_ALL = FILL.forEach();

	private static final LuaScript FREE_ALL = FREE.forEach();

	/** Number of entries of a call, which bounds the time that it blocks the server. */
	private static final int MOST = 1000;

	private static final LuaScript INTENT = script("intent.lua");

	private static final LuaScript PUBLISH = script("publish.lua");

	private static final LuaScript INVALIDATE = script("invalidate.lua");

	private static final LuaScript ABORT = LuaScript.load(GeCaches.class, "abort.lua");

	private static final LuaScript WARM = LuaScript.load(GeCaches.class, "warm.lua");

	private final GuardedRedis redis;

	private final KeySpace space;

	private final RedisCacheKeys keys;

	private final InstanceBus bus;

	private final String waker;

	private final Duration intentTimeout;

	private final long memoryMillis;

	private final Predicate<String> near;

	private final AtomicLong handles = new AtomicLong();

	/**
	 * Creates the adapter.
	 * @param near whether instances keep a cache in memory, so that all are notified of
	 * its changes
	 */
	public RedisCache(GuardedRedis redis, KeySpace space, InstanceBus bus, Duration intentTimeout,
			Predicate<String> behind, Predicate<String> near) {
		this.redis = redis;
		this.space = space;
		this.keys = new RedisCacheKeys(space, behind);
		this.bus = bus;
		this.waker = bus.channel() + " " + TOPIC;
		this.intentTimeout = intentTimeout;
		this.memoryMillis = intentTimeout.plus(MEMORY).toMillis();
		this.near = near;
	}

	/**
	 * Loads a script on the keys of an entry.
	 */
	public static LuaScript script(String file) {
		return LuaScript.load(GeCaches.class, file, RedisWriteBehind.MESSAGES);
	}

	public RedisWriteBehind writeBehind() {
		return new RedisWriteBehind(this.redis, this.space, this.bus,
				(cache, key) -> this.keys.of(new CacheKey(cache, key)), Duration.ofMillis(this.memoryMillis));
	}

	public CallBudget newBudget() {
		return this.redis.newBudget();
	}

	public boolean isUnavailable() {
		return this.redis.isUnavailable();
	}

	public boolean isUnavailable(CacheKey key) {
		return this.redis.isUnavailable(() -> this.keys.entity(key));
	}

	public void onRecovery(Runnable action) {
		this.redis.onRecovery(action);
	}

	public String newHandle() {
		return this.bus.instanceId() + "." + this.handles.incrementAndGet();
	}

	/**
	 * Returns the handle of a reader for which no caller is to wait.
	 */
	String newOpenHandle() {
		return OPEN + newHandle();
	}

	/**
	 * Calls a listener with the waiters to wake. Messages may be lost: after an
	 * interruption all are.
	 */
	void onWake(LongConsumer woken, Runnable interrupted) {
		this.bus.handle(TOPIC, (payload) -> woken.accept(Long.parseLong(payload)));
		this.bus.onLost(interrupted);
		this.bus.onSubscribed(interrupted);
	}

	/**
	 * Calls a listener with the entries that any instance has changed. Messages may be
	 * lost.
	 */
	public void onInvalidation(Consumer<CacheKey> changed) {
		this.bus.handle(NEAR_TOPIC, (message) -> changed.accept(CacheKey.ofMessage(message)));
	}

	/**
	 * Returns the channel and the message by which a script publishes that an entry
	 * changes, or an empty text if no instance keeps it.
	 */
	private String invalidation(CacheKey key) {
		return (this.near.test(key.cache()) && key.isPublished())
				? this.bus.notificationChannel() + ' ' + NEAR_TOPIC + ' ' + key.message() : "";
	}

	boolean isWoken() {
		return this.bus.isSubscribed();
	}

	/**
	 * Gets what an entry holds.
	 * @return completes with the bytes, or with {@code null} if there is no entry
	 */
	CompletableFuture<byte @Nullable []> get(CacheKey key, CallBudget budget) {
		return this.redis.run(ScriptCall.of(GET, this.keys.of(key).get(0)), budget)
			.thenApply((reply) -> reply.bytes(0));
	}

	/**
	 * Asks for a value, or the permit to load it.
	 * @param load the permit if it is granted, and the number by which the reader is
	 * woken
	 * @param refreshLead the time before its expiry at which the reader replaces a value,
	 * in thousandths of its load time, or 0
	 */
	CompletableFuture<CacheLookup> lookup(CacheLoads.Question question, CacheLoads.InFlightLoad load, long refreshLead,
			CallBudget budget) {
		List<RedisKey> names = this.keys.of(question.key());
		String token = load.token;
		return this.redis
			.run(ScriptCall.of(LOOKUP, names,
					lookupArguments(question, token, this.waker + " " + load.id, refreshLead)), budget,
					() -> ScriptCall.of(FREE, names, token, 0), load.lease)
			.thenApply((reply) -> answer(load, reply));
	}

	private static Object[] lookupArguments(CacheLoads.Question question, String token, String waker,
			long refreshLead) {
		CacheSettings settings = question.settings();
		return new Object[] { token, settings.leaseTime().toMillis(), waker, question.readable().array(),
				question.replace() ? 1 : 0, refreshLead, useOfExpired(settings) };
	}

	/**
	 * Asks for several values of one cache, of which none is refreshed before its expiry,
	 * and for which the reader does not wait.
	 * @param loads the permits if they are granted
	 * @return completes with the answers in the order of the questions, never
	 * exceptionally: for entries without an answer the cache is bypassed
	 */
	CompletableFuture<List<CacheLookup>> lookupAll(List<CacheLoads.Question> questions,
			List<CacheLoads.InFlightLoad> loads, CallBudget budget) {
		List<CacheKey> entries = questions.stream().map(CacheLoads.Question::key).toList();
		List<Object[]> arguments = new ArrayList<>(questions.size());
		for (int i = 0; i < questions.size(); i++) {
			arguments.add(lookupArguments(questions.get(i), loads.get(i).token, "", 0));
		}
		return runAll(LOOKUP_ALL, entries, arguments, false, loads.get(0).lease, budget).thenApply((replies) -> {
			List<CacheLookup> answers = new ArrayList<>(replies.size());
			for (int i = 0; i < replies.size(); i++) {
				ScriptReply reply = replies.get(i);
				answers.add((reply != null) ? answer(loads.get(i), reply) : CacheLookup.Load.BYPASS);
			}
			return answers;
		});
	}

	private static int useOfExpired(CacheSettings settings) {
		if (settings.staleIfError().isZero()) {
			return 0;
		}
		return (settings.onLoadTimeout() == OnLoadTimeout.FAIL) ? 1 : 2;
	}

	private static CacheLookup answer(CacheLoads.InFlightLoad load, ScriptReply reply) {
		return switch (reply.text(0)) {
			case "hit" -> new CacheLookup.Found(Objects.requireNonNull(reply.bytes(1)), reply.number(2),
					(reply.number(3) == 1) ? load : null, true);
			case "lease" -> {
				load.expired = reply.bytes(2);
				load.token = reply.has(3) ? reply.text(3) : load.token;
				load.seen = reply.has(4) ? reply.text(4) : null;
				yield new CacheLookup.Load(load, false, reply.number(1) == 1, load.expired, false);
			}
			case "wait" -> new CacheLookup.Busy(Duration.ofMillis(reply.number(1)), reply.bytes(2));
			case "stale" -> new CacheLookup.Expired(Objects.requireNonNull(reply.bytes(1)));
			default -> new CacheLookup.Load(null, true, false, reply.has(1) ? reply.bytes(1) : null, false);
		};
	}

	/**
	 * Stores a loaded value, or releases the lease.
	 * @param seen the writers before an open lease, or nothing for a value that may be a
	 * change
	 * @param ttl time to live; zero for none
	 * @param age age of the reader's transaction when it had the lease, in milliseconds,
	 * or -1
	 */
	public CompletableFuture<CacheFill> fill(CacheKey key, String token, String seen, Duration lease, byte[] value,
			Duration ttl, long age, CallBudget budget) {
		List<RedisKey> names = this.keys.of(key);
		ScriptCall call = ScriptCall.of(FILL, names, fillArguments(key, token, seen, lease, value, ttl, age));
		Supplier<ScriptCall> undo = () -> ScriptCall.of(FREE, names, token, 0);
		return this.redis.run(call, budget, undo, lease).whenComplete((reply, failure) -> {
			if (failure != null) {
				this.redis.compensateUnlessUnknown(failure, undo, lease);
			}
		}).thenApply(RedisCache::fill);
	}

	/**
	 * Stores several loaded values, as {@link #fill}.
	 * @return completes with whether each was stored, in their order, never exceptionally
	 */
	public CompletableFuture<List<Boolean>> fillAll(List<Filling> all, Duration lease, long age, CallBudget budget) {
		List<CacheKey> entries = all.stream().map(Filling::key).toList();
		List<Object[]> arguments = all.stream()
			.map((each) -> fillArguments(each.key, each.token, "", lease, each.value, each.ttl, age))
			.toList();
		return runAll(FILL_ALL, entries, arguments, true, lease, budget).thenApply((
				replies) -> replies.stream().map((reply) -> reply != null && fill(reply) == CacheFill.FILLED).toList());
	}

	/**
	 * Runs a script for many entries: with one call for each {@value #MOST} of them, on a
	 * Cluster of those of each slot, all sent at once. The calls share the budget, since
	 * they are waited for together.
	 * @param arguments those of each entry, first its token
	 * @param held whether to free entries even if the script did not run, since they are
	 * held already
	 * @return completes with the replies in the order of the entries, {@code null} where
	 * it is unknown, never exceptionally
	 */
	private CompletableFuture<List<@Nullable ScriptReply>> runAll(LuaScript script, List<CacheKey> entries,
			List<Object[]> arguments, boolean held, Duration useful, CallBudget budget) {
		@Nullable ScriptReply[] replies = new ScriptReply[entries.size()];
		Duration left = Duration.ofNanos(budget.remainingNanos());
		long started = System.nanoTime();
		List<CompletableFuture<?>> calls = new ArrayList<>();
		for (List<Integer> group : this.redis.groups(entries.stream().map((key) -> this.keys.of(key).get(0)).toList(),
				MOST)) {
			Supplier<ScriptCall> undo = () -> call(FREE_ALL, entries, group,
					(index) -> List.of(arguments.get(index)[0], 0));
			ScriptCall call = call(script, entries, group, (index) -> Arrays.asList(arguments.get(index)));
			calls.add(this.redis.run(call, CallBudget.of(left), undo, useful).handle((reply, failure) -> {
				if (failure != null && held) {
					this.redis.compensateUnlessUnknown(failure, undo, useful);
				}
				List<ScriptReply> parts = (failure == null) ? reply.parts() : List.of();
				for (int i = 0; i < parts.size(); i++) {
					replies[group.get(i)] = parts.get(i);
				}
				return null;
			}));
		}
		return CompletableFuture.allOf(calls.toArray(CompletableFuture[]::new)).thenApply((none) -> {
			budget.spend(System.nanoTime() - started);
			return Arrays.asList(replies);
		});
	}

	private ScriptCall call(LuaScript script, List<CacheKey> entries, List<Integer> group,
			Function<Integer, List<Object>> arguments) {
		List<RedisKey> all = new ArrayList<>();
		List<Object> values = new ArrayList<>(List.of(this.keys.of(entries.get(0)).size()));
		for (int index : group) {
			all.addAll(this.keys.of(entries.get(index)));
			values.addAll(arguments.apply(index));
		}
		return ScriptCall.of(script, all, values.toArray());
	}

	private Object[] fillArguments(CacheKey key, String token, String seen, Duration lease, byte[] value, Duration ttl,
			long age) {
		return new Object[] { token, lease.toMillis(), value, ttl.toMillis(), age, this.memoryMillis, invalidation(key),
				seen };
	}

	private static CacheFill fill(ScriptReply reply) {
		return switch (reply.text(0)) {
			case "filled" -> CacheFill.FILLED;
			case "stands" -> CacheFill.STANDS;
			case "removed" -> CacheFill.REMOVED;
			default -> CacheFill.LOST;
		};
	}

	/**
	 * Releases a lease, or the permit to refresh a value.
	 * @param rest the time for which no other reader refreshes that value
	 * @param discard whether the loaded value is not to be stored, so that the old value
	 * is removed if it has expired
	 */
	void free(CacheKey key, String token, Duration lease, Duration rest, boolean discard) {
		ScriptCall call = ScriptCall.of(FREE, this.keys.of(key), token, rest.toMillis(), discard ? 1 : 0);
		this.redis.run(call, newBudget(), () -> call, lease);
	}

	public CompletableFuture<ScriptReply> announce(CacheKey key, String writer, boolean locked, boolean prolong,
			CallBudget budget) {
		String mode = locked ? "locked" : (prolong ? "prolong" : "unlocked");
		return this.redis.run(ScriptCall.of(INTENT, this.keys.of(key), writer, this.intentTimeout.toMillis(),
				this.memoryMillis, mode, invalidation(key)), budget);
	}

	public CompletableFuture<Boolean> publish(CacheKey key, String writer, boolean locked, NewValue value,
			CallBudget budget) {
		return this.redis
			.run(ScriptCall.of(PUBLISH, this.keys.of(key), writer, locked ? "locked" : "unlocked", value.bytes(),
					value.ttl().toMillis(), this.memoryMillis, invalidation(key)), budget)
			.thenApply((reply) -> reply.text(0).equals("published"));
	}

	public CompletableFuture<ScriptReply> invalidate(CacheKey key, List<String> writers, CallBudget budget) {
		List<Object> arguments = new ArrayList<>(writers.size() + 2);
		arguments.add(this.memoryMillis);
		arguments.add(invalidation(key));
		arguments.addAll(writers);
		return this.redis.run(ScriptCall.of(INVALIDATE, this.keys.of(key), arguments.toArray()), budget);
	}

	/**
	 * Withdraws an announcement, now or as soon as Redis answers.
	 */
	public void abort(CacheKey key, String writer, CallBudget budget) {
		ScriptCall call = ScriptCall.of(ABORT, this.keys.of(key), writer);
		this.redis.run(call, budget, () -> call, this.intentTimeout);
	}

	/**
	 * Withdraws an announcement of unknown outcome.
	 */
	public void abortEventually(CacheKey key, String writer) {
		this.redis.compensate(ScriptCall.of(ABORT, this.keys.of(key), writer), this.intentTimeout);
	}

	/**
	 * Takes, keeps, ends or releases the run of a warm-up: see {@code warm.lua}.
	 */
	public CompletableFuture<String> warmUp(String name, String token, String kind, Duration ttl) {
		RedisKey state = this.space.entity(KeyPart.of("warm-up"), KeyPart.of(name)).with(KeyPart.of("u1"));
		return this.redis.run(ScriptCall.of(WARM, state, token, kind, ttl.toMillis()), newBudget())
			.thenApply((reply) -> reply.text(0));
	}

	public Duration intentTimeout() {
		return this.intentTimeout;
	}

	public record Filling(CacheKey key, String token, byte[] value, Duration ttl) {
	}

}
