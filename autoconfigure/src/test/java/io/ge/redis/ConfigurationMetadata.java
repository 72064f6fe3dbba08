// SPDX-License-Identifier: Apache-2.0

package io.ge.redis;

import java.io.IOException;
import java.io.InputStream;
import java.net.URL;
import java.util.ArrayList;
import java.util.Collections;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.regex.Pattern;
import java.util.stream.Collectors;

import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

/**
 * The configuration metadata of the library: what editors show for
 * {@code application.yml}.
 */
public final class ConfigurationMetadata {

	private static final String LOCATION = "META-INF/spring-configuration-metadata.json";

	private static final Pattern OURS = Pattern
		.compile("ge\\.redis(\\..+)?|management\\.(endpoint|health)\\.geredis\\..+");

	private static final Pattern ARTICLE = Pattern.compile("(the|a|an)\\s.*",
			Pattern.CASE_INSENSITIVE | Pattern.DOTALL);

	private final List<JsonNode> groups = new ArrayList<>();

	private final List<JsonNode> properties = new ArrayList<>();

	private final List<JsonNode> hints = new ArrayList<>();

	private ConfigurationMetadata() {
	}

	public static ConfigurationMetadata fromClasspath() throws IOException {
		ConfigurationMetadata metadata = new ConfigurationMetadata();
		for (URL url : Collections.list(ConfigurationMetadata.class.getClassLoader().getResources(LOCATION))) {
			try (InputStream stream = url.openStream()) {
				JsonNode root = new JsonMapper().readTree(stream);
				// the modules of Boot on the classpath have metadata of their own
				if (root.path("groups").valueStream().anyMatch((group) -> OURS.matcher(nameOf(group)).matches())) {
					metadata.add(root);
				}
			}
		}
		return metadata;
	}

	static ConfigurationMetadata of(String json) {
		ConfigurationMetadata metadata = new ConfigurationMetadata();
		metadata.add(new JsonMapper().readTree(json));
		return metadata;
	}

	private void add(JsonNode root) {
		root.path("groups").forEach(this.groups::add);
		root.path("properties").forEach(this.properties::add);
		root.path("hints").forEach(this.hints::add);
	}

	Set<String> groupNames() {
		Set<String> names = new TreeSet<>();
		this.groups.forEach((group) -> names.add(nameOf(group)));
		return names;
	}

	Set<String> hintNames() {
		Set<String> names = new TreeSet<>();
		this.hints.forEach((hint) -> names.add(nameOf(hint)));
		return names;
	}

	Set<String> propertyNames() {
		Set<String> names = new TreeSet<>();
		this.properties.forEach((property) -> names.add(nameOf(property)));
		return names;
	}

	/** Descriptions of properties and of their values, by name. */
	Map<String, String> descriptions() {
		Map<String, String> descriptions = new LinkedHashMap<>();
		this.properties
			.forEach((property) -> descriptions.put(nameOf(property), property.path("description").asString("")));
		this.hints.forEach((hint) -> hint.path("values")
			.forEach((value) -> descriptions.put(nameOf(hint) + "=" + value.path("value").asString(""),
					value.path("description").asString(""))));
		return descriptions;
	}

	/** The properties in the order of their names. */
	public List<Property> properties() {
		return this.properties.stream()
			.map((property) -> new Property(nameOf(property), property.path("type").asString(""),
					defaultOf(property.path("defaultValue")), property.path("description").asString(""),
					valuesOf(nameOf(property))))
			.sorted(Comparator.comparing(Property::name))
			.toList();
	}

	private static String defaultOf(JsonNode value) {
		if (value.isArray()) {
			return value.valueStream().map((element) -> element.asString("")).collect(Collectors.joining(", "));
		}
		return value.asString("").replaceAll("\\.0$", "");
	}

	private Map<String, String> valuesOf(String name) {
		Map<String, String> values = new LinkedHashMap<>();
		for (JsonNode hint : this.hints) {
			if (nameOf(hint).equals(name)) {
				hint.path("values")
					.forEach((value) -> values.put(value.path("value").asString(""),
							value.path("description").asString("")));
			}
		}
		return values;
	}

	/**
	 * Return what is wrong, by property name. Empty if all is well.
	 */
	Map<String, String> problems() {
		Map<String, String> problems = new LinkedHashMap<>();
		Set<String> seen = new TreeSet<>();
		for (JsonNode property : this.properties) {
			String name = nameOf(property);
			if (!seen.add(name)) {
				problems.put(name, "is declared twice");
			}
			String problem = problemOf(name, property);
			if (problem != null) {
				problems.put(name, problem);
			}
		}
		for (JsonNode hint : this.hints) {
			if (!seen.contains(nameOf(hint))) {
				problems.put(nameOf(hint), "has a hint but is no property");
			}
		}
		return problems;
	}

	private static String problemOf(String name, JsonNode property) {
		String description = property.path("description").asString("");
		if (!OURS.matcher(name).matches()) {
			return "stands outside of our prefix";
		}
		if (description.isBlank()) {
			return "has no description";
		}
		if (ARTICLE.matcher(description).matches()) {
			return "has a description that starts with an article";
		}
		if (property.path("type").asString("").equals("java.lang.Boolean")
				&& !description.regionMatches(true, 0, "Whether ", 0, 8)) {
			return "is a switch and its description does not start with 'Whether'";
		}
		return null;
	}

	private static String nameOf(JsonNode node) {
		return node.path("name").asString("");
	}

	/**
	 * A property.
	 *
	 * @param name its name
	 * @param type its Java type
	 * @param defaultValue its default, empty for none
	 * @param description its description
	 * @param values what its values mean, empty if that is not described
	 */
	public record Property(String name, String type, String defaultValue, String description,
			Map<String, String> values) {
	}

}
