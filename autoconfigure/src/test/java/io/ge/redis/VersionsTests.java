// SPDX-License-Identifier: Apache-2.0

package io.ge.redis;

import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

import io.ge.redis.test.Sources;
import org.junit.jupiter.api.Test;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Versions on the pages are those of the build, and those of the site's build are fixed.
 */
class VersionsTests {

	private static final Pattern OURS = Pattern
		.compile("ge-redis-[a-z-]+(?:</artifactId>\\s*<version>|:)([0-9][^<\"'`\\s]*)");

	private static final Pattern BOOT = Pattern
		.compile("(?:(?<!ge-redis-)spring-boot[a-z.-]*(?:</artifactId>\\s*<version>|[:=])"
				+ "|springframework\\.boot[\"']\\)? version [\"'])(\\d+\\.\\d+\\.\\d+)");

	private final String pom = Pages.read(Sources.ROOT.resolve("pom.xml"));

	@Test
	void versionsAreThoseOfTheBuild() {
		List<String> wrong = new ArrayList<>();
		Pages.withTheirNeighbours().forEach((page, text) -> {
			if (!page.equals("CHANGELOG.md")) {
				wrong(text).forEach((version) -> wrong.add(page + ": " + version));
			}
		});
		assertThat(wrong).isEmpty();
	}

	@Test
	void wrongVersionsAreFound() {
		assertThat(wrong("""
				<artifactId>ge-redis-spring-boot-starter</artifactId>
				<version>0.0.1</version>
				implementation("io.ge.redis:ge-redis-spring-boot-starter:0.0.2")
				id("org.springframework.boot") version "4.0.1"
				-Dspring-boot.version=4.0.2, Spring Boot 4.0.3 has a fault, ge-redis-core
				""")).containsExactly("0.0.1", "0.0.2", "4.0.1", "4.0.2");
	}

	@Test
	void siteIsBuiltFromFixedPackages() {
		String lock = Pages.read(Sources.ROOT.resolve("site/package-lock.json"));
		JsonNode packages = new JsonMapper().readTree(lock).path("packages");
		JsonNode wanted = new JsonMapper().readTree(Pages.read(Sources.ROOT.resolve("site/package.json")))
			.path("devDependencies");
		assertThat(wanted.propertyNames()).isNotEmpty().allSatisfy((name) -> {
			assertThat(wanted.path(name).asString()).matches("\\d+\\.\\d+\\.\\d+");
			assertThat(packages.path("node_modules/" + name).path("version")).isEqualTo(wanted.path(name));
		});
		assertThat(lock).as("names no registry").doesNotContain("\"resolved\"");
	}

	private List<String> wrong(String text) {
		Set<String> boot = Set.of(property("spring-boot.version"),
				Pages.read(Sources.ROOT.resolve(".ci/run")).replaceAll("(?s).*OLDER_BOOT=(\\S+).*", "$1"));
		String ours = this.pom.replaceAll("(?s).*<artifactId>ge-redis-parent</artifactId>\\s*<version>([^<]+)<.*",
				"$1");
		List<String> wrong = new ArrayList<>();
		Matcher versions = OURS.matcher(text);
		while (versions.find()) {
			if (!versions.group(1).equals(ours)) {
				wrong.add(versions.group(1));
			}
		}
		Matcher boots = BOOT.matcher(text);
		while (boots.find()) {
			if (!boot.contains(boots.group(1))) {
				wrong.add(boots.group(1));
			}
		}
		return wrong;
	}

	private String property(String name) {
		return this.pom.replaceAll("(?s).*<" + Pattern.quote(name) + ">([^<]+)<.*", "$1");
	}

}
