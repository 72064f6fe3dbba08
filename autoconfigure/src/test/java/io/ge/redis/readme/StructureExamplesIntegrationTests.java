// SPDX-License-Identifier: Apache-2.0

package io.ge.redis.readme;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

import io.ge.redis.autoconfigure.GeRedisAutoConfiguration;
import io.ge.redis.autoconfigure.StructureAutoConfiguration;
import io.ge.redis.geo.GeoMember;
import io.ge.redis.geo.GeoPoint;
import io.ge.redis.readme.StructureExamples.AgentState;
import io.ge.redis.test.SharedRedis;
import io.ge.redis.test.Sources;
import org.junit.jupiter.api.Test;

import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.data.redis.autoconfigure.DataRedisAutoConfiguration;
import org.springframework.boot.env.YamlPropertySourceLoader;
import org.springframework.boot.jackson.autoconfigure.JacksonAutoConfiguration;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.core.io.ByteArrayResource;
import org.springframework.data.redis.core.StringRedisTemplate;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Runs the examples of the pages on structures with the yml of those pages.
 */
class StructureExamplesIntegrationTests {

	@Test
	void answersAreThoseOfThePages() {
		SharedRedis.standalone().flushAll();
		new ApplicationContextRunner()
			.withConfiguration(AutoConfigurations.of(JacksonAutoConfiguration.class, DataRedisAutoConfiguration.class,
					GeRedisAutoConfiguration.class, StructureAutoConfiguration.class))
			.withPropertyValues(SharedRedis.properties())
			.withPropertyValues("ge.redis.outage.command-timeout=5s")
			.withInitializer(StructureExamplesIntegrationTests::addPages)
			.withBean(StructureExamples.class)
			.withBean(ScriptExamples.class)
			.run((context) -> {
				StructureExamples examples = context.getBean(StructureExamples.class);
				assertThat(examples.leaderboard()).extracting("member").containsExactly("coder", "planner");
				assertThat(examples.complete("planner").block()).isEqualTo(2);
				assertThat(examples.visits()).isEqualTo(1);
				assertThat(examples.mail()).isTrue();
				assertThat(examples.desks()).extracting(GeoMember::member).containsExactly("window seat");
				assertThat(examples.state()).contains(new AgentState("idle", "GE-42", 1));
				assertThat(examples.bulk(Map.of("planner", 1.0), Map.of("door", new GeoPoint(13, 52))))
					.containsExactly(Map.entry("planner", new AgentState("idle", null, 0)));
				assertThat(examples.together()).hasSize(2).first().extracting(Optional::isPresent).isEqualTo(true);
				assertThat(examples.reactive().collectList().block()).isEqualTo(examples.together());
				assertThatScriptsDoAsThePageSays(context.getBean(ScriptExamples.class),
						context.getBean(StringRedisTemplate.class));
				// As if the object had expired
				SharedRedis.standalone().flushAll();
				assertThat(examples.expired()).contains(new AgentState("idle", null, 0));
			});
	}

	private static void assertThatScriptsDoAsThePageSays(ScriptExamples scripts, StringRedisTemplate redis) {
		assertThat(scripts.activate("core", "planner")).isTrue();
		assertThat(scripts.activate("core", "planner")).as("repeated").isFalse();
		assertThat(redis.opsForHash().entries("ge:script:{teams:core}:status"))
			.containsOnly(Map.entry("planner", "active"));
		assertThat(redis.opsForSet().members("ge:script:{teams:core}:active")).containsOnly("planner");
		assertThat(redis.opsForStream().size("ge:script:{teams:core}:changes")).isOne();
		assertThat(scripts.compareAndSet("core", "", "first")).isTrue();
		assertThat(scripts.compareAndSet("core", "", "second")).isFalse();
		assertThat(scripts.compareAndSet("core", "first", "second")).isTrue();
		assertThat(scripts.addSteps("core", "operation-1", 5)).isEqualTo(5);
		assertThat(scripts.addSteps("core", "operation-1", 5)).as("repeated").isEqualTo(5);
		assertThat(redis.keys("ge:script:*")).hasSize(6)
			.allSatisfy((key) -> assertThat(redis.getExpire(key)).as(key).isPositive());
	}

	private static void addPages(ConfigurableApplicationContext context) {
		for (String page : List.of("many-calls", "leaderboards", "unique-counters", "bloom-filters", "geo-indexes",
				"hash-stores", "entity-scripts")) {
			try {
				Matcher block = Pattern.compile("```yaml\n(.*?)```", Pattern.DOTALL)
					.matcher(Files.readString(Sources.ROOT.resolve("docs/" + page + ".md")));
				assertThat(block.find()).as(page).isTrue();
				new YamlPropertySourceLoader()
					.load(page, new ByteArrayResource(block.group(1).getBytes(StandardCharsets.UTF_8)))
					.forEach((source) -> context.getEnvironment().getPropertySources().addLast(source));
			}
			catch (IOException ex) {
				throw new UncheckedIOException(ex);
			}
		}
	}

}
