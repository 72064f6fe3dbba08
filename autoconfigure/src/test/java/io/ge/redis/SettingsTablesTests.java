// SPDX-License-Identifier: Apache-2.0

package io.ge.redis;

import java.io.IOException;
import java.nio.file.Files;
import java.util.List;
import java.util.Map;

import io.ge.redis.test.Sources;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Every property is on a page, in a table that is made from the configuration metadata.
 * Run it with {@code -Dge.docs.write=true} to write the tables.
 */
class SettingsTablesTests {

	@Test
	void tablesAreThoseOfTheMetadata() throws IOException {
		Map<String, String> pages = Pages.all();
		SettingsTables tables = new SettingsTables(ConfigurationMetadata.fromClasspath(), pages.values());
		for (Map.Entry<String, String> page : pages.entrySet()) {
			String expected = tables.write(page.getValue());
			if (Boolean.getBoolean("ge.docs.write") && !expected.equals(page.getValue())) {
				Files.writeString(Sources.ROOT.resolve(page.getKey()), expected);
			}
			else {
				assertThat(page.getValue()).as("%s, written by -Dge.docs.write=true", page.getKey())
					.isEqualTo(expected);
			}
		}
	}

	@Test
	void everyPropertyIsOnAPage() throws IOException {
		SettingsTables tables = new SettingsTables(ConfigurationMetadata.fromClasspath(), Pages.all().values());
		assertThat(tables.missing()).isEmpty();
		assertThat(tables.unused()).isEmpty();
	}

	@Test
	void tablesAreMadeFromTheMetadata() {
		ConfigurationMetadata planted = ConfigurationMetadata
			.of("""
					{"properties": [
						{"name": "ge.redis.enabled", "type": "java.lang.Boolean", "defaultValue": true,
							"description": "Whether `a` is on, as {@code b|c}"},
						{"name": "ge.redis.lock.mode", "type": "some.Mode", "description": "mode of /api/**"},
						{"name": "ge.redis.lock.near.ttl", "type": "java.lang.Double", "defaultValue": 1.0,
							"description": "Time."},
						{"name": "ge.redis.other", "type": "java.lang.String", "description": "Other."}
					], "hints": [{"name": "ge.redis.lock.mode", "values": [{"value": "on", "description": "It is on."}]}]}""");
		String page = """
				text
				<!-- settings: ge.redis.lock -->
				stale
				<!-- /settings -->
				<!-- settings: ge.redis.enabled, ge.redis.lock.near -->
				<!-- /settings -->
				<!-- settings: ge.redis.gone -->
				<!-- /settings -->
				""";
		SettingsTables tables = new SettingsTables(planted, List.of(page));
		assertThat(tables.write(page)).isEqualTo("""
				text
				<!-- settings: ge.redis.lock -->
				| property | default | description |
				| --- | --- | --- |
				| `ge.redis.lock.mode` | | Mode of /api/\\*\\*.<br>`on`: It is on. |
				<!-- /settings -->
				<!-- settings: ge.redis.enabled, ge.redis.lock.near -->
				| property | default | description |
				| --- | --- | --- |
				| `ge.redis.enabled` | `true` | Whether `a` is on, as `b\\|c`. |
				| `ge.redis.lock.near.ttl` | `1` | Time. |
				<!-- /settings -->
				<!-- settings: ge.redis.gone -->
				| property | default | description |
				| --- | --- | --- |
				<!-- /settings -->
				""");
		assertThat(tables.missing()).containsExactly("ge.redis.other");
		assertThat(tables.unused()).containsExactly("ge.redis.gone");
	}

	@Test
	void tablesHaveThePropertiesOfMapsAndLists() throws IOException {
		String page = "<!-- settings: ge.redis.rate-limit -->\n<!-- /settings -->";
		String table = new SettingsTables(ConfigurationMetadata.fromClasspath(), List.of(page)).write(page);
		assertThat(table).contains("| `ge.redis.rate-limit.limits.<name>.window` | | Length of the window. |",
				"| `ge.redis.rate-limit.limits.<name>.overrides.<key>.burst` | |",
				"| `ge.redis.rate-limit.rules[].on-empty-key` | `error` |");
		assertThat(table).contains("Algorithm that counts permits: `sliding-window`, ");
		assertThat(table.lines()).noneMatch((line) -> line.endsWith("|  |"));
	}

}
