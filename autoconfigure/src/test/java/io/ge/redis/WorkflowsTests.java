// SPDX-License-Identifier: Apache-2.0

package io.ge.redis;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;

import io.ge.redis.test.Sources;
import org.junit.jupiter.api.Test;
import org.yaml.snakeyaml.Yaml;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * The workflows of GitHub do nothing that CONTRIBUTING does not say.
 */
class WorkflowsTests {

	private static final Path WORKFLOWS = Sources.ROOT.resolve(".github/workflows");

	private final String contributing = Pages.read(Sources.ROOT.resolve("CONTRIBUTING.md"));

	@Test
	void thereAreThree() {
		assertThat(Sources.below(WORKFLOWS, ".yml")).extracting((file) -> file.getFileName().toString())
			.containsExactly("benchmarks.yml", "ci.yml", "wide.yml");
	}

	@Test
	void commandsAreThoseOfContributing() {
		List<String> commands = values("run");
		assertThat(commands).hasSizeGreaterThanOrEqualTo(4).allSatisfy((command) -> {
			String fixed = command.replaceAll(" (\\$\\{\\{.*?}}|\\$[A-Z]+)", "");
			assertThat(this.contributing).contains("`" + fixed);
			if (!fixed.startsWith("mvn ")) {
				assertThat(Sources.ROOT.resolve(fixed.split(" ")[0])).matches(Files::isExecutable);
			}
		});
	}

	@Test
	void actionsHaveVersions() {
		assertThat(values("uses")).isNotEmpty()
			.allSatisfy((action) -> assertThat(action).matches("actions/[a-z-]+@v\\d+\\.\\d+\\.\\d+"));
	}

	@Test
	void noHostIsNamed() {
		assertThat(Sources.below(WORKFLOWS, ".yml"))
			.allSatisfy((file) -> assertThat(Pages.read(file)).doesNotContain("://"));
	}

	private static List<String> values(String name) {
		List<String> values = new ArrayList<>();
		Sources.below(WORKFLOWS, ".yml").forEach((file) -> collect(new Yaml().load(Pages.read(file)), name, values));
		return values;
	}

	private static void collect(Object node, String name, List<String> values) {
		if (node instanceof Map<?, ?> map) {
			map.forEach((key, value) -> {
				if (name.equals(key) && value instanceof String text) {
					values.add(text);
				}
				collect(value, name, values);
			});
		}
		else if (node instanceof List<?> list) {
			list.forEach((element) -> collect(element, name, values));
		}
	}

}
