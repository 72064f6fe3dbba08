// SPDX-License-Identifier: Apache-2.0

package io.ge.redis.autoconfigure;

import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;

import io.ge.redis.broadcast.Broadcaster;
import io.ge.redis.broadcast.RedisBroadcastListener;
import io.ge.redis.core.consume.ConsumerReport;
import io.ge.redis.core.consume.Consumers;
import io.ge.redis.stream.RedisStreamListener;
import io.ge.redis.stream.StreamMessage;
import io.ge.redis.stream.StreamPublisher;
import io.ge.redis.test.SharedRedis;
import io.ge.redis.test.Sized;
import io.ge.redis.test.Wide;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.data.redis.autoconfigure.DataRedisAutoConfiguration;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Listeners that start when the application says so.
 */
@Sized
class ConsumerStartIntegrationTests {

	private static final String TRIGGERS = "triggers/agents";

	private static final int STARTS = Wide.RUN ? 20 : 5;

	private final ApplicationContextRunner runner = new ApplicationContextRunner()
		.withConfiguration(AutoConfigurations.of(DataRedisAutoConfiguration.class, GeRedisAutoConfiguration.class,
				ConsumerAutoConfiguration.class, StreamAutoConfiguration.class, BroadcastAutoConfiguration.class))
		.withBean(Agents.class)
		.withPropertyValues(SharedRedis.properties())
		.withPropertyValues("ge.redis.stream.definitions.triggers.key=triggers",
				"ge.redis.stream.definitions.triggers.max-length=100",
				"ge.redis.stream.definitions.triggers.groups.agents.min-idle=100ms",
				"ge.redis.broadcast.channels.system.retention=1", "ge.redis.broadcast.channels.system.sticky=true");

	@BeforeEach
	@AfterEach
	void emptyRedis() {
		SharedRedis.standalone().flushAll();
	}

	@Test
	void eachInstanceStartsThatComesToAChannelWhoseLastMessageIsResume() {
		this.runner.run((context) -> context.getBean(Broadcaster.class).publish("system", "resume"));
		for (int i = 0; i < STARTS; i++) {
			String trigger = "trigger " + i;
			this.runner.run((context) -> {
				context.getBean(StreamPublisher.class).publish("triggers", StreamMessage.of(trigger));
				Awaitility.await().until(() -> context.getBean(Agents.class).handled.contains(trigger));
			});
		}
	}

	@Test
	void oneThatNothingStartsTakesNothingAndShows() {
		this.runner.run((context) -> {
			context.getBean(StreamPublisher.class).publish("triggers", StreamMessage.of("waits"));
			Consumers consumers = context.getBean(Consumers.class);
			Awaitility.await().until(() -> report(consumers).isNeglected());
			assertThat(report(consumers).state()).isEqualTo(ConsumerReport.State.PAUSED);
			assertThat(context.getBean(Agents.class).handled).isEmpty();
			assertThat(consumers.start("unknown")).isZero();
			assertThat(consumers.start(TRIGGERS)).isOne();
			Awaitility.await().until(() -> context.getBean(Agents.class).handled.contains("waits"));
		});
		this.runner.withPropertyValues("ge.redis.stream.definitions.triggers.groups.agents.auto-startup=true")
			.run((context) -> {
				context.getBean(StreamPublisher.class).publish("triggers", StreamMessage.of("taken"));
				Awaitility.await().until(() -> context.getBean(Agents.class).handled.contains("taken"));
			});
	}

	private static ConsumerReport report(Consumers consumers) {
		return consumers.reports()
			.stream()
			.filter((report) -> report.source().equals(TRIGGERS))
			.findFirst()
			.orElseThrow();
	}

	static class Agents {

		final List<String> handled = new CopyOnWriteArrayList<>();

		private final Consumers consumers;

		Agents(Consumers consumers) {
			this.consumers = consumers;
		}

		@RedisStreamListener(stream = "triggers", autoStartup = false)
		void handle(String trigger) {
			this.handled.add(trigger);
		}

		@RedisBroadcastListener(channel = "system")
		void system(String message) {
			this.consumers.start(TRIGGERS);
		}

	}

}
