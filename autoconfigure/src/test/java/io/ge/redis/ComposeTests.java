// SPDX-License-Identifier: Apache-2.0

package io.ge.redis;

import java.io.IOException;
import java.net.URI;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;

import io.ge.redis.test.Sources;
import org.junit.jupiter.api.Test;
import org.yaml.snakeyaml.Yaml;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * The compose file mounts files that exist, at the paths that its services read.
 */
class ComposeTests {

	private static final Path GRAFANA = Sources.ROOT.resolve("grafana");

	private static final String DATASOURCE = "/etc/grafana/provisioning/datasources/prometheus.yml";

	private static final String PROVIDER = "/etc/grafana/provisioning/dashboards/ge-redis.yml";

	private static final String CONFIGURATION = "/etc/prometheus/prometheus.yml";

	private final Map<String, Map<String, Object>> services = map(yaml("compose.yaml"), "services");

	@Test
	void servicesAreComplete() {
		assertThat(yaml("compose.yaml").keySet()).containsExactly("services");
		this.services.forEach((name, service) -> {
			assertThat(service.keySet()).as(name)
				.isSubsetOf("image", "ports", "extra_hosts", "volumes", "environment", "depends_on");
			assertThat((String) service.get("image")).matches("[a-z/]+:v?\\d+\\.\\d+\\.\\d+");
			assertThat(list(service, "ports")).isNotEmpty()
				.allSatisfy((port) -> assertThat(port).matches("127\\.0\\.0\\.1:\\d+:\\d+"));
			assertThat(this.services.keySet()).containsAll(list(service, "depends_on"));
		});
	}

	@Test
	void prometheusFindsItsFiles() {
		Map<String, Path> mounted = mounts("prometheus");
		assertThat(mounted).containsKey(CONFIGURATION);
		assertThat(list(yaml("prometheus.yml"), "rule_files"))
			.allSatisfy((file) -> assertThat(mounted).containsKey("/etc/prometheus/" + file));
		assertThat(Pages.read(GRAFANA.resolve("prometheus.yml"))).contains("host.docker.internal:8080");
		assertThat(list(this.services.get("prometheus"), "extra_hosts"))
			.containsExactly("host.docker.internal:host-gateway");
		assertThat(Pages.read(Sources.ROOT.resolve("sample-app/src/main/resources/application.yml")))
			.containsPattern("include: .*\\bprometheus\\b");
	}

	@Test
	void grafanaFindsItsFiles() {
		Map<String, Path> mounted = mounts("grafana");
		assertThat(mounted).containsKeys(DATASOURCE, PROVIDER);
		Map<String, Object> provider = first(read(mounted.get(PROVIDER)), "providers");
		Map<String, Object> options = map(provider, "options");
		String dashboard = options.get("path") + "/ge-redis.json";
		assertThat(mounted).containsKey(dashboard);
		Map<String, Object> environment = map(this.services.get("grafana"), "environment");
		assertThat(environment).containsEntry("GF_DASHBOARDS_DEFAULT_HOME_DASHBOARD_PATH", dashboard);
		URI prometheus = URI.create((String) first(read(mounted.get(DATASOURCE)), "datasources").get("url"));
		assertThat(list(this.services.get(prometheus.getHost()), "ports"))
			.anySatisfy((port) -> assertThat(port).endsWith(":" + prometheus.getPort()));
	}

	/**
	 * The files below each volume, by their path in the container.
	 */
	private Map<String, Path> mounts(String service) {
		Map<String, Path> mounts = new LinkedHashMap<>();
		for (String volume : list(this.services.get(service), "volumes")) {
			String[] parts = volume.split(":");
			assertThat(parts).as(volume).hasSize(3).endsWith("ro");
			Path source = GRAFANA.resolve(parts[0]).normalize();
			assertThat(source).exists();
			try (Stream<Path> files = Files.walk(source)) {
				files.filter(Files::isRegularFile)
					.forEach((file) -> mounts
						.put(file.equals(source) ? parts[1] : parts[1] + "/" + source.relativize(file), file));
			}
			catch (IOException ex) {
				throw new IllegalStateException(volume, ex);
			}
		}
		return mounts;
	}

	private static Map<String, Object> yaml(String file) {
		return read(GRAFANA.resolve(file));
	}

	private static Map<String, Object> read(Path file) {
		return new Yaml().load(Pages.read(file));
	}

	@SuppressWarnings("unchecked")
	private static <T> Map<String, T> map(Map<String, ?> parent, String name) {
		return (Map<String, T>) parent.get(name);
	}

	@SuppressWarnings("unchecked")
	private static Map<String, Object> first(Map<String, ?> parent, String name) {
		return ((List<Map<String, Object>>) parent.get(name)).get(0);
	}

	@SuppressWarnings("unchecked")
	private static List<String> list(Map<String, ?> parent, String name) {
		return parent.containsKey(name) ? (List<String>) parent.get(name) : List.of();
	}

}
