// SPDX-License-Identifier: Apache-2.0

package io.ge.redis.sample.webflux;

import java.util.List;
import java.util.UUID;

import io.ge.redis.test.RedisServers;
import io.ge.redis.test.StandaloneRedis;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;
import tools.jackson.databind.JsonNode;

import org.springframework.boot.builder.SpringApplicationBuilder;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.http.HttpHeaders;
import org.springframework.http.MediaType;
import org.springframework.http.ResponseEntity;
import org.springframework.web.reactive.function.client.WebClient;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Tests of the sample in its reactive flavour: what the one for servlets answers to the
 * same calls.
 */
class WebFluxSampleIntegrationTests {

	private static final String TASK = "{\"workItemId\":\"w-1\",\"payload\":{\"pair\":[\"SOL\",\"USDC\"]}}";

	private static ConfigurableApplicationContext application;

	private static WebClient client;

	private final String agent = UUID.randomUUID().toString();

	@BeforeAll
	static void start() {
		StandaloneRedis redis = RedisServers.standalone();
		application = new SpringApplicationBuilder(WebFluxSampleApplication.class).properties(redis.properties())
			// A machine that has much else to do is not an outage
			.properties("server.port=0", "server.address=127.0.0.1", "ge.redis.outage.command-timeout=10s",
					"spring.main.banner-mode=off", "logging.level.root=warn",
					// Reactor Netty 1.3.6 and 1.3.7 may stop reading a connection that is
					// kept
					"server.netty.max-keep-alive-requests=1")
			.run();
		client = WebClient.create("http://127.0.0.1:" + application.getEnvironment().getProperty("local.server.port"));
	}

	@AfterAll
	static void stop() {
		application.close();
	}

	@Test
	void acceptsTask() {
		ResponseEntity<JsonNode> answer = submit(TASK).block();
		assertThat(answer.getStatusCode().value()).isEqualTo(202);
		assertThat(answer.getBody().path("taskId").asString()).isNotBlank();
		assertThat(answer.getBody().path("agent").asString()).isEqualTo(this.agent);
		assertThat(answer.getBody().path("acceptedAt").asString()).isNotBlank();
		assertThat(answer.getHeaders().getFirst("RateLimit-Policy")).contains("\"tasks\"")
			.contains("q=10")
			.contains("w=60");
	}

	@Test
	void acceptsExactlyTenOf200AtOnce() {
		List<ResponseEntity<JsonNode>> answers = Flux.range(0, 200)
			.flatMap((number) -> submit(TASK), 200)
			.collectList()
			.block();
		assertThat(answers).filteredOn((answer) -> answer.getStatusCode().value() == 202).hasSize(10);
		assertThat(answers).filteredOn((answer) -> answer.getStatusCode().value() == 429)
			.hasSize(190)
			.allSatisfy((answer) -> {
				assertThat(Integer.parseInt(answer.getHeaders().getFirst(HttpHeaders.RETRY_AFTER))).isBetween(1, 60);
				assertThat(answer.getHeaders().getContentType()).isEqualTo(MediaType.APPLICATION_PROBLEM_JSON);
				assertThat(answer.getBody().path("type").asString())
					.isEqualTo("https://iana.org/assignments/http-problem-types#quota-exceeded");
				assertThat(answer.getBody().path("violated-policies").toString()).contains("tasks");
			});
	}

	@Test
	void malformedTaskCostsNothing() {
		for (int i = 0; i < 20; i++) {
			assertThat(submit("{\"payload\":1}").block().getStatusCode().value()).isEqualTo(400);
		}
		assertThat(submit(TASK).block().getStatusCode().value()).isEqualTo(202);
	}

	@Test
	void refusesRunWhileAgentRuns() {
		// Whoever of the two comes first runs until the other has its answer, and is
		// given
		// up then
		ResponseEntity<JsonNode> refused = Flux.merge(run(60_000, 0), run(60_000, 0)).blockFirst();
		assertThat(refused.getStatusCode().value()).isEqualTo(409);
		assertThat(refused.getHeaders().getContentType()).isEqualTo(MediaType.APPLICATION_PROBLEM_JSON);
		assertThat(refused.getBody().path("type").asString()).isNotEqualTo("about:blank").isNotBlank();
		Awaitility.await().until(() -> run(0, 0).block().getStatusCode().value() == 200);
	}

	@Test
	void answersWithTheTokenOfTheRun() {
		long first = token(run(0, 0));
		// A token of the caller is nobody's business
		long second = token(run(0, 1));
		assertThat(first).isPositive();
		assertThat(second).isGreaterThan(first);
	}

	private static long token(Mono<ResponseEntity<JsonNode>> run) {
		return run.block().getBody().path("fencingToken").asLong();
	}

	private Mono<ResponseEntity<JsonNode>> submit(String task) {
		return answer(client.post()
			.uri("/api/agents/{agent}/tasks", this.agent)
			.contentType(MediaType.APPLICATION_JSON)
			.bodyValue(task));
	}

	private Mono<ResponseEntity<JsonNode>> run(long millis, long token) {
		return answer(
				client.post().uri("/api/agents/{agent}/run?millis={millis}&token={token}", this.agent, millis, token));
	}

	private static Mono<ResponseEntity<JsonNode>> answer(WebClient.RequestHeadersSpec<?> request) {
		return request.exchangeToMono((response) -> response.toEntity(JsonNode.class));
	}

}
