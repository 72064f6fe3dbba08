// SPDX-License-Identifier: Apache-2.0

package io.ge.redis.test;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.util.List;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;
import java.util.stream.Collectors;

/**
 * The keys that have no TTL by design: those that the table in
 * {@code docs/architecture.md} lists. Keys outside the prefix are those of streams.
 */
final class PermanentKeys {

	private static final String HEADER = "| keys without TTL |";

	private static final String PREFIX = "ge:";

	private static final Pattern NAMED = Pattern.compile("`(" + PREFIX + "[^`]+)`");

	private static final List<Pattern> LISTED = read();

	private PermanentKeys() {
	}

	static boolean isListed(String key) {
		return !key.startsWith(PREFIX) || LISTED.stream().anyMatch((listed) -> listed.matcher(key).matches());
	}

	private static List<Pattern> read() {
		try {
			String table = Files.readAllLines(Sources.ROOT.resolve("docs/architecture.md"))
				.stream()
				.dropWhile((line) -> !line.startsWith(HEADER))
				.takeWhile((line) -> line.startsWith("|"))
				.collect(Collectors.joining("\n"));
			return NAMED.matcher(table)
				.results()
				.map((MatchResult key) -> Pattern.compile(key.group(1).replace("{*}", "\\{.*\\}").replace(":*", ":.*")))
				.toList();
		}
		catch (IOException ex) {
			throw new UncheckedIOException(ex);
		}
	}

}
