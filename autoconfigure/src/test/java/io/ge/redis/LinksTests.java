// SPDX-License-Identifier: Apache-2.0

package io.ge.redis;

import java.net.URI;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

import io.ge.redis.test.Sources;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Every link of the pages leads to a file and a heading that exist. Addresses on the web
 * are not called.
 */
class LinksTests {

	private static final Pattern LINK = Pattern.compile(
			"]\\(\\s*<?([^)\\s>]+)>?[^)]*\\)|^\\[[^]]+]:\\s*(\\S+)" + "|(?:href|src|srcset)=\"([^\"]+)\"",
			Pattern.MULTILINE);

	private static final Pattern HEADING = Pattern.compile("^ {0,3}#{1,6}\\s+(.*?)\\s*#*\\s*$", Pattern.MULTILINE);

	private static final Pattern NAMED = Pattern.compile("<\\w+ [^>]*(?:id|name)=\"([^\"]+)\"");

	private static final Pattern CODE = Pattern.compile("`[^`\n]*`");

	@Test
	void linksResolve() {
		List<String> broken = new ArrayList<>();
		Pages.withTheirNeighbours()
			.forEach((page, text) -> broken(Sources.ROOT.resolve(page), text)
				.forEach((link) -> broken.add(page + ": " + link)));
		assertThat(broken).isEmpty();
	}

	@Test
	void brokenLinksAreFound(@TempDir Path folder) throws Exception {
		Files.writeString(folder.resolve("other.md"), """
				# Locks & `leases`
				## Cost
				## Cost
				```
				# no heading
				```
				<a id="named"></a>
				""");
		Path page = folder.resolve("page.md");
		String text = """
				# Here
				[a](other.md) [b](other.md#locks--leases) [c](other.md#cost-1) [d](#here) [e](other.md#named)
				![f](https://example.org/a.png) <a href="other.md">g</a> `[code](gone.md)`
				[h](gone.md) [i](other.md#gone) [j](#gone) [k](http:///x) [l](other.md#no-heading)
				[m]: also-gone.md
				""";
		Files.writeString(page, text);
		assertThat(broken(page, text)).containsExactly("gone.md", "other.md#gone", "#gone", "http:///x",
				"other.md#no-heading", "also-gone.md");
	}

	private static List<String> broken(Path page, String text) {
		Map<Path, Set<String>> anchors = new HashMap<>();
		List<String> broken = new ArrayList<>();
		Matcher links = LINK.matcher(CODE.matcher(Pages.withoutBlocks(text)).replaceAll(""));
		while (links.find()) {
			for (int group = 1; group <= links.groupCount(); group++) {
				String link = links.group(group);
				if (link != null && !resolves(page, link, anchors)) {
					broken.add(link);
				}
			}
		}
		return broken;
	}

	private static boolean resolves(Path page, String link, Map<Path, Set<String>> anchors) {
		if (link.matches("[a-z]+:.*")) {
			return isWellFormed(link);
		}
		int hash = link.indexOf('#');
		String path = (hash < 0) ? link : link.substring(0, hash);
		Path target = path.isEmpty() ? page : page.resolveSibling(path).normalize();
		if (!Files.exists(target)) {
			return false;
		}
		return hash < 0 || (target.toString().endsWith(".md")
				&& anchors.computeIfAbsent(target, (file) -> anchors(Pages.read(file)))
					.contains(link.substring(hash + 1)));
	}

	private static boolean isWellFormed(String link) {
		try {
			URI uri = URI.create(link);
			return uri.getScheme().equals("mailto") || uri.getHost() != null;
		}
		catch (IllegalArgumentException ex) {
			return false;
		}
	}

	/** The anchors that GitHub gives to headings. */
	private static Set<String> anchors(String text) {
		Set<String> anchors = new HashSet<>();
		Map<String, Integer> seen = new HashMap<>();
		String plain = Pages.withoutBlocks(text);
		Matcher headings = HEADING.matcher(plain);
		while (headings.find()) {
			String anchor = headings.group(1)
				.replaceAll("!?\\[([^]]*)]\\([^)]*\\)", "$1")
				.toLowerCase(Locale.ROOT)
				.replaceAll("[^\\p{L}\\p{N}\\p{M} _-]", "")
				.replace(' ', '-');
			int before = seen.merge(anchor, 1, Integer::sum) - 1;
			anchors.add((before > 0) ? anchor + "-" + before : anchor);
		}
		Matcher named = NAMED.matcher(plain);
		while (named.find()) {
			anchors.add(named.group(1));
		}
		return anchors;
	}

}
