// SPDX-License-Identifier: Apache-2.0

package io.ge.redis.outage;

import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.function.IntFunction;

import io.ge.redis.autoconfigure.ConsumerAutoConfiguration;
import io.ge.redis.autoconfigure.QueueAutoConfiguration;
import io.ge.redis.autoconfigure.StreamAutoConfiguration;
import io.ge.redis.autoconfigure.StructureAutoConfiguration;
import io.ge.redis.blacklist.TokenBlacklist;
import io.ge.redis.blacklist.TokenIdentity;
import io.ge.redis.blacklist.TokenStatus;
import io.ge.redis.leaderboard.Leaderboards;
import io.ge.redis.lock.DistributedLocks;
import io.ge.redis.lock.LockHandle;
import io.ge.redis.lock.LockOptions;
import io.ge.redis.queue.JobQueue;
import io.ge.redis.ratelimit.RateLimitEvent;
import io.ge.redis.stream.Published;
import io.ge.redis.stream.StreamMessage;
import io.ge.redis.stream.StreamPublisher;
import io.ge.redis.test.RedisFixture;
import org.awaitility.Awaitility;

import org.springframework.boot.SpringBootConfiguration;
import org.springframework.boot.autoconfigure.ImportAutoConfiguration;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.context.annotation.Import;

/**
 * An application under load while another server becomes the primary: for how long each
 * pattern fails, and what was acknowledged and is lost.
 */
final class FailoverRun implements AutoCloseable {

	private static final Duration BUDGET = Duration.ofMillis(200);

	private static final int PARTS = 12;

	private final ConfigurableApplicationContext application;

	private final RedisFixture redis;

	private final Map<String, Caller> callers = new LinkedHashMap<>();

	private final List<TokenIdentity> revoked = new CopyOnWriteArrayList<>();

	private final Map<Integer, LockHandle> held = new ConcurrentHashMap<>();

	private volatile boolean ended;

	FailoverRun(RedisFixture redis, String[] connection, String... properties) {
		this.redis = redis;
		List<String> all = new ArrayList<>(List.of(properties));
		all.addAll(List.of("ge.redis.stream.definitions.work.key=work.{part}",
				"ge.redis.stream.definitions.work.max-length=1000000",
				"ge.redis.stream.definitions.work.variables.part=0,1,2,3,4,5,6,7,8,9,10,11",
				"ge.redis.stream.definitions.work.groups.crew.concurrency=1"));
		for (int i = 0; i < PARTS; i++) {
			all.add("ge.redis.queue.queues.mail-" + i + ".max-length=1000000");
			all.add("ge.redis.leaderboard.boards.players-" + i + ".ttl=1h");
		}
		this.application = Shop.open(Patterns.class, connection, BUDGET, all.toArray(String[]::new));
		Shop shop = this.application.getBean(Shop.class);
		TokenBlacklist blacklist = this.application.getBean(TokenBlacklist.class);
		DistributedLocks locks = this.application.getBean(DistributedLocks.class);
		call("rate limit", (i) -> {
			shop.visit("visitor-" + i);
			List<RateLimitEvent> events = shop.events(RateLimitEvent.class);
			return events.get(events.size() - 1).source() == RateLimitEvent.Source.REDIS;
		});
		call("lock", (i) -> this.held.put(i,
				locks.tryLock("till", i, LockOptions.defaults()).orElseThrow(AssertionError::new)) == null);
		call("idempotency", (i) -> !shop.order("order-" + i).isEmpty());
		call("blacklist", (i) -> blacklist.revoke(token(i)).isStored() && this.revoked.add(token(i)));
		call("cache", (i) -> {
			shop.setPrice("article-" + i, "1");
			shop.price("article-" + i);
			int loads = shop.loads();
			shop.price("article-" + i);
			return shop.loads() == loads;
		});
		StreamPublisher publisher = this.application.getBean(StreamPublisher.class);
		call("stream", (i) -> publisher.publish("work", Map.of("part", part(i)), StreamMessage.of("x"))
			.outcome() == Published.Outcome.PUBLISHED);
		JobQueue queue = this.application.getBean(JobQueue.class);
		call("queue", (i) -> !queue.enqueue("mail-" + part(i), "x").id().isEmpty());
		Leaderboards boards = this.application.getBean(Leaderboards.class);
		call("leaderboard", (i) -> boards.add("players-" + part(i), "anna", 1) > 0);
		this.callers.values().forEach(Thread::start);
		awaitWorking();
		this.callers.values().forEach(Caller::forget);
	}

	/** On each server of a Cluster there are some. */
	private static String part(int number) {
		return String.valueOf(number % PARTS);
	}

	private static TokenIdentity token(int number) {
		return TokenIdentity.of("issuer", "token-" + number, Instant.ofEpochSecond(4_000_000_000L));
	}

	private void call(String pattern, IntFunction<Boolean> call) {
		this.callers.put(pattern, new Caller(call));
	}

	/** Waits until every pattern has succeeded a hundred times in a row. */
	void awaitWorking() {
		long from = System.nanoTime();
		Awaitility.await()
			.atMost(Duration.ofSeconds(60))
			.until(() -> this.callers.values().stream().allMatch((caller) -> caller.worksSince(from)));
	}

	/** Returns for how long each pattern has failed. */
	Map<String, Duration> failures() {
		Map<String, Duration> failures = new LinkedHashMap<>();
		this.callers.forEach((pattern, caller) -> failures.put(pattern, caller.failing()));
		return failures;
	}

	/** Returns for how long any pattern has failed after a moment. */
	Duration failingAfter(long moment) {
		return this.callers.values()
			.stream()
			.map((caller) -> Duration.ofNanos(Math.max(0, caller.lastFailure - moment)))
			.max(Duration::compareTo)
			.orElseThrow();
	}

	/** Ends the load, and returns what an instance that has just started finds lost. */
	Map<String, Long> lost() throws InterruptedException {
		this.ended = true;
		for (Caller caller : this.callers.values()) {
			caller.join();
		}
		try (ConfigurableApplicationContext other = Shop.open(this.redis.properties(), Duration.ofSeconds(5))) {
			TokenBlacklist blacklist = other.getBean(TokenBlacklist.class);
			DistributedLocks locks = other.getBean(DistributedLocks.class);
			long cleared = this.revoked.stream()
				.filter((token) -> blacklist.check(token) != TokenStatus.REVOKED)
				.count();
			long gone = this.held.values().stream().filter((lock) -> !lock.isValid()).count();
			long twice = this.held.entrySet()
				.stream()
				.filter((lock) -> lock.getValue().isValid() && locks.tryLock("till", lock.getKey()).isPresent())
				.count();
			return Map.of("revocations", cleared, "locks", gone, "locks held twice", twice);
		}
	}

	@Override
	public void close() {
		this.ended = true;
		this.application.close();
	}

	/** Calls a pattern again and again. */
	private final class Caller extends Thread {

		private static final int IN_A_ROW = 100;

		private final IntFunction<Boolean> call;

		private volatile long firstFailure;

		private volatile long lastFailure;

		private volatile int inARow;

		private volatile long succeededSince;

		Caller(IntFunction<Boolean> call) {
			this.call = call;
			setDaemon(true);
		}

		@Override
		public void run() {
			for (int i = 0; !FailoverRun.this.ended; i++) {
				long started = System.nanoTime();
				if (succeeds(i)) {
					this.succeededSince = (this.inARow == 0) ? started : this.succeededSince;
					this.inARow++;
				}
				else {
					this.inARow = 0;
					this.firstFailure = (this.firstFailure == 0) ? started : this.firstFailure;
					this.lastFailure = System.nanoTime();
				}
				pause();
			}
		}

		private boolean succeeds(int i) {
			try {
				return this.call.apply(i);
			}
			catch (RuntimeException | AssertionError ex) {
				return false;
			}
		}

		private void pause() {
			try {
				Thread.sleep(5);
			}
			catch (InterruptedException ex) {
				interrupt();
			}
		}

		boolean worksSince(long from) {
			return this.inARow >= IN_A_ROW && System.nanoTime() - from > 1_000_000_000;
		}

		void forget() {
			this.firstFailure = 0;
			this.lastFailure = 0;
		}

		Duration failing() {
			return Duration.ofNanos(this.lastFailure - this.firstFailure);
		}

	}

	@SpringBootConfiguration(proxyBeanMethods = false)
	@Import(Shop.Configuration.class)
	@ImportAutoConfiguration({ ConsumerAutoConfiguration.class, StreamAutoConfiguration.class,
			QueueAutoConfiguration.class, StructureAutoConfiguration.class })
	static class Patterns {

	}

}
