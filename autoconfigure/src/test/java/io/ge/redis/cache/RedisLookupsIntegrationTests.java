// SPDX-License-Identifier: Apache-2.0

package io.ge.redis.cache;

import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Proxy;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;

import io.ge.redis.OutageCause;
import io.ge.redis.cache.engine.CacheAnswer;
import io.ge.redis.cache.engine.CacheKey;
import io.ge.redis.cache.engine.CacheQuestion;
import io.ge.redis.cache.engine.RedisCache;
import io.ge.redis.cache.engine.RedisCacheKeys;
import io.ge.redis.cache.engine.RedisLookups;
import io.ge.redis.cache.settings.CacheSettings;
import io.ge.redis.core.RedisBackend;
import io.ge.redis.core.RedisBackends;
import io.ge.redis.core.connection.GuardConnection;
import io.ge.redis.core.key.KeySpace;
import io.ge.redis.core.outage.Breaker;
import io.ge.redis.core.outage.CallBudget;
import io.ge.redis.core.outage.Compensations;
import io.ge.redis.core.outage.GuardedRedis;
import io.ge.redis.core.outage.OutageListener;
import io.ge.redis.core.outage.OutageSettings;
import io.ge.redis.core.script.LuaScript;
import io.ge.redis.core.script.ScriptExecutor;
import io.ge.redis.core.script.ScriptReply;
import io.ge.redis.test.SharedRedis;
import io.ge.redis.test.Wide;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Questions for entries that share a call, on a connection that keeps replies back.
 */
class RedisLookupsIntegrationTests {

	private static final Duration LEASE = Duration.ofMinutes(1);

	private static final Duration BUDGET = Duration.ofSeconds(20);

	private static final ByteBuffer READABLE = ByteBuffer.wrap(bytes("V"));

	/** What may be in Redis of an entry: value, ttl, writers, refresh. */
	private static final List<String> VALUES = List.of("", "V", "X", "L", "list");

	private static CacheApplication application;

	private final ScheduledExecutorService scheduler = Executors.newScheduledThreadPool(1);

	private final List<CompletionStage<?>> sent = new CopyOnWriteArrayList<>();

	private final List<Runnable> held = new CopyOnWriteArrayList<>();

	private final List<Integer> readers = new CopyOnWriteArrayList<>();

	private final RedisCacheKeys keys = new RedisCacheKeys(new KeySpace("ge", "cache"), (cache) -> false);

	private final AtomicLong now = new AtomicLong();

	private volatile boolean holding;

	private RedisLookups lookups;

	@BeforeAll
	static void start() {
		application = CacheApplication.start(SharedRedis.standalone().properties()).connected();
		// Else the server asks for their text first, which nobody hears while replies are
		// kept back
		LuaScript free = RedisCache.FREE.forEach();
		for (LuaScript script : List.of(RedisLookups.LOOKUP, RedisLookups.LOOKUPS, free)) {
			command("SCRIPT", "LOAD", new String(script.text(), StandardCharsets.UTF_8));
		}
	}

	@AfterAll
	static void stop() {
		application.close();
	}

	@BeforeEach
	void prepare() {
		SharedRedis.standalone().flushAll();
		// However long they are kept back, no answer takes long
		this.lookups = new RedisLookups(redis(connection()), this.now::get);
	}

	@AfterEach
	void release() {
		this.holding = false;
		this.held.forEach(Runnable::run);
		this.scheduler.shutdownNow();
	}

	private GuardConnection connection() {
		RedisBackend backend = application.bean(RedisBackends.class).get(null);
		return (GuardConnection) Proxy.newProxyInstance(getClass().getClassLoader(),
				new Class<?>[] { GuardConnection.class }, (proxy, method, arguments) -> {
					try {
						Object result = method.invoke(backend.connection(), arguments);
						return method.getName().equals("evalSha") ? held((CompletionStage<?>) result, arguments)
								: result;
					}
					catch (InvocationTargetException ex) {
						throw ex.getCause();
					}
				});
	}

	private CompletionStage<?> held(CompletionStage<?> reply, Object[] arguments) {
		this.readers.add(((byte[][]) arguments[1]).length / 4);
		this.sent.add(reply);
		if (!this.holding) {
			return reply;
		}
		CompletableFuture<Object> later = new CompletableFuture<>();
		this.held.add(() -> reply.whenComplete((value, failure) -> {
			if (failure != null) {
				later.completeExceptionally(failure);
			}
			else {
				later.complete(value);
			}
		}));
		return later;
	}

	private GuardedRedis redis(GuardConnection connection) {
		ScriptExecutor scripts = new ScriptExecutor(connection, (script, nanos, failure) -> {
		});
		Breaker breaker = new Breaker("test", connection, (key) -> CompletableFuture.completedFuture(null),
				new OutageSettings(BUDGET, 100, Duration.ofMillis(10), Duration.ofSeconds(30)), this.scheduler,
				new OutageListener() {

					@Override
					public void onFailure(String pattern, OutageCause cause) {
					}

					@Override
					public void onTransition(String breaker, boolean open) {
					}

				});
		return new GuardedRedis("cache", scripts, breaker, new Compensations(scripts, breaker, Duration.ZERO));
	}

	@Test
	@Wide
	void eachIsAnsweredAsIfItHadAskedAlone() {
		Random random = new Random(20261122);
		for (int round = 0; round < 60; round++) {
			List<RedisLookups.Lookup> alone = new ArrayList<>();
			List<RedisLookups.Lookup> together = new ArrayList<>();
			long urge = random.nextBoolean() ? 0 : 2500;
			int useOfExpired = random.nextInt(3);
			for (int reader = 0; reader < 12; reader++) {
				String token = "reader." + random.nextInt(4);
				long seed = random.nextLong();
				set("alone", round, reader, new Random(seed));
				set("together", round, reader, new Random(seed));
				alone.add(lookup(key("alone", round, reader), token, urge, useOfExpired));
				together.add(lookup(key("together", round, reader), token, urge, useOfExpired));
			}
			RedisLookups one = new RedisLookups(application.bean(RedisBackends.class).get(null).redis("cache"));
			List<String> expected = alone.stream()
				.map((lookup) -> text(one.submit(lookup, CallBudget.of(BUDGET))))
				.toList();
			assertThat(askTogether(together)).as("round %d", round).isEqualTo(expected);
			for (int reader = 0; reader < 12; reader++) {
				assertThat(state("together", round, reader)).as("left by reader %d: %s", reader, expected.get(reader))
					.isEqualTo(state("alone", round, reader));
			}
		}
		assertThat(this.readers).contains(12);
	}

	/**
	 * Has the first two of a round of their own under way meanwhile.
	 */
	private List<String> askTogether(List<RedisLookups.Lookup> all) {
		this.holding = true;
		List<CompletableFuture<ScriptReply>> first = List.of(
				submit(lookup(new CacheKey("first", List.of("a")), "t", all.get(0).urge(), all.get(0).useOfExpired())),
				submit(lookup(new CacheKey("first", List.of("b")), "t", all.get(0).urge(), all.get(0).useOfExpired())));
		List<CompletableFuture<ScriptReply>> replies = all.stream().map(this::submit).toList();
		goOn();
		first.forEach(CompletableFuture::join);
		List<String> texts = replies.stream().map(RedisLookupsIntegrationTests::text).toList();
		SharedRedis.standalone().primary().command("DEL", "ge:cache:{first:a}:e1", "ge:cache:{first:b}:e1");
		return texts;
	}

	private void goOn() {
		this.holding = false;
		this.held.forEach(Runnable::run);
		this.held.clear();
	}

	@Test
	void manyShareACall() {
		for (int i = 0; i < 20; i++) {
			SharedRedis.standalone().primary().command("SET", "ge:cache:{many:" + i + "}:e1", "V-" + i);
		}
		List<RedisLookups.Lookup> all = new ArrayList<>();
		for (int i = 0; i < 20; i++) {
			all.add(lookup(new CacheKey("many", List.of(String.valueOf(i))), "t", 0, 0));
		}
		List<String> replies = askTogether(all);
		for (int i = 0; i < 20; i++) {
			assertThat(replies.get(i)).isEqualTo("hit V-" + i + " -1 0");
		}
		assertThat(this.readers).as("of each call").endsWith(1, 1, 20);
	}

	@Test
	void whatCannotBeSharedGoesAlone() {
		this.holding = true;
		for (int i = 0; i < 2; i++) {
			submit(lookup(new CacheKey("busy", List.of("" + i)), "t", 0, 0));
		}
		int before = this.readers.size();
		CacheKey key = new CacheKey("own", List.of("a"));
		submit(lookup(key, "t", 2500, 0));
		submit(lookup(key, "t", 0, 1));
		RedisLookups.Lookup plain = lookup(key, "t", 0, 0);
		submit(new RedisLookups.Lookup(plain.names(), "t", plain.waker(), 1, LEASE, READABLE, true, 0, 0));
		submit(new RedisLookups.Lookup(plain.names(), "t", plain.waker(), 1, LEASE, ByteBuffer.wrap(bytes("W")), false,
				0, 0));
		CallBudget used = CallBudget.of(BUDGET);
		used.spend(Duration.ofSeconds(1).toNanos());
		this.lookups.submit(plain, used);
		assertThat(this.readers.subList(before, this.readers.size())).containsExactly(1, 1, 1, 1, 1);
	}

	@Test
	void leasesOfWhichNobodyLearnsAreGivenBack() {
		this.holding = true;
		for (int i = 0; i < 2; i++) {
			submit(lookup(new CacheKey("busy", List.of("" + i)), "t", 0, 0));
		}
		List<CompletableFuture<ScriptReply>> replies = new ArrayList<>();
		for (int i = 0; i < 3; i++) {
			replies.add(this.lookups.submit(lookup(new CacheKey("lost", List.of("" + i)), "t" + i, 0, 0),
					CallBudget.of(Duration.ofSeconds(3))));
		}
		List.copyOf(this.held).forEach(Runnable::run);
		Awaitility.await().until(() -> this.sent.size() > 2);
		List<?> answers = (List<?>) this.sent.get(2).toCompletableFuture().join();
		assertThat(answers).filteredOn((part) -> part instanceof byte[] text && Arrays.equals(text, bytes("lease")))
			.hasSize(3);
		replies.forEach((reply) -> assertThat(reply).failsWithin(Duration.ofSeconds(30)));
		Awaitility.await().until(() -> entries("lost") == 0);
	}

	@Test
	void whoHasWaitedForTooLongIsNotWaitedFor() {
		this.holding = true;
		for (int i = 0; i < 2; i++) {
			submit(lookup(new CacheKey("busy", List.of("" + i)), "t", 0, 0));
		}
		CallBudget none = CallBudget.of(Duration.ofNanos(1));
		CompletableFuture<ScriptReply> failing = this.lookups
			.submit(lookup(new CacheKey("late", List.of("a")), "t", 0, 0), none);
		CompletableFuture<ScriptReply> other = submit(lookup(new CacheKey("late", List.of("b")), "t", 0, 0));
		this.now.incrementAndGet();
		goOn();
		assertThat(failing).failsWithin(Duration.ofSeconds(5));
		assertThat(text(other)).startsWith("lease");
	}

	@Test
	void entryThatIsNoneOfOursIsPassedByAlone() {
		SharedRedis.standalone().primary().command("RPUSH", "ge:cache:{odd:a}:e1", "x");
		RedisBackend backend = application.bean(RedisBackends.class).get(null);
		RedisCache cache = new RedisCache(backend.redis("cache"), backend.keys("cache"), backend.bus(),
				Duration.ofMinutes(1), (name) -> false, (name) -> false);
		CacheSettings settings = new CacheSettings(Duration.ofMinutes(1), false, Duration.ZERO, 0, Duration.ZERO,
				Duration.ofMinutes(1), Duration.ZERO, OnLoadTimeout.LOAD, 0);
		List<RedisCache.Asking> all = new ArrayList<>();
		for (String id : List.of("a", "b")) {
			all.add(new RedisCache.Asking(
					new CacheQuestion(new CacheKey("odd", List.of(id)), settings, READABLE, false, false), id, 1));
		}
		assertThat(cache.lookupAll(all, cache.newBudget()).join()).hasExactlyElementsOfTypes(CacheAnswer.Bypass.class,
				CacheAnswer.Leased.class);
	}

	// Entries

	private static long entries(String cache) {
		return ((List<?>) SharedRedis.standalone().primary().command("KEYS", "ge:cache:{" + cache + ":*}:e1")).size();
	}

	private static CacheKey key(String cache, int round, int reader) {
		return new CacheKey(cache, List.of(round + "-" + reader));
	}

	private static String name(String cache, int round, int reader, String part) {
		return "ge:cache:{" + cache + ":" + round + "-" + reader + "}:" + part;
	}

	private static void set(String cache, int round, int reader, Random random) {
		String entry = name(cache, round, reader, "e1");
		String value = VALUES.get(random.nextInt(VALUES.size()));
		// Bytes 7 to 10: loaded in 30 s; bytes 11 to 14: kept for 17 s or not at all
		String times = "\0\0\u0075\u0030" + (random.nextBoolean() ? "\0\0\0\0" : "\0\0\u0043\u0050");
		int ttl = random.nextInt(4);
		switch (value) {
			case "list" -> command("RPUSH", entry, "x");
			case "L" -> command("SET", entry, "Lreader." + random.nextInt(4), "PX", "60000");
			case "V", "X" -> command("SET", entry, value + "12345" + times + "value");
			default -> {
			}
		}
		if (ttl > 0 && !value.isEmpty()) {
			// Expired if it is kept, to be refreshed, neither
			command("PEXPIRE", entry, List.of("", "10000", "50000", "900000").get(ttl));
		}
		switch (random.nextInt(6)) {
			case 0 -> command("SET", name(cache, round, reader, "r1"), "F", "PX", "60000");
			case 1 -> command("SET", name(cache, round, reader, "r1"), "reader." + random.nextInt(4), "PX", "60000");
			case 2 -> command("HSET", name(cache, round, reader, "w1"), "t:w",
					"1 " + (random.nextBoolean() ? "1" : "9000000000000000") + " 1");
			default -> {
			}
		}
	}

	private static Object command(String... parts) {
		return SharedRedis.standalone().primary().command(parts);
	}

	private static List<String> state(String cache, int round, int reader) {
		List<String> state = new ArrayList<>();
		for (String part : List.of("e1", "w1", "q1", "r1")) {
			String name = name(cache, round, reader, part);
			String type = String.valueOf(command("TYPE", name));
			state.add(type + " " + switch (type) {
				case "string" -> command("GET", name);
				case "set" -> command("SMEMBERS", name);
				default -> "";
			} + ((Long) command("PTTL", name) + 5_000) / 10_000);
		}
		return state;
	}

	private CompletableFuture<ScriptReply> submit(RedisLookups.Lookup lookup) {
		return this.lookups.submit(lookup, CallBudget.of(BUDGET));
	}

	private RedisLookups.Lookup lookup(CacheKey key, String token, long urge, int useOfExpired) {
		return new RedisLookups.Lookup(this.keys.of(key), token, "channel topic", 7, LEASE, READABLE, false, urge,
				useOfExpired);
	}

	/**
	 * A reply, with times to ten seconds.
	 */
	private static String text(CompletableFuture<ScriptReply> future) {
		ScriptReply reply;
		try {
			reply = future.get(10, TimeUnit.SECONDS);
		}
		catch (Exception ex) {
			return "failed";
		}
		List<String> parts = new ArrayList<>(List.of(reply.text(0)));
		for (int i = 1; i < reply.size(); i++) {
			boolean time = (reply.text(0).equals("hit") && i == 2) || (reply.text(0).equals("wait") && i == 1);
			if (time) {
				parts.add(String.valueOf((reply.number(i) < 0) ? -1 : (reply.number(i) + 5_000) / 10_000));
			}
			else if (reply.text(0).equals("hit") && i == 3 || reply.text(0).equals("lease") && i == 1) {
				parts.add(String.valueOf(reply.number(i)));
			}
			else {
				parts.add((reply.bytes(i) != null) ? new String(reply.bytes(i), StandardCharsets.ISO_8859_1) : "-");
			}
		}
		return String.join(" ", parts);
	}

	private static byte[] bytes(String text) {
		return text.getBytes(StandardCharsets.ISO_8859_1);
	}

}
