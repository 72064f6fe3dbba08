// SPDX-License-Identifier: Apache-2.0

package io.ge.redis.benchmark.fault;

import java.nio.file.Path;
import java.time.Duration;
import java.util.List;

import io.ge.redis.stream.RedisStreams;
import io.ge.redis.test.fault.FaultRun;
import io.ge.redis.test.instance.Failpoint;
import io.ge.redis.test.instance.Sabotage;
import io.ge.redis.test.scenario.Site;
import io.ge.redis.test.scenario.StreamApplication;
import io.ge.redis.test.scenario.StreamApplication.Worker;
import io.ge.redis.test.scenario.StreamScenario;

import org.springframework.util.FileSystemUtils;

/**
 * Consumers of a stream that are killed: ours, and ours with a recovery that claims what
 * a dead one has left and acknowledges it, as it is often written.
 */
final class StreamFaults {

	private static final int KILLS = 12;

	private static final int NUMBERS = 500;

	/** Before, in and after the work, and before it is acknowledged. */
	private static final List<Failpoint.Place> PLACES = List.of(Failpoint.enter(Worker.class, "work"),
			Failpoint.enter(Worker.class, "done"), Failpoint.exit(Worker.class, "work"),
			Failpoint.enter(RedisStreams.class, "acknowledge"));

	private static final Sabotage CLAIM_AND_ACKNOWLEDGE = Sabotage.script("io/ge/redis/stream/take.lua",
			"give(keys, entry[1], deliveries, found[2], length)", """
					if entry[2] == RETRY then
					  give(keys, entry[1], deliveries, found[2], length)
					else
					  redis.call('XACK', keys.stream, group, entry[1])
					end
					""");

	private StreamFaults() {
	}

	static List<Play> plays() {
		return List.of(play(Outcome.OURS), play("claim and acknowledge", CLAIM_AND_ACKNOWLEDGE));
	}

	private static Play play(String subject, Sabotage... sabotage) {
		FaultRun run = FaultRun
			.of("stream", "consumer killed", "nothing lost, nothing pending, twice only what was in flight")
			.subject(subject);
		return new Play(run, () -> {
			Path journal = StreamScenario.newJournal();
			try (Site publishers = Site.of(StreamApplication.class,
					"ge.redis.stream.definitions.numbers.key=numbers.done",
					"ge.redis.stream.definitions.numbers.max-length=1000000",
					"ge.redis.stream.definitions.numbers.dedup-window=5m",
					"ge.redis.stream.definitions.numbers.groups.crew.concurrency=8",
					"ge.redis.stream.definitions.numbers.groups.crew.min-idle=1500ms",
					"ge.redis.stream.definitions.numbers.groups.crew.max-deliveries=3",
					"ge.redis.stream.definitions.numbers.groups.crew.backoff.initial=50ms",
					"ge.redis.outage.command-timeout=2s")) {
				Site plain = publishers.with("scenario.works=true", "scenario.journal=" + journal);
				Site workers = (sabotage.length > 0) ? plain.sabotaged(sabotage) : plain;
				StreamScenario.killed(run, publishers, publishers.one(), () -> workers.instances(3), journal, PLACES,
						KILLS, NUMBERS, 0, Duration.ofSeconds(15));
			}
			finally {
				FileSystemUtils.deleteRecursively(journal);
			}
		});
	}

}
