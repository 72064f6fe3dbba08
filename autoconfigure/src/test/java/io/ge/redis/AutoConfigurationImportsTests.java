// SPDX-License-Identifier: Apache-2.0

package io.ge.redis;

import java.util.List;

import io.ge.redis.test.LibraryClasses;
import org.junit.jupiter.api.Test;

import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.context.annotation.ImportCandidates;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Every auto-configuration is found by Boot: each stands in the imports file, in
 * alphabetical order, and nothing else does.
 */
class AutoConfigurationImportsTests {

	@Test
	void importsFileListsEveryAutoConfigurationInOrder() {
		List<String> listed = ImportCandidates.load(AutoConfiguration.class, getClass().getClassLoader())
			.getCandidates()
			.stream()
			.filter((name) -> name.startsWith("io.ge.redis."))
			.toList();
		List<String> written = LibraryClasses.all()
			.stream()
			.filter((type) -> type.isAnnotationPresent(AutoConfiguration.class))
			.map(Class::getName)
			.sorted()
			.toList();
		assertThat(listed).isEqualTo(written);
	}

}
