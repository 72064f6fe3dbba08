/*
 * Copyright 2026 the GE Redis authors
 * SPDX-License-Identifier: Apache-2.0
 */

package io.ge.redis;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.stream.Stream;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * What no compiler sees: the licence at the top of every class, and the contract at the
 * top of every script.
 */
class SourceFilesTests {

	private static final String LICENCE = """
			/*
			 * Copyright 2026 the GE Redis authors
			 * SPDX-License-Identifier: Apache-2.0
			 */
			""";

	@Test
	void everyClassStartsWithTheLicence() throws IOException {
		assertThat(classesWithoutLicence(Path.of("src"))).isEmpty();
		assertThat(classesWithoutLicence(Path.of("../sample-app/src"))).isEmpty();
		assertThat(classesWithoutLicence(Path.of("../benchmarks/src"))).isEmpty();
		assertThat(classesWithoutLicence(Path.of("../kotlin-tests/src"))).isEmpty();
	}

	@Test
	void everyScriptStatesItsKeysArgumentsReplyAndInvariant() throws IOException {
		assertThat(scriptsWithoutContract(Path.of("src/main/resources"))).isEmpty();
	}

	@Test
	void missingLicencesAndContractsAreFound(@TempDir Path directory) throws IOException {
		Path bare = Files.writeString(directory.resolve("Bare.java"), "class Bare {\n}\n");
		Path bareToo = Files.writeString(directory.resolve("Bare.kt"), "class Bare\n");
		Files.writeString(directory.resolve("Licensed.java"), LICENCE);
		Path silent = Files.writeString(directory.resolve("silent.lua"), "-- KEYS\nreturn 'Reply Invariant ARGV'\n");
		Files.writeString(directory.resolve("stated.lua"), "-- KEYS[1], ARGV[1]\n-- Reply\n-- Invariant\nreturn 1\n");
		assertThat(classesWithoutLicence(directory)).containsExactly(bare, bareToo);
		assertThat(scriptsWithoutContract(directory)).containsExactly(silent);
	}

	private static List<Path> classesWithoutLicence(Path directory) throws IOException {
		List<Path> found = new ArrayList<>();
		for (String extension : List.of(".java", ".kt")) {
			for (Path file : files(directory, extension)) {
				if (!Files.readString(file).startsWith(LICENCE)) {
					found.add(file);
				}
			}
		}
		return found;
	}

	private static List<Path> scriptsWithoutContract(Path directory) throws IOException {
		List<Path> found = new ArrayList<>();
		for (Path file : files(directory, ".lua")) {
			String header = header(file);
			boolean stated = header.contains("keys") && header.contains("argv") && header.contains("reply")
					&& header.contains("invariant");
			if (!stated) {
				found.add(file);
			}
		}
		return found;
	}

	private static String header(Path script) throws IOException {
		StringBuilder header = new StringBuilder();
		for (String line : Files.readAllLines(script)) {
			if (!line.startsWith("--")) {
				break;
			}
			header.append(line.toLowerCase(Locale.ROOT)).append('\n');
		}
		return header.toString();
	}

	private static List<Path> files(Path directory, String extension) throws IOException {
		if (!Files.isDirectory(directory)) {
			return List.of();
		}
		try (Stream<Path> paths = Files.walk(directory)) {
			return paths.filter((path) -> path.toString().endsWith(extension)).sorted().toList();
		}
	}

}
