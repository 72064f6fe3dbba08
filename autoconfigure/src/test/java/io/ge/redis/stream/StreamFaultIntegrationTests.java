// SPDX-License-Identifier: Apache-2.0

package io.ge.redis.stream;

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
import io.ge.redis.test.scenario.Site;
import io.ge.redis.test.scenario.StreamApplication;
import io.ge.redis.test.scenario.StreamApplication.Worker;
import io.ge.redis.test.scenario.StreamScenario;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

import org.springframework.util.FileSystemUtils;

/**
 * Streams lose nothing while things go wrong. A build kills a few instances;
 * {@code -Dge.test.numbers=full} plays 20,000 messages with a kill every 500 of them.
 */
@Wide
class StreamFaultIntegrationTests {

	private static final String KEPT = "nothing lost, nothing pending, twice only what was in flight";

	private static final String TAKE = "io/ge/redis/stream/take.lua";

	private static final Duration REST = Duration.ofSeconds(60);

	private static final boolean FULL = "full".equals(System.getProperty("ge.test.numbers"));

	private static final int KILLS = Integer.getInteger("ge.test.kills", FULL ? 40 : Wide.RUN ? 8 : 1);

	private static final int NUMBERS = FULL ? 500 : 200;

	/** Before, in and after the work, and before and after it is acknowledged. */
	private static final List<Failpoint.Place> PLACES = List.of(Failpoint.enter(Worker.class, "work"),
			Failpoint.enter(Worker.class, "done"), Failpoint.exit(Worker.class, "work"),
			Failpoint.enter(RedisStreamSource.class, "settle"), Failpoint.exit(RedisStreamSource.class, "settle"),
			Failpoint.enter(RedisStreamSource.class, "headers"), Failpoint.exit(RedisStreams.class, "take"),
			Failpoint.exit(RedisStreams.class, "read"));

	private static final Path JOURNAL = StreamScenario.newJournal();

	private static Site publishers;

	private static Site workers;

	/** Claim and acknowledge what a dead instance has left, as the documents have it. */
	private static Site claiming;

	@BeforeAll
	static void build() {
		publishers = Site.of(StreamApplication.class, "ge.redis.stream.definitions.numbers.key=numbers.done",
				"ge.redis.stream.definitions.numbers.max-length=1000000",
				"ge.redis.stream.definitions.numbers.dedup-window=5m",
				"ge.redis.stream.definitions.numbers.groups.crew.concurrency=8",
				"ge.redis.stream.definitions.numbers.groups.crew.min-idle=1500ms",
				"ge.redis.stream.definitions.numbers.groups.crew.max-deliveries=3",
				"ge.redis.stream.definitions.numbers.groups.crew.backoff.initial=50ms",
				"ge.redis.outage.command-timeout=2s");
		workers = publishers.with("scenario.works=true", "scenario.journal=" + JOURNAL);
		claiming = workers.sabotaged(Sabotage.script(TAKE, "give(keys, entry[1], deliveries, found[2], length)",
				"redis.call('XACK', keys.stream, group, entry[1])"));
	}

	@AfterAll
	static void close() throws Exception {
		publishers.close();
		FileSystemUtils.deleteRecursively(JOURNAL);
	}

	@BeforeEach
	void mend() {
		// Left by a test that has failed, they would write into a journal that is gone
		workers.endInstances();
		claiming.endInstances();
		publishers.reset();
	}

	@Test
	@FirstRun
	void workersKilledWithMessagesInTheirHands() throws Exception {
		String fault = "kill -9 of instances that work";
		FaultRun run = FaultRun.of("stream", fault, KEPT).atLeast(4, KILLS);
		// Another instance survives one kill: to start more of them takes longest
		Fleet fleet = () -> (KILLS > 1) ? workers.instances(3) : workers.survivors(2);
		StreamScenario.killed(run, publishers, publishers.one(), fleet, JOURNAL, PLACES, KILLS, NUMBERS,
				(KILLS > 1) ? 2 : 0, REST);
		run.verify();
	}

	@Test
	void workersWithWrongClocksKilled() throws Exception {
		Site ahead = workers.clockAhead(Duration.ofMinutes(5));
		Site behind = workers.clockAhead(Duration.ofMinutes(-5));
		FaultRun run = FaultRun.of("stream", "kill -9 of instances with wrong clocks", KEPT).atLeast(2, 2);
		StreamScenario.killed(run, publishers, publishers.one(), ahead.one().and(behind.one()), JOURNAL, PLACES, 2,
				NUMBERS, 0, REST);
		run.verify();
	}

	@Test
	void claimingAndAcknowledgingLosesMessages() throws Exception {
		FaultRun.of("stream", "kill -9 of instances that work", KEPT)
			.assertMissed((sabotaged) -> StreamScenario.killed(sabotaged, publishers, publishers.one(),
					() -> claiming.instances(3), JOURNAL, PLACES.subList(0, 3), FULL ? 12 : 4, NUMBERS, 0,
					Duration.ofSeconds(15)));
	}

	@Test
	void workerPausedBeyondItsLeaseAndResumed() throws Exception {
		FaultRun run = FaultRun.of("stream", "worker paused beyond its lease and resumed", KEPT).atLeast(1, 1);
		StreamScenario.paused(run, publishers, publishers.one(), workers.one(), workers.second(), JOURNAL,
				Failpoint.exit(Worker.class, "work"));
		run.verify();
	}

	@Test
	void redisKilledUnderMessages() throws Exception {
		underLoad(publishers.redisKilled(), false);
	}

	@Test
	void redisHungUnderMessages() throws Exception {
		underLoad(publishers.redisHung(), false);
	}

	@Test
	void networkCutUnderMessages() throws Exception {
		underLoad(publishers.networkCut(), false);
	}

	@Test
	void connectionsKilledUnderMessages() throws Exception {
		underLoad(publishers.connectionsKilled(), false);
	}

	@Test
	void redisFlushedUnderMessages() throws Exception {
		underLoad(publishers.flushed(), true);
	}

	@Test
	void failoverToALaggingReplica() throws Exception {
		publishers.replicate();
		underLoad(publishers.failover(), true);
	}

	private static void underLoad(Fault fault, boolean forgets) throws Exception {
		FaultRun run = FaultRun.of("stream", fault.name(), KEPT).atLeast(20, 1);
		StreamScenario.underLoad(run, publishers, publishers.one(), () -> workers.instances(2), JOURNAL, fault,
				Duration.ofMillis(1500), forgets, REST);
		run.verify();
	}

}
