// SPDX-License-Identifier: Apache-2.0

package io.ge.redis.queue;

import java.io.InputStream;
import java.lang.reflect.Method;
import java.time.Duration;
import java.util.Arrays;
import java.util.List;
import java.util.function.Supplier;

import io.ge.redis.GuardConfigurationException;
import io.ge.redis.core.RedisBackend;
import io.ge.redis.core.consume.ConsumerFrame;
import io.ge.redis.core.consume.ConsumerProperties;
import io.ge.redis.core.consume.JsonPayloads;
import io.ge.redis.core.event.GuardEvents;
import io.ge.redis.core.invocation.AttributeReader;
import io.ge.redis.core.invocation.GuardedMethod;
import org.junit.jupiter.api.Test;
import tools.jackson.databind.json.JsonMapper;

import org.springframework.boot.context.properties.bind.BindException;
import org.springframework.util.unit.DataSize;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

/**
 * Mistakes in properties and annotations are refused, and the messages say what to write.
 */
class QueueConfigurationTests {

	@Test
	void refusesPropertiesThatCannotWork() {
		refuses("max-attempts must be at least 1, was 0", "mail.max-attempts", "0");
		refuses("priority must be from 0 to 9, was 10", "mail.priority", "10");
		refuses("visibility-timeout must be at least 100ms", "mail.visibility-timeout", "50ms");
		refuses("dedup-window must be from 0 to result-ttl", "mail.dedup-window", "2d");
		refuses("neither braces, colons nor slashes", "[a:b].concurrency", "1");
		refuses("neither braces, colons nor slashes", "[a{b].concurrency", "1");
		refuses("backoff.max must not be below backoff.initial", "mail.backoff.initial", "2m");
	}

	private static void refuses(String problem, String... properties) {
		assertThatExceptionOfType(BindException.class).isThrownBy(() -> QueueInstance.properties(properties))
			.havingRootCause()
			.withMessageContaining(problem);
	}

	@Test
	void refusesAListenerOfAQueueThatIsNotConfigured() {
		assertThatExceptionOfType(GuardConfigurationException.class).isThrownBy(() -> listen("unknown"))
			.withMessageContainingAll("queue 'letters' is not configured",
					"ge.redis.queue.queues.letters.concurrency=4");
	}

	@Test
	void refusesAListenerThatCannotBeCalled() {
		assertThatExceptionOfType(GuardConfigurationException.class).isThrownBy(() -> listen("nothing"))
			.withMessageContaining("no parameter takes the message");
		assertThatExceptionOfType(GuardConfigurationException.class).isThrownBy(() -> listen("stream"))
			.withMessageContaining("its payload cannot be read from JSON");
	}

	@Test
	void refusesOptionsThatCannotWork() {
		assertThatIllegalArgumentException().isThrownBy(() -> JobOptions.defaults().priority(10))
			.withMessage("priority must be from 0 to 9, was 10");
		assertThatIllegalArgumentException().isThrownBy(() -> JobOptions.defaults().key(""));
		Duration forever = Duration.ofSeconds(Long.MAX_VALUE);
		assertThatIllegalArgumentException().isThrownBy(() -> JobOptions.defaults().delay(forever))
			.withMessage("delay must be between 0ms and 36525 days, but is " + forever);
	}

	@Test
	void dropsJobsWhereQueuesAreSwitchedOff() {
		JobQueue queue = JobQueue.unguarded();
		EnqueuedJob job = queue.enqueue("any", "job");
		assertThat(queue.status("any", job.id()).state()).isEqualTo(JobStatus.State.UNKNOWN);
		assertThat(queue.cancel("any", job.id())).isEqualTo(JobStatus.State.UNKNOWN);
	}

	private static void listen(String name) {
		QueueProperties properties = QueueInstance.properties("mail.concurrency", "1");
		Supplier<RedisBackend> noBackend = () -> {
			throw new IllegalStateException("not reached");
		};
		ConsumerFrame frame = new ConsumerFrame(() -> {
			throw new IllegalStateException("not reached");
		}, () -> new ConsumerProperties(null, Duration.ofSeconds(1), Duration.ofHours(1), null,
				DataSize.ofMegabytes(4)), new AttributeReader((text) -> text), new JsonPayloads(JsonMapper::shared),
				new GuardEvents(List::of));
		QueuePattern pattern = new QueuePattern(() -> properties, noBackend, frame);
		Method method = Arrays.stream(Listeners.class.getDeclaredMethods())
			.filter((each) -> each.getName().equals(name))
			.findFirst()
			.orElseThrow();
		pattern.listen(new Listeners(), new GuardedMethod(method, Listeners.class, RedisJob.class),
				method.getAnnotation(RedisJob.class));
	}

	static class Listeners {

		@RedisJob(queue = "letters")
		void unknown(String job) {
		}

		@RedisJob(queue = "mail")
		void nothing() {
		}

		@RedisJob(queue = "mail")
		void stream(InputStream job) {
		}

	}

}
