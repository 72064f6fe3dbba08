// SPDX-License-Identifier: Apache-2.0

package io.ge.redis;

import java.io.IOException;
import java.io.InputStream;
import java.net.URL;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;

import io.ge.redis.ratelimit.RateLimitProperties;
import io.ge.redis.test.Sources;
import org.junit.jupiter.api.Test;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

import org.springframework.boot.context.properties.bind.BindHandler;
import org.springframework.boot.context.properties.bind.Bindable;
import org.springframework.boot.context.properties.bind.Binder;
import org.springframework.boot.context.properties.bind.handler.NoUnboundElementsBindHandler;
import org.springframework.boot.context.properties.source.ConfigurationPropertySources;
import org.springframework.boot.env.YamlPropertySourceLoader;
import org.springframework.core.env.EnumerablePropertySource;
import org.springframework.core.env.PropertySource;
import org.springframework.core.io.ByteArrayResource;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * README and pages say nothing that is not so: their code is code that is compiled and
 * run, their properties and meters exist, their coordinates are ours.
 */
class ReadmeTests {

	private static final List<Path> EXAMPLES = List.of(Path.of("src/test/java/io/ge/redis/readme"),
			Path.of("src/test/resources/agents"),
			Sources.ROOT.resolve("benchmarks/src/test/java/io/ge/redis/benchmark/migration"));

	private static final int LONGEST_README = 900;

	private final String readme = read(Sources.ROOT.resolve("README.md"));

	private final List<String> pages = pages();

	private List<String> pages() {
		List<String> pages = new ArrayList<>(List.of(this.readme));
		try (Stream<Path> files = Files.list(Sources.ROOT.resolve("docs"))) {
			files.filter((file) -> file.toString().endsWith(".md"))
				.sorted()
				.map(ReadmeTests::read)
				// PatternPagesTests compares the imports
				.map((page) -> Pages.eachFirstCode(page, Pages::withoutImports))
				.forEach(pages::add);
		}
		catch (IOException ex) {
			throw new IllegalStateException(ex);
		}
		assertThat(pages).hasSizeGreaterThan(1);
		return pages;
	}

	@Test
	void codeIsThatOfTestedExamples() throws IOException {
		StringBuilder examples = new StringBuilder();
		for (Path directory : EXAMPLES) {
			try (Stream<Path> files = Files.walk(directory)) {
				files.filter(Files::isRegularFile)
					.map(ReadmeTests::read)
					.map(ReadmeTests::squeeze)
					.forEach((code) -> examples.append(code).append('\n'));
			}
		}
		List<String> blocks = blocks("java");
		blocks.addAll(blocks("lua"));
		assertThat(blocks).isNotEmpty();
		assertThat(blocks).allSatisfy((block) -> {
			for (String part : block.split("\n\n(?=@)")) {
				assertThat(examples.toString()).contains(squeeze(part));
			}
		});
	}

	@Test
	void configurationIsKnown() throws IOException {
		Set<String> known = ConfigurationMetadata.fromClasspath().propertyNames();
		Set<String> ofBoot = propertiesOfBoot();
		List<String> blocks = blocks("yaml");
		assertThat(blocks).isNotEmpty();
		for (String block : blocks) {
			for (PropertySource<?> source : new YamlPropertySourceLoader().load("readme",
					new ByteArrayResource(block.getBytes(StandardCharsets.UTF_8)))) {
				assertThat(((EnumerablePropertySource<?>) source).getPropertyNames())
					.allSatisfy((name) -> assertThat(isKnown(name, known) || ofBoot.contains(name)).as(name).isTrue());
			}
		}
	}

	@Test
	void configurationOfRateLimitsCanBeBound() throws IOException {
		int bound = 0;
		for (String block : blocks("yaml")) {
			for (PropertySource<?> source : new YamlPropertySourceLoader().load("page",
					new ByteArrayResource(block.getBytes(StandardCharsets.UTF_8)))) {
				bound += new Binder(ConfigurationPropertySources.from(source))
					.bind("ge.redis.rate-limit", Bindable.of(RateLimitProperties.class),
							new NoUnboundElementsBindHandler(BindHandler.DEFAULT))
					.isBound() ? 1 : 0;
			}
		}
		assertThat(bound).isGreaterThan(1);
	}

	@Test
	void propertiesInTheTextAreKnown() throws IOException {
		Set<String> known = ConfigurationMetadata.fromClasspath().propertyNames();
		Set<String> meters = meters();
		List<String> unknown = new ArrayList<>();
		Matcher names = Pattern.compile("`(ge\\.redis\\.[a-z-._<>*]+)(=\\w+)?`").matcher(String.join("\n", this.pages));
		while (names.find()) {
			String name = names.group(1);
			if (!meters.contains(name) && !isKnownPattern(name, known)) {
				unknown.add(name);
			}
		}
		assertThat(unknown).isEmpty();
	}

	@Test
	void metersOfTheTableAreThoseOfTheSources() {
		String page = page("observability");
		String table = page.substring(page.indexOf("## Meters"), page.indexOf("## Endpoint"));
		Set<String> documented = new TreeSet<>();
		Matcher names = Pattern.compile("`(ge\\.redis\\.[a-z._]+)`").matcher(table);
		while (names.find()) {
			documented.add(names.group(1));
		}
		assertThat(documented).isEqualTo(meters());
	}

	@Test
	void coordinatesAreOurs() {
		String version = ofParent("<artifactId>ge-redis-parent</artifactId>\\s*<version>([^<]+)<");
		for (String page : List.of(this.readme, page("getting-started"))) {
			assertThat(squeeze(page)).contains("<groupId>io.ge.redis</groupId> "
					+ "<artifactId>ge-redis-spring-boot-starter</artifactId> <version>" + version + "</version>",
					"implementation 'io.ge.redis:ge-redis-spring-boot-starter:" + version + "'",
					"mvn install -DskipTests -pl autoconfigure,starter -am");
		}
	}

	@Test
	void versionsAreThoseOfTheBuild() {
		String boot = ofParent("<spring-boot.version>([^<]+)<");
		String olderBoot = find("OLDER_BOOT=([0-9.]+)", read(Sources.ROOT.resolve(".ci/run")));
		String embedded = "<artifactId>embedded-redis</artifactId> <version>"
				+ ofParent("<embedded-redis.version>([^<]+)<") + "</version>";
		assertThat(this.readme).contains("| Java | " + ofParent("<java.version>([^<]+)<") + ", ")
			.contains("| Spring Boot | " + olderBoot + ", " + boot + " |");
		for (String page : List.of(this.readme, page("getting-started"), page("configuration"))) {
			assertThat(squeeze(page)).contains(embedded);
		}
		assertThat(squeeze(page("getting-started"))).contains(
				"<artifactId>spring-boot-starter-parent</artifactId> <version>" + boot + "</version>",
				"id 'org.springframework.boot' version '" + boot + "'");
	}

	@Test
	void commandsAreThoseOfTheBuild() {
		assertThat(this.readme).containsPattern("(?m)^mvn -pl sample-app -am spring-boot:run ")
			.containsPattern("(?m)^mvn verify ");
		assertThat(read(Sources.ROOT.resolve(".ci/steps"))).contains("mvn -B -ntp verify");
	}

	@Test
	void readmeIsShort() {
		String prose = this.readme.replaceAll("(?s)```.*?```", "")
			.replaceAll("(?m)^\\|.*$", "")
			.replaceAll("]\\([^)]*\\)", "]");
		assertThat(Pattern.compile("[A-Za-z0-9'`@_.-]+").matcher(prose).results().count()).isGreaterThan(100)
			.isLessThanOrEqualTo(LONGEST_README);
	}

	@Test
	void indexLinksEveryPage() throws IOException {
		String index = page("index");
		try (Stream<Path> files = Files.list(Sources.ROOT.resolve("docs"))) {
			assertThat(files.map((file) -> file.getFileName().toString())
				.filter((name) -> name.endsWith(".md") && !name.equals("index.md"))).isNotEmpty()
				.allSatisfy((name) -> assertThat(index).contains("](" + name + ")"));
		}
	}

	@Test
	void pagesOfResultsHaveTitlesOfTheirOwn() {
		List<String> titles = Sources.below(Sources.ROOT.resolve("benchmarks/results"), "README.md")
			.stream()
			.map((page) -> read(page).lines().findFirst().orElse(""))
			.toList();
		assertThat(titles).isNotEmpty().doesNotHaveDuplicates().allMatch((title) -> title.matches("# .{9,}"));
	}

	private static String ofParent(String pattern) {
		return find(pattern, read(Sources.ROOT.resolve("pom.xml")));
	}

	private static String find(String pattern, String text) {
		Matcher matcher = Pattern.compile(pattern).matcher(text);
		assertThat(matcher.find()).as(pattern).isTrue();
		return matcher.group(1);
	}

	private static String page(String name) {
		return read(Sources.ROOT.resolve("docs/" + name + ".md"));
	}

	private static Set<String> propertiesOfBoot() throws IOException {
		Set<String> names = new TreeSet<>();
		for (URL url : Collections
			.list(ReadmeTests.class.getClassLoader().getResources("META-INF/spring-configuration-metadata.json"))) {
			try (InputStream stream = url.openStream()) {
				for (JsonNode property : new JsonMapper().readTree(stream).path("properties")) {
					String name = property.path("name").asString();
					if (!name.startsWith("ge.redis")) {
						names.add(name);
					}
				}
			}
		}
		return names;
	}

	private static boolean isKnown(String name, Set<String> known) {
		return known.contains(name) || known.stream()
			.anyMatch((property) -> isOfMap(name, property) && !property.equals("ge.redis")
					|| name.startsWith(property + "["));
	}

	/** A property of a map appears in the metadata as the map. */
	private static boolean isOfMap(String name, String property) {
		return Set
			.of("limits", "locks", "operations", "caches", "lists", "definitions", "queues", "channels", "boards",
					"counters", "filters", "indexes", "stores", "entities")
			.contains(property.substring(property.lastIndexOf('.') + 1)) && name.startsWith(property + ".");
	}

	private static boolean isKnownPattern(String name, Set<String> known) {
		Pattern pattern = Pattern.compile(name.replace(".", "\\.")
			.replace("<pattern>", "[a-z-]+")
			.replaceAll("\\\\\\.<name>.*", "")
			.replace("\\.*", "\\..+"));
		return known.stream().anyMatch((property) -> pattern.matcher(property).matches());
	}

	private static Set<String> meters() {
		Set<String> meters = new TreeSet<>();
		Pattern builder = Pattern.compile(
				"(?:(?:Counter|Timer|Gauge)\\s*\\.builder|EventMeter\\s*\\.(?:counter|timer)|new EventGauge)\\(\"(ge\\.redis\\.[a-z._]+)\"");
		for (Path file : Sources.ofLibrary("src/main/java", ".java")) {
			Matcher matcher = builder.matcher(read(file));
			while (matcher.find()) {
				meters.add(matcher.group(1));
			}
		}
		return meters;
	}

	private List<String> blocks(String language) {
		List<String> blocks = new ArrayList<>();
		Matcher matcher = Pattern.compile("```" + language + "\n(.*?)```", Pattern.DOTALL)
			.matcher(String.join("\n", this.pages));
		while (matcher.find()) {
			blocks.add(matcher.group(1));
		}
		return blocks;
	}

	private static String squeeze(String code) {
		return code.replaceAll("\\s+", " ").strip();
	}

	private static String read(Path path) {
		try {
			return Files.readString(path);
		}
		catch (IOException ex) {
			throw new IllegalStateException(ex);
		}
	}

}
