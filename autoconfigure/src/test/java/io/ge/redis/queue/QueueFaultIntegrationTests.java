// SPDX-License-Identifier: Apache-2.0

package io.ge.redis.queue;

import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;

import io.ge.redis.test.FirstRun;
import io.ge.redis.test.Wide;
import io.ge.redis.test.fault.Fault;
import io.ge.redis.test.fault.FaultRun;
import io.ge.redis.test.instance.Failpoint;
import io.ge.redis.test.instance.Sabotage;
import io.ge.redis.test.scenario.Fleet;
import io.ge.redis.test.scenario.JobApplication;
import io.ge.redis.test.scenario.JobApplication.Doer;
import io.ge.redis.test.scenario.JobScenario;
import io.ge.redis.test.scenario.Site;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

import org.springframework.util.FileSystemUtils;

/**
 * What a job queue loses while things go wrong: nothing. A build kills a few instances;
 * {@code -Dge.test.kills} and {@code -Dge.test.numbers=full} play more.
 */
@Wide
class QueueFaultIntegrationTests {

	private static final String KEPT = "nothing lost, nothing left, twice only what was in flight";

	private static final String KILL = "kill -9 of instances that do jobs";

	private static final String ORDERED = "what a dead instance had comes in its place";

	private static final Duration LEASE = Duration.ofMillis(1500);

	private static final Duration REST = Duration.ofSeconds(60);

	private static final boolean FULL = "full".equals(System.getProperty("ge.test.numbers"));

	private static final int KILLS = Integer.getInteger("ge.test.kills", FULL ? 40 : Wide.RUN ? 6 : 1);

	private static final int NUMBERS = FULL ? 500 : 200;

	/** Before, in and after the work, and before and after it is settled. */
	private static final List<Failpoint.Place> PLACES = List.of(Failpoint.enter(Doer.class, "work"),
			Failpoint.enter(Doer.class, "done"), Failpoint.exit(Doer.class, "work"),
			Failpoint.enter(RedisJobSource.class, "settle"), Failpoint.exit(RedisJobSource.class, "settle"));

	private static Path journal;

	private static Site producers;

	private static Site workers;

	/** Do one job at a time, by priority. */
	private static Site ordered;

	@BeforeAll
	static void build() throws Exception {
		journal = Files.createTempDirectory("ge-redis-jobs");
		producers = Site.of(JobApplication.class, "ge.redis.queue.queues.numbers.concurrency=8",
				"ge.redis.queue.queues.numbers.visibility-timeout=1500ms",
				"ge.redis.queue.queues.numbers.max-attempts=3", "ge.redis.queue.queues.numbers.backoff.initial=50ms",
				"ge.redis.outage.command-timeout=2s");
		workers = producers.with("scenario.works=true", "scenario.journal=" + journal);
		ordered = workers.with("ge.redis.queue.queues.numbers.concurrency=1", "ge.redis.queue.queues.numbers.aging=0s");
	}

	@AfterAll
	static void close() throws Exception {
		producers.close();
		FileSystemUtils.deleteRecursively(journal);
	}

	@BeforeEach
	void mend() {
		// Left by a test that has failed, they would write into a journal that is gone
		workers.endInstances();
		ordered.endInstances();
		producers.reset();
	}

	@Test
	@FirstRun
	void instancesKilledWithJobsInTheirHands() throws Exception {
		FaultRun run = FaultRun.of("queue", KILL, KEPT).atLeast(4, KILLS);
		// Another instance survives one kill: to start more of them takes longest
		Fleet fleet = () -> (KILLS > 1) ? workers.instances(3) : workers.survivors(2);
		JobScenario.killed(run, producers, producers.one(), fleet, journal, PLACES, KILLS, NUMBERS, KILLS > 1, REST);
		run.verify();
	}

	@Test
	void popLosesWhatADeadInstanceHad() throws Exception {
		Site popping = workers.sabotaged(Sabotage.script("io/ge/redis/queue/take.lua",
				"redis.call('ZADD', inflight, micros(now + lease * 1000), id)", "redis.call('HDEL', jobs, id)"));
		FaultRun.of("queue", KILL, KEPT)
			.assertMissed(
					(sabotaged) -> JobScenario.killed(sabotaged, producers, producers.one(), () -> popping.instances(3),
							journal, PLACES.subList(0, 3), 4, NUMBERS, true, Duration.ofSeconds(15)));
	}

	@Test
	void orderHoldsAfterKills() throws Exception {
		FaultRun run = FaultRun.of("queue", KILL, ORDERED).atLeast(4, 3);
		JobScenario.ordered(run, producers, producers.one(), ordered.one(), journal, PLACES.subList(0, 3), 3, LEASE,
				REST);
		run.verify();
	}

	@Test
	void orderIsLostIfWhatADeadInstanceHadHasAnotherPlace() throws Exception {
		Site last = ordered.sabotaged(Sabotage.script("io/ge/redis/queue/take.lua",
				"redis.call('ZADD', KEYS[9 + priority], arrival, id)", "redis.call('ZADD', KEYS[9], arrival, id)"));
		FaultRun.of("queue", KILL, ORDERED)
			.assertMissed((sabotaged) -> JobScenario.ordered(sabotaged, producers, producers.one(), last.one(), journal,
					PLACES.subList(0, 3), 3, LEASE, REST));
	}

	@Test
	void redisKilledUnderJobs() throws Exception {
		underLoad(producers.redisKilled(), false);
	}

	@Test
	void redisHungUnderJobs() throws Exception {
		underLoad(producers.redisHung(), false);
	}

	@Test
	void networkCutUnderJobs() throws Exception {
		underLoad(producers.networkCut(), false);
	}

	@Test
	void connectionsKilledUnderJobs() throws Exception {
		underLoad(producers.connectionsKilled(), false);
	}

	@Test
	void memoryFullUnderJobs() throws Exception {
		underLoad(producers.memoryFull(), false);
	}

	@Test
	void redisFlushedUnderJobs() throws Exception {
		underLoad(producers.flushed(), true);
	}

	@Test
	void failoverToALaggingReplica() throws Exception {
		producers.replicate();
		underLoad(producers.failover(), true);
	}

	private static void underLoad(Fault fault, boolean forgets) throws Exception {
		FaultRun run = FaultRun.of("queue", fault.name(), KEPT).atLeast(10, 1);
		JobScenario.underLoad(run, producers, producers.one(), () -> workers.instances(2), journal, fault, LEASE,
				forgets, REST);
		run.verify();
	}

}
