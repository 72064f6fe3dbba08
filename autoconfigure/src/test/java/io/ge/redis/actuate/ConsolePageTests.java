// SPDX-License-Identifier: Apache-2.0

package io.ge.redis.actuate;

import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.util.List;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;

import io.ge.redis.test.Sources;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import org.springframework.boot.actuate.endpoint.Access;
import org.springframework.boot.actuate.endpoint.web.PathMappedEndpoints;
import org.springframework.boot.context.properties.source.InvalidConfigurationPropertyValueException;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

/**
 * Tests for the links of the console to the documentation.
 */
class ConsolePageTests {

	@Test
	void everySectionNamesAPageOfTheDocumentation() {
		String html = page("");
		List<String> pages = found(html, "title: '[A-Z][a-z ]+', docs: '([a-z-]+)',");
		assertThat(pages).hasSameSizeAs(found(html, "(?m)^  \\S+: \\{ (title): "));
		assertThat(pages)
			.allSatisfy((page) -> assertThat(Sources.ROOT.resolve("docs/" + page + ".md")).matches(Files::exists));
	}

	@ParameterizedTest
	@ValueSource(strings = { "https://docs.example.com/ge-redis/docs/{page}.html", "http://localhost/{page}",
			"/docs/{page}.html" })
	void addressOfTheDocumentationIsInThePage(String docs) {
		assertThat(page(docs)).contains("data-docs=\"" + docs + "\"");
	}

	@Test
	void addressIsEscaped() {
		assertThat(page("/{page}\"><script>")).contains("data-docs=\"/{page}&quot;&gt;&lt;script&gt;\"");
	}

	@ParameterizedTest
	@ValueSource(strings = { "https://docs.example.com/", "javascript:alert('{page}')", "//example.com/{page}",
			"docs/{page}", "/a page/{page}" })
	void otherAddressesAreRefused(String docs) {
		assertThatExceptionOfType(InvalidConfigurationPropertyValueException.class).isThrownBy(() -> page(docs))
			.withMessageContaining("ge.redis.console.docs");
	}

	private static String page(String docs) {
		return new String(new ConsolePage(new PathMappedEndpoints("/actuator", List.of()),
				(endpoint, access) -> Access.READ_ONLY, docs)
			.html(), StandardCharsets.UTF_8);
	}

	private static List<String> found(String text, String pattern) {
		return Pattern.compile(pattern).matcher(text).results().map((MatchResult result) -> result.group(1)).toList();
	}

}
