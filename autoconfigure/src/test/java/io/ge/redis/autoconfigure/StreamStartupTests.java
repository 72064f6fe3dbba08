// SPDX-License-Identifier: Apache-2.0

package io.ge.redis.autoconfigure;

import java.util.Arrays;
import java.util.List;
import java.util.Map;

import io.ge.redis.Acknowledgment;
import io.ge.redis.stream.RedisStreamListener;
import io.ge.redis.stream.StreamPublisher;
import io.ge.redis.test.OneMethod;
import org.junit.jupiter.api.Test;

import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.data.redis.autoconfigure.DataRedisAutoConfiguration;
import org.springframework.boot.jackson.autoconfigure.JacksonAutoConfiguration;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.core.NestedExceptionUtils;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Definitions and listeners that are refused when the application starts, with Redis
 * down, and what the developer reads then.
 */
class StreamStartupTests {

	private final ApplicationContextRunner runner = new ApplicationContextRunner()
		.withConfiguration(AutoConfigurations.of(JacksonAutoConfiguration.class, DataRedisAutoConfiguration.class,
				GeRedisAutoConfiguration.class, ConsumerAutoConfiguration.class, StreamAutoConfiguration.class))
		.withPropertyValues("spring.data.redis.port=1", "ge.redis.stream.definitions.work.key=work.done",
				"ge.redis.stream.definitions.work.max-length=100",
				"ge.redis.stream.definitions.work.groups.crew.concurrency=2");

	@Test
	void startsWithRedisDown() {
		this.runner.withBean(Fine.class)
			.run((context) -> assertThat(context).hasNotFailed().hasSingleBean(StreamPublisher.class));
	}

	@Test
	void definitionsThatCannotWorkAreNamed() {
		assertRefused("other.key=other", "other.max-length must be set to at least 1");
		assertRefused("other.max-length=10", "other.key must be set");
		assertRefused("work.overflow=block,work.block-timeout=-1s", "work.block-timeout must be at least 0ms");
		assertRefused("work.dedup-key={workItem}", "work.dedup-window must be set where dedup-key is");
		assertRefused("work.dedup-window=5m,work.dedup-key={nobody}", "work.dedup-key", "'{nobody}' is not known");
		assertRefused("work.key=work.{team}", "work.key", "'{team}' has no values");
		assertRefused("work.variables.team=a", "work.variables.team", "the key does not have '{team}'");
		assertRefused("work.key=work.{team},work.variables.team=a:b", "neither braces, colons nor slashes");
		assertRefused("work.groups.crew.min-idle=10ms", "work.groups.crew.min-idle must be at least 100ms");
		assertRefused("work.groups.crew.max-deliveries=0", "work.groups.crew.max-deliveries must be at least 1");
		assertRefused("work.key=work}done", "cannot be the hash tag");
		assertRefused("other.key=work.done,other.max-length=5,other.groups.a.concurrency=1",
				"is a stream of 'work' too");
	}

	@Test
	void deadLettersThatAreNotOfOneStreamAloneAreRefused() {
		assertRefused("work.dead-letter.key=work.done", "ge.redis.stream.definitions.work.dead-letter.key",
				"'work.done' is used by a stream of 'work' already", "Write '{work.done}:dead'");
		assertRefused("work.key=work.{team},work.variables.team=a,b,work.dead-letter.key=work.dead",
				"ge.redis.stream.definitions.work.dead-letter.key", "Write '{work.{team}}:dead'");
		assertRefused("work.dead-letter.key=other,other.key=other,other.max-length=5,other.groups.a.concurrency=1",
				"ge.redis.stream.definitions.work.dead-letter.key", "'other' is used by a stream of 'other' already");
		this.runner
			.withPropertyValues("ge.redis.stream.definitions.work.key=work.{team}",
					"ge.redis.stream.definitions.work.variables.team=a,b",
					"ge.redis.stream.definitions.work.dead-letter.key={work.{team}}:dead")
			.run((context) -> assertThat(context).hasNotFailed());
	}

	@Test
	void groupsAreRequired() {
		assertRefused("other.key=other,other.max-length=10", "other.groups must have at least one group");
	}

	@Test
	void listenersThatCannotWorkAreNamedWithWhatToWrite() {
		assertListenerRefused("unknownStream", "stream 'nothing' is not configured",
				"ge.redis.stream.definitions.nothing.key, .max-length and .groups");
		assertListenerRefused("unknownGroup", "has no group 'other'",
				"ge.redis.stream.definitions.work.groups.other.concurrency=1");
		assertListenerRefused("noMessage", "no parameter takes the message");
		assertListenerRefused("noJson", "its payload cannot be read from JSON");
		assertListenerRefused("manualWithoutAcknowledgment", "it is manual, and takes no Acknowledgment");
		assertListenerRefused("acknowledgmentWithoutManual", "it takes an Acknowledgment, and is not manual");
		assertListenerRefused("batchWithoutList", "it takes batches");
		assertListenerRefused("wrongConcurrency", "concurrency is 0");
		assertListenerRefused("noDeadLetter", "it listens to dead letters, and takes none");
		assertListenerRefused("twice", "another method of this application listens to 'work/crew'");
	}

	private void assertRefused(String properties, String... texts) {
		String[] values = Arrays.stream(properties.split(",(?=[a-z]+\\.)"))
			.map((each) -> "ge.redis.stream.definitions." + each)
			.toArray(String[]::new);
		this.runner.withPropertyValues(values).run((context) -> {
			assertThat(context).hasFailed();
			assertThat(NestedExceptionUtils.getMostSpecificCause(context.getStartupFailure()).getMessage())
				.contains(texts);
		});
	}

	private void assertListenerRefused(String listener, String... texts) {
		this.runner.withBean(OneMethod.of(Mistakes.class, listener)).run((context) -> {
			assertThat(context).hasFailed();
			assertThat(NestedExceptionUtils.getMostSpecificCause(context.getStartupFailure()).getMessage())
				.contains(texts);
		});
	}

	static class Fine {

		@RedisStreamListener(stream = "work", concurrency = "${workers:3}")
		void handle(List<String> payload, Map<String, String> headers) {
		}

	}

	interface Mistakes {

		@RedisStreamListener(stream = "nothing")
		void unknownStream(String payload);

		@RedisStreamListener(stream = "work", group = "other")
		void unknownGroup(String payload);

		@RedisStreamListener(stream = "work")
		void noMessage();

		@RedisStreamListener(stream = "work")
		void noJson(Runnable payload);

		@RedisStreamListener(stream = "work", manual = true)
		void manualWithoutAcknowledgment(String payload);

		@RedisStreamListener(stream = "work")
		void acknowledgmentWithoutManual(String payload, Acknowledgment acknowledgment);

		@RedisStreamListener(stream = "work", batch = true)
		void batchWithoutList(String payload);

		@RedisStreamListener(stream = "work", concurrency = "0")
		void wrongConcurrency(String payload);

		@RedisStreamListener(stream = "work", group = "alarm", deadLetters = true)
		void noDeadLetter(String payload);

		@RedisStreamListener(stream = "work")
		void twice(String payload);

		@RedisStreamListener(stream = "work", group = "crew")
		void twice(List<String> payload);

	}

}
