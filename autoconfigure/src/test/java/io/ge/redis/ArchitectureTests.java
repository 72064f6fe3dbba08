// SPDX-License-Identifier: Apache-2.0

package io.ge.redis;

import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.Stream;

import io.ge.redis.test.LibraryClasses;
import com.tngtech.archunit.core.domain.JavaClasses;
import com.tngtech.archunit.core.importer.ClassFileImporter;
import com.tngtech.archunit.lang.ArchRule;
import org.junit.jupiter.api.DynamicTest;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestFactory;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * The library keeps the {@link ArchitectureRules}.
 */
class ArchitectureTests {

	private static final String ROOT = "io.ge.redis";

	/**
	 * Packages that stand, so that a rule about them cannot pass by finding nothing.
	 * Whoever builds a new one adds it here.
	 */
	private static final Set<String> BUILT = Set.of("core", "ratelimit", "lock", "breaker", "idempotency", "cache",
			"blacklist", "stream", "queue", "broadcast", "session", "state", "leaderboard", "counter", "bloom", "geo",
			"hash", "script", "web", "security", "actuate", "embedded", "autoconfigure");

	private static final JavaClasses CLASSES = new ClassFileImporter()
		.withImportOption((location) -> LibraryClasses.isOfLibrary(location.asURI().toString()))
		.importPackages("io.ge.redis");

	@TestFactory
	Stream<DynamicTest> libraryKeeps() {
		Map<String, ArchRule> rules = new ArchitectureRules(ROOT, CLASSES).all();
		return rules.entrySet()
			.stream()
			.map((rule) -> DynamicTest.dynamicTest(rule.getKey(), () -> rule.getValue().check(CLASSES)));
	}

	@Test
	void everyBuiltPackageIsSeenByTheRules() {
		assertThat(packagesBelowRoot()).containsAll(BUILT);
	}

	private static Set<String> packagesBelowRoot() {
		Set<String> names = new TreeSet<>();
		CLASSES.forEach((type) -> {
			String name = type.getPackageName();
			if (name.startsWith(ROOT + ".")) {
				names.add(name.substring(ROOT.length() + 1).split("\\.")[0]);
			}
		});
		return names;
	}

}
