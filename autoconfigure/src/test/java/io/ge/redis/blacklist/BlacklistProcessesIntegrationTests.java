// SPDX-License-Identifier: Apache-2.0

package io.ge.redis.blacklist;

import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;

import io.ge.redis.test.OnRedis;
import io.ge.redis.test.RedisFixture;
import io.ge.redis.test.Wide;
import io.ge.redis.test.instance.Instance;
import io.ge.redis.test.instance.InstanceCallException;
import io.ge.redis.test.instance.Instances;
import io.ge.redis.test.scenario.BlacklistApplication;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Revocations between eight processes, which share the clock of
 * {@link System#nanoTime()}.
 */
@Wide
@OnRedis
class BlacklistProcessesIntegrationTests {

	private static final Duration MAX_STALENESS = Duration.ofSeconds(2);

	private static final int REVOCATIONS = 100;

	private final String expiry = String.valueOf(Instant.now().plusSeconds(3600).toEpochMilli());

	private Instances instances;

	@BeforeEach
	void prepare(RedisFixture redis) {
		this.instances = Instances.of(BlacklistApplication.class)
			.with(redis.properties())
			// Eight processes on a few cores are slow, which is no outage
			.with("ge.redis.outage.command-timeout=5s");
	}

	@AfterEach
	void stop() {
		this.instances.close();
	}

	@Test
	void allRefuseWithinTheLongestStaleness() {
		List<Instance> all = new ArrayList<>();
		for (int i = 0; i < 8; i++) {
			// One after the other, which a busy machine can bear
			all.add(this.instances.start());
		}
		revoke(all, "warm");
		List<Duration> latencies = new ArrayList<>();
		for (int i = 0; i < REVOCATIONS; i++) {
			latencies.add(revoke(all, "token-" + i));
		}
		latencies.sort(null);
		System.out.println("Refused by all of 8 processes after " + latencies.get(REVOCATIONS / 2).toMillis()
				+ " ms (median), " + latencies.get(REVOCATIONS - 2).toMillis() + " ms (p99)");
	}

	@Test
	void processThatIsPausedDoesNotAnswerFromWhatItKnew() {
		List<Instance> both = this.instances.start(2);
		revoke(both, "warm");
		for (int i = 0; i < 3; i++) {
			both.get(1).pause();
			// Says that nobody lets it in any more
			both.get(0).get("revoke", "paused-" + i, this.expiry);
			both.get(1).resume();
			assertThat(enter(both.get(1), "paused-" + i)).isNotEqualTo("entered");
		}
	}

	private String enter(Instance instance, String token) {
		try {
			return instance.get("enter", token, this.expiry);
		}
		catch (InstanceCallException ex) {
			return "undecided";
		}
	}

	/**
	 * Returns after what time the last process refuses a token. A check that is begun
	 * when memory is too old does not let it in, however slow everything is.
	 */
	private Duration revoke(List<Instance> all, String token) {
		List<CompletableFuture<String>> asking = new ArrayList<>();
		for (Instance instance : all) {
			asking.add(instance.call("refusedAt", token, this.expiry));
		}
		long revoked = Long.parseLong(all.get(0).get("revokedAt", token, this.expiry));
		long last = revoked;
		for (CompletableFuture<String> asked : asking) {
			String[] answer = asked.orTimeout(60, TimeUnit.SECONDS).join().split(" ");
			last = Math.max(last, Long.parseLong(answer[0]));
			long letIn = Long.parseLong(answer[1]);
			if (letIn != 0) {
				assertThat(Duration.ofNanos(letIn - revoked)).isLessThan(MAX_STALENESS);
			}
		}
		return Duration.ofNanos(last - revoked);
	}

}
