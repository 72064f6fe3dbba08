// SPDX-License-Identifier: Apache-2.0

package io.ge.redis.queue;

import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.stream.IntStream;

import io.ge.redis.DeliveryAttempt;
import io.ge.redis.queue.JobStatus.State;
import io.ge.redis.test.RedisServers;
import io.ge.redis.test.StandaloneRedis;
import io.ge.redis.test.TcpProxy;
import org.junit.jupiter.api.Test;

import org.springframework.data.redis.connection.lettuce.LettuceConnectionFactory;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

/**
 * Queues whose replies are lost, come too late or are too large.
 */
class QueueEdgesIntegrationTests {

	private static final String[] MAIL = { "mail.visibility-timeout", "1h", "mail.max-attempts", "3",
			"mail.concurrency", "4" };

	private static final String[] LARGE = { "mail.visibility-timeout", "1h", "mail.max-attempts", "3",
			"mail.max-payload-size", "64MB" };

	@Test
	void jobsWhoseReplyWasLostAreGivenAgainAtOnce() {
		try (StandaloneRedis redis = RedisServers.standalone();
				TcpProxy network = new TcpProxy(redis.primary());
				QueueInstance producer = new QueueInstance(redis, MAIL);
				QueueInstance slow = new QueueInstance(through(network), Duration.ofMillis(200), MAIL)) {
			Recorder recorder = new Recorder();
			slow.listen(recorder);
			producer.jobQueue().enqueue("mail", "first");
			await().until(() -> recorder.attempts.size() == 1);
			network.latency(Duration.ofMillis(300));
			List<EnqueuedJob> jobs = IntStream.range(0, 10)
				.mapToObj((i) -> producer.jobQueue().enqueue("mail", "m" + i))
				.toList();
			await().until(() -> producer.pattern().view("mail").inFlight() > 0);
			network.latency(Duration.ZERO);
			// An hour later without it
			await().untilAsserted(() -> assertThat(jobs)
				.allMatch((job) -> producer.jobQueue().status("mail", job.id()).state() == State.DONE));
			assertThat(recorder.attempts).containsOnly(1).hasSize(11);
		}
	}

	@Test
	void jobThatIsTooLargeToBeReadEndsAfterItsAttempts() {
		try (StandaloneRedis redis = RedisServers.standalone();
				TcpProxy network = new TcpProxy(redis.primary());
				QueueInstance producer = new QueueInstance(redis, LARGE);
				QueueInstance slow = new QueueInstance(through(network), Duration.ofMillis(200), LARGE)) {
			network.bandwidth(TcpProxy.Direction.REPLIES, 64_000_000);
			EnqueuedJob large = producer.jobQueue().enqueue("mail", Map.of("text", "x".repeat(32_000_000)));
			EnqueuedJob small = producer.jobQueue().enqueue("mail", "small");
			Recorder recorder = new Recorder();
			slow.backend().awaitConsumers();
			slow.listen(recorder);
			await().atMost(Duration.ofSeconds(30))
				.untilAsserted(
						() -> assertThat(producer.jobQueue().status("mail", small.id()).state()).isEqualTo(State.DONE));
			assertThat(producer.jobQueue().status("mail", large.id()))
				.isEqualTo(new JobStatus(large.id(), State.FAILED, 3, null, "lease-expired"));
			assertThat(producer.pattern().view("mail").deadLetters()).isEqualTo(1);
			assertThat(recorder.attempts).hasSize(1);
		}
	}

	private static LettuceConnectionFactory through(TcpProxy network) {
		LettuceConnectionFactory factory = new LettuceConnectionFactory(network.host(), network.port());
		factory.afterPropertiesSet();
		factory.start();
		return factory;
	}

	static final class Recorder {

		private final List<Integer> attempts = new CopyOnWriteArrayList<>();

		@RedisJob(queue = "mail")
		void handle(String payload, @DeliveryAttempt int attempt) {
			this.attempts.add(attempt);
		}

	}

}
