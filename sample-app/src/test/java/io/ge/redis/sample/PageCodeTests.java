// SPDX-License-Identifier: Apache-2.0

package io.ge.redis.sample;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;

import io.ge.redis.test.Sources;
import org.junit.jupiter.api.Test;

import org.springframework.web.util.HtmlUtils;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Each card of the live page shows five to ten lines of the sample, as they are in its
 * sources. A line with an ellipsis stands for lines that are left out.
 */
class PageCodeTests {

	private static final Path MAIN = Sources.ROOT.resolve("sample-app/src/main");

	private static final Pattern CODE = Pattern
		.compile("<details class=\"code\">.*?<code>([^<]+)</code>.*?<pre[^>]*>(.*?)</pre>", Pattern.DOTALL);

	private static final String LEFT_OUT = "…";

	@Test
	void everyCardShowsLinesOfTheSources() throws IOException {
		String page = Files.readString(MAIN.resolve("resources/static/index.html"));
		List<String> cards = Stream.of(page.split("<article class=\"card\">")).skip(1).toList();
		assertThat(cards).isNotEmpty();
		for (String card : cards) {
			Matcher code = CODE.matcher(card);
			assertThat(code.find()).as(card).isTrue();
			List<String> shown = lines(HtmlUtils.htmlUnescape(code.group(2)));
			assertThat(shown.stream().filter((line) -> !line.equals(LEFT_OUT)).count()).as(code.group(2))
				.isBetween(5L, 10L);
			assertThat(missing(shown, lines(Files.readString(file(code.group(1)))))).as(code.group(1)).isEmpty();
		}
	}

	@Test
	void lineThatIsNotInItsPlaceIsFound() {
		List<String> source = List.of("a", "b", "c", "d");
		assertThat(missing(List.of("a", "b", LEFT_OUT, "d"), source)).isEmpty();
		assertThat(missing(List.of("a", "c"), source)).containsExactly("a", "c");
		assertThat(missing(List.of("c", LEFT_OUT, "a"), source)).containsExactly("a");
	}

	/** The lines of a file, without indentation. */
	private static List<String> lines(String text) {
		return text.lines().map(String::strip).toList();
	}

	private static Path file(String name) throws IOException {
		try (Stream<Path> files = Files.walk(MAIN)) {
			return files.filter((file) -> file.endsWith(name)).findFirst().orElseThrow();
		}
	}

	/**
	 * Returns the first run of lines that does not follow the runs before it, none if all
	 * do.
	 */
	private static List<String> missing(List<String> shown, List<String> source) {
		int from = 0;
		List<String> run = new ArrayList<>();
		for (int i = 0; i <= shown.size(); i++) {
			if (i < shown.size() && !shown.get(i).equals(LEFT_OUT)) {
				run.add(shown.get(i));
				continue;
			}
			while (from <= source.size() - run.size() && !source.subList(from, from + run.size()).equals(run)) {
				from++;
			}
			if (from > source.size() - run.size()) {
				return run;
			}
			from += run.size();
			run = new ArrayList<>();
		}
		return List.of();
	}

}
