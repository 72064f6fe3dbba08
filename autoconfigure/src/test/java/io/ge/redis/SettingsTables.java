// SPDX-License-Identifier: Apache-2.0

package io.ge.redis;

import java.lang.reflect.Constructor;
import java.lang.reflect.ParameterizedType;
import java.lang.reflect.RecordComponent;
import java.lang.reflect.Type;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.Collection;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.regex.MatchResult;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;

import io.ge.redis.ConfigurationMetadata.Property;
import io.ge.redis.test.Sources;

import org.springframework.boot.context.properties.bind.DataObjectPropertyName;
import org.springframework.boot.context.properties.bind.DefaultValue;
import org.springframework.util.ClassUtils;
import org.springframework.util.StringUtils;

/**
 * The tables of properties on the pages, made from the configuration metadata. A page
 * says which properties it has by the prefixes in its markers. A prefix has what is below
 * it, except for what a longer one has, on whichever page; {@code ge.redis} has only what
 * is right below it. Of properties in maps and lists, which the metadata does not have,
 * the records and their Javadoc say more.
 */
final class SettingsTables {

	private static final Pattern MARKED = Pattern.compile("<!-- settings: ([^>\\n]+?) -->\\n(.*?)<!-- /settings -->",
			Pattern.DOTALL);

	private static final Pattern ELEMENTS = Pattern.compile("java\\.util\\.(Map<java\\.lang\\.String,|List<)(.+)>");

	private static final Pattern PARAM = Pattern.compile("@param (\\w+) (.*?)(?=@param |$)");

	/** Code, and what a table of Markdown would read as something else. */
	private static final Pattern ESCAPED = Pattern.compile("`[^`]*`|[|*<]");

	private static final String ROOT = "ge.redis";

	private final List<Property> properties;

	private final Set<String> prefixes = new TreeSet<>();

	SettingsTables(ConfigurationMetadata metadata, Collection<String> pages) {
		this.properties = metadata.properties();
		pages.forEach(
				(page) -> MARKED.matcher(page).results().forEach((table) -> this.prefixes.addAll(prefixesOf(table))));
	}

	/** The page with the tables as they have to be. */
	String write(String page) {
		return MARKED.matcher(page)
			.replaceAll((table) -> Matcher.quoteReplacement(
					"<!-- settings: " + table.group(1) + " -->\n" + table(prefixesOf(table)) + "<!-- /settings -->"));
	}

	/** The properties that are in no table. */
	List<String> missing() {
		return this.properties.stream().map(Property::name).filter((name) -> prefixOf(name).isEmpty()).toList();
	}

	/** The prefixes in markers that no property has. */
	List<String> unused() {
		Set<String> unused = new TreeSet<>(this.prefixes);
		this.properties.forEach((property) -> unused.remove(prefixOf(property.name())));
		return List.copyOf(unused);
	}

	private static List<String> prefixesOf(MatchResult table) {
		return Arrays.asList(table.group(1).split("\\s*,\\s*"));
	}

	private String prefixOf(String name) {
		String longest = "";
		for (String prefix : this.prefixes) {
			if (prefix.length() > longest.length() && isBelow(name, prefix)) {
				longest = prefix;
			}
		}
		return longest;
	}

	private static boolean isBelow(String name, String prefix) {
		return name.equals(prefix) || (name.startsWith(prefix + ".")
				&& (!prefix.equals(ROOT) || name.indexOf('.', ROOT.length() + 1) < 0));
	}

	private String table(List<String> prefixes) {
		StringBuilder table = new StringBuilder("| property | default | description |\n| --- | --- | --- |\n");
		for (String prefix : prefixes) {
			for (Property property : this.properties) {
				if (prefixOf(property.name()).equals(prefix)) {
					add(table, property);
				}
			}
		}
		return table.toString();
	}

	private static void add(StringBuilder table, Property property) {
		Matcher elements = ELEMENTS.matcher(property.type());
		addRow(table, property.name(), property.defaultValue(),
				property.description()
						+ (property.values().isEmpty() ? choice(property.type(), property.description()) : ""),
				property.values());
		if (elements.matches()) {
			Class<?> type = ClassUtils.resolveClassName(elements.group(2), null);
			if (type.isRecord()) {
				addRecord(table, property.name() + (elements.group(1).startsWith("M") ? ".<name>." : "[]."), type);
			}
		}
	}

	private static void addRecord(StringBuilder table, String prefix, Class<?> type) {
		Map<String, String> descriptions = descriptions(type);
		RecordComponent[] components = type.getRecordComponents();
		for (int i = 0; i < components.length; i++) {
			RecordComponent component = components[i];
			String name = prefix + DataObjectPropertyName.toDashedForm(component.getName());
			Class<?> element = elementOf(component);
			if (component.getType().isRecord()) {
				addRecord(table, name + ".", component.getType());
			}
			else {
				DefaultValue value = constructor(type).getParameters()[i].getAnnotation(DefaultValue.class);
				String description = descriptions.getOrDefault(component.getName(), "");
				addRow(table, name, (value != null) ? String.join(", ", value.value()) : "",
						description
								+ choice(((element != null) ? element : component.getType()).getName(), description),
						Map.of());
				if (element != null && element.isRecord()) {
					addRecord(table, name + (Map.class.isAssignableFrom(component.getType()) ? ".<key>." : "[]."),
							element);
				}
			}
		}
	}

	/** The values of an enum of ours, where the description has none of them. */
	private static String choice(String type, String description) {
		if (!type.startsWith("io.ge.redis.") || !ClassUtils.resolveClassName(type, null).isEnum()) {
			return "";
		}
		List<String> values = Arrays.stream(ClassUtils.resolveClassName(type, null).getEnumConstants())
			.map((value) -> ((Enum<?>) value).name().toLowerCase(Locale.ROOT).replace('_', '-'))
			.toList();
		return values.stream().anyMatch((value) -> description.matches(".*\\b" + value + "\\b.*")) ? ""
				: ": `" + String.join("`, `", values) + "`";
	}

	private static Constructor<?> constructor(Class<?> type) {
		return Arrays.stream(type.getDeclaredConstructors())
			.filter((each) -> each.getParameterCount() == type.getRecordComponents().length)
			.findFirst()
			.orElseThrow();
	}

	private static Class<?> elementOf(RecordComponent component) {
		if (component.getGenericType() instanceof ParameterizedType generic) {
			Type last = generic.getActualTypeArguments()[generic.getActualTypeArguments().length - 1];
			return (last instanceof Class<?> type) ? type : null;
		}
		return null;
	}

	/** What the Javadoc of a record says about its components. */
	private static Map<String, String> descriptions(Class<?> type) {
		Class<?> outer = type;
		while (outer.getEnclosingClass() != null) {
			outer = outer.getEnclosingClass();
		}
		Path path = Path.of(outer.getName().replace('.', '/') + ".java");
		String source = Sources.ofLibrary("src/main/java", ".java")
			.stream()
			.filter((file) -> file.endsWith(path))
			.map(Pages::read)
			.findFirst()
			.orElseThrow();
		String before = source.split("\\brecord " + type.getSimpleName() + "\\(")[0];
		String[] comments = before.split("(?m)^\\s*/\\*\\*$");
		String comment = comments[comments.length - 1].split("\\n\\s*\\*/")[0].replaceAll("\\s*\\n\\s*\\*? ?", " ");
		Map<String, String> descriptions = new HashMap<>();
		PARAM.matcher(comment).results().forEach((tag) -> descriptions.put(tag.group(1), tag.group(2).strip()));
		return descriptions;
	}

	private static void addRow(StringBuilder table, String name, String defaultValue, String description,
			Map<String, String> values) {
		String text = sentence(description) + values.entrySet()
			.stream()
			.map((value) -> "<br>`" + value.getKey() + "`: " + sentence(value.getValue()))
			.collect(Collectors.joining());
		String value = defaultValue.isEmpty() ? "" : "`" + defaultValue + "`";
		table.append("| `%s` | %s | %s |%n".formatted(name, value, text).replace("\r", "").replace("|  |", "| |"));
	}

	private static String sentence(String description) {
		String text = ESCAPED.matcher(description.replaceAll("\\{@\\w+ ([^}]*)}", "`$1`"))
			.replaceAll((match) -> Matcher.quoteReplacement(
					match.group().startsWith("`") ? match.group().replace("|", "\\|") : "\\" + match.group()));
		return (text.isEmpty() || text.endsWith(".")) ? text : StringUtils.capitalize(text) + ".";
	}

}
