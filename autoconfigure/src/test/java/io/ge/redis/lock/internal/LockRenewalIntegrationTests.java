// SPDX-License-Identifier: Apache-2.0

package io.ge.redis.lock.internal;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;

import io.ge.redis.core.event.GuardEvents;
import io.ge.redis.core.outage.OutagePolicy;
import io.ge.redis.core.script.ScriptListener;
import io.ge.redis.lock.LockLostEvent;
import io.ge.redis.lock.LockMode;
import io.ge.redis.lock.OnLost;
import io.ge.redis.lock.internal.LockDecision.Acquired;
import io.ge.redis.test.ClusterRedis;
import io.ge.redis.test.RedisFixture;
import io.ge.redis.test.RedisNode;
import io.ge.redis.test.RedisServers;
import io.ge.redis.test.RedisTarget;
import io.ge.redis.test.StandaloneRedis;
import io.ge.redis.test.TestCalls;
import io.ge.redis.test.Wide;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestReporter;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.data.redis.connection.ClusterSlotHashUtil;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Leases of many locks, extended together.
 */
class LockRenewalIntegrationTests {

	private static final int MANY = 10_000;

	private static final int MOST_CALLS = 20;

	private static final Duration LEASE = Duration.ofSeconds(6);

	private static final Duration INTERVAL = LEASE.dividedBy(3);

	/** A busy machine is no outage. */
	private static final String PATIENT = "ge.redis.outage.command-timeout=5s";

	@ParameterizedTest
	@Wide
	@EnumSource(names = { "STANDALONE", "SENTINEL" })
	void tenThousandLocksAreExtendedByTwentyCallsPerInterval(RedisTarget target, TestReporter figures) {
		RedisFixture redis = target.shared();
		redis.flushAll();
		try (Holder holder = new Holder(redis.properties(), PATIENT)) {
			List<HeldLock> held = holder.lock(MANY);
			holder.awaitAllExtended(held);
			long calls = holder.renewals.get();
			long started = System.nanoTime();
			holder.awaitAllExtended(held);
			holder.awaitAllExtended(held);
			double intervals = (double) (System.nanoTime() - started) / INTERVAL.toNanos();
			long sent = holder.renewals.get() - calls;
			figures.publishEntry("calls", sent + " in " + intervals + " intervals");
			assertThat((double) sent).isLessThanOrEqualTo(MOST_CALLS * Math.ceil(intervals));
			assertThat(sent).isGreaterThanOrEqualTo(2 * MANY / 1200);
			assertThat(holder.lost).isEmpty();
		}
	}

	@Test
	@Wide
	void onAClusterEachSlotIsExtendedByItselfAndAPrimaryThatHangsDelaysNoOther() {
		try (ClusterRedis redis = RedisServers.cluster("cluster-require-full-coverage no");
				Holder holder = new Holder(redis.properties(), "ge.redis.outage.command-timeout=500ms")) {
			List<HeldLock> held = holder.lock(2000);
			holder.awaitAllExtended(held);
			long slots = held.stream().map(Holder::slot).distinct().count();
			RedisNode hung = redis.nodes().get(0);
			int last = 16_384 / 3 - 1;
			List<HeldLock> there = held.stream().filter((lock) -> Holder.slot(lock) <= last).toList();
			List<HeldLock> elsewhere = held.stream().filter((lock) -> Holder.slot(lock) > last).toList();
			assertThat(there).isNotEmpty();
			// A busy machine exceeds the short timeout now and then, and what has failed
			// is sent again
			Awaitility.await().atMost(LEASE.multipliedBy(20)).untilAsserted(() -> {
				int before = holder.renewals.get();
				long started = System.nanoTime();
				holder.awaitAllExtended(held);
				double intervals = (double) (System.nanoTime() - started) / INTERVAL.toNanos();
				assertThat((double) holder.renewals.get() - before)
					.isLessThanOrEqualTo(slots * 2 * Math.ceil(intervals));
			});
			hung.pause();
			while (there.stream().anyMatch(HeldLock::isValid)) {
				holder.awaitAllExtended(elsewhere);
				assertThat(elsewhere).allMatch(HeldLock::isValid);
			}
			holder.awaitAllExtended(elsewhere);
			assertThat(elsewhere).allMatch(HeldLock::isValid);
			Awaitility.await().until(() -> holder.lost.size() >= there.size());
			assertThat(holder.lost).hasSize(there.size());
		}
	}

	@Test
	@Wide
	void extensionThatFailedIsTriedAgainAfterATenthOfTheLease() {
		try (StandaloneRedis redis = RedisServers.standalone();
				Holder holder = new Holder(redis.properties(), PATIENT)) {
			HeldLock first;
			HeldLock second;
			while (true) {
				first = holder.lock("first");
				Awaitility.await()
					.pollInterval(Duration.ofMillis(5))
					.until(first::age, (age) -> age.compareTo(LEASE.dividedBy(9)) > 0);
				// Due so much later that it is extended with the first, and not yet due
				// after a tenth
				second = holder.lock("second");
				Duration later = first.age().minus(second.age());
				redis.primary().forbid("evalsha");
				if (later.compareTo(LEASE.multipliedBy(3).dividedBy(20)) < 0
						&& first.age().compareTo(INTERVAL.multipliedBy(9).dividedBy(10)) < 0) {
					break;
				}
				// The machine was too slow
				redis.primary().permit("evalsha");
				first.release().join();
				second.release().join();
			}
			holder.renewals.set(0);
			Awaitility.await().pollInterval(Duration.ofMillis(5)).until(() -> holder.renewals.get() > 0);
			first.release();
			// With every fifth of the lease, the last of these would come too late
			Awaitility.await().pollInterval(Duration.ofMillis(5)).until(() -> holder.renewals.get() >= 5);
			assertThat(second.isValid()).isTrue();
			redis.primary().permit("evalsha");
			Awaitility.await()
				.pollInterval(Duration.ofMillis(5))
				.until(second::remaining, (remaining) -> remaining.compareTo(LEASE.multipliedBy(9).dividedBy(10)) > 0);
			assertThat(second.isValid()).isTrue();
		}
	}

	/**
	 * An instance that takes many locks at once and never gives them up.
	 */
	private static final class Holder implements AutoCloseable {

		private final LockApplication application;

		private final LockEngine engine;

		/** How many scripts were answered that extend leases. */
		private final AtomicInteger renewals;

		private final List<Object> lost = new CopyOnWriteArrayList<>();

		private final LockSettings settings = new LockSettings("many", Duration.ZERO, LEASE, true, OutagePolicy.DENY,
				null, Duration.ZERO, OnLost.EVENT, 0, Duration.ofMillis(50), LockMode.EXCLUSIVE, 1);

		Holder(String[] redis, String... properties) {
			this.application = LockApplication.start(redis, properties, Sent.class);
			this.renewals = this.application.get(Sent.class).renewals;
			RedisLocks redisLocks = new RedisLocks(this.application.backend());
			this.engine = new LockEngine(redisLocks, new RedisShares(this.application.backend(), redisLocks),
					new GuardEvents(() -> List.of((event) -> {
						if (event instanceof LockLostEvent) {
							this.lost.add(event);
						}
					})), TestCalls.plain());
			Awaitility.await().ignoreExceptions().untilAsserted(() -> lock("warm").release());
		}

		HeldLock lock(String key) {
			return ((Acquired) acquire(key).orTimeout(20, TimeUnit.SECONDS).join()).lock();
		}

		private CompletableFuture<LockDecision> acquire(String key) {
			return this.engine.acquire(this.settings, this.engine.key("many", List.of(key)));
		}

		List<HeldLock> lock(int count) {
			List<HeldLock> held = new ArrayList<>();
			List<CompletableFuture<LockDecision>> asked = new ArrayList<>();
			for (int i = 0; i < count; i++) {
				asked.add(acquire(String.valueOf(i)));
				if (asked.size() == 250) {
					asked.forEach((attempt) -> held.add(await(attempt, String.valueOf(held.size()))));
					asked.clear();
				}
			}
			return held;
		}

		/**
		 * Asks again for a lock for which a busy machine needs longer than the timeout.
		 */
		private HeldLock await(CompletableFuture<LockDecision> attempt, String key) {
			if (attempt.handle((answer, failure) -> answer).join() instanceof Acquired acquired) {
				return acquired.lock();
			}
			return Awaitility.await().ignoreExceptions().until(() -> lock(key), Objects::nonNull);
		}

		/**
		 * Waits until each lock's lease has been extended once more.
		 */
		void awaitAllExtended(List<HeldLock> held) {
			Map<HeldLock, Duration> low = new ConcurrentHashMap<>();
			Map<HeldLock, Boolean> extended = new ConcurrentHashMap<>();
			Awaitility.await().pollInterval(Duration.ofMillis(20)).atMost(LEASE.multipliedBy(2)).until(() -> {
				for (HeldLock lock : held) {
					Duration remaining = lock.remaining();
					Duration before = low.put(lock, remaining);
					if (before != null && remaining.compareTo(before) > 0) {
						extended.put(lock, true);
					}
				}
				return extended.size() == held.size();
			});
		}

		static int slot(HeldLock lock) {
			return ClusterSlotHashUtil.calculateSlot(lock.lease.key.lock().bytes());
		}

		@Override
		public void close() {
			this.engine.close();
			this.application.close();
		}

	}

	@Configuration(proxyBeanMethods = false)
	static class Sent {

		private final AtomicInteger renewals = new AtomicInteger();

		@Bean
		ScriptListener countRenewals() {
			return (script, nanos, failure) -> {
				if (script.name().equals("lock/renew")) {
					this.renewals.incrementAndGet();
				}
			};
		}

	}

}
