// SPDX-License-Identifier: Apache-2.0

package io.ge.redis;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;

import io.ge.redis.test.Sources;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * The pages of patterns are short, and say what is lost without the pattern. The first
 * code of a page has its imports, which {@code -Dge.docs.write=true} writes.
 */
class PatternPagesTests {

	private static final int LONGEST_PAGE = 1500;

	private static final int LONGEST_REASON = 80;

	/** Pages about rules of all patterns, which protect from nothing by themselves. */
	private static final Set<String> RULES = Set.of("docs/keys.md", "docs/composing-guards.md",
			"docs/calling-styles.md", "docs/workspace-keys.md");

	private static final Pattern LINK = Pattern.compile("]\\(([a-z-]+\\.md)\\)");

	private static final Pattern REASON = Pattern.compile("^## Why\n(.*?)^## ", Pattern.DOTALL | Pattern.MULTILINE);

	private static final Pattern IMPORT = Pattern.compile("^import (?:static )?[\\w.]+?\\.(\\w+);$", Pattern.MULTILINE);

	private static final Pattern PICTURE = Pattern.compile("!\\[([^]]*)]\\(");

	private final Map<String, String> pages = patternPages();

	@Test
	void pagesAreShort() {
		assertThat(this.pages).allSatisfy((page, text) -> assertThat(text.strip().split("\\s+").length)
			.as("Words of %s; details belong on its page of reference", page)
			.isLessThanOrEqualTo(LONGEST_PAGE));
	}

	@Test
	void pagesSayWhatIsLostWithoutThePattern() {
		this.pages.forEach((page, text) -> {
			if (!RULES.contains(page)) {
				Matcher reason = REASON.matcher(text);
				assertThat(reason.find()).as(page).isTrue();
				assertThat(Pages.prose(reason.group(1)).strip().split("\\s+")).as(page)
					.hasSizeBetween(15, LONGEST_REASON);
			}
		});
	}

	@Test
	void firstCodeHasItsImports() throws IOException {
		List<Path> examples = Sources.below(Path.of("src/test/java/io/ge/redis/readme"), ".java");
		for (Map.Entry<String, String> page : Pages.all().entrySet()) {
			String expected = Pages.eachFirstCode(page.getValue(), (block) -> withImports(block, examples));
			if (Boolean.getBoolean("ge.docs.write") && !expected.equals(page.getValue())) {
				Files.writeString(Sources.ROOT.resolve(page.getKey()), expected);
			}
			else {
				assertThat(page.getValue()).as("%s, written by -Dge.docs.write=true", page.getKey())
					.isEqualTo(expected);
			}
		}
	}

	/** A page of 327 px, as on a phone, shows 14 units of 380 as 12 px. */
	@Test
	void picturesAreReadableOnAPhone() {
		assertThat(Sources.below(Sources.ROOT.resolve("docs/images"), ".svg")).isNotEmpty().allSatisfy((picture) -> {
			String svg = Pages.read(picture);
			assertThat(svg).contains("viewBox=\"0 0 380 ", "font-size=\"14\"", "<title>");
			assertThat(svg.split("font-size=")).hasSize(2);
		});
	}

	@Test
	void picturesSayInWordsWhatTheyShow() {
		this.pages.forEach((page, text) -> PICTURE.matcher(text)
			.results()
			.forEach((picture) -> assertThat(picture.group(1).split(" ")).as(page).hasSizeGreaterThan(10)));
	}

	private static String withImports(String block, List<Path> examples) {
		String code = Pages.withoutImports(block);
		Set<String> imports = new LinkedHashSet<>();
		for (String part : code.split("\n\n(?=@)")) {
			String example = examples.stream()
				.map(Pages::read)
				.filter((text) -> squeeze(text).contains(squeeze(part)))
				.findFirst()
				.orElseThrow(() -> new AssertionError("No example has\n" + part));
			IMPORT.matcher(example)
				.results()
				.filter((line) -> Pattern.compile("\\b" + line.group(1) + "\\b").matcher(part).find())
				.forEach((line) -> imports.add(line.group()));
		}
		return imports.isEmpty() ? code : imports.stream().collect(Collectors.joining("\n", "", "\n\n")) + code;
	}

	private static String squeeze(String code) {
		return code.replaceAll("\\s+", " ").strip();
	}

	/** The pages that the index has under guards, consumers and shared data. */
	private static Map<String, String> patternPages() {
		Map<String, String> all = Pages.all();
		Map<String, String> pages = new TreeMap<>();
		List<String> headings = new ArrayList<>();
		for (String section : all.get("docs/index.md").split("(?m)^## ")) {
			if (section.matches("(?s)(Guards|Consumers|Shared data)\n.*")) {
				headings.add(section);
				LINK.matcher(section)
					.results()
					.map((link) -> "docs/" + link.group(1))
					.forEach((page) -> pages.put(page, all.get(page)));
			}
		}
		assertThat(headings).hasSize(3);
		return pages;
	}

}
