// SPDX-License-Identifier: Apache-2.0

package io.ge.redis.lock.internal;

import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;

import io.ge.redis.test.OnRedis;
import io.ge.redis.test.RedisFixture;
import io.ge.redis.test.Stopwatch;
import io.ge.redis.test.Wide;
import io.ge.redis.test.instance.Instance;
import io.ge.redis.test.instance.Instances;
import io.ge.redis.test.oracle.History;
import io.ge.redis.test.oracle.Journal;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Locks between processes.
 */
@Wide
@OnRedis
class LockProcessesIntegrationTests {

	@TempDir
	private Path directory;

	private Instances instances;

	@BeforeEach
	void prepare(RedisFixture redis) {
		this.instances = Instances.of(LockFaultApplication.class)
			.with(redis.properties())
			// A busy machine is no outage
			.with("ge.redis.outage.command-timeout=5s")
			.journal(this.directory);
	}

	@AfterEach
	void stop() {
		this.instances.close();
	}

	@Test
	void processesExcludeEachOther() {
		List<Instance> both = this.instances.start(2);
		both.forEach(LockProcessesIntegrationTests::warmUp);
		List<String> counts = new ArrayList<>();
		// A busy machine needs longer until there is enough to judge
		for (int round = 0; round < 20 && !isEnough(sections()); round++) {
			List<CompletableFuture<String>> working = new ArrayList<>();
			for (Instance instance : both) {
				for (int i = 0; i < 2; i++) {
					working.add(instance.call("sections", "42", "60000", "30000", "0", "1500"));
				}
			}
			working.forEach((done) -> counts.add(done.orTimeout(60, TimeUnit.SECONDS).join()));
		}
		History history = History.read(this.directory);
		assertThat(history.overlaps()).isEmpty();
		assertThat(history.fencingOrder()).isEmpty();
		assertThat(isEnough(sections())).isTrue();
		assertThat(counts).allSatisfy((count) -> assertThat(count).endsWith(" 0 0 0"));
	}

	/**
	 * Connects, and loads what the first section needs.
	 */
	private static void warmUp(Instance instance) {
		Awaitility.await()
			.atMost(Duration.ofSeconds(60))
			.ignoreExceptions()
			.until(() -> instance.get("section", "warm-" + instance.name(), "0", "30000", "0").equals("done"));
	}

	/**
	 * Returns the processes whose sections have ended, one for each section.
	 */
	private List<String> sections() {
		return History.read(this.directory)
			.entries(Journal.LEAVE)
			.stream()
			.filter((entry) -> entry.field(0).equals("42"))
			.map((entry) -> entry.process())
			.toList();
	}

	private static boolean isEnough(List<String> sections) {
		return sections.size() > 20 && sections.contains("instance-1") && sections.contains("instance-2");
	}

	@Test
	void lockOfKilledProcessGoesToWaiterWhenItsLeaseEnds() {
		List<Instance> both = this.instances.start(2);
		both.get(0).call("section", "42", "0", "2000", "60000");
		awaitEntered(both.get(0));
		CompletableFuture<String> waiting = both.get(1).call("section", "42", "20000", "2000", "0");
		both.get(0).kill();
		Stopwatch watch = Stopwatch.start();
		assertThat(waiting.orTimeout(20, TimeUnit.SECONDS).join()).isEqualTo("done");
		assertThat(watch.elapsed()).isLessThan(Duration.ofSeconds(4));
		assertThat(History.read(this.directory).overlaps()).isEmpty();
	}

	private void awaitEntered(Instance instance) {
		Awaitility.await("section of " + instance)
			.until(() -> History.read(this.directory)
				.entries(Journal.ENTER)
				.stream()
				.anyMatch((entry) -> entry.process().equals(instance.name())));
	}

}
