// SPDX-License-Identifier: Apache-2.0

package io.ge.redis.stream;

import java.util.List;
import java.util.Map;
import java.util.concurrent.CopyOnWriteArrayList;

import io.ge.redis.autoconfigure.ConsumerAutoConfiguration;
import io.ge.redis.autoconfigure.GeRedisAutoConfiguration;
import io.ge.redis.autoconfigure.StreamAutoConfiguration;
import io.ge.redis.test.OnRedis;
import io.ge.redis.test.PageSettings;
import io.ge.redis.test.RedisFixture;
import io.ge.redis.test.RedisTarget;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.data.redis.autoconfigure.DataRedisAutoConfiguration;
import org.springframework.boot.jackson.autoconfigure.JacksonAutoConfiguration;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.data.redis.connection.stream.StreamInfo.XInfoConsumer;
import org.springframework.data.redis.core.StringRedisTemplate;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.awaitility.Awaitility.await;

/**
 * The contract between agents as the page on streams writes it down, in
 * {@code application.yml} alone.
 */
@OnRedis(value = RedisTarget.STANDALONE, permanentKeys = true)
class StreamContractIntegrationTests {

	private static final Map<String, String> PLANNER = Map.of("team", "core", "agent", "planner");

	private ApplicationContextRunner runner;

	@BeforeEach
	void setUp(RedisFixture redis) {
		this.runner = new ApplicationContextRunner()
			.withConfiguration(AutoConfigurations.of(JacksonAutoConfiguration.class, DataRedisAutoConfiguration.class,
					GeRedisAutoConfiguration.class, ConsumerAutoConfiguration.class, StreamAutoConfiguration.class))
			.withPropertyValues(redis.properties())
			.withPropertyValues("POD_NAME=agent-7", "ge.redis.outage.command-timeout=5s")
			.withInitializer(PageSettings.of("streams"));
	}

	@Test
	void boundsDedupDepthAndBodiesAreThoseOfTheContract() {
		this.runner.run((context) -> {
			StreamPublisher publisher = context.getBean(StreamPublisher.class);
			StringRedisTemplate redis = context.getBean(StringRedisTemplate.class);
			StreamMessage trigger = StreamMessage.of("x").workItem("GE-1").context(Map.of("project", "ge"));
			Published first = publisher.publish("triggers", PLANNER, trigger);
			assertThat(publisher.publish("triggers", PLANNER, trigger))
				.isEqualTo(new Published(Published.Outcome.DUPLICATE, first.messageId(), first.triggerId()));
			for (int i = 2; i <= 100; i++) {
				publisher.publish("triggers", PLANNER, trigger.workItem("GE-" + i));
			}
			assertThatExceptionOfType(StreamFullException.class)
				.isThrownBy(() -> publisher.publish("triggers", PLANNER, trigger.workItem("GE-101")));
			assertThatExceptionOfType(ChainDepthException.class).isThrownBy(() -> publisher.publish("triggers",
					Map.of("team", "web", "agent", "coder"), trigger.workItem("deep").depth(4)));
			publisher.publish("triggers", Map.of("team", "web", "agent", "coder"),
					StreamMessage.of("x".repeat(3000)).workItem("large"));
			assertThat(redis.keys("ge:stream:{triggers.web.coder}:b:*")).hasSize(1);
			assertThat(redis.opsForStream().size("triggers.core.planner")).isEqualTo(100);
		});
	}

	@Test
	void consumersOfTheGroupHaveTheNameOfThePod() {
		this.runner.withBean(Executor.class).withPropertyValues("ge.redis.consumer.name=${POD_NAME}").run((context) -> {
			Executor executor = context.getBean(Executor.class);
			context.getBean(StreamPublisher.class)
				.publish("triggers", PLANNER, StreamMessage.of("plan").workItem("GE-1"));
			await().until(() -> executor.triggers.size() == 1);
			assertThat(executor.triggers.get(0).workItem()).isEqualTo("GE-1");
			assertThat(context.getBean(StringRedisTemplate.class)
				.opsForStream()
				.consumers("triggers.core.planner", "executor-group")
				.stream()
				.map(XInfoConsumer::consumerName)).containsExactly("agent-7");
		});
	}

	static class Executor {

		private final List<StreamEnvelope<String>> triggers = new CopyOnWriteArrayList<>();

		@RedisStreamListener(stream = "triggers", group = "executor-group")
		void execute(StreamEnvelope<String> trigger) {
			this.triggers.add(trigger);
		}

	}

}
