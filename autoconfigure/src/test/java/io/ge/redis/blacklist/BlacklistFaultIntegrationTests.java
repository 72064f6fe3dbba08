// SPDX-License-Identifier: Apache-2.0

package io.ge.redis.blacklist;

import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.IntStream;

import io.ge.redis.RedisUnavailableException;
import io.ge.redis.core.outage.OutagePolicy;
import io.ge.redis.test.FirstRun;
import io.ge.redis.test.RedisServers;
import io.ge.redis.test.StandaloneRedis;
import io.ge.redis.test.Stopwatch;
import io.ge.redis.test.Wide;
import io.ge.redis.test.fault.Fault;
import io.ge.redis.test.fault.FaultRun;
import io.ge.redis.test.instance.Sabotage;
import io.ge.redis.test.scenario.BlacklistApplication;
import io.ge.redis.test.scenario.BlacklistScenario;
import io.ge.redis.test.scenario.Fleet;
import io.ge.redis.test.scenario.Site;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.as;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.InstanceOfAssertFactories.LONG;
import static org.awaitility.Awaitility.await;

/**
 * What revoked tokens are good for while things go wrong: nothing.
 */
@Wide
class BlacklistFaultIntegrationTests {

	private static final String REFUSED = "a revoked token is refused from the moment all instances are said to know";

	private static final String CHANGE = "io/ge/redis/blacklist/change.lua";

	private static final String CLOCK = "local clock = redis.call('TIME') -- the only reading of time";

	private static final String WRITE = "redis.call('ZADD', rows, whole(stands_until), member)";

	private static final String TELL = "redis.call('XADD', changes, 'MAXLEN', '~', most, '*', 'c', member .. change)";

	private static final String MESSAGE = "redis.pcall('PUBLISH', channel, 'blacklist.changed ' .. name .. change)";

	/** Publishers revoke and enter instead of threads. */
	private static final String REACTIVE = "test.reactive=true";

	private static Site site;

	/** Revokes and checks by publishers. */
	private static Site published;

	/** Writes revocations down and tells nobody of them. */
	private static Site silent;

	/** Says that tokens are revoked, and neither writes it down nor tells anybody. */
	private static Site forgetful;

	/** Takes every token for revoked that Redis is asked about. */
	private static Site suspicious;

	@BeforeAll
	static void build() {
		site = Site.of(BlacklistApplication.class);
		published = site.with(REACTIVE);
		silent = site.sabotaged(Sabotage.script(CHANGE, BlacklistFaultIntegrationTests::withoutNews));
		suspicious = site
			.sabotaged(Sabotage.script("io/ge/redis/blacklist/check.lua", "return {0, ''}", "return {1, ''}"));
		forgetful = site.sabotaged(Sabotage.script(CHANGE, (text) -> withoutNews(text).replace(WRITE, "")));
	}

	private static String withoutNews(String text) {
		assertThat(text).containsOnlyOnce(WRITE).containsOnlyOnce(TELL).containsOnlyOnce(MESSAGE);
		return text.replace(TELL, "''").replace(MESSAGE, "");
	}

	@AfterAll
	static void close() {
		site.close();
	}

	@BeforeEach
	void mend() {
		site.reset();
	}

	@Test
	void redisKilledAndStartedWithWhatItHasOnDisk() throws Exception {
		underLoad(site.redisKilled(), Site.outage(Duration.ofMillis(700)), silent);
	}

	@Test
	@FirstRun
	void redisHungAndResumed() throws Exception {
		underLoad(site.redisHung(), Duration.ofMillis(700), silent);
	}

	@Test
	@FirstRun
	void networkCut() throws Exception {
		underLoad(site.networkCut(), Duration.ofMillis(700), silent);
		Duration lasting = Duration.ofMillis(700);
		withoutProtection("network cut, all refused",
				(sabotaged) -> BlacklistScenario.underLoad(sabotaged, suspicious.one(), site.networkCut(), lasting));
	}

	/**
	 * Half a minute in the long size.
	 */
	@Test
	void redisAwayIsNoRevocation() throws Exception {
		List<TokenIdentity> clear = tokens("clear");
		List<TokenIdentity> revoked = tokens("revoked");
		AtomicInteger undecided = new AtomicInteger();
		List<Instance> instances = new ArrayList<>();
		try (StandaloneRedis redis = RedisServers.standalone("appendonly yes", "appendfsync always")) {
			for (OutagePolicy policy : List.of(OutagePolicy.DENY, OutagePolicy.ALLOW, OutagePolicy.LOCAL)) {
				instances.add(new Instance(redis, properties(policy, 1000), Duration.ofMillis(500)));
			}
			// What it does not know, ALLOW would let in
			for (OutagePolicy policy : List.of(OutagePolicy.DENY, OutagePolicy.LOCAL)) {
				instances.add(new Instance(redis, properties(policy, 0), Duration.ofMillis(500)));
			}
			for (Instance instance : instances) {
				await().ignoreExceptions().until(instance::answersFromMemory);
			}
			for (TokenIdentity token : revoked) {
				await().ignoreExceptionsInstanceOf(RedisUnavailableException.class).until(() -> {
					instances.get(0).blacklist().revoke(token);
					return true;
				});
			}
			for (Instance instance : instances) {
				await().untilAsserted(() -> instance.assertState("local")
					.satisfiesAnyOf((local) -> assertThat(local).hasFieldOrPropertyWithValue("exact", false),
							(local) -> assertThat(local).extracting("ids", as(LONG))
								.isGreaterThanOrEqualTo(revoked.size())));
			}
			redis.primary().stop();
			Stopwatch watch = Stopwatch.start();
			Duration outage = Site.outage(Duration.ofSeconds(1));
			await().atMost(outage.plusMinutes(1))
				.pollDelay(Duration.ZERO)
				.pollInterval(Duration.ofMillis(5))
				.until(() -> {
					for (Instance instance : instances) {
						for (TokenIdentity token : clear) {
							undecided.addAndGet(isDecided(instance, token, TokenStatus.CLEAR) ? 0 : 1);
						}
						for (TokenIdentity token : revoked) {
							undecided.addAndGet(isDecided(instance, token, TokenStatus.REVOKED) ? 0 : 1);
						}
						instance.events().clear();
					}
					return watch.elapsed().compareTo(outage) >= 0;
				});
			redis.primary().start();
			for (Instance instance : instances) {
				await().until(() -> clear.stream().allMatch((token) -> isDecided(instance, token, TokenStatus.CLEAR)));
				await()
					.until(() -> revoked.stream().allMatch((token) -> isDecided(instance, token, TokenStatus.REVOKED)));
			}
			assertThat(undecided).hasPositiveValue();
		}
		finally {
			instances.forEach(Instance::close);
		}
	}

	private static boolean isDecided(Instance instance, TokenIdentity token, TokenStatus truth) {
		try {
			assertThat(instance.blacklist().check(token)).as(String.valueOf(token.id())).isEqualTo(truth);
			return true;
		}
		catch (RedisUnavailableException ex) {
			return false;
		}
	}

	private static List<TokenIdentity> tokens(String name) {
		Instant later = Instant.now().plusSeconds(600);
		return IntStream.range(0, 20).mapToObj((i) -> TokenIdentity.of("issuer", name + "-" + i, later)).toList();
	}

	private static BlacklistProperties properties(OutagePolicy policy, int maxExactIds) {
		return new BlacklistProperties(true, null, policy, Duration.ofMillis(200), maxExactIds, Duration.ofMillis(500),
				Duration.ofSeconds(60), Duration.ofSeconds(1), Duration.ofDays(30), true, true, null,
				UncheckedDecoder.FAIL, Map.of());
	}

	@Test
	void halfASecondOfLatency() throws Exception {
		underLoad(site.latency(Duration.ofMillis(500)), Duration.ofMillis(1200), silent);
	}

	@Test
	void allConnectionsKilled() throws Exception {
		underLoad(site.connectionsKilled(), Duration.ZERO, silent);
	}

	@Test
	void onlyThePushConnectionCut() throws Exception {
		underLoad(site.pushCut(), Duration.ofMillis(300), forgetful);
	}

	@Test
	void memoryLimitReachedWithNoeviction() throws Exception {
		underLoad(site.memoryFull(), Duration.ofMillis(300), forgetful);
	}

	@Test
	@FirstRun
	void revokerKilledRightAfterRevokeReturned() throws Exception {
		FaultRun run = FaultRun.of("blacklist", "instance killed right after revoke returned", REFUSED).atLeast(20, 1);
		BlacklistScenario.revokerKilled(run, site.one(), site.second());
		run.verify();
		withoutProtection("instance killed right after revoke returned",
				(sabotaged) -> BlacklistScenario.revokerKilled(sabotaged, forgetful.one(), site.one()));
	}

	@Test
	void oneClockFiveMinutesAhead() throws Exception {
		FaultRun run = FaultRun.of("blacklist", "clock 5 minutes ahead", REFUSED).atLeast(100, 1);
		BlacklistScenario.clocksDisagree(run, site.clockAhead(Duration.ofMinutes(5)).one(), site.one());
		run.verify();
		Site clientTime = site.sabotaged(Sabotage.script(CHANGE, CLOCK,
				"local clock = redis.call('TIME')\nclock[1] = tonumber(clock[1]) + 300"));
		withoutProtection("clock 5 minutes ahead",
				(sabotaged) -> BlacklistScenario.clocksDisagree(sabotaged, clientTime.one(), site.one()));
	}

	@Test
	void everythingFlushed() throws Exception {
		afterLoss(afterwards(site.flushed()), site.two(), forgetful.one());
	}

	@Test
	void evictionWithAllkeysLru() throws Exception {
		afterLoss(afterwards(site.evicting()), site.two(), forgetful.one());
	}

	@Test
	void failoverToALaggingReplica() throws Exception {
		afterLoss(site.failover(), site.replicated(site.two()), site.replicated(forgetful.one()));
	}

	@Test
	void revokerOfPublishersKilledRightAfterRevokeReturned() throws Exception {
		String fault = "publishers: instance killed right after revoke returned";
		FaultRun run = FaultRun.of("blacklist", fault, REFUSED).atLeast(20, 1);
		BlacklistScenario.revokerKilled(run, published.one(), published.second());
		run.verify();
		withoutProtection(fault, (sabotaged) -> BlacklistScenario.revokerKilled(sabotaged,
				forgetful.with(REACTIVE).one(), published.one()));
	}

	@Test
	void redisHungUnderPublishersAndResumed() throws Exception {
		underLoadOfPublishers(site.redisHung());
	}

	@Test
	void networkCutUnderPublishers() throws Exception {
		underLoadOfPublishers(site.networkCut());
	}

	private static void underLoadOfPublishers(Fault fault) throws Exception {
		Fault underPublishers = Fault.of("publishers: " + fault.name(), fault::inject, fault::heal);
		underLoad(published, underPublishers, Duration.ofMillis(700), silent.with(REACTIVE));
	}

	private static void underLoad(Fault fault, Duration lasting, Site unprotected) throws Exception {
		underLoad(site, fault, lasting, unprotected);
	}

	private static void underLoad(Site site, Fault fault, Duration lasting, Site unprotected) throws Exception {
		FaultRun run = FaultRun.of("blacklist", fault.name(), REFUSED).atLeast(150, 1);
		BlacklistScenario.underLoad(run, site.two(), fault, lasting);
		run.verify();
		withoutProtection(fault.name(),
				(sabotaged) -> BlacklistScenario.underLoad(sabotaged, unprotected.one(), fault, lasting));
	}

	private static void afterLoss(Fault fault, Fleet instances, Fleet unprotected) throws Exception {
		FaultRun run = FaultRun.of("blacklist", fault.name(), "what is revoked afterwards is refused").atLeast(100, 1);
		BlacklistScenario.afterLoss(run, instances, fault);
		run.verify();
		withoutProtection(fault.name(), (sabotaged) -> BlacklistScenario.afterLoss(sabotaged, unprotected, fault));
	}

	private static Fault afterwards(Fault fault) {
		return Fault.of(fault.name(), () -> {
		}, () -> {
			fault.inject();
			fault.heal();
		});
	}

	private static void withoutProtection(String fault, FaultRun.Body body) throws Exception {
		FaultRun.of("blacklist", fault, REFUSED).assertMissed(body);
	}

}
