// SPDX-License-Identifier: Apache-2.0

package io.ge.redis;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import java.util.TreeMap;
import java.util.function.UnaryOperator;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;

import io.ge.redis.test.Sources;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * The pages that users read, by their path within the project.
 */
final class Pages {

	private static final Pattern FENCED = Pattern.compile("```.*?```", Pattern.DOTALL);

	private static final Pattern COMMENT = Pattern.compile("<!--.*?-->", Pattern.DOTALL);

	private static final Pattern CODE = Pattern.compile("`[^`\n]*`");

	private static final Pattern FIRST_CODE = Pattern.compile("(?<=```java\n).*?(?=```)", Pattern.DOTALL);

	private static final Pattern IN_SHORT = Pattern.compile("^## In short\n.*?(?=^## |\\z)",
			Pattern.DOTALL | Pattern.MULTILINE);

	private Pages() {
	}

	/** README and {@code docs}. */
	static Map<String, String> all() {
		Map<String, String> pages = new TreeMap<>();
		add(pages, Sources.ROOT.resolve("README.md"));
		try (Stream<Path> files = Files.list(Sources.ROOT.resolve("docs"))) {
			files.filter((file) -> file.toString().endsWith(".md")).forEach((file) -> add(pages, file));
		}
		catch (IOException ex) {
			throw new UncheckedIOException(ex);
		}
		assertThat(pages).hasSizeGreaterThan(10);
		return pages;
	}

	/** All of {@link #all()}, and the pages beside them. */
	static Map<String, String> withTheirNeighbours() {
		Map<String, String> pages = all();
		for (String page : new String[] { "CONTRIBUTING.md", "CHANGELOG.md", "benchmarks/README.md",
				"grafana/README.md" }) {
			if (Files.exists(Sources.ROOT.resolve(page))) {
				add(pages, Sources.ROOT.resolve(page));
			}
		}
		return pages;
	}

	private static void add(Map<String, String> pages, Path file) {
		pages.put(Sources.ROOT.relativize(file).toString().replace('\\', '/'), read(file));
	}

	/** The text without blocks of code. */
	static String withoutBlocks(String text) {
		return FENCED.matcher(text).replaceAll("");
	}

	/** The text without any code, and without comments. */
	static String prose(String text) {
		return CODE.matcher(COMMENT.matcher(withoutBlocks(text)).replaceAll("")).replaceAll("X");
	}

	/** The text with each Java block under "In short" replaced. */
	static String eachFirstCode(String text, UnaryOperator<String> replacement) {
		return IN_SHORT.matcher(text)
			.replaceAll((section) -> Matcher.quoteReplacement(FIRST_CODE.matcher(section.group())
				.replaceAll((block) -> Matcher.quoteReplacement(replacement.apply(block.group())))));
	}

	/** The code without the imports before it. */
	static String withoutImports(String code) {
		return code.replaceFirst("\\A(?:import [^;]+;\n+)+", "");
	}

	static String read(Path file) {
		try {
			return Files.readString(file);
		}
		catch (IOException ex) {
			throw new UncheckedIOException(ex);
		}
	}

}
