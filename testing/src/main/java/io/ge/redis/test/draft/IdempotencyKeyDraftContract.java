// SPDX-License-Identifier: Apache-2.0

package io.ge.redis.test.draft;

import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.time.Duration;
import java.util.Map;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;

import com.jayway.jsonpath.JsonPath;
import org.junit.jupiter.api.Assumptions;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * What the draft "The Idempotency-Key HTTP Header Field" (draft-ietf-httpapi) asks of a
 * server that needs the header. A test of a server extends it and says where the server
 * is; it is called over HTTP, whatever it is made of.
 */
public abstract class IdempotencyKeyDraftContract {

	private static final String KEY = "Idempotency-Key";

	private static final Duration PATIENCE = Duration.ofSeconds(30);

	private static final String[] NOTHING = {};

	private final HttpClient client = HttpClient.newHttpClient();

	/**
	 * The server, which runs.
	 * @return the server
	 */
	protected abstract IdempotentServer server();

	/**
	 * Section 2.6: the first request with a key is processed, a duplicate of one that was
	 * completed gets its result.
	 */
	@Test
	void duplicateGetsTheResultOfTheFirstRequest() {
		long before = server().effects();
		String key = newKey();
		HttpResponse<String> first = send(server().resource(), 1, key);
		assertThat(first.statusCode()).isBetween(200, 299);
		HttpResponse<String> duplicate = send(server().resource(), 1, key);
		assertSame(duplicate, first);
		assertThat(duplicate.headers().firstValue("Location")).isPresent()
			.isEqualTo(first.headers().firstValue("Location"));
		assertSame(send(server().resource(), 1, key), first);
		assertThat(server().effects()).isEqualTo(before + 1);
	}

	/**
	 * Section 2.6: the result may be an error.
	 */
	@Test
	void duplicateGetsTheErrorOfTheFirstRequest() {
		String key = newKey();
		HttpResponse<String> first = send(server().refusing(), 1, key);
		assertThat(first.statusCode()).isBetween(400, 499);
		assertSame(send(server().refusing(), 1, key), first);
	}

	/**
	 * Section 2.2: another key is another request.
	 */
	@Test
	void sameRequestWithAnotherKeyIsProcessed() {
		long before = server().effects();
		HttpResponse<String> first = send(server().resource(), 1, newKey());
		HttpResponse<String> second = send(server().resource(), 1, newKey());
		assertThat(second.statusCode()).isEqualTo(first.statusCode());
		assertThat(second.body()).isNotEqualTo(first.body());
		assertThat(server().effects()).isEqualTo(before + 2);
	}

	/**
	 * Section 2.7: 400 where the header is needed and missing.
	 */
	@Test
	void requestWithoutKeyIsBad() {
		long before = server().effects();
		assertProblem(send(server().resource(), 1, NOTHING), 400);
		assertThat(server().effects()).isEqualTo(before);
	}

	/**
	 * Section 2.1: the value is a string as of RFC 8941, section 3.3.3.
	 */
	@ParameterizedTest
	@ValueSource(strings = { "\"", "\"open", "\"a\"b\"", "\"a\\b\"", "\"a\\", "\"a\tb\"" })
	void keyThatIsNoStringIsBad(String value) {
		long before = server().effects();
		assertProblem(send(server().resource(), 1, KEY, value), 400);
		assertThat(server().effects()).isEqualTo(before);
	}

	/**
	 * Section 2.1: an item is no list.
	 */
	@Test
	void severalKeysAreBad() {
		long before = server().effects();
		assertProblem(send(server().resource(), 1, KEY, newKey(), KEY, newKey()), 400);
		assertProblem(send(server().resource(), 1, KEY, newKey() + ", " + newKey()), 400);
		assertThat(server().effects()).isEqualTo(before);
	}

	/**
	 * RFC 8941, section 4.2: spaces around an item mean nothing, and a backslash only
	 * what it stands before.
	 */
	@ParameterizedTest
	@ValueSource(strings = { "with space", "with \\\"quotes\\\"", "with \\\\", "!#$%&'()*+,-./:;<=>?@[]^_`{|}~" })
	void keyMayHoldWhatAStringMayHold(String text) {
		String id = UUID.randomUUID().toString();
		HttpResponse<String> first = send(server().resource(), 1, KEY, '"' + id + text + '"');
		assertThat(first.statusCode()).isBetween(200, 299);
		assertSame(send(server().resource(), 1, KEY, "  \"" + id + text + "\"  "), first);
		HttpResponse<String> other = send(server().resource(), 1, KEY, '"' + id + text + "-\"");
		assertThat(other.body()).isNotEqualTo(first.body());
	}

	/**
	 * Section 2.4 and 2.7: 422 where the key was used for another request.
	 */
	@Test
	void keyOfARequestWithAnotherContentIsUnprocessable() {
		long before = server().effects();
		String key = newKey();
		HttpResponse<String> first = send(server().resource(), 1, key);
		assertProblem(send(server().resource(), 2, key), 422);
		assertSame(send(server().resource(), 1, key), first);
		assertThat(server().effects()).isEqualTo(before + 1);
	}

	/**
	 * Section 2.6 and 2.7: 409 where the first request is still being processed.
	 */
	@Test
	void duplicateOfARequestThatIsBeingProcessedIsAConflict() throws Exception {
		long before = server().effects();
		String key = newKey();
		CompletableFuture<HttpResponse<String>> first = CompletableFuture
			.supplyAsync(() -> send(server().slow(), 1, key), (task) -> new Thread(task).start());
		server().awaitProcessing();
		try {
			assertProblem(send(server().slow(), 1, key), 409);
		}
		finally {
			server().release();
		}
		HttpResponse<String> completed = first.get(PATIENCE.toSeconds(), TimeUnit.SECONDS);
		assertThat(completed.statusCode()).isBetween(200, 299);
		assertSame(send(server().slow(), 1, key), completed);
		assertThat(server().effects()).isEqualTo(before + 1);
	}

	/**
	 * Section 5: who guesses the key of somebody else must not get the result.
	 */
	@Test
	void keyOfAnotherUserIsAnotherKey() {
		Assumptions.assumeFalse(server().credentials("anna").isEmpty(), "The server knows no users");
		String key = newKey();
		HttpResponse<String> first = sendAs("anna", key);
		HttpResponse<String> other = sendAs("boris", key);
		assertThat(other.statusCode()).isEqualTo(first.statusCode());
		assertThat(other.body()).isNotEqualTo(first.body());
		assertSame(sendAs("anna", key), first);
	}

	private HttpResponse<String> sendAs(String user, String key) {
		Map<String, String> credentials = server().credentials(user);
		String[] fields = credentials.entrySet()
			.stream()
			.flatMap((field) -> Stream.of(field.getKey(), field.getValue()))
			.toArray(String[]::new);
		String[] all = Stream.concat(Stream.of(fields), Stream.of(KEY, key)).toArray(String[]::new);
		return send(server().resource(), 1, all);
	}

	private static String newKey() {
		return '"' + UUID.randomUUID().toString() + '"';
	}

	private HttpResponse<String> send(URI resource, int content, String key) {
		return send(resource, content, KEY, key);
	}

	private HttpResponse<String> send(URI resource, int content, String... fields) {
		HttpRequest.Builder request = HttpRequest.newBuilder(resource)
			.timeout(PATIENCE)
			.header("Content-Type", "application/json")
			.POST(HttpRequest.BodyPublishers.ofString(server().content(content)));
		for (int i = 0; i < fields.length; i += 2) {
			request.header(fields[i], fields[i + 1]);
		}
		return this.client.sendAsync(request.build(), HttpResponse.BodyHandlers.ofString()).join();
	}

	private static void assertSame(HttpResponse<String> duplicate, HttpResponse<String> first) {
		assertThat(duplicate.statusCode()).isEqualTo(first.statusCode());
		assertThat(duplicate.body()).isEqualTo(first.body());
		assertThat(duplicate.headers().firstValue("Content-Type"))
			.isEqualTo(first.headers().firstValue("Content-Type"));
	}

	/**
	 * Section 2.7: refusals are problem details as of RFC 9457, with a link to the
	 * documentation.
	 */
	private void assertProblem(HttpResponse<String> response, int status) {
		assertThat(response.statusCode()).isEqualTo(status);
		assertThat(response.headers().firstValue("Content-Type").orElse("")).startsWith("application/problem+json");
		Map<String, Object> problem = JsonPath.read(response.body(), "$");
		assertThat(problem.get("title")).asString().isNotBlank();
		assertThat(problem.get("detail")).asString().isNotBlank();
		assertThat(problem.get("status")).isEqualTo(status);
		assertThat(URI.create(String.valueOf(problem.get("type"))).isAbsolute()).isTrue();
		String documentation = server().documentation();
		if (documentation != null) {
			String links = problem.get("type") + " " + response.headers().allValues("Link");
			assertThat(links).contains(documentation);
		}
	}

}
