// SPDX-License-Identifier: Apache-2.0

package io.ge.redis;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;

import io.ge.redis.test.Sources;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * What no compiler sees: the licence at the top of every class, and the contract at the
 * top of every script.
 */
class SourceFilesTests {

	private static final String LICENCE = "// SPDX-License-Identifier: Apache-2.0\n";

	@Test
	void everyClassStartsWithTheLicence() throws IOException {
		List<Path> classes = new ArrayList<>(Sources.find("src", ".java"));
		classes.addAll(Sources.find("src", ".kt"));
		assertThat(classes).hasSizeGreaterThan(1000);
		assertThat(withoutLicence(classes)).isEmpty();
	}

	@Test
	void everyScriptStatesItsKeysArgumentsReplyAndInvariant() throws IOException {
		List<Path> scripts = Sources.ofLibrary("src/main/resources", ".lua");
		assertThat(scripts).hasSizeGreaterThan(30);
		assertThat(withoutContract(scripts)).isEmpty();
	}

	@Test
	void missingLicencesAndContractsAreFound(@TempDir Path directory) throws IOException {
		Path bare = Files.writeString(directory.resolve("Bare.java"), "class Bare {\n}\n");
		Path bareToo = Files.writeString(directory.resolve("Bare.kt"), "class Bare\n");
		Files.writeString(directory.resolve("Licensed.java"), LICENCE);
		Path silent = Files.writeString(directory.resolve("silent.lua"), "-- KEYS\nreturn 'Reply Invariant ARGV'\n");
		Files.writeString(directory.resolve("stated.lua"), "-- KEYS[1], ARGV[1]\n-- Reply\n-- Invariant\nreturn 1\n");
		assertThat(withoutLicence(Sources.below(directory, ".java"))).containsExactly(bare);
		assertThat(withoutLicence(Sources.below(directory, ".kt"))).containsExactly(bareToo);
		assertThat(withoutContract(Sources.below(directory, ".lua"))).containsExactly(silent);
	}

	private static List<Path> withoutLicence(List<Path> classes) throws IOException {
		List<Path> found = new ArrayList<>();
		for (Path file : classes) {
			if (!Files.readString(file).startsWith(LICENCE)) {
				found.add(file);
			}
		}
		return found;
	}

	private static List<Path> withoutContract(List<Path> scripts) throws IOException {
		List<Path> found = new ArrayList<>();
		for (Path file : scripts) {
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

}
