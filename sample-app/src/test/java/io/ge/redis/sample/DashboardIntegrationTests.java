// SPDX-License-Identifier: Apache-2.0

package io.ge.redis.sample;

import java.io.File;
import java.io.IOException;
import java.net.URI;
import java.net.URLEncoder;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;
import java.util.stream.Stream;

import io.ge.redis.test.Sources;
import io.ge.redis.test.Wide;
import org.awaitility.Awaitility;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Assumptions;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Runs the queries of the dashboard and the alerts on a real Prometheus that scrapes the
 * sample. Skipped where there is no {@code prometheus} on the path.
 */
@Wide
class DashboardIntegrationTests {

	private static final JsonMapper MAPPER = new JsonMapper();

	private static final HttpClient CLIENT = HttpClient.newHttpClient();

	private static final Duration SOON = Duration.ofSeconds(60);

	private static final Path GRAFANA = Sources.ROOT.resolve("grafana");

	private static final Pattern LISTENING = Pattern.compile("Listening on.*?127\\.0\\.0\\.1:(\\d+)");

	private static final Pattern VALUE = Pattern.compile("\"value\":\\[[^,]+,\"([^\"]+)\"]");

	@Test
	void everyQueryRunsAndFirstRowAndPercentilesHaveFigures(@TempDir Path directory) throws IOException {
		String prometheus = find();
		Assumptions.assumeTrue(prometheus != null, "Dashboard is not tried: there is no prometheus on the path");
		Desk desk = SharedDesk.fresh(Database.H2);
		Path configuration = Files.writeString(directory.resolve("prometheus.yml"),
				Files.readString(GRAFANA.resolve("prometheus.yml"))
					.replace("host.docker.internal:8080", URI.create(desk.url("/")).getAuthority())
					.replace(": 5s", ": 1s")
					.replace("prometheus-rules.yml", GRAFANA.resolve("prometheus-rules.yml").toString()));
		Path log = directory.resolve("log");
		Process process = new ProcessBuilder(prometheus, "--config.file=" + configuration,
				"--storage.tsdb.path=" + directory.resolve("data"), "--web.listen-address=127.0.0.1:0")
			.redirectErrorStream(true)
			.redirectOutput(log.toFile())
			.start();
		try {
			String api = "http://127.0.0.1:" + awaitPort(log) + "/api/v1/";
			awaitFigures(desk, api);
			JsonNode panels = MAPPER.readTree(GRAFANA.resolve("ge-redis.json").toFile()).path("panels");
			assertThat(panels.findValuesAsString("expr")).hasSizeGreaterThan(60)
				.allSatisfy(
						(expression) -> assertThat(ask(api, expression).statusCode()).as(expression).isEqualTo(200));
			assertThat(panels.valueStream().filter((panel) -> panel.path("type").asString().equals("stat"))).hasSize(6)
				.allSatisfy((stat) -> assertThat(values(api, stat.at("/targets/0/expr").asString())).as(stat.toString())
					.singleElement()
					.isNotEqualTo("NaN"));
			JsonNode rules = MAPPER.readTree(get(api + "rules").body()).at("/data/groups/0/rules");
			assertThat(rules.valueStream()).hasSizeGreaterThan(20)
				.allSatisfy((rule) -> assertThat(rule.path("health").asString()).as(rule.toString()).isEqualTo("ok"));
		}
		finally {
			process.destroy();
		}
	}

	/**
	 * Calls the desk until the calls are seen, since Prometheus needs to see a change.
	 */
	private static void awaitFigures(Desk desk, String api) {
		Awaitility.await().atMost(SOON).pollInterval(Duration.ofSeconds(1)).until(() -> {
			desk.post("/api/agents/dashboard/run?millis=0", null);
			desk.post("/api/agents/dashboard/tasks", "{\"workItemId\":\"w\"}");
			desk.get("/api/wallets/w-1/balances/SOL");
			return Stream.of("ge_redis_script", "ge_redis_lock_acquire")
				.allMatch((timer) -> values(api,
						"histogram_quantile(0.99, sum by (le) (rate(" + timer + "_seconds_bucket[1m])))")
					.stream()
					.anyMatch((value) -> !value.equals("NaN")))
					&& !values(api, "rate(ge_redis_ratelimit_requests_total[1m]) > 0").isEmpty();
		});
	}

	private static List<String> values(String api, String expression) {
		return VALUE.matcher(ask(api, expression).body()).results().map((MatchResult value) -> value.group(1)).toList();
	}

	/** As Grafana does, which knows these two variables. */
	private static HttpResponse<String> ask(String api, String expression) {
		String query = expression.replace("$__rate_interval", "1m").replace("$application", ".*");
		return get(api + "query?query=" + URLEncoder.encode(query, StandardCharsets.UTF_8));
	}

	private static HttpResponse<String> get(String url) {
		return CLIENT.sendAsync(HttpRequest.newBuilder(URI.create(url)).build(), HttpResponse.BodyHandlers.ofString())
			.join();
	}

	private static String awaitPort(Path log) {
		return Awaitility.await("start of Prometheus")
			.atMost(SOON)
			.until(() -> LISTENING.matcher(Files.readString(log))
				.results()
				.map((MatchResult port) -> port.group(1))
				.findFirst()
				.orElse(""), (port) -> !port.isEmpty());
	}

	private static @Nullable String find() {
		return Stream.of(System.getenv("PATH").split(File.pathSeparator))
			.map((directory) -> new File(directory, "prometheus"))
			.filter(File::canExecute)
			.map(File::getPath)
			.findFirst()
			.orElse(null);
	}

}
