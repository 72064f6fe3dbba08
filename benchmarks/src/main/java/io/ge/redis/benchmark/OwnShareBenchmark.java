// SPDX-License-Identifier: Apache-2.0

package io.ge.redis.benchmark;

import java.lang.management.ManagementFactory;
import java.lang.management.ThreadMXBean;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import java.util.function.Supplier;

import io.ge.redis.OutageCause;
import io.ge.redis.blacklist.internal.BlacklistPattern;
import io.ge.redis.core.RedisBackend;
import io.ge.redis.core.RedisBackends;
import io.ge.redis.core.connection.GuardConnections;
import io.ge.redis.core.outage.Breaker;
import io.ge.redis.core.outage.OutageListener;
import io.ge.redis.core.outage.OutageSettings;
import io.ge.redis.ratelimit.RateLimitExceededException;
import io.ge.redis.ratelimit.RateLimiter;
import io.ge.redis.test.RedisServers;
import io.ge.redis.test.StandaloneRedis;
import org.jspecify.annotations.Nullable;
import org.openjdk.jmh.annotations.AuxCounters;
import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.BenchmarkMode;
import org.openjdk.jmh.annotations.Level;
import org.openjdk.jmh.annotations.Mode;
import org.openjdk.jmh.annotations.OutputTimeUnit;
import org.openjdk.jmh.annotations.Param;
import org.openjdk.jmh.annotations.Scope;
import org.openjdk.jmh.annotations.Setup;
import org.openjdk.jmh.annotations.State;
import org.openjdk.jmh.annotations.TearDown;

import org.springframework.boot.WebApplicationType;
import org.springframework.boot.builder.SpringApplicationBuilder;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.annotation.Import;
import org.springframework.data.redis.connection.RedisConnectionFactory;

/**
 * What the library itself takes of a call: the annotated method in an application with
 * the starter, on a connection that answers at once.
 */
@State(Scope.Benchmark)
@BenchmarkMode(Mode.AverageTime)
@OutputTimeUnit(TimeUnit.NANOSECONDS)
@SuppressWarnings("NullAway.Init")
public class OwnShareBenchmark {

	private static final int KEYS = 1024;

	/** Who comes again and again is one of few. */
	private static final int FEW_KEYS = 16;

	private static final int REVOKED_AT_ONCE = 50_000;

	/** Of calls that would go past the cache, if their replies did not fit. */
	private static final Map<String, Integer> SCRIPTS = Map.of("cache-near", 0, "cache-hit", 1, "cache-miss", 3,
			"cache-write", 2);

	/** What is asked every now and then, by how many calls there are. */
	private static final double TOLERANCE = 0.01;

	/** What is called. */
	@Param({ "unguarded", "ratelimit-allowed", "ratelimit-allowed-counter", "ratelimit-allowed-bucket",
			"ratelimit-allowed-fixed", "ratelimit-allowed-several", "ratelimit-denied", "ratelimit-denied-again",
			"ratelimit-denied-again-fallback", "ratelimit-denied-again-limiter", "ratelimit-denied-again-limiter-many",
			"lock", "cache-near", "cache-hit", "cache-miss", "cache-write", "idempotency-first",
			"idempotency-duplicate", "blacklist", "blacklist-million" })
	public String call;

	private StandaloneRedis redis;

	private ConfigurableApplicationContext context;

	private Contender.Action action;

	private final String[] keys = new String[KEYS];

	private int mask = KEYS - 1;

	private int next;

	private int cost;

	/**
	 * Starts server and application, calls once, and lets the connection answer from then
	 * on.
	 * @throws Exception if that fails
	 */
	@Setup
	public void setUp() throws Exception {
		for (int i = 0; i < KEYS; i++) {
			this.keys[i] = Keys.text(i);
		}
		this.redis = RedisServers.standalone();
		if (this.call.equals("blacklist-million")) {
			revokeAMillion();
		}
		this.context = new SpringApplicationBuilder(Application.class).web(WebApplicationType.NONE)
			.properties("spring.main.banner-mode=off", "logging.level.root=warn", "ge.redis.outage.command-timeout=30s")
			.properties(BenchmarkApplication.NEAR)
			.properties(this.redis.properties())
			.run();
		awaitConnection();
		this.action = action(this.context.getBean(Guarded.class), this.context.getBean(RateLimiter.class));
		boolean again = this.call.startsWith("ratelimit-denied-again");
		if (again && !this.call.endsWith("-many")) {
			this.mask = FEW_KEYS - 1;
		}
		// The server learns the scripts first
		this.action.call(Keys.text(KEYS + 1));
		if (this.call.equals("ratelimit-denied")) {
			this.context.getBean(Guarded.class).spend(Keys.text(KEYS), Guarded.SPENT);
		}
		boolean needsState = again || List.of("cache-near", "cache-hit", "idempotency-duplicate").contains(this.call);
		if (needsState) {
			this.action.call(Keys.text(KEYS));
		}
		this.action.call(Keys.text(KEYS));
		if (this.call.startsWith("blacklist")) {
			awaitMemory();
		}
		if (this.call.equals("cache-near")) {
			fillMemory();
		}
		this.context.getBean(Answers.class).connection.answer();
	}

	/**
	 * Has everything in memory: loaded, confirmed that messages arrive, read from Redis.
	 */
	private void fillMemory() throws Exception {
		for (int pass = 0; pass < 3; pass++) {
			for (String key : this.keys) {
				this.action.call(key);
			}
			TimeUnit.SECONDS.sleep(1);
		}
	}

	/**
	 * As many tokens as instances remember one by one, with ids as well mixed as theirs.
	 */
	private void revokeAMillion() {
		String end = String.valueOf(System.currentTimeMillis() + TimeUnit.HOURS.toMillis(1));
		for (int i = 0; i < 1_000_000; i += REVOKED_AT_ONCE) {
			this.redis.primary()
				.command("EVAL", """
						for i = ARGV[1] + 1, ARGV[1] + ARGV[2] do
						  local id = string.gsub(string.sub(redis.sha1hex(i), 1, 32), '..', function(hex)
						    return string.char(tonumber(hex, 16))
						  end)
						  redis.call('ZADD', KEYS[1], ARGV[3], 't' .. id)
						end
						redis.call('PEXPIREAT', KEYS[1], ARGV[3])""", "1", "ge:blacklist:{all}:rows1",
						String.valueOf(i), String.valueOf(REVOKED_AT_ONCE), end);
		}
	}

	private void awaitMemory() throws InterruptedException {
		BlacklistPattern blacklist = this.context.getBean(BlacklistPattern.class);
		while (!blacklist.isFresh()) {
			TimeUnit.MILLISECONDS.sleep(100);
		}
	}

	private void awaitConnection() throws InterruptedException {
		Breaker breaker = this.context.getBean(RedisBackends.class).get(null).breaker();
		while (breaker.openCause() != null) {
			TimeUnit.MILLISECONDS.sleep(100);
		}
	}

	private Contender.Action action(Guarded guarded, RateLimiter limiter) {
		return switch (this.call) {
			case "unguarded" -> guarded::unguarded;
			case "ratelimit-allowed" -> guarded::admit;
			case "ratelimit-allowed-bucket" -> guarded::admitByBucket;
			case "ratelimit-allowed-counter" -> guarded::admitByCounter;
			case "ratelimit-allowed-fixed" -> guarded::admitByFixed;
			case "ratelimit-allowed-several" -> guarded::admitThrice;
			// A refusal is remembered for the cost that was refused
			case "ratelimit-denied" -> (key) -> denied(() -> guarded.spend(key, 1 + (this.cost++ & 511)));
			case "ratelimit-denied-again" -> (key) -> denied(() -> guarded.admitOnce(key));
			case "ratelimit-denied-again-fallback" -> guarded::admitOnceElse;
			case "ratelimit-denied-again-limiter", "ratelimit-denied-again-limiter-many" ->
				(key) -> limiter.tryAcquire("once", key);
			case "lock" -> (key) -> guarded.locked(key, 0);
			case "cache-near" -> guarded::readNear;
			case "cache-hit", "cache-miss" -> guarded::read;
			case "cache-write" -> guarded::write;
			case "idempotency-first", "idempotency-duplicate" -> guarded::once;
			case "blacklist", "blacklist-million" -> guarded::authenticated;
			default -> throw new IllegalArgumentException(this.call);
		};
	}

	private static @Nullable Object denied(Supplier<Object> call) {
		try {
			return call.get();
		}
		catch (RateLimitExceededException ex) {
			return ex;
		}
	}

	/**
	 * Ends application and server.
	 */
	@TearDown
	public void tearDown() {
		boolean interrupted = this.context.getBean(Answers.class).interrupted;
		double scripts = this.context.getBean(Answers.class).connection.answered() / (double) this.next;
		this.context.close();
		this.redis.close();
		if (interrupted) {
			throw new IllegalStateException("Redis was away for a while, so outage policies were measured");
		}
		Integer expected = SCRIPTS.get(this.call);
		if (expected != null && Math.abs(scripts - expected) > TOLERANCE) {
			throw new IllegalStateException("A call ran " + scripts + " scripts, so something else was measured");
		}
	}

	/**
	 * One call.
	 * @param cpu counts the time that the thread really had
	 * @return what the method returned
	 * @throws Exception never
	 */
	@Benchmark
	public @Nullable Object call(Cpu cpu) throws Exception {
		cpu.called();
		return this.action.call(this.keys[this.next++ & this.mask]);
	}

	/**
	 * Time of the calling thread on a processor. Unlike the time that passes, it is
	 * nearly the same on a busy machine.
	 */
	@AuxCounters(AuxCounters.Type.EVENTS)
	@State(Scope.Thread)
	public static class Cpu {

		private static final int STEP = 1024;

		private static final ThreadMXBean THREADS = ManagementFactory.getThreadMXBean();

		/** Nanoseconds on a processor. */
		public long cpuNanos;

		/** Calls in that time. */
		public long cpuCalls;

		private long last;

		private int count;

		/**
		 * Starts from zero.
		 */
		@Setup(Level.Iteration)
		public void reset() {
			this.cpuNanos = 0;
			this.cpuCalls = 0;
			this.count = 0;
			this.last = THREADS.getCurrentThreadCpuTime();
		}

		void called() {
			if (++this.count == STEP) {
				long now = THREADS.getCurrentThreadCpuTime();
				this.cpuNanos += now - this.last;
				this.cpuCalls += STEP;
				this.last = now;
				this.count = 0;
			}
		}

	}

	/**
	 * The application on the answering connection.
	 */
	@Configuration(proxyBeanMethods = false)
	@Import(BenchmarkApplication.class)
	static class Application {

		@Bean
		Answers answers(RedisConnectionFactory factory) {
			return new Answers(factory);
		}

		@Bean
		RedisBackends redisBackends(Answers answers, OutageSettings outage) {
			return new RedisBackends((property, name) -> () -> new RedisBackend("default", "ge", null, "benchmark",
					answers.connection, outage, answers.scheduler, (script, nanos, failure) -> {
					}, answers), false);
		}

	}

	/**
	 * What the backend is made of.
	 */
	static final class Answers implements OutageListener, AutoCloseable {

		private final AnsweringConnection connection;

		private final ScheduledExecutorService scheduler = Executors.newScheduledThreadPool(1);

		private volatile boolean interrupted;

		Answers(RedisConnectionFactory factory) {
			this.connection = new AnsweringConnection(GuardConnections.from(factory, () -> null));
		}

		@Override
		public void onFailure(String pattern, OutageCause cause) {
			// A busy machine may take its time to connect, which is not measured
			if (this.connection.isAnswering()) {
				throw new IllegalStateException("The connection failed for " + pattern + ": " + cause);
			}
		}

		@Override
		public void onTransition(String breaker, boolean open) {
			this.interrupted = this.interrupted || (open && this.connection.isAnswering());
		}

		@Override
		public void close() {
			this.scheduler.shutdownNow();
		}

	}

}
