// SPDX-License-Identifier: Apache-2.0

package io.ge.redis.benchmark;

import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.locks.Lock;

import com.github.benmanes.caffeine.cache.Cache;
import com.github.benmanes.caffeine.cache.Caffeine;
import io.ge.redis.cache.GeCaches;
import io.ge.redis.script.EntityScript;
import io.ge.redis.script.EntityScripts;
import org.jspecify.annotations.Nullable;
import org.redisson.api.RLock;

import org.springframework.data.redis.core.RedisCallback;
import org.springframework.data.redis.core.StringRedisTemplate;

/**
 * What is compared: for each pattern a PING, the scripts of the annotated method without
 * the library on the same connection, the annotated method, and what else does the same.
 */
final class Scenarios {

	private static final String EXAMPLE = Keys.text(0);

	private static final int PREPARING_THREADS = 16;

	private static final String ENTITY_SCRIPT = "redis.call('HSET', KEYS[1], 'status', ARGV[1])\n"
			+ "redis.call('SADD', KEYS[2], ARGV[1])\n";

	private static final String ALONE = "redis.call('PEXPIRE', KEYS[1], 3600000)\n"
			+ "redis.call('PEXPIRE', KEYS[2], 3600000)\nreturn {1}";

	private final Instance instance;

	private final Guarded guarded;

	private final RawRedis raw;

	private final Monitor monitor;

	Scenarios(Instance instance, Monitor monitor) {
		this.instance = instance;
		this.guarded = instance.guarded();
		this.raw = instance.raw();
		this.monitor = monitor;
	}

	List<Scenario> all() throws Exception {
		List<Scenario> all = new ArrayList<>(new RateLimitScenarios(this.instance, this.monitor).all());
		all.addAll(List.of(lock(), cacheHit(), cacheNear(), cacheMiss(), cacheWrite(), idempotencyFirst(),
				idempotencyDuplicate(), blacklist(), entityScript()));
		all.addAll(new FormScenarios(this.instance).all());
		all.addAll(new SessionScenarios(this.instance).all());
		return all;
	}

	// Lock

	private Scenario lock() throws Exception {
		List<RecordedCall> calls = record((key) -> this.guarded.locked(key, 0));
		String reference = "raw EVALSHA";
		return new Scenario("lock", "lock-uncontended", "Lock, taken and released, uncontended",
				"Callers never use the same key. The raw figure is two scripts, one after the other. "
						+ "Only @DistributedLock and RFencedLock give a fencing token.",
				List.of(Keys.OWN), List.of(Contender.ping(this.raw, reference), Contender.raw(reference, (key) -> {
					require(number(calls.get(0).send(this.raw, key), 0) == 1);
					return require(number(calls.get(1).send(this.raw, key), 0) > 0);
				}), Contender.of("@DistributedLock", reference, (key) -> require(this.guarded.locked(key, 0) > 0)),
						Contender.of("Redisson RLock", reference,
								(key) -> cycle(this.instance.redisson().getLock("rlock:" + key))),
						Contender.of("Redisson RFencedLock", reference,
								(key) -> cycle(this.instance.redisson().getFencedLock("rfenced:" + key))),
						Contender.of("RedisLockRegistry, pub/sub", reference,
								(key) -> cycle(this.instance.pushLocks().obtain(key))),
						Contender.of("RedisLockRegistry, spin", reference,
								(key) -> cycle(this.instance.spinLocks().obtain(key)))),
				Scenario.NOTHING);
	}

	private static Object cycle(Lock lock) {
		lock.lock();
		lock.unlock();
		return lock;
	}

	private static Object cycle(RLock lock) {
		lock.lock();
		lock.unlock();
		return lock;
	}

	// Cache

	private Scenario cacheHit() throws Exception {
		this.guarded.read(EXAMPLE);
		CachedByPeer peer = this.instance.get(CachedByPeer.class);
		String reference = "raw GET";
		return new Scenario("cache", "cache-hit", "Cache, hit",
				"A record of about 70 bytes as JSON. Callers of one instance that read one key at the same time share "
						+ "one lookup, which no raw command does.",
				List.of(Keys.HOT, Keys.MANY),
				List.of(Contender.ping(this.raw, reference),
						Contender.raw(reference,
								(key) -> require(this.raw.get("ge:cache:{balances:" + key + "}:e1") != null)),
						Contender.of("@CacheAside", reference, this.guarded::read),
						Contender.of("@Cacheable, Spring Data Redis", reference, peer::read)),
				(count) -> {
					forAll(count, this.guarded::read);
					forAll(count, peer::read);
				});
	}

	private Scenario cacheNear() {
		Cache<String, Balance> memory = Caffeine.newBuilder()
			.maximumSize(BenchmarkApplication.IN_MEMORY)
			.expireAfterWrite(Duration.ofMinutes(10))
			.build();
		GeCaches caches = this.instance.get(GeCaches.class);
		CachedByPeer peer = this.instance.get(CachedByPeer.class);
		String reference = "Caffeine";
		return new Scenario("cache", "cache-near", "Cache, hit in memory",
				"The value as an object, in memory that is told of changes. Making the key and looking at the clock "
						+ "before and after a call is part of every row, and a large part of the first.",
				List.of(Keys.HOT, Keys.MANY),
				List.of(Contender.ping(this.raw, reference), Contender.raw(reference, memory::getIfPresent),
						Contender.of("GeCaches", reference,
								(key) -> caches.get("near", key, Balance.class, () -> Balance.of(key))),
						Contender.of("@CacheAside", reference, this.guarded::readNear),
						Contender.of("@Cacheable, Caffeine", reference, peer::readMemory)),
				(count) -> {
					forAll(count, (key) -> {
						memory.put(key, Balance.of(key));
						return peer.readMemory(key);
					});
					// Loaded, confirmed that messages arrive, and read from Redis
					forAll(count, this.guarded::readNear);
					TimeUnit.SECONDS.sleep(1);
					forAll(count, this.guarded::readNear);
					TimeUnit.SECONDS.sleep(1);
					forAll(count, this.guarded::readNear);
				}, List.of(Goal.of("GeCaches", reference, 1 / 3.0),
						Goal.of("@CacheAside", "@Cacheable, Caffeine", 1 / 1.3)));
	}

	private Scenario cacheMiss() throws Exception {
		List<RecordedCall> calls = recordFresh(this.guarded::read);
		CachedByPeer peer = this.instance.get(CachedByPeer.class);
		String reference = "raw EVALSHA";
		return new Scenario("cache", "cache-miss", "Cache, miss",
				"GET, lookup, a loader that costs nothing, fill. Spring Data's manager gives no lease: a slow reader can "
						+ "overwrite a newer value, and every reader loads.",
				List.of(Keys.FRESH), List.of(Contender.ping(this.raw, reference), Contender.raw(reference, (key) -> {
					calls.get(0).send(this.raw, key);
					return calls.get(1).send(this.raw, key);
				}), Contender.of("@CacheAside", reference, this.guarded::read),
						Contender.of("@Cacheable, Spring Data Redis", reference, peer::read)),
				Scenario.NOTHING);
	}

	private Scenario cacheWrite() throws Exception {
		List<RecordedCall> calls = record(this.guarded::write);
		CachedByPeer peer = this.instance.get(CachedByPeer.class);
		AtomicLong ids = new AtomicLong();
		String reference = "raw EVALSHA";
		return new Scenario("cache", "cache-write", "Cache, write",
				"Without a transaction: intent, a method that does nothing, publication. Spring Data's manager sends a "
						+ "SET after the method, whatever became of the transaction.",
				List.of(Keys.MANY), List.of(Contender.ping(this.raw, reference), Contender.raw(reference, (key) -> {
					byte[] id = ("raw:" + ids.incrementAndGet()).getBytes(StandardCharsets.US_ASCII);
					calls.get(0).send(this.raw, key, 0, id);
					return calls.get(1).send(this.raw, key, 0, id);
				}), Contender.of("@CacheWriteThrough", reference, this.guarded::write),
						Contender.of("@CachePut, Spring Data Redis", reference, peer::write)),
				Scenario.NOTHING);
	}

	// Idempotency

	private Scenario idempotencyFirst() throws Exception {
		List<RecordedCall> calls = recordFresh(this.guarded::once);
		String reference = "raw EVALSHA";
		return new Scenario("idempotency", "idempotency-first", "Idempotency, first call",
				"Claim, a method that does nothing, completion. There is hardly a library to compare with; the baseline "
						+ "is what is often written by hand: SET NX, then SET with the result, without owner, fence or "
						+ "fingerprint.",
				List.of(Keys.FRESH), List.of(Contender.ping(this.raw, reference), Contender.raw(reference, (key) -> {
					List<?> claim = calls.get(0).send(this.raw, key);
					require(number(claim, 0) == 1);
					byte[] fence = String.valueOf(number(claim, 1)).getBytes(StandardCharsets.US_ASCII);
					return require(number(calls.get(1).send(this.raw, key, 1, fence), 0) == 1);
				}), Contender.of("@Idempotent", reference, this.guarded::once),
						Contender.of("SET NX + SET by hand", reference, this::byHand)),
				Scenario.NOTHING);
	}

	private Scenario idempotencyDuplicate() throws Exception {
		this.guarded.once(EXAMPLE);
		RecordedCall call = record(this.guarded::once).get(0);
		String reference = "raw EVALSHA";
		return new Scenario("idempotency", "idempotency-duplicate", "Idempotency, duplicate",
				"The answer of the first call is replayed. The raw script asks for one key only, since the others are "
						+ "hashed.",
				List.of(Keys.HOT),
				List.of(Contender.ping(this.raw, reference),
						Contender.raw(reference, (key) -> require(number(call.sendAsRecorded(this.raw), 0) == 2)),
						Contender.of("@Idempotent", reference, this.guarded::once),
						Contender.of("SET NX + GET by hand", reference, this::byHand)),
				(count) -> {
					// What was recorded may have expired since
					this.guarded.once(EXAMPLE);
					byHand(EXAMPLE);
				});
	}

	private @Nullable Object byHand(String key) {
		StringRedisTemplate template = this.instance.template();
		String name = "hand:" + key;
		if (Boolean.TRUE.equals(template.opsForValue().setIfAbsent(name, "", Duration.ofMinutes(10)))) {
			template.opsForValue().set(name, "{\"wallet\":\"" + key + "\"}", Duration.ofMinutes(10));
			return key;
		}
		return template.opsForValue().get(name);
	}

	// Blacklist

	private Scenario blacklist() throws Exception {
		StringRedisTemplate template = this.instance.template();
		String reference = "EXISTS by hand";
		return new Scenario("blacklist", "blacklist-check", "Blacklist, check of a token that is not revoked",
				"Beside the EXISTS that is often written by hand.", List.of(Keys.MANY),
				List.of(Contender.ping(this.raw, reference),
						Contender.of("@BlacklistCheck", reference, this.guarded::authenticated),
						Contender.of(reference, reference, (key) -> template.hasKey("revoked:" + key))),
				Scenario.NOTHING);
	}

	// Entity scripts

	private Scenario entityScript() throws Exception {
		EntityScripts scripts = this.instance.get(EntityScripts.class);
		EntityScript<Boolean> script = new EntityScript<>("status", ENTITY_SCRIPT + "return true", Boolean.class,
				List.of("status", "active"));
		Contender.Action run = (key) -> require(scripts.run(script, "bench", key, "working"));
		RecordedCall call = record(run).get(0);
		byte[] status = "working".getBytes(StandardCharsets.US_ASCII);
		String alone = this.instance.template()
			.<String>execute((RedisCallback<String>) (connection) -> connection.scriptingCommands()
				.scriptLoad((ENTITY_SCRIPT + ALONE).getBytes(StandardCharsets.US_ASCII)));
		String reference = "raw EVALSHA";
		return new Scenario("structures", "structures-script", "Entity script",
				"A script that writes to two keys. \"Alone\" is its text without ours, which sets the TTL of both itself.",
				List.of(Keys.MANY),
				List.of(Contender.ping(this.raw, reference),
						Contender.raw(reference, (key) -> require(number(call.send(this.raw, key), 0) == 1)),
						Contender.of("EntityScripts", reference, run),
						Contender.of("raw EVALSHA, alone", reference, (key) -> {
							byte[][] keys = { ("raw:{" + key + "}:status").getBytes(StandardCharsets.US_ASCII),
									("raw:{" + key + "}:active").getBytes(StandardCharsets.US_ASCII) };
							return this.raw.evalSha(String.valueOf(alone), keys, new byte[][] { status });
						})),
				(count) -> forAll(count, run),
				List.of(Goal.of("EntityScripts", reference, 0.9), Goal.of("EntityScripts", "raw EVALSHA, alone", 0.9)));
	}

	// Recording

	private List<RecordedCall> record(Contender.Action action) throws Exception {
		// The server learns the scripts first
		action.call(EXAMPLE);
		return RecordedCall.of(this.monitor, EXAMPLE, () -> action.call(EXAMPLE));
	}

	private List<RecordedCall> recordFresh(Contender.Action action) throws Exception {
		action.call(Keys.FRESH.next(0, 1, 1));
		String key = Keys.FRESH.next(0, 1, 1);
		return RecordedCall.of(this.monitor, key, () -> action.call(key));
	}

	static void forAll(int count, Contender.Action action) throws Exception {
		ExecutorService threads = Executors.newFixedThreadPool(PREPARING_THREADS);
		try {
			List<Future<?>> shares = new ArrayList<>();
			for (int share = 0; share < PREPARING_THREADS; share++) {
				int first = share;
				shares.add(threads.submit(() -> {
					for (int i = first; i < count; i += PREPARING_THREADS) {
						action.call(Keys.text(i));
					}
					return null;
				}));
			}
			for (Future<?> share : shares) {
				share.get(5, TimeUnit.MINUTES);
			}
		}
		finally {
			threads.shutdownNow();
		}
	}

	static long number(List<?> reply, int index) {
		return (Long) reply.get(index);
	}

	static Object require(boolean expected) {
		if (!expected) {
			throw new IllegalStateException("A call did not do what its scenario is about");
		}
		return Boolean.TRUE;
	}

}
