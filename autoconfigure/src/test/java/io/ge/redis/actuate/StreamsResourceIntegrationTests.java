// SPDX-License-Identifier: Apache-2.0

package io.ge.redis.actuate;

import java.util.List;
import java.util.Map;

import com.jayway.jsonpath.JsonPath;
import io.ge.redis.NotRetryableException;
import io.ge.redis.autoconfigure.ConsumerAutoConfiguration;
import io.ge.redis.autoconfigure.StreamAutoConfiguration;
import io.ge.redis.stream.DeadLetters;
import io.ge.redis.stream.RedisStreamListener;
import io.ge.redis.stream.StreamEnvelope;
import io.ge.redis.stream.StreamMessage;
import io.ge.redis.stream.StreamPublisher;
import io.ge.redis.stream.StreamView;
import io.ge.redis.stream.StreamViews;
import io.ge.redis.test.SharedRedis;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

import org.springframework.boot.test.context.assertj.AssertableWebApplicationContext;
import org.springframework.boot.test.context.runner.WebApplicationContextRunner;
import org.springframework.http.HttpStatus;
import org.springframework.http.MediaType;
import org.springframework.test.web.servlet.assertj.MockMvcTester;
import org.springframework.test.web.servlet.assertj.MvcTestResult;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

/**
 * Streams over HTTP, as an operator sees them.
 */
class StreamsResourceIntegrationTests {

	private static final String STREAMS = "/actuator/geredis/streams";

	private final WebApplicationContextRunner reading = OperatorApplication
		.with(ConsumerAutoConfiguration.class, StreamAutoConfiguration.class)
		.withBean(Worker.class)
		.withPropertyValues(SharedRedis.standalone().properties())
		.withPropertyValues("ge.redis.outage.command-timeout=5s", "ge.redis.stream.definitions.work.key=work.done",
				"ge.redis.stream.definitions.work.max-length=100",
				"ge.redis.stream.definitions.work.groups.crew.concurrency=2");

	private final WebApplicationContextRunner writing = this.reading
		.withPropertyValues("management.endpoint.geredis.access=UNRESTRICTED");

	@BeforeEach
	void emptyRedis() {
		SharedRedis.standalone().flushAll();
	}

	@AfterEach
	void leaveNothingPermanent() {
		SharedRedis.standalone().flushAll();
	}

	@Test
	void showsStreamsWithTheirGroups() {
		run(this.reading, (context, mvc) -> {
			context.getBean(StreamPublisher.class).publish("work", StreamMessage.of("fine"));
			await().untilAsserted(() -> assertThat(mvc.get().uri(STREAMS + "/work")).bodyJson()
				.extractingPath("$.groups[0].pending")
				.isEqualTo(0));
			assertThat(mvc.get().uri(STREAMS)).bodyJson().extractingPath("$.streams[0].name").isEqualTo("work");
			assertThat(mvc.get().uri(STREAMS)).bodyJson().extractingPath("$.streams[0].length").isEqualTo(1);
			assertThat(mvc.get().uri(STREAMS + "/work")).bodyJson().extractingPath("$.groups[0].lag").isEqualTo(0);
			assertThat(mvc.get().uri(STREAMS + "/nothing")).hasStatus(HttpStatus.NOT_FOUND);
			assertThat(mvc.get().uri(STREAMS + "/work/letters")).hasStatus(HttpStatus.NOT_FOUND);
			assertThat(post(mvc, "{\"action\": \"replay\", \"id\": \"1-1\"}")).hasStatus(HttpStatus.METHOD_NOT_ALLOWED);
		});
	}

	@Test
	void showsEachStreamOfAFamily() {
		run(this.reading.withPropertyValues("ge.redis.stream.definitions.family.key=of.{team}",
				"ge.redis.stream.definitions.family.variables.team=core,web",
				"ge.redis.stream.definitions.family.max-length=100",
				"ge.redis.stream.definitions.family.groups.crew.concurrency=1"), (context, mvc) -> {
					StreamPublisher publisher = context.getBean(StreamPublisher.class);
					publisher.publish("family", Map.of("team", "web"), StreamMessage.of("fine"));
					assertThat(mvc.get().uri(STREAMS + "/family")).bodyJson()
						.extractingPath("$.members[*].name")
						.isEqualTo(List.of("of.core", "of.web"));
					assertThat(mvc.get().uri(STREAMS)).bodyJson()
						.extractingPath("$.streams[?(@.name == 'family')].members[*].length")
						.isEqualTo(List.of(0, 1));
					StreamView view = context.getBean(StreamViews.class).view("family");
					assertThat(view.lengthLimit()).isEqualTo(200);
					assertThat(view.members().get(1).groups().get(0).lag()).isEqualTo(1);
					assertThat(context.getBean(StreamViews.class).view("work").members()).isEmpty();
				});
	}

	@Test
	void replaysAndRemovesDeadLetters() {
		run(this.writing, (context, mvc) -> {
			context.getBean(StreamPublisher.class)
				.publish("work", Map.of(), StreamMessage.of("poison").workItem("GE-1"));
			DeadLetters letters = context.getBean(DeadLetters.class);
			await().until(() -> letters.list("work", 10).size() == 1);
			assertThat(mvc.get().uri(STREAMS + "/work/dead-letters")).bodyJson()
				.extractingPath("$.deadLetters[0].workItem")
				.isEqualTo("GE-1");
			String id = letters.list("work", 10).get(0).id();
			assertThat(act(mvc, "replay", id)).isEqualTo(true);
			assertThat(act(mvc, "replay", id)).isEqualTo(false);
			await().until(() -> letters.list("work", 10).size() == 1);
			assertThat(act(mvc, "delete", letters.list("work", 10).get(0).id())).isEqualTo(true);
			assertThat(letters.list("work", 10)).isEmpty();
			assertThat(post(mvc, "{\"action\": \"eat\", \"id\": \"1-1\"}")).hasStatus(HttpStatus.BAD_REQUEST);
			assertThat(post(mvc, "{\"action\": \"replay\"}")).hasStatus(HttpStatus.BAD_REQUEST);
		});
	}

	private static Object act(MockMvcTester mvc, String action, String id) throws Exception {
		return JsonPath.read(post(mvc, "{\"action\": \"" + action + "\", \"id\": \"" + id + "\"}").getResponse()
			.getContentAsString(), "$.done");
	}

	private static MvcTestResult post(MockMvcTester mvc, String body) {
		return mvc.post()
			.uri(STREAMS + "/work/dead-letters")
			.contentType(MediaType.APPLICATION_JSON)
			.content(body)
			.exchange();
	}

	private static void run(WebApplicationContextRunner runner,
			ThrowingConsumer<AssertableWebApplicationContext, MockMvcTester> test) {
		runner.run((context) -> test.accept(context, MockMvcTester.from(context)));
	}

	@FunctionalInterface
	private interface ThrowingConsumer<A, B> {

		void accept(A context, B mvc) throws Exception;

	}

	static class Worker {

		@RedisStreamListener(stream = "work")
		void work(StreamEnvelope<String> envelope) {
			if (envelope.payload().equals("poison")) {
				throw new NotRetryableException("never", null);
			}
		}

	}

}
