// SPDX-License-Identifier: Apache-2.0

package io.ge.redis.ratelimit.internal;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;

import io.ge.redis.GuardConfigurationException;
import io.ge.redis.RedisUnavailableException;
import io.ge.redis.core.invocation.InvalidSettingException;
import io.ge.redis.core.invocation.Setting;
import io.ge.redis.ratelimit.RateLimitChange;
import io.ge.redis.ratelimit.RateLimitChangeEvent;
import io.ge.redis.ratelimit.RateLimitDecision;
import io.ge.redis.ratelimit.RateLimitEvent;
import io.ge.redis.ratelimit.RateLimitResolver;
import io.ge.redis.test.OnRedis;
import io.ge.redis.test.RedisEndpoint;
import io.ge.redis.test.RedisFixture;
import io.ge.redis.test.RedisServers;
import io.ge.redis.test.RedisTarget;
import io.ge.redis.test.StandaloneRedis;
import io.ge.redis.test.Wide;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

/**
 * Changes of limits while several instances run.
 */
class LiveChangesIntegrationTests {

	/** As {@link TestLimiter#AGES} where windows begin by the clock. */
	private static final String[] LIMITS = { "limits.tasks.limit=10", "limits.tasks.window=1h",
			"limits.tasks.on-outage=deny", "limits.tasks.overrides.vip.limit=50", "limits.bucket.limit=10",
			"limits.bucket.window=1h", "limits.bucket.algorithm=token-bucket", "limits.counter.limit=10",
			"limits.counter.window=9000d", "limits.counter.algorithm=sliding-window-counter", "limits.fixed.limit=10",
			"limits.fixed.window=9000d", "limits.fixed.algorithm=fixed-window", "limits.search.limits[0].limit=10",
			"limits.search.limits[0].window=1m", "limits.search.limits[1].limit=100",
			"limits.search.limits[1].window=1h" };

	@Nested
	@OnRedis(RedisTarget.STANDALONE)
	class OnStandalone extends Contract {

	}

	@Nested
	@Wide
	@OnRedis(RedisTarget.SENTINEL)
	class OnSentinel extends Contract {

	}

	@Nested
	@Wide
	@OnRedis(RedisTarget.CLUSTER)
	class OnCluster extends Contract {

	}

	@Test
	@Wide
	void changesArriveAlthoughNoMessageDoes() {
		try (StandaloneRedis redis = RedisServers.standalone();
				LiveInstance one = new LiveInstance(redis, "one", null, LIMITS);
				LiveInstance two = new LiveInstance(redis, "two", null, LIMITS)) {
			two.limiter().tryAcquire("tasks", "anna");
			Awaitility.await().until(two::isSubscribed);
			redis.primary().command("ACL", "SETUSER", "default", "resetchannels");
			redis.primary().command("CLIENT", "KILL", "TYPE", "pubsub");
			Awaitility.await().until(() -> !two.isSubscribed());
			one.control().change("tasks", List.of(), limit(3));
			soon(() -> two.limitOf("tasks", "anna") == 3);
			one.control().block("tasks", List.of("anna"), Duration.ofMinutes(1));
			soon(() -> isBlocked(two, "anna"));
			redis.primary().command("ACL", "SETUSER", "default", "allchannels");
			Awaitility.await().until(two::isSubscribed);
			// Who has heard nothing for long, on a machine that stood still, looks once
			// more
			Awaitility.await().atMost(Duration.ofSeconds(30)).until(() -> {
				redis.configResetStat();
				long since = System.nanoTime();
				Awaitility.await().until(() -> System.nanoTime() - since > Duration.ofSeconds(2).toNanos());
				return redis.commandCalls("evalsha") <= 4;
			});
		}
	}

	@Test
	void changesThatWereMissedWhileRedisWasAwayArriveWithIt() {
		try (StandaloneRedis redis = RedisServers.standalone()) {
			redis.primary().kill();
			try (LiveInstance one = new LiveInstance(redis, "one", null, LIMITS)) {
				assertThatExceptionOfType(RedisUnavailableException.class)
					.isThrownBy(() -> one.limitOf("tasks", "anna"));
				redis.primary().start();
				try (LiveInstance two = new LiveInstance(redis, "two", null, LIMITS)) {
					two.control().change("tasks", List.of(), limit(3));
				}
				Awaitility.await().ignoreExceptions().until(() -> one.limitOf("tasks", "anna") == 3);
			}
		}
	}

	/**
	 * What an operator does holds on this instance when the method returns, and needs no
	 * message for it.
	 */
	@Test
	void whatOperatorsDoHoldsAtOnceAlthoughNoMessageArrives() {
		try (StandaloneRedis redis = RedisServers.standalone();
				LiveInstance one = new LiveInstance(redis, "one", null, LIMITS)) {
			one.limiter().tryAcquire("tasks", "anna", 0);
			Awaitility.await().until(one::isSubscribed);
			redis.primary().command("ACL", "SETUSER", "default", "resetchannels");
			redis.primary().command("CLIENT", "KILL", "TYPE", "pubsub");
			Awaitility.await().until(() -> !one.isSubscribed());
			for (String name : List.of("tasks", "bucket", "counter", "fixed")) {
				refuseFromMemory(one, name);
				assertThat(one.control().refund(name, List.of("anna"), 1)).as(name).isOne();
				assertThat(isAllowed(one, name)).as("%s after a refund", name).isTrue();
				refuseFromMemory(one, name);
				one.control().reset(name, List.of("anna"));
				assertThat(isAllowed(one, name)).as("%s after a reset", name).isTrue();
				refuseFromMemory(one, name);
				one.control().change(name, List.of(), limit(100));
				assertThat(isAllowed(one, name)).as("%s after a change", name).isTrue();
				one.control().block(name, List.of("anna"), Duration.ofMinutes(1));
				assertThat(isAllowed(one, name)).as("%s while blocked", name).isFalse();
				one.control().unblock(name, List.of("anna"));
				assertThat(isAllowed(one, name)).as("%s after the block", name).isTrue();
				one.control().restore(name, List.of());
				assertThat(isAllowed(one, name)).as("%s as before the change", name).isFalse();
			}
		}
	}

	private static void refuseFromMemory(LiveInstance instance, String name) {
		int events = instance.events(RateLimitEvent.class).size();
		Awaitility.await().until(() -> {
			instance.limiter().tryAcquire(name, "anna");
			List<RateLimitEvent> told = instance.events(RateLimitEvent.class);
			return told.size() > events && told.get(told.size() - 1).source() == RateLimitEvent.Source.DENY_CACHE;
		});
	}

	private static boolean isAllowed(LiveInstance instance, String name) {
		return instance.limiter().tryAcquire(name, "anna").isAllowed();
	}

	/**
	 * Then it stands in Redis, but nobody may believe that it holds here.
	 */
	@Test
	void changeThatCannotBeReadHereIsNoSuccess() {
		try (StandaloneRedis redis = RedisServers.standalone();
				LiveInstance one = new LiveInstance(redis, "one", null, LIMITS)) {
			assertThat(one.limitOf("tasks", "anna")).isEqualTo(10);
			redis.primary().command("ACL", "SETUSER", "default", "-hgetall");
			assertThatExceptionOfType(RedisUnavailableException.class)
				.isThrownBy(() -> one.control().change("tasks", List.of(), limit(3)));
			assertThat(one.events(RateLimitChangeEvent.class)).hasSize(1);
			redis.primary().command("ACL", "SETUSER", "default", "+@all");
			Awaitility.await().until(() -> one.limitOf("tasks", "anna") == 3);
		}
	}

	/**
	 * Takes no permit, so that no limit is used up however long it takes.
	 */
	private static boolean isBlocked(LiveInstance instance, String key) {
		return !instance.limiter().tryAcquire("tasks", key, 0).isAllowed();
	}

	/**
	 * Waits for what would take twenty minutes if nobody told of it or looked for it.
	 */
	private static void soon(Callable<Boolean> condition) {
		Awaitility.await().pollInterval(Duration.ofMillis(5)).until(condition);
	}

	private static RateLimitChange limit(long limit) {
		return new RateLimitChange(limit, null, null);
	}

	abstract static class Contract {

		@Test
		void changeIsInEffectOnAllInstancesSoon(RedisFixture redis) {
			try (Fleet fleet = new Fleet(redis, null)) {
				fleet.warmUp();
				fleet.one.control().change("tasks", List.of(), new RateLimitChange(3L, Duration.ofMinutes(2), null));
				assertThat(fleet.one.limitOf("tasks", "anna")).as("at once where it was made").isEqualTo(3);
				soon(() -> fleet.two.limitOf("tasks", "anna") == 3 && fleet.three.limitOf("tasks", "anna") == 3);
				assertThat(fleet.two.limiter().tryAcquire("tasks", "anna", 0).quotas().get(0).limit().window())
					.hasMinutes(2);
				assertThat(fleet.three.control().restore("tasks", List.of())).isTrue();
				soon(() -> fleet.one.limitOf("tasks", "anna") == 10 && fleet.two.limitOf("tasks", "anna") == 10);
				assertThat(fleet.one.control().restore("tasks", List.of())).isFalse();
			}
		}

		@Test
		void changeForOneKeyLeavesOthersAlone(RedisFixture redis) {
			try (Fleet fleet = new Fleet(redis, null)) {
				fleet.warmUp();
				fleet.one.control().change("tasks", List.of("acme", "anna"), limit(3));
				soon(() -> fleet.two.limitOf("tasks", List.of("acme", "anna")) == 3);
				assertThat(fleet.two.limitOf("tasks", List.of("acme", "boris"))).isEqualTo(10);
				assertThat(fleet.two.limitOf("tasks", "vip")).isEqualTo(50);
				fleet.one.control().change("tasks", List.of("vip"), limit(60));
				soon(() -> fleet.two.limitOf("tasks", "vip") == 60);
				fleet.one.control().restore("tasks", List.of("vip"));
				soon(() -> fleet.two.limitOf("tasks", "vip") == 50);
			}
		}

		@Test
		void decisionsCostNoFurtherScriptCall(RedisFixture redis) {
			try (Fleet fleet = new Fleet(redis, (limit, key) -> limit.withLimit(limit.limit() + 1))) {
				fleet.warmUp();
				fleet.one.control().change("tasks", List.of(), limit(100));
				fleet.one.control().block("tasks", List.of("boris"), Duration.ofMinutes(1));
				soon(() -> isBlocked(fleet.two, "boris") && isBlocked(fleet.three, "boris"));
				redis.configResetStat();
				for (int i = 0; i < 20; i++) {
					assertThat(fleet.two.limiter().tryAcquire("tasks", "anna").quotas().get(0).limit().limit())
						.isEqualTo(101);
					assertThat(fleet.two.limiter().tryAcquire("tasks", "boris").isAllowed()).isFalse();
				}
				// Another instance may only now read what was changed before, also
				// between the two counts
				Awaitility.await()
					.untilAsserted(() -> assertThat(redis.commandCalls("evalsha") - redis.commandCalls("hgetall"))
						.isEqualTo(20));
				assertThat(redis.commandCalls("hgetall")).isLessThanOrEqualTo(3);
			}
		}

		@Test
		void instanceThatStartsLaterKnowsItsFirstDecisionOn(RedisFixture redis) {
			try (LiveInstance one = new LiveInstance(redis, "one", null, LIMITS)) {
				one.control().change("tasks", List.of(), limit(3));
				one.control().block("tasks", List.of("boris"), Duration.ofMinutes(1));
			}
			try (LiveInstance late = new LiveInstance(redis, "late", null, LIMITS)) {
				assertThat(late.limiter().tryAcquire("tasks", "boris").isAllowed()).isFalse();
				assertThat(late.limitOf("tasks", "anna")).isEqualTo(3);
			}
		}

		@Test
		void whatWasUsedStaysCounted(RedisFixture redis) {
			try (LiveInstance one = new LiveInstance(redis, "one", null, LIMITS)) {
				for (String name : List.of("tasks", "bucket", "counter", "fixed")) {
					for (int i = 0; i < 6; i++) {
						one.limiter().tryAcquire(name, "anna");
					}
					one.control().change(name, List.of(), limit(8));
					assertThat(one.limiter().tryAcquire(name, "anna", 0).quotas().get(0).remaining()).as(name)
						.isBetween(1L, 2L);
					one.control().change(name, List.of(), limit(4));
					assertThat(one.limiter().tryAcquire(name, "anna", 0).quotas().get(0).remaining()).as(name).isZero();
					assertThat(one.limiter().tryAcquire(name, "anna").isAllowed()).as(name).isFalse();
				}
			}
		}

		@Test
		void changeBreaksRememberedDenials(RedisFixture redis) {
			try (Fleet fleet = new Fleet(redis, null)) {
				fleet.warmUp();
				exhaust(fleet.two, "anna");
				refuseFromMemory(fleet.two, "tasks");
				fleet.one.control().change("tasks", List.of(), limit(11));
				soon(() -> fleet.two.limiter().tryAcquire("tasks", "anna").isAllowed());
			}
		}

		@Test
		void resetAndRefundBreakRememberedDenials(RedisFixture redis) {
			try (Fleet fleet = new Fleet(redis, null)) {
				fleet.warmUp();
				exhaust(fleet.two, "anna");
				assertThat(fleet.one.control().refund("tasks", List.of("anna"), 1)).isEqualTo(1);
				soon(() -> fleet.two.limiter().tryAcquire("tasks", "anna").isAllowed());
				assertThat(fleet.two.limiter().tryAcquire("tasks", "anna").isAllowed()).isFalse();
				fleet.one.control().reset("tasks", List.of("anna"));
				soon(() -> fleet.two.limiter().tryAcquire("tasks", "anna").isAllowed());
			}
		}

		@Test
		void refundGivesBackNoMoreThanWasTaken(RedisFixture redis) {
			try (LiveInstance one = new LiveInstance(redis, "one", null, LIMITS)) {
				for (String name : List.of("tasks", "bucket", "counter", "fixed")) {
					one.limiter().tryAcquire(name, "anna", 6);
					assertThat(one.control().refund(name, List.of("anna"), 2)).as(name).isEqualTo(2);
					assertThat(one.control().look(name, List.of("anna")).get(0).remaining()).as(name).isEqualTo(6);
					assertThat(one.control().refund(name, List.of("anna"), 9)).as(name).isEqualTo(4);
					assertThat(one.control().look(name, List.of("anna")).get(0).remaining()).as(name).isEqualTo(10);
					assertThat(one.control().refund(name, List.of("anna"), 1)).as(name).isZero();
				}
			}
		}

		@Test
		void blockHoldsOnAllInstancesUntilItEnds(RedisFixture redis) {
			try (Fleet fleet = new Fleet(redis, null)) {
				fleet.warmUp();
				fleet.one.control().block("tasks", List.of("anna"), Duration.ofMinutes(10));
				soon(() -> isBlocked(fleet.two, "anna"));
				assertThat(fleet.two.limiter().tryAcquire("tasks", "anna"))
					.isInstanceOfSatisfying(RateLimitDecision.Denied.class, (denied) -> assertThat(denied.retryAfter())
						.isBetween(Duration.ofMinutes(9), Duration.ofMinutes(10)));
				assertThat(fleet.two.limiter().tryAcquire("tasks", "boris").isAllowed()).isTrue();
				assertThat(fleet.two.control().look("tasks", List.of("anna")).get(0).blockedFor())
					.isBetween(Duration.ofMinutes(9), Duration.ofMinutes(10));
				assertThat(fleet.three.control().unblock("tasks", List.of("anna"))).isTrue();
				soon(() -> !isBlocked(fleet.two, "anna"));
				assertThat(fleet.three.control().unblock("tasks", List.of("anna"))).isFalse();
			}
		}

		@Test
		@Wide
		void blockEndsOnAllInstancesByItself(RedisFixture redis) {
			try (Fleet fleet = new Fleet(redis, null)) {
				fleet.warmUp();
				fleet.one.control().block("tasks", List.of("anna"), Duration.ofSeconds(5));
				soon(() -> isBlocked(fleet.two, "anna"));
				soon(() -> !isBlocked(fleet.two, "anna"));
			}
		}

		@Test
		void endedBlocksLeaveRedis(RedisFixture redis) {
			try (LiveInstance one = new LiveInstance(redis, "one", null, LIMITS)) {
				one.control().block("tasks", List.of("anna"), Duration.ofMillis(1));
				Awaitility.await().until(() -> one.limiter().tryAcquire("tasks", "anna", 0).isAllowed());
				one.control().block("bucket", List.of("anna"), Duration.ofMinutes(1));
				assertThat(fields(redis)).containsExactly("b6:bucket:anna");
				one.control().unblock("bucket", List.of("anna"));
				assertThat(fields(redis)).isEmpty();
			}
		}

		@Test
		void tellsListenersWhatWasDone(RedisFixture redis) {
			try (LiveInstance one = new LiveInstance(redis, "one", null, LIMITS)) {
				one.limiter().tryAcquire("tasks", "anna", 3);
				one.control().change("tasks", List.of(), new RateLimitChange(20L, Duration.ofMinutes(1), null));
				one.control().change("tasks", List.of("anna"), limit(30));
				one.control().restore("tasks", List.of("anna"));
				one.control().block("tasks", List.of("anna"), Duration.ofMinutes(10));
				one.control().unblock("tasks", List.of("anna"));
				one.control().unblock("tasks", List.of("anna"));
				one.control().refund("tasks", List.of("anna"), 2);
				one.control().reset("tasks", List.of("anna"));
				assertThat(one.events(RateLimitChangeEvent.class))
					.extracting((event) -> event.result() + " " + event.detail())
					.containsExactly("changed limit=20, window=PT1M", "changed limit=30", "restored ",
							"blocked duration=PT10M", "unblocked ", "refunded permits=2", "reset ");
				assertThat(one.events(RateLimitChangeEvent.class).get(0).keyHash()).isNull();
				assertThat(one.events(RateLimitChangeEvent.class).get(1).keyHash())
					.isEqualTo(RateLimitControl.hash("anna"))
					.doesNotContain("anna");
			}
		}

		@Test
		void refusesWhatCannotWork(RedisFixture redis) {
			try (LiveInstance one = new LiveInstance(redis, "one", null, LIMITS)) {
				assertRefused(one, "tasks", limit(0), "limit", "above zero");
				assertRefused(one, "tasks", limit(-1), "limit", "above zero");
				assertRefused(one, "tasks", limit(20_000), "limit", "SLIDING_WINDOW_COUNTER");
				assertRefused(one, "tasks", new RateLimitChange(null, Duration.ZERO, null), "window", "10s");
				assertRefused(one, "tasks", new RateLimitChange(null, null, 5L), "burst", "TOKEN_BUCKET");
				assertRefused(one, "bucket", limit(4_000_000_000L), "limit", "permit per microsecond");
				assertRefused(one, "tasks", new RateLimitChange(null, null, null), "limit", "action");
				assertRefused(one, "search", limit(5), "limit", "search-1m or search-1h");
				for (long seconds : new long[] { Long.MAX_VALUE, 0, Long.MIN_VALUE }) {
					assertThatExceptionOfType(InvalidSettingException.class)
						.isThrownBy(() -> one.control().block("tasks", List.of("anna"), Duration.ofSeconds(seconds)))
						.withMessageContaining("duration must be between 1ms and 366d, but is ");
				}
				assertThat(fields(redis)).isEmpty();
				one.control().change("search-1m", List.of(), limit(5));
				assertThat(one.limitOf("search", "anna")).isEqualTo(5);
			}
		}

		@Test
		void saysWhereEachSettingComesFrom(RedisFixture redis) {
			try (LiveInstance one = new LiveInstance(redis, "one",
					(limit, key) -> key.equals(List.of("plan")) ? limit.withLimit(77) : limit, LIMITS)) {
				assertThat(origins(one, "anna")).containsExactly(Setting.Origin.PROPERTIES, Setting.Origin.PROPERTIES);
				assertThat(origins(one, "vip").get(0)).isEqualTo(Setting.Origin.PROPERTIES_FOR_KEY);
				assertThat(origins(one, "plan").get(0)).isEqualTo(Setting.Origin.BEAN);
				one.control().change("tasks", List.of(), new RateLimitChange(null, Duration.ofMinutes(5), null));
				one.control().change("tasks", List.of("vip"), limit(90));
				assertThat(origins(one, "anna")).containsExactly(Setting.Origin.PROPERTIES, Setting.Origin.ENDPOINT);
				assertThat(origins(one, "vip")).containsExactly(Setting.Origin.ENDPOINT_FOR_KEY,
						Setting.Origin.ENDPOINT);
				assertThat(one.control().list()).filteredOn((limit) -> limit.name().equals("tasks"))
					.singleElement()
					.satisfies((limit) -> {
						assertThat(limit.overrides()).isEqualTo(1);
						assertThat(limit.changes()).containsOnlyKeys(one.control().show("vip"));
						assertThat(limit.settings().get("window").origin()).isEqualTo(Setting.Origin.ENDPOINT);
					});
			}
		}

		@Test
		void holdsABoundedNumberOfChanges(RedisFixture redis) {
			try (LiveInstance one = new LiveInstance(redis, "one", null, LIMITS)) {
				one.control().change("tasks", List.of(), limit(5));
				fill(redis);
				assertThatExceptionOfType(InvalidSettingException.class)
					.isThrownBy(() -> one.control().block("tasks", List.of("anna"), Duration.ofMinutes(1)))
					.withMessageContaining("10000 live changes");
				one.control().change("tasks", List.of(), limit(6));
				assertThat(one.limitOf("tasks", "anna")).isEqualTo(6);
			}
		}

		@Test
		void passesOverWhatItCannotRead(RedisFixture redis) {
			try (LiveInstance one = new LiveInstance(redis, "one", null, LIMITS)) {
				one.control().change("tasks", List.of(), limit(5));
				onSettings(redis, "HSET", "c99:tasks", "1,,", "c5:tasks:x", "many,,", "z5:tasks", "1", "c", "");
				one.control().change("tasks", List.of("anna"), limit(7));
				assertThat(one.limitOf("tasks", "anna")).isEqualTo(7);
				assertThat(one.limitOf("tasks", "x")).isEqualTo(5);
			}
		}

		@Test
		void refreshedPropertiesApplyFromTheNextCallOn(RedisFixture redis) {
			try (LiveInstance one = new LiveInstance(redis, "one", null, LIMITS)) {
				exhaust(one, "anna");
				String[] changed = LIMITS.clone();
				changed[0] = "limits.tasks.limit=12";
				changed[3] = "limits.tasks.overrides.anna.limit=11";
				one.guard().refresh(LiveInstance.properties(changed));
				assertThat(one.limitOf("tasks", "vip")).isEqualTo(12);
				assertThat(one.limiter().tryAcquire("tasks", "anna").isAllowed()).isTrue();
				assertThat(one.limiter().tryAcquire("tasks", "anna").isAllowed()).isFalse();
				changed[0] = "limits.tasks.limit=-1";
				changed[3] = "limits.tasks.overrides.anna.limit=100";
				assertThatExceptionOfType(GuardConfigurationException.class)
					.isThrownBy(() -> one.guard().refresh(LiveInstance.properties(changed)))
					.withMessageContaining("ge.redis.rate-limit.limits.tasks.limit");
				assertThat(one.limitOf("tasks", "vip")).isEqualTo(12);
				assertThat(one.limitOf("tasks", "anna")).isEqualTo(11);
			}
		}

		@Test
		void rulesFollowRefreshedPropertiesAndLiveChanges(RedisFixture redis) {
			String[] rule = { "rules[0].path=/api/**", "rules[0].limit=2", "rules[0].window=1h",
					"rules[0].key=client-address" };
			try (LiveInstance one = new LiveInstance(redis, "one", null, rule)) {
				assertThat(limitOfRule(one)).isEqualTo(2);
				String[] refreshed = List.of(rule[0], rule[1], rule[2], rule[3], "limits[/api/**].limit=3")
					.toArray(String[]::new);
				one.guard().refresh(LiveInstance.properties(refreshed));
				assertThat(limitOfRule(one)).isEqualTo(3);
				one.control().change("/api/**", List.of(), limit(4));
				assertThat(limitOfRule(one)).isEqualTo(4);
			}
		}

		private static long limitOfRule(LiveInstance instance) {
			RateLimitRules rules = instance.guard().rules();
			return rules.decide(List.of(new RateLimitRules.Match(rules.all().get(0), "192.0.2.1")))
				.quotas()
				.get(0)
				.limit()
				.limit();
		}

		private static List<Setting.Origin> origins(LiveInstance instance, String key) {
			var settings = instance.control().look("tasks", List.of(key)).get(0).settings();
			return List.of(settings.get("limit").origin(), settings.get("window").origin());
		}

		private static void assertRefused(LiveInstance instance, String name, RateLimitChange change, String setting,
				String remedy) {
			assertThatExceptionOfType(InvalidSettingException.class)
				.isThrownBy(() -> instance.control().change(name, List.of(), change))
				.withMessageContaining(remedy)
				.matches((ex) -> ex.setting().equals(setting));
		}

		private static void exhaust(LiveInstance instance, String key) {
			while (instance.limiter().tryAcquire("tasks", key).isAllowed()) {
				// until the limit is used up
			}
		}

		private static void fill(RedisFixture redis) {
			List<String> fields = new ArrayList<>();
			for (int i = 1; i < RedisLimitChanges.CAPACITY; i++) {
				fields.add("c5:tasks:key-" + i);
				fields.add("1,,");
			}
			onSettings(redis, "HSET", fields.toArray(String[]::new));
		}

		private static List<Object> fields(RedisFixture redis) {
			return new ArrayList<>((List<?>) onSettings(redis, "HKEYS"));
		}

		private static Object onSettings(RedisFixture redis, String command, String... arguments) {
			List<String> words = new ArrayList<>(List.of(command, "ge:ratelimit:{settings}:changes"));
			words.addAll(List.of(arguments));
			RuntimeException moved = null;
			for (RedisEndpoint endpoint : redis.endpoints()) {
				if (endpoint.isPrimary()) {
					try {
						return endpoint.command(words.toArray(String[]::new));
					}
					catch (RuntimeException ex) {
						moved = ex;
					}
				}
			}
			throw new IllegalStateException("No server has the key", moved);
		}

	}

	/**
	 * Three instances.
	 */
	private static final class Fleet implements AutoCloseable {

		private final LiveInstance one;

		private final LiveInstance two;

		private final LiveInstance three;

		Fleet(RedisFixture redis, RateLimitResolver resolver) {
			this.one = new LiveInstance(redis, "one", resolver, LIMITS);
			this.two = new LiveInstance(redis, "two", resolver, LIMITS);
			this.three = new LiveInstance(redis, "three", resolver, LIMITS);
		}

		void warmUp() {
			for (LiveInstance instance : List.of(this.one, this.two, this.three)) {
				instance.limitOf("tasks", "nobody");
				Awaitility.await().until(instance::isSubscribed);
			}
		}

		@Override
		public void close() {
			this.one.close();
			this.two.close();
			this.three.close();
		}

	}

}
