// SPDX-License-Identifier: Apache-2.0

package io.ge.redis.autoconfigure;

import java.time.Duration;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.Queue;
import java.util.TreeMap;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.TimeUnit;
import java.util.function.Function;
import java.util.stream.Collectors;

import io.ge.redis.GeRedisException;
import io.ge.redis.RedisUnavailableException;
import io.ge.redis.blacklist.BlacklistCheck;
import io.ge.redis.blacklist.TokenBlacklist;
import io.ge.redis.breaker.CircuitBreaker;
import io.ge.redis.breaker.CircuitBreakers;
import io.ge.redis.cache.CacheAside;
import io.ge.redis.cache.CacheWriteThrough;
import io.ge.redis.cache.GeCaches;
import io.ge.redis.core.outage.Waiting;
import io.ge.redis.idempotency.Idempotent;
import io.ge.redis.lock.DistributedLock;
import io.ge.redis.lock.DistributedLocks;
import io.ge.redis.lock.LockOptions;
import io.ge.redis.ratelimit.RateLimitExceededException;
import io.ge.redis.ratelimit.RateLimited;
import io.ge.redis.ratelimit.RateLimiter;
import io.ge.redis.session.internal.RedisSessions;
import io.ge.redis.test.RedisServers;
import io.ge.redis.test.StandaloneRedis;
import io.ge.redis.web.session.ReactiveSessions;
import org.awaitility.Awaitility;
import org.reactivestreams.Publisher;
import reactor.blockhound.BlockHound;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;
import reactor.core.scheduler.Scheduler;
import reactor.core.scheduler.Schedulers;
import tools.jackson.databind.json.JsonMapper;

import org.springframework.beans.factory.BeanFactory;
import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.autoconfigure.aop.AopAutoConfiguration;
import org.springframework.boot.data.redis.autoconfigure.DataRedisAutoConfiguration;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.session.ReactiveFindByIndexNameSessionRepository;

import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

/**
 * Calls each pattern in each asynchronous form on threads that must not block, in a JVM
 * in which BlockHound watches them, and prints what it found: {@code BLOCKED scenario
 * ...} with the stack, {@code RESULT scenario call outcomes} and at last {@code DONE}.
 * The momentary locks of drivers and of our own memory are no calls that block.
 */
public final class BlockingCallsApplication {

	private static final Duration LONG = Duration.ofSeconds(30);

	private static final int CALLS = 50;

	/** Whose locks nobody holds for longer than it takes to read or write memory. */
	private static final List<String> MOMENTARY = List.of("io.ge.redis.ratelimit.internal.LiveLimits",
			"io.ge.redis.ratelimit.internal.LocalRateLimiter", "io.ge.redis.ratelimit.internal.MostDenied",
			"io.ge.redis.blacklist.internal.LocalRows", "io.ge.redis.lock.internal.LocalLocks",
			"io.ge.redis.breaker.internal.InstanceBreaker", "io.lettuce.core.protocol.SharedLock", "io.netty.",
			"tools.jackson.", "org.springframework.util.function.SingletonSupplier",
			"java.util.concurrent.ScheduledThreadPoolExecutor$DelayedWorkQueue",
			"java.util.concurrent.ThreadPoolExecutor");

	private static final Queue<Blocked> BLOCKED = new ConcurrentLinkedQueue<>();

	/** Waited for until that is noticed. */
	private static final CompletableFuture<String> PLANTED = new CompletableFuture<>();

	private static volatile String scenario = "start";

	private final StandaloneRedis redis;

	private final BeanFactory beans;

	private final Desk desk;

	private final Scheduler loop = Schedulers.newSingle("event-loop");

	private BlockingCallsApplication(StandaloneRedis redis, BeanFactory beans) {
		this.redis = redis;
		this.beans = beans;
		this.desk = beans.getBean(Desk.class);
	}

	public static void main(String[] arguments) {
		int status = 1;
		try (StandaloneRedis redis = RedisServers.standalone()) {
			BlockHound.builder()
				.loadIntegrations()
				.blockingMethodCallback((method) -> noticed(new Blocked(scenario, method.toString())))
				.install();
			new ApplicationContextRunner()
				.withConfiguration(AutoConfigurations.of(AopAutoConfiguration.class, DataRedisAutoConfiguration.class,
						GeRedisAutoConfiguration.class, RateLimitAutoConfiguration.class,
						BlacklistAutoConfiguration.class, LockAutoConfiguration.class, BreakerAutoConfiguration.class,
						IdempotencyAutoConfiguration.class, CacheAutoConfiguration.class,
						SessionAutoConfiguration.class))
				.withPropertyValues(redis.properties())
				.withPropertyValues("ge.redis.rate-limit.limits.code.limit=1", "ge.redis.session.enabled=true",
						// A busy machine is no outage
						"ge.redis.outage.command-timeout=5s")
				.withBean(JsonMapper.class, JsonMapper::new)
				.withBean(Desk.class)
				.run((context) -> new BlockingCallsApplication(redis, context).run());
			BLOCKED.stream().filter(Blocked::isOurs).forEach(BlockingCallsApplication::print);
			System.out.println("DONE");
			status = 0;
		}
		catch (Throwable ex) {
			ex.printStackTrace(System.out);
		}
		finally {
			System.exit(status);
		}
	}

	private static void noticed(Blocked blocked) {
		BLOCKED.add(blocked);
		if (blocked.isOurs()) {
			PLANTED.complete("noticed");
		}
	}

	private static void print(Blocked blocked) {
		String stack = blocked.stack()
			.stream()
			.filter((frame) -> frame.getClassName().startsWith("io.ge.redis"))
			.map(StackTraceElement::toString)
			.skip(1)
			.limit(12)
			.collect(Collectors.joining(" < "));
		System.out.println("BLOCKED " + blocked.scenario() + " " + blocked.method() + " " + stack);
	}

	/**
	 * Each pattern in each form. One more is a few lines more.
	 */
	private Map<String, Function<String, Publisher<?>>> calls() {
		RateLimiter limiter = this.beans.getBean(RateLimiter.class);
		TokenBlacklist blacklist = this.beans.getBean(TokenBlacklist.class);
		Map<String, Function<String, Publisher<?>>> calls = new TreeMap<>();
		calls.put("limit.mono", this.desk::limitedMono);
		calls.put("limit.flux", this.desk::limitedFlux);
		calls.put("limit.future", (user) -> Mono.fromFuture(() -> this.desk.limitedFuture(user)));
		calls.put("limit.code", (user) -> Mono.fromCompletionStage(() -> limiter.tryAcquireAsync("code", user))
			.map((decision) -> decision.isAllowed() ? "done" : "refused"));
		calls.put("blacklist.mono", this.desk::checkedMono);
		calls.put("blacklist.flux", this.desk::checkedFlux);
		calls.put("blacklist.future", (user) -> Mono.fromFuture(() -> this.desk.checkedFuture(user)));
		calls.put("blacklist.code", (user) -> Mono.fromCompletionStage(() -> blacklist.isBlockedAsync("accounts", user))
			.map((blocked) -> blocked ? "refused" : "done"));
		DistributedLocks locks = this.beans.getBean(DistributedLocks.class);
		calls.put("lock.mono", this.desk::lockedMono);
		calls.put("lock.flux", this.desk::lockedFlux);
		calls.put("lock.future", (user) -> Mono.fromFuture(() -> this.desk.lockedFuture(user)));
		calls.put("lock.code", (user) -> Mono.fromCompletionStage(() -> locks.executeAsync("accounts", user,
				LockOptions.defaults(), (lock) -> CompletableFuture.completedFuture("done"))));
		CircuitBreakers breakers = this.beans.getBean(CircuitBreakers.class);
		calls.put("breaker.mono", this.desk::breakingMono);
		calls.put("breaker.flux", this.desk::breakingFlux);
		calls.put("breaker.future", (user) -> Mono.fromFuture(() -> this.desk.breakingFuture(user)));
		calls.put("breaker.code", (user) -> Mono.fromCompletionStage(
				() -> breakers.callAsync("supplier", () -> CompletableFuture.completedFuture("done"))));
		calls.put("idempotency.mono", this.desk::onceMono);
		calls.put("idempotency.flux", this.desk::onceFlux);
		calls.put("idempotency.future", (user) -> Mono.fromFuture(() -> this.desk.onceFuture(user)));
		GeCaches caches = this.beans.getBean(GeCaches.class);
		calls.put("cache.mono", this.desk::cachedMono);
		calls.put("cache.flux", this.desk::cachedFlux);
		calls.put("cache.future", (user) -> Mono.fromFuture(() -> this.desk.cachedFuture(user)));
		calls.put("cache.several.mono", (user) -> this.desk.cachedSeveral(several(user))
			.map((found) -> (found.size() == 2) ? "done" : found.toString()));
		calls.put("cache.several.future", (user) -> Mono.fromFuture(() -> this.desk.cachedSeveralFuture(several(user)))
			.map((found) -> (found.size() == 2) ? "done" : found.toString()));
		calls.put("cache.several.code",
				(user) -> Mono
					.fromCompletionStage(() -> caches.getAllAsync("several.code", several(user), String.class,
							(missing) -> CompletableFuture.completedFuture(found(missing))))
					.map((found) -> (found.size() == 2) ? "done" : found.toString()));
		calls.put("cache.written", this.desk::written);
		calls.put("cache.code",
				(user) -> Mono.fromCompletionStage(() -> caches.putAsync("mono", user, "done")).thenReturn("done"));
		RedisSessions sessions = this.beans.getBean(RedisSessions.class);
		ReactiveSessions repository = new ReactiveSessions(sessions);
		calls.put("session.request", (user) -> login(repository, user));
		calls.put("session.code",
				(user) -> Mono.fromCompletionStage(() -> sessions.endAllAsync(user)).thenReturn("done"));
		return calls;
	}

	private static Mono<String> login(ReactiveSessions sessions, String user) {
		return sessions.createSession().flatMap((session) -> {
			session.setAttribute(ReactiveFindByIndexNameSessionRepository.PRINCIPAL_NAME_INDEX_NAME, user);
			return sessions.save(session).then(sessions.findById(session.getId()));
		}).map((found) -> "done");
	}

	/**
	 * What one asks for overlaps with what others ask for: they wait for each other.
	 */
	private static List<String> several(String user) {
		int last = user.length() - 1;
		return List.of(user, user.substring(0, last) + "shared");
	}

	private static Map<String, String> found(Collection<String> users) {
		return users.stream().collect(Collectors.toMap((user) -> user, (user) -> "done"));
	}

	private void refuse(String user) {
		this.beans.getBean(DistributedLocks.class).lock("accounts", user, LockOptions.defaults());
		this.beans.getBean(TokenBlacklist.class).block("accounts", user, Duration.ofHours(1));
	}

	private void run() {
		// Nothing was asked for yet: whatever has to be opened is opened now
		scenario("first", (user) -> user);
		awaitRedis();
		scenario("allowed", (user) -> user);
		for (int i = 0; i < CALLS; i++) {
			refuse("allowed " + i);
		}
		scenario("refused", (user) -> user.replace("refused", "allowed"));
		this.redis.primary().pause();
		scenario("hanging", (user) -> user);
		this.redis.primary().resume();
		awaitRedis();
		this.redis.primary().kill();
		// What is known by heart is too old now
		TokenBlacklist blacklist = this.beans.getBean(TokenBlacklist.class);
		Awaitility.await()
			.atMost(LONG)
			.untilAsserted(() -> assertThatExceptionOfType(RedisUnavailableException.class)
				.isThrownBy(() -> blacklist.isBlocked("accounts", "nobody")));
		scenario("killed", (user) -> user);
		this.redis.primary().start();
		awaitRedis();
		scenario("restarted", (user) -> user);
		scenario = "cancelled";
		for (int i = 0; i < CALLS; i++) {
			on(this.loop, this.desk.paced("user " + i)).subscribe().dispose();
			on(Schedulers.parallel(), this.desk.paced("anna")).take(Duration.ofMillis(i))
				// Whose turn is too far away
				.onErrorComplete(RateLimitExceededException.class)
				.blockLast(LONG);
		}
		scenario = "planted";
		on(this.loop, this.desk.planted("anna")).blockLast(LONG);
	}

	private void awaitRedis() {
		TokenBlacklist blacklist = this.beans.getBean(TokenBlacklist.class);
		Awaitility.await().atMost(LONG).ignoreExceptions().until(() -> !blacklist.isBlocked("accounts", "nobody"));
	}

	private void scenario(String name, Function<String, String> user) {
		scenario = name;
		calls().forEach((call, function) -> {
			Map<String, Long> outcomes = Flux.range(0, CALLS)
				.flatMap(
						(i) -> on((i % 2 == 0) ? this.loop : Schedulers.parallel(),
								function.apply(user.apply(name + " " + i)))
							.map(Object::toString)
							.onErrorResume(GeRedisException.class, (ex) -> Mono.just(ex.getClass().getSimpleName())),
						CALLS)
				.collect(Collectors.groupingBy((outcome) -> outcome, TreeMap::new, Collectors.counting()))
				.block(LONG);
			System.out.println("RESULT " + name + " " + call + " " + outcomes);
		});
	}

	private static Flux<?> on(Scheduler scheduler, Publisher<?> publisher) {
		return Flux.from(publisher).subscribeOn(scheduler);
	}

	/**
	 * A call that blocks, on a thread that must not.
	 *
	 * @param scenario when
	 * @param method what blocks
	 * @param stack how it came to that
	 */
	private record Blocked(String scenario, String method, List<StackTraceElement> stack) {

		Blocked(String scenario, String method) {
			this(scenario, method, List.of(new Throwable().getStackTrace()));
		}

		boolean isOurs() {
			return this.stack.stream()
				.anyMatch((frame) -> frame.getClassName().startsWith("io.ge.redis.")
						&& !frame.getClassName().startsWith(BlockingCallsApplication.class.getName()))
					&& !isMomentary();
		}

		/**
		 * Whether this is the wait for somebody who holds a lock while he reads or writes
		 * memory.
		 */
		private boolean isMomentary() {
			boolean locking = false;
			for (StackTraceElement frame : this.stack) {
				String type = frame.getClassName();
				locking |= type.startsWith("java.util.concurrent.locks.") && frame.getMethodName().endsWith("ock");
				if (locking && MOMENTARY.stream().anyMatch(type::startsWith)) {
					return true;
				}
				if (locking && !type.startsWith("java.")) {
					return false;
				}
			}
			return false;
		}

	}

	static class Desk {

		@RateLimited(name = "limit.mono", key = "#user", limit = 1, window = "1h")
		public Mono<String> limitedMono(String user) {
			return Mono.just("done");
		}

		@RateLimited(name = "limit.flux", key = "#user", limit = 1, window = "1h")
		public Flux<String> limitedFlux(String user) {
			return Flux.just("done");
		}

		@RateLimited(name = "limit.future", key = "#user", limit = 1, window = "1h")
		public CompletableFuture<String> limitedFuture(String user) {
			return CompletableFuture.completedFuture("done");
		}

		@RateLimited(name = "paced", key = "#user", limit = 1, window = "1h", waitTime = "1h")
		public Mono<String> paced(String user) {
			return Mono.just("done");
		}

		@BlacklistCheck(name = "accounts", subject = "#user")
		public Mono<String> checkedMono(String user) {
			return Mono.just("done");
		}

		@BlacklistCheck(name = "accounts", subject = "#user")
		public Flux<String> checkedFlux(String user) {
			return Flux.just("done");
		}

		@BlacklistCheck(name = "accounts", subject = "#user")
		public CompletableFuture<String> checkedFuture(String user) {
			return CompletableFuture.completedFuture("done");
		}

		@DistributedLock(name = "accounts", key = "#user", waitTime = "0s")
		public Mono<String> lockedMono(String user) {
			return Mono.just("done");
		}

		@DistributedLock(name = "accounts", key = "#user", waitTime = "0s")
		public Flux<String> lockedFlux(String user) {
			return Flux.just("done");
		}

		@DistributedLock(name = "accounts", key = "#user", waitTime = "0s")
		public CompletableFuture<String> lockedFuture(String user) {
			return CompletableFuture.completedFuture("done");
		}

		@CircuitBreaker(name = "supplier")
		public Mono<String> breakingMono(String user) {
			return Mono.just("done");
		}

		@CircuitBreaker(name = "supplier")
		public Flux<String> breakingFlux(String user) {
			return Flux.just("done");
		}

		@CircuitBreaker(name = "supplier")
		public CompletableFuture<String> breakingFuture(String user) {
			return CompletableFuture.completedFuture("done");
		}

		@Idempotent(name = "once.mono", key = "#user")
		public Mono<String> onceMono(String user) {
			return Mono.just("done");
		}

		@Idempotent(name = "once.flux", key = "#user")
		public Flux<String> onceFlux(String user) {
			return Flux.just("done");
		}

		@Idempotent(name = "once.future", key = "#user")
		public CompletableFuture<String> onceFuture(String user) {
			return CompletableFuture.completedFuture("done");
		}

		@CacheAside(cache = "mono", key = "#user", ttl = "1m")
		public Mono<String> cachedMono(String user) {
			return Mono.just("done");
		}

		@CacheAside(cache = "flux", key = "#user", ttl = "1m")
		public Flux<String> cachedFlux(String user) {
			return Flux.just("done");
		}

		@CacheAside(cache = "future", key = "#user", ttl = "1m")
		public CompletableFuture<String> cachedFuture(String user) {
			return CompletableFuture.completedFuture("done");
		}

		@CacheAside(cache = "several.mono", keys = "#users", ttl = "1m")
		public Mono<Map<String, String>> cachedSeveral(Collection<String> users) {
			return Mono.fromSupplier(() -> found(users)).delayElement(Duration.ofMillis(1));
		}

		@CacheAside(cache = "several.future", keys = "#users", ttl = "1m")
		public CompletableFuture<Map<String, String>> cachedSeveralFuture(Collection<String> users) {
			return CompletableFuture.completedFuture(found(users));
		}

		@CacheWriteThrough(cache = "mono", key = "#user", ttl = "1m")
		public Mono<String> written(String user) {
			return Mono.just("done");
		}

		/**
		 * Waits by what our own code waits with.
		 */
		@RateLimited(name = "planted", key = "#user", limit = 100)
		public Mono<String> planted(String user) {
			return Mono
				.fromCallable(() -> Waiting.await(PLANTED.completeOnTimeout("not noticed", 10, TimeUnit.SECONDS)));
		}

	}

}
