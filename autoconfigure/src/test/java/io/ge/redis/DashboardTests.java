// SPDX-License-Identifier: Apache-2.0

package io.ge.redis;

import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;

import io.ge.redis.test.Sources;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.yaml.snakeyaml.Yaml;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Every query of the dashboard and of the alerts asks for meters, labels and values that
 * exist, and every meter is on the dashboard.
 */
class DashboardTests {

	private static final Pattern SERIES = Pattern.compile("\\b(ge_redis_\\w+)(?:\\{([^}]*)})?");

	private static final Pattern MATCHER = Pattern.compile("(\\w+)\\s*(=~|!=|!~|=)\\s*\"([^\"]*)\"");

	private static final Pattern GROUPING = Pattern.compile("\\bby \\(([^)]*)\\)");

	private static final Pattern SHOWN = Pattern.compile("\\{\\{\\s*(?:\\$labels\\.)?(\\w+)\\s*}}");

	/** Labels that Prometheus or the application adds to all series. */
	private static final Set<String> COMMON = Set.of("application", "instance", "job");

	private static PrometheusMeters meters;

	private final JsonNode dashboard = new JsonMapper()
		.readTree(Pages.read(Sources.ROOT.resolve("grafana/ge-redis.json")));

	@BeforeAll
	static void readMeters() throws ReflectiveOperationException {
		meters = PrometheusMeters.ofLibrary();
	}

	@Test
	void dashboardAsksForWhatExists() {
		List<String> problems = new ArrayList<>();
		Set<Integer> ids = new HashSet<>();
		for (JsonNode panel : panels()) {
			assertThat(ids.add(panel.path("id").asInt())).isTrue();
			for (JsonNode target : panel.path("targets")) {
				check(target.path("expr").asString(""), target.path("legendFormat").asString(""), problems);
			}
		}
		assertThat(ids).hasSizeGreaterThan(30);
		assertThat(problems).isEmpty();
		assertThat(this.dashboard.path("templating")
			.path("list")
			.valueStream()
			.map((each) -> each.path("name").asString())).contains("datasource", "application");
	}

	@Test
	void firstRowHasFiguresWithThresholdsAndFurtherOnesAreCollapsed() {
		List<JsonNode> top = this.dashboard.path("panels").valueStream().toList();
		assertThat(top.subList(0, 6)).allSatisfy((panel) -> {
			assertThat(panel.path("type").asString()).isEqualTo("stat");
			assertThat(panel.at("/fieldConfig/defaults/thresholds/steps").size()).isGreaterThan(1);
			assertThat(panel.path("description").asString()).isNotBlank();
		});
		assertThat(top.stream().filter((panel) -> panel.path("type").asString().equals("row")).skip(1))
			.allMatch((row) -> row.path("collapsed").asBoolean());
	}

	@Test
	void everyPanelIsDescribed() {
		assertThat(panels().stream().filter((panel) -> !panel.path("type").asString().equals("row")))
			.allSatisfy((panel) -> assertThat(panel.path("description").asString("")).as(panel.path("title").asString())
				.endsWith("."));
	}

	@Test
	void increasesAreWholeNumbers() {
		assertThat(queries().filter((query) -> query.contains("increase("))).isNotEmpty()
			.allSatisfy((query) -> assertThat(query.split("increase\\(")).hasSameSizeAs(query.split("round\\(")));
	}

	@Test
	void everyTimerHasAPercentile() {
		List<String> queries = queries().toList();
		assertThat(meters.labels().keySet().stream().filter((series) -> series.endsWith(PrometheusMeters.BUCKET)))
			.hasSizeGreaterThan(5)
			.allSatisfy((bucket) -> assertThat(queries)
				.anyMatch((query) -> query.startsWith("histogram_quantile(0.99, sum by (le")
						&& query.contains("(rate(" + bucket + "{")));
	}

	private Stream<String> queries() {
		return panels().stream()
			.flatMap((panel) -> panel.path("targets").valueStream())
			.map((target) -> target.path("expr").asString(""));
	}

	/** Panels, those of collapsed rows included. */
	private List<JsonNode> panels() {
		return this.dashboard.path("panels")
			.valueStream()
			.flatMap((panel) -> Stream.concat(Stream.of(panel), panel.path("panels").valueStream()))
			.toList();
	}

	@Test
	void everyMeterIsOnTheDashboard() {
		Set<String> shown = new TreeSet<>();
		panels().forEach((panel) -> panel.path("targets")
			.forEach((target) -> SERIES.matcher(target.path("expr").asString(""))
				.results()
				.forEach((series) -> shown.add(series.group(1)))));
		assertThat(meters.meters()).isNotEmpty()
			.allSatisfy((meter) -> assertThat(shown).anyMatch(
					(series) -> series.equals(meter) || series.matches(meter + "_(total|seconds_(count|sum|max))")));
	}

	@Test
	@SuppressWarnings("unchecked")
	void alertsAskForWhatExists() {
		Map<String, List<Map<String, Object>>> file = new Yaml()
			.load(Pages.read(Sources.ROOT.resolve("grafana/prometheus-rules.yml")));
		List<Map<String, Object>> rules = (List<Map<String, Object>>) file.get("groups").get(0).get("rules");
		List<String> problems = new ArrayList<>();
		Set<Object> names = new HashSet<>();
		for (Map<String, Object> rule : rules) {
			assertThat(names.add(rule.get("alert"))).isTrue();
			assertThat((Map<String, String>) rule.get("labels")).containsKey("severity");
			check((String) rule.get("expr"), ((Map<String, String>) rule.get("annotations")).get("summary"), problems);
		}
		assertThat(problems).isEmpty();
		String tests = Pages.read(Sources.ROOT.resolve("grafana/prometheus-rules-test.yml"));
		assertThat(names)
			.allSatisfy((alert) -> assertThat(tests).contains("alertname: " + alert + "\n        exp_alerts:"));
	}

	@Test
	void mistakesAreFound() {
		List<String> problems = new ArrayList<>();
		check("rate(ge_redis_lock_lost[5m])", "", problems);
		check("sum by (lock, mode) (ge_redis_lock_lost_total{lock=\"a\", outcome=\"lost\"})", "{{lock}} {{limit}}",
				problems);
		check("ge_redis_ratelimit_requests_total{outcome=~\"denied|refused\", limit=\"any\"}", "", problems);
		check("sum by (script) (ge_redis_script_seconds_sum{pattern=\"lock\"})", "", problems);
		assertThat(problems).containsExactly("ge_redis_lock_lost: no such series",
				"outcome: no label of ge_redis_lock_lost_total", "mode: no label of any series of the query",
				"limit: is shown but not grouped by", "outcome=refused: no value of ge_redis_ratelimit_requests_total",
				"pattern: no label of ge_redis_script_seconds_sum");
	}

	private void check(String query, String text, List<String> problems) {
		Set<String> known = new HashSet<>(COMMON);
		Matcher series = SERIES.matcher(query);
		assertThat(query).containsPattern(SERIES);
		while (series.find()) {
			Map<String, Set<String>> labels = meters.labels().get(series.group(1));
			if (labels == null) {
				problems.add(series.group(1) + ": no such series");
				return;
			}
			known.addAll(labels.keySet());
			if (series.group(2) != null) {
				checkMatchers(series.group(1), series.group(2), labels, problems);
			}
		}
		Set<String> grouped = new HashSet<>();
		Matcher grouping = GROUPING.matcher(query);
		while (grouping.find()) {
			grouped.addAll(List.of(grouping.group(1).split(",\\s*")));
		}
		grouped.stream()
			.filter((label) -> !known.contains(label))
			.forEach((label) -> problems.add(label + ": no label of any series of the query"));
		Matcher shown = SHOWN.matcher(text);
		while (shown.find()) {
			if (!grouped.contains(shown.group(1))) {
				problems.add(shown.group(1) + ": is shown but not grouped by");
			}
		}
	}

	private static void checkMatchers(String series, String selector, Map<String, Set<String>> labels,
			List<String> problems) {
		Matcher matcher = MATCHER.matcher(selector);
		while (matcher.find()) {
			String label = matcher.group(1);
			if (COMMON.contains(label)) {
				continue;
			}
			Set<String> values = labels.get(label);
			if (values == null) {
				problems.add(label + ": no label of " + series);
			}
			else if (!values.isEmpty()) {
				for (String value : matcher.group(3).split("\\|")) {
					if (!values.contains(value)) {
						problems.add(label + "=" + value + ": no value of " + series);
					}
				}
			}
		}
	}

}
