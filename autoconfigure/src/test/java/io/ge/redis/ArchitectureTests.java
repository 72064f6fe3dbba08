/*
 * Copyright 2026 the GE Redis authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License");
 * you may not use this file except in compliance with the License.
 * You may obtain a copy of the License at
 *
 *      https://www.apache.org/licenses/LICENSE-2.0
 *
 * Unless required by applicable law or agreed to in writing, software
 * distributed under the License is distributed on an "AS IS" BASIS,
 * WITHOUT WARRANTIES OR CONDITIONS OF ANY KIND, either express or implied.
 * See the License for the specific language governing permissions and
 * limitations under the License.
 */

package io.ge.redis;

import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.Stream;

import com.tngtech.archunit.core.domain.JavaClasses;
import com.tngtech.archunit.core.importer.ClassFileImporter;
import com.tngtech.archunit.core.importer.ImportOption;
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
	private static final Set<String> BUILT = Set.of();

	private static final JavaClasses CLASSES = new ClassFileImporter()
		.withImportOption(ImportOption.Predefined.DO_NOT_INCLUDE_TESTS)
		.importPackages(ROOT);

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
