// SPDX-License-Identifier: Apache-2.0

package io.ge.redis.autoconfigure;

import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.LockSupport;
import java.util.function.Predicate;
import java.util.function.UnaryOperator;

import io.ge.redis.blacklist.BlacklistCheck;
import io.ge.redis.breaker.CircuitBreaker;
import io.ge.redis.cache.CacheAside;
import io.ge.redis.idempotency.Idempotent;
import io.ge.redis.lock.DistributedLock;
import io.ge.redis.ratelimit.RateLimited;
import io.ge.redis.session.Sessions;
import io.ge.redis.test.RedisServers;
import io.ge.redis.test.StandaloneRedis;
import jdk.jfr.Recording;
import jdk.jfr.consumer.RecordedEvent;
import jdk.jfr.consumer.RecordingFile;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.EnabledForJreRange;
import org.junit.jupiter.api.condition.JRE;
import org.junit.jupiter.api.io.TempDir;

import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.autoconfigure.aop.AopAutoConfiguration;
import org.springframework.boot.data.redis.autoconfigure.DataRedisAutoConfiguration;
import org.springframework.boot.jackson.autoconfigure.JacksonAutoConfiguration;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.core.task.VirtualThreadTaskExecutor;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Guards on virtual threads, of which many wait at the same time.
 */
@EnabledForJreRange(min = JRE.JAVA_21, disabledReason = "There are no virtual threads")
class VirtualThreadsIntegrationTests {

	private static final int CALLS = 10_000;

	private static final int TICKS = 50;

	private final VirtualThreadTaskExecutor executor = new VirtualThreadTaskExecutor("virtual-");

	private final ApplicationContextRunner runner = new ApplicationContextRunner()
		.withConfiguration(AutoConfigurations.of(AopAutoConfiguration.class, JacksonAutoConfiguration.class,
				DataRedisAutoConfiguration.class, GeRedisAutoConfiguration.class,
				GeRedisPrincipalAutoConfiguration.class, BlacklistAutoConfiguration.class,
				BreakerAutoConfiguration.class, RateLimitAutoConfiguration.class, IdempotencyAutoConfiguration.class,
				LockAutoConfiguration.class, CacheAutoConfiguration.class, SessionAutoConfiguration.class))
		// A busy machine is no outage, nor is what follows
		.withPropertyValues("spring.threads.virtual.enabled=true", "ge.redis.outage.command-timeout=60s",
				"ge.redis.lock.wait-time=60s", "ge.redis.session.enabled=true");

	@Test
	void carriersAreFreeWhileTenThousandCallsWaitForRedis(@TempDir Path directory) throws IOException {
		try (StandaloneRedis redis = RedisServers.standalone(); Recording recording = new Recording()) {
			recording.enable("jdk.VirtualThreadPinned").withoutThreshold().withStackTrace();
			recording.start();
			this.runner.withPropertyValues(redis.properties()).withBean(Desk.class).run((context) -> {
				Desk desk = context.getBean(Desk.class);
				List<UnaryOperator<String>> calls = List.of(desk::limited, desk::locked, desk::idempotent, desk::cached,
						desk::checked, desk::breaking, desk::session);
				calls.forEach((call) -> assertThat(call.apply("warm")).isEqualTo("warm"));
				redis.primary().pause();
				List<CompletableFuture<String>> waiting = start(calls);
				assertTicks();
				assertThat(desk.runs()).as("calls that did not wait for Redis").isLessThan(CALLS);
				redis.primary().resume();
				Awaitility.await()
					.atMost(Duration.ofMinutes(2))
					.until(() -> waiting.stream().allMatch(CompletableFuture::isDone));
				assertThat(waiting).allSatisfy((call) -> assertThat(call).isCompleted());
				assertThat(desk.runs()).isEqualTo(CALLS + calls.size());
			});
			CompletableFuture.runAsync(Pinning::touch, this.executor).join();
			Path file = directory.resolve("pinned.jfr");
			recording.dump(file);
			List<RecordedEvent> pinned = RecordingFile.readAllEvents(file)
				.stream()
				.filter((event) -> event.getEventType().getName().equals("jdk.VirtualThreadPinned"))
				.toList();
			assertThat(pinned).as("what is planted").anyMatch((event) -> isIn(event, Pinning.class.getName()::equals));
			assertThat(pinned).noneMatch(
					(event) -> isIn(event, (type) -> type.startsWith("io.ge.redis.") && !type.contains("Tests")));
		}
	}

	private List<CompletableFuture<String>> start(List<UnaryOperator<String>> calls) {
		AtomicInteger started = new AtomicInteger();
		List<CompletableFuture<String>> waiting = new ArrayList<>(CALLS);
		for (int i = 0; i < CALLS; i++) {
			UnaryOperator<String> call = calls.get(i % calls.size());
			String user = "user " + i;
			waiting.add(CompletableFuture.supplyAsync(() -> {
				started.incrementAndGet();
				return call.apply(user);
			}, this.executor));
		}
		Awaitility.await().atMost(Duration.ofMinutes(1)).until(() -> started.get() == CALLS);
		return waiting;
	}

	/**
	 * Somebody else goes on meanwhile.
	 */
	private void assertTicks() {
		CompletableFuture<Integer> ticker = CompletableFuture.supplyAsync(() -> {
			int ticks = 0;
			while (ticks < TICKS) {
				LockSupport.parkNanos(TimeUnit.MILLISECONDS.toNanos(1));
				ticks++;
			}
			return ticks;
		}, this.executor);
		assertThat(ticker).succeedsWithin(Duration.ofSeconds(20)).isEqualTo(TICKS);
	}

	private static boolean isIn(RecordedEvent event, Predicate<String> type) {
		return event.getStackTrace() != null && event.getStackTrace()
			.getFrames()
			.stream()
			.map((frame) -> frame.getMethod().getType().getName())
			.anyMatch(type);
	}

	/**
	 * Waits while its class is initialized, which keeps the carrier on every JDK.
	 */
	private static final class Pinning {

		static {
			LockSupport.parkNanos(TimeUnit.MILLISECONDS.toNanos(50));
		}

		private static void touch() {
		}

	}

	static class Desk {

		private final AtomicInteger runs = new AtomicInteger();

		private final Sessions sessions;

		Desk(Sessions sessions) {
			this.sessions = sessions;
		}

		int runs() {
			return this.runs.get();
		}

		private String run(String user) {
			this.runs.incrementAndGet();
			return user;
		}

		@RateLimited(key = "#user", limit = 10)
		public String limited(String user) {
			return run(user);
		}

		@CircuitBreaker
		public String breaking(String user) {
			return run(user);
		}

		@DistributedLock(key = "#user")
		public String locked(String user) {
			return run(user);
		}

		@Idempotent(key = "#user")
		public String idempotent(String user) {
			return run(user);
		}

		public String session(String user) {
			this.sessions.list(user);
			return run(user);
		}

		@CacheAside(cache = "users", key = "#user", ttl = "1h")
		public String cached(String user) {
			return run(user);
		}

		@BlacklistCheck(name = "accounts", subject = "#user")
		public String checked(String user) {
			return run(user);
		}

	}

}
