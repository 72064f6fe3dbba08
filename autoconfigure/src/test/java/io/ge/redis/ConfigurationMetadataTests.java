// SPDX-License-Identifier: Apache-2.0

package io.ge.redis;

import java.io.IOException;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;

import io.ge.redis.test.LibraryClasses;
import org.junit.jupiter.api.Test;

import org.springframework.boot.context.properties.ConfigurationProperties;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Every property of the library is described.
 */
class ConfigurationMetadataTests {

	@Test
	void everyPropertyIsDescribed() throws IOException {
		assertThat(ConfigurationMetadata.fromClasspath().problems()).isEmpty();
	}

	@Test
	void everyPropertiesClassIsInTheMetadata() throws IOException {
		assertThat(ConfigurationMetadata.fromClasspath().groupNames()).containsAll(prefixes());
	}

	@Test
	void hintsAreInTheMetadata() throws IOException {
		assertThat(ConfigurationMetadata.fromClasspath().hintNames()).contains("ge.redis.rate-limit.headers",
				"ge.redis.rate-limit.on-outage", "ge.redis.rate-limit.connection-factory");
	}

	@Test
	void hintForNoPropertyIsFound() {
		ConfigurationMetadata planted = ConfigurationMetadata.of("""
				{"groups": [{"name": "ge.redis"}], "properties": [], "hints": [{"name": "ge.redis.gone"}]}""");
		assertThat(planted.problems()).containsEntry("ge.redis.gone", "has a hint but is no property");
	}

	@Test
	void poorDescriptionsAreFound() {
		ConfigurationMetadata planted = ConfigurationMetadata.of("""
				{"groups": [{"name": "ge.redis"}], "properties": [
					{"name": "ge.redis.silent", "type": "java.lang.String"},
					{"name": "ge.redis.article", "type": "java.lang.String", "description": "the name."},
					{"name": "ge.redis.switch", "type": "java.lang.Boolean", "description": "Enables it."},
					{"name": "ge.redis.twin", "type": "java.lang.String", "description": "Name."},
					{"name": "ge.redis.twin", "type": "java.lang.String", "description": "Name."},
					{"name": "elsewhere.name", "type": "java.lang.String", "description": "Name."},
					{"name": "ge.redis.sound", "type": "java.lang.Boolean", "description": "Whether it is on."}
				]}""");
		assertThat(planted.problems()).containsExactlyInAnyOrderEntriesOf(Map.of("ge.redis.silent",
				"has no description", "ge.redis.article", "has a description that starts with an article",
				"ge.redis.switch", "is a switch and its description does not start with 'Whether'", "ge.redis.twin",
				"is declared twice", "elsewhere.name", "stands outside of our prefix"));
	}

	private static Set<String> prefixes() {
		Set<String> prefixes = new TreeSet<>();
		for (Class<?> type : LibraryClasses.all()) {
			ConfigurationProperties annotation = type.getAnnotation(ConfigurationProperties.class);
			if (annotation != null) {
				prefixes.add(annotation.prefix().isEmpty() ? annotation.value() : annotation.prefix());
			}
		}
		return prefixes;
	}

}
