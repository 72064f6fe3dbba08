// SPDX-License-Identifier: Apache-2.0

package io.ge.redis.actuate;

import java.nio.charset.StandardCharsets;

import com.jayway.jsonpath.JsonPath;
import io.ge.redis.NotRetryableException;
import io.ge.redis.autoconfigure.ConsumerAutoConfiguration;
import io.ge.redis.autoconfigure.QueueAutoConfiguration;
import io.ge.redis.queue.Job;
import io.ge.redis.queue.JobQueue;
import io.ge.redis.queue.RedisJob;
import io.ge.redis.test.SharedRedis;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

import org.springframework.boot.test.context.runner.WebApplicationContextRunner;
import org.springframework.http.HttpStatus;
import org.springframework.http.MediaType;
import org.springframework.test.web.servlet.assertj.MockMvcTester;
import org.springframework.test.web.servlet.assertj.MvcTestResult;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

/**
 * Queues over HTTP, as an operator sees them.
 */
class QueuesResourceIntegrationTests {

	private static final String LETTERS = "/actuator/geredis/queue/mail/dead-letters";

	private final WebApplicationContextRunner writing = OperatorApplication
		.with(ConsumerAutoConfiguration.class, QueueAutoConfiguration.class)
		.withBean(Mailer.class)
		.withPropertyValues(SharedRedis.standalone().properties())
		.withPropertyValues("ge.redis.outage.command-timeout=5s", "ge.redis.queue.queues.mail.concurrency=1",
				"management.endpoint.geredis.access=UNRESTRICTED");

	@AfterEach
	void leaveNothingPermanent() {
		SharedRedis.standalone().flushAll();
	}

	@Test
	void listsReplaysAndDeletesDeadLetters() {
		this.writing.run((context) -> {
			MockMvcTester mvc = MockMvcTester.from(context);
			String job = context.getBean(JobQueue.class).enqueue("mail", "never").id();
			await().until(() -> text(mvc.get().uri(LETTERS).exchange()).contains(job));
			String letter = JsonPath.read(text(mvc.get().uri(LETTERS).exchange()), "$.deadLetters[0].id");
			assertThat(mvc.get().uri(LETTERS)).bodyJson()
				.extractingPath("$.deadLetters[0].reason")
				.isEqualTo("rejected");
			assertThat(text(act(mvc, "replay", letter))).contains("\"done\":true");
			await().until(() -> !text(mvc.get().uri(LETTERS).exchange()).contains(letter)
					&& text(mvc.get().uri(LETTERS).exchange()).contains("rejected"));
			String next = JsonPath.read(text(mvc.get().uri(LETTERS).exchange()), "$.deadLetters[0].id");
			assertThat(text(act(mvc, "delete", next))).contains("\"done\":true");
			for (String unknown : new String[] { next, "no-id" }) {
				assertThat(text(act(mvc, "delete", unknown))).contains("\"done\":false");
				assertThat(text(act(mvc, "replay", unknown))).contains("\"done\":false");
			}
			assertThat(act(mvc, "eat", next)).hasStatus(HttpStatus.BAD_REQUEST);
		});
	}

	private static MvcTestResult act(MockMvcTester mvc, String action, String id) {
		return mvc.post()
			.uri(LETTERS)
			.contentType(MediaType.APPLICATION_JSON)
			.content("{\"action\": \"" + action + "\", \"id\": \"" + id + "\"}")
			.exchange();
	}

	private static String text(MvcTestResult result) {
		return new String(result.getResponse().getContentAsByteArray(), StandardCharsets.UTF_8);
	}

	static class Mailer {

		@RedisJob(queue = "mail")
		public void send(Job<String> job) {
			throw new NotRetryableException(job.payload(), null);
		}

	}

}
