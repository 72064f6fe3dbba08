// SPDX-License-Identifier: Apache-2.0

package io.ge.redis.autoconfigure;

import java.time.Duration;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.LongAdder;
import java.util.function.BiFunction;

import io.ge.redis.blacklist.BlacklistCheck;
import io.ge.redis.blacklist.TokenBlacklist;
import io.ge.redis.breaker.CircuitBreaker;
import io.ge.redis.cache.CacheAside;
import io.ge.redis.core.script.LuaScript;
import io.ge.redis.core.script.ScriptListener;
import io.ge.redis.idempotency.Idempotent;
import io.ge.redis.idempotency.OnDuplicate;
import io.ge.redis.lock.DistributedLock;
import io.ge.redis.ratelimit.RateLimited;
import io.ge.redis.session.internal.RedisSessions;
import io.ge.redis.test.RedisServers;
import io.ge.redis.test.Sized;
import io.ge.redis.test.StandaloneRedis;
import io.ge.redis.test.Wide;
import org.awaitility.Awaitility;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;
import reactor.core.scheduler.Scheduler;
import reactor.core.scheduler.Schedulers;

import org.springframework.boot.WebApplicationType;
import org.springframework.boot.autoconfigure.ImportAutoConfiguration;
import org.springframework.boot.autoconfigure.aop.AopAutoConfiguration;
import org.springframework.boot.builder.SpringApplicationBuilder;
import org.springframework.boot.data.redis.autoconfigure.DataRedisAutoConfiguration;
import org.springframework.boot.jackson.autoconfigure.JacksonAutoConfiguration;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.annotation.Import;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Ten thousand guarded publishers that one thread subscribes to, which must not block,
 * while Redis answers nobody: that thread goes on, and when Redis is back all of them
 * complete, for as many script calls as plain results cost.
 */
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
@Sized
class EventLoopCallsIntegrationTests {

	private static final int CALLS = Wide.RUN ? 10_000 : 1_000;

	private static final Duration LONG = Duration.ofSeconds(30);

	private StandaloneRedis redis;

	private ConfigurableApplicationContext context;

	private Desk desk;

	@BeforeAll
	void start() {
		this.redis = RedisServers.standalone();
		this.context = new SpringApplicationBuilder(Application.class).web(WebApplicationType.NONE)
			.properties(this.redis.properties())
			.properties("spring.main.banner-mode=off", "ge.redis.session.enabled=true",
					// A busy machine is no outage, nor is what follows
					"ge.redis.outage.command-timeout=60s", "ge.redis.idempotency.wait-timeout=2m",
					"ge.redis.cache.load-wait=2m", "ge.redis.blacklist.max-staleness=1m",
					// Nothing lasts for so long that it is extended
					"ge.redis.lock.lease-time=10m", "ge.redis.idempotency.lease=10m", "ge.redis.cache.lease-time=10m")
			.run();
		this.desk = this.context.getBean(Desk.class);
	}

	/** Memory is not kept up to date while it is not used, as by the calls before. */
	private void awaitMemory() {
		TokenBlacklist blacklist = this.context.getBean(TokenBlacklist.class);
		Awaitility.await("answers from memory").atMost(LONG).until(() -> {
			long before = scripts();
			return !blacklist.isBlocked("accounts", "nobody") && scripts() == before;
		});
		// Without a recent time of the server a cache asks by its script alone
		Awaitility.await("a cache that begins with a GET").atMost(LONG).until(() -> {
			long before = scripts();
			this.desk.cached("warm-" + before).block(LONG);
			return scripts() == before + 3;
		});
	}

	@AfterAll
	void stop() {
		this.context.close();
		this.redis.close();
	}

	@ParameterizedTest
	@EnumSource
	void manyAtOnceCostWhatPlainResultsDo(Call call) {
		Scheduler loop = Schedulers.newSingle("event-loop");
		try {
			run(call, loop);
		}
		finally {
			loop.dispose();
		}
	}

	private void run(Call call, Scheduler loop) {
		if (call.repeated) {
			call.run(this.desk, loop).blockLast(Duration.ofMinutes(1));
		}
		awaitMemory();
		this.desk.runs().set(0);
		long before = scripts();
		this.redis.primary().pause();
		CompletableFuture<List<String>> results = call.run(this.desk, loop).collectList().toFuture();
		try {
			assertThat(Mono.fromCallable(Schedulers::isInNonBlockingThread).subscribeOn(loop).block(LONG))
				.as("a thread that must not block, and has subscribed to all")
				.isTrue();
			if (call.most == 0) {
				assertThat(results).succeedsWithin(LONG);
			}
			else {
				assertThat(results).isNotDone();
				assertThat(this.desk.runs()).as("calls that were not decided").hasValue(0);
			}
		}
		finally {
			this.redis.primary().resume();
			// Late scripts would count for the next test
			Awaitility.await().atMost(Duration.ofMinutes(2)).until(results::isDone);
		}
		assertThat(results).succeedsWithin(Duration.ofMinutes(2))
			.satisfies((all) -> assertThat(all).hasSize(CALLS).containsOnly("done"));
		assertThat(this.desk.runs()).hasValue(call.runs);
		assertThat(scripts() - before).isBetween(call.least, call.most);
	}

	private long scripts() {
		return this.context.getBean(Scripts.class).executed.sum();
	}

	/**
	 * What is called. One more is a line more.
	 */
	enum Call {

		LIMITED(Desk::limited, true, false, CALLS, CALLS, CALLS),

		/** Decided together as far as they come together. */
		LIMITED_ALIKE(Desk::limited, false, false, CALLS, 1, CALLS),

		LOCKED(Desk::locked, true, false, CALLS, 2 * CALLS, 2 * CALLS),

		/** Handed on without Redis while that is fair to others. */
		LOCKED_ALIKE(Desk::locked, false, false, CALLS, 2, CALLS / 2),

		IDEMPOTENT(Desk::idempotent, true, false, CALLS, 2 * CALLS, 2 * CALLS),

		IDEMPOTENT_AGAIN(Desk::idempotent, true, true, 0, CALLS, CALLS),

		/** All but the first one wait for that one. */
		IDEMPOTENT_ALIKE(Desk::idempotent, false, false, 1, 2, 2),

		/** Asked together as far as they come together. */
		CACHE_HITS(Desk::cached, true, true, 0, 1, CALLS),

		/** The GET of a hit, the lookup and the fill. */
		CACHE_MISS(Desk::cached, false, false, 1, 3, 3),

		CACHE_HIT(Desk::cached, false, true, 0, 1, 1),

		CHECKED(Desk::checked, true, false, CALLS, 0, 0),

		BREAKING(Desk::breaking, true, false, CALLS, 0, 0),

		SESSION(Desk::session, true, false, CALLS, CALLS, CALLS);

		private final BiFunction<Desk, String, Mono<String>> method;

		private final boolean distinct;

		private final boolean repeated;

		private final int runs;

		private final long least;

		private final long most;

		/**
		 * Creates it.
		 * @param method the guarded method
		 * @param distinct whether each call has a key of its own
		 * @param repeated whether all of them were made before
		 * @param runs how often the method runs
		 * @param least how many scripts it takes at least
		 * @param most how many at most
		 */
		Call(BiFunction<Desk, String, Mono<String>> method, boolean distinct, boolean repeated, int runs, long least,
				long most) {
			this.method = method;
			this.distinct = distinct;
			this.repeated = repeated;
			this.runs = runs;
			this.least = least;
			this.most = most;
		}

		Mono<String> publish(Desk desk, Object user) {
			return this.method.apply(desk, name() + " " + user);
		}

		/**
		 * Subscribes to all of them on one thread, one right after the other.
		 */
		Flux<String> run(Desk desk, Scheduler loop) {
			return Flux.range(0, CALLS)
				.subscribeOn(loop)
				.flatMap((number) -> publish(desk, this.distinct ? number : "all"), CALLS);
		}

	}

	@Configuration(proxyBeanMethods = false)
	@ImportAutoConfiguration({ AopAutoConfiguration.class, JacksonAutoConfiguration.class,
			DataRedisAutoConfiguration.class, GeRedisAutoConfiguration.class, BlacklistAutoConfiguration.class,
			BreakerAutoConfiguration.class, RateLimitAutoConfiguration.class, IdempotencyAutoConfiguration.class,
			LockAutoConfiguration.class, CacheAutoConfiguration.class, SessionAutoConfiguration.class })
	@Import({ Desk.class, Scripts.class })
	static class Application {

	}

	/**
	 * Counts what calls send, which is told before they get their answers.
	 */
	static class Scripts implements ScriptListener {

		/** What instances ask for now and then, whoever calls. */
		private static final Set<String> OTHERS = Set.of("core/probe", "ratelimit/changes", "blacklist/last-change",
				"blacklist/rows", "blacklist/follow", "cache/versions", "breaker/report-each");

		private final LongAdder executed = new LongAdder();

		@Override
		public void onExecuted(LuaScript script, long nanos, @Nullable Throwable failure) {
			if (!OTHERS.contains(script.toString())) {
				this.executed.increment();
			}
		}

	}

	static class Desk {

		private final AtomicInteger runs = new AtomicInteger();

		private final RedisSessions sessions;

		Desk(RedisSessions sessions) {
			this.sessions = sessions;
		}

		AtomicInteger runs() {
			return this.runs;
		}

		private Mono<String> run() {
			return Mono.fromCallable(() -> {
				this.runs.incrementAndGet();
				return "done";
			});
		}

		@RateLimited(key = "#user", limit = 10_000, window = "1h")
		public Mono<String> limited(String user) {
			return run();
		}

		@CircuitBreaker
		public Mono<String> breaking(String user) {
			return run();
		}

		@DistributedLock(key = "#user", waitTime = "2m")
		public Mono<String> locked(String user) {
			return run();
		}

		@Idempotent(key = "#user", onDuplicate = OnDuplicate.WAIT)
		public Mono<String> idempotent(String user) {
			return run();
		}

		@CacheAside(cache = "users", key = "#user", ttl = "1h")
		public Mono<String> cached(String user) {
			return run();
		}

		@BlacklistCheck(name = "accounts", subject = "#user")
		public Mono<String> checked(String user) {
			return run();
		}

		public Mono<String> session(String user) {
			return Mono.fromFuture(() -> this.sessions.load(user)).then(run());
		}

	}

}
