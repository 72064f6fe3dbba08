// SPDX-License-Identifier: Apache-2.0

package io.ge.redis.readme;

import java.util.concurrent.TimeUnit;

import java.util.List;

import io.ge.redis.autoconfigure.BroadcastAutoConfiguration;
import io.ge.redis.autoconfigure.ConsumerAutoConfiguration;
import io.ge.redis.autoconfigure.GeRedisAutoConfiguration;
import io.ge.redis.autoconfigure.QueueAutoConfiguration;
import io.ge.redis.autoconfigure.StreamAutoConfiguration;
import io.ge.redis.queue.JobStatus;
import io.ge.redis.readme.ConsumerExamples.Planner;
import io.ge.redis.readme.ConsumerExamples.Trigger;
import io.ge.redis.stream.StreamEnvelope;
import io.ge.redis.test.PageSettings;
import io.ge.redis.test.SharedRedis;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.data.redis.autoconfigure.DataRedisAutoConfiguration;
import org.springframework.boot.jackson.autoconfigure.JacksonAutoConfiguration;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

/**
 * Runs the examples of the pages on streams, queues and broadcasts with the yml of those
 * pages.
 */
class ConsumerExamplesIntegrationTests {

	@AfterEach
	void leaveNothingPermanent() {
		SharedRedis.standalone().flushAll();
	}

	@Test
	void whatIsSentArrives() {
		SharedRedis.standalone().flushAll();
		new ApplicationContextRunner()
			.withConfiguration(AutoConfigurations.of(JacksonAutoConfiguration.class, DataRedisAutoConfiguration.class,
					GeRedisAutoConfiguration.class, ConsumerAutoConfiguration.class, StreamAutoConfiguration.class,
					QueueAutoConfiguration.class, BroadcastAutoConfiguration.class))
			.withPropertyValues(SharedRedis.properties())
			.withPropertyValues("ge.redis.outage.command-timeout=5s")
			.withInitializer(PageSettings.of("streams", "queues", "broadcast"))
			.withBean(ConsumerExamples.class)
			.withBean(Planner.class)
			.run((context) -> {
				ConsumerExamples examples = context.getBean(ConsumerExamples.class);
				String messageId = examples.trigger().messageId();
				StreamEnvelope<Trigger> planned = context.getBean(Planner.class).planned().poll(30, TimeUnit.SECONDS);
				assertThat(planned).isNotNull();
				assertThat(planned.messageId()).isEqualTo(messageId);
				assertThat(planned.payload()).isEqualTo(new Trigger("plan the release"));
				JobStatus status = examples.enqueue();
				assertThat(status.state().text()).isEqualTo("queued");
				assertThat(examples
					.enqueueAll(List.of(new ConsumerExamples.Mail("a@b.c"), new ConsumerExamples.Mail("d@e.f"))))
					.hasSize(2);
				examples.haltAll();
				await().until(examples::isHalted);
			});
	}

}
