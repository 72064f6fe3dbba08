// SPDX-License-Identifier: Apache-2.0

package io.ge.redis;

import java.nio.file.Path;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;

import io.ge.redis.test.Sources;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Every class of the wide run has one line in {@code .ci/wide-classes}: its quarter, its
 * pattern, its name.
 */
class WideClassesTests {

	private static final Pattern TAG = Pattern.compile("(?m)^\\s*@(Wide|Sized)\\b");

	private static final Pattern SUPERCLASS = Pattern.compile("\\bextends (\\w+)");

	/** Modules that only the wide run tests. */
	private static final Pattern ONLY_WIDE = Pattern.compile("testing/(kotlin|webflux)/.*");

	private final List<String[]> lines = Pages.read(Sources.ROOT.resolve(".ci/wide-classes"))
		.lines()
		.filter((line) -> !line.startsWith("#"))
		.map((line) -> line.split(" "))
		.toList();

	@Test
	void everyClassOfTheWideRunIsInOneQuarter() {
		assertThat(this.lines).extracting((line) -> line[2])
			.doesNotHaveDuplicates()
			.containsExactlyInAnyOrderElementsOf(wideClasses());
	}

	@Test
	void quartersAndPatternsExist() {
		assertThat(this.lines).allSatisfy((line) -> {
			assertThat(line).hasSize(3);
			assertThat(line[0]).isIn("0", "1", "2", "3", "always");
			assertThat(Stream.of("", "patterns", "testing")).anyMatch(
					(folder) -> Sources.ROOT.resolve(folder).resolve(line[1]).resolve("pom.xml").toFile().isFile());
		});
	}

	@Test
	void linesAreInOrder() {
		assertThat(this.lines).extracting((line) -> String.join(" ", line)).isSorted();
	}

	@Test
	void indexOfPromisesNamesClassesOfItsPattern() {
		String index = Pages.read(Sources.ROOT.resolve("CONTRIBUTING.md")).split("## Where a promise is tested\n")[1]
			.split("\n## ")[0];
		List<String> rows = index.lines().filter((line) -> line.contains("Tests`")).toList();
		assertThat(rows).hasSizeGreaterThan(10).allSatisfy((row) -> {
			String[] cells = row.split("\\|");
			for (String name : cells[2].replaceAll("[ `]", "").split(",")) {
				assertThat(this.lines).as(name).anyMatch((line) -> line[2].equals(name) && cells[3].contains(line[1]));
			}
		});
	}

	private static Set<String> wideClasses() {
		Map<String, String> texts = new HashMap<>();
		Set<String> wide = new HashSet<>();
		for (String extension : List.of(".java", ".kt")) {
			for (Path file : Sources.find("src/test", extension)) {
				String name = file.getFileName().toString().replace(extension, "");
				texts.merge(name, Pages.read(file), String::concat);
				if (ONLY_WIDE.matcher(Sources.ROOT.relativize(file).toString()).matches()) {
					wide.add(name);
				}
			}
		}
		texts.keySet().stream().filter((name) -> isWide(name, texts)).forEach(wide::add);
		wide.removeIf((name) -> !name.endsWith("Tests"));
		return wide;
	}

	/**
	 * Whether a test in the file, or in one that its classes extend, is in the wide run.
	 */
	private static boolean isWide(String name, Map<String, String> texts) {
		String text = texts.get(name);
		if (text == null) {
			return false;
		}
		Matcher superclass = SUPERCLASS.matcher(text);
		while (superclass.find()) {
			if (!superclass.group(1).equals(name) && isWide(superclass.group(1), texts)) {
				return true;
			}
		}
		return TAG.matcher(text).find();
	}

}
