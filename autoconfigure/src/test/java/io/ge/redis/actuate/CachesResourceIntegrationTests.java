// SPDX-License-Identifier: Apache-2.0

package io.ge.redis.actuate;

import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.function.BiConsumer;
import java.util.stream.Stream;

import com.jayway.jsonpath.JsonPath;
import io.ge.redis.autoconfigure.CacheAutoConfiguration;
import io.ge.redis.cache.CacheAside;
import io.ge.redis.cache.CacheWarmer;
import io.ge.redis.cache.GeCaches;
import io.ge.redis.test.SharedRedis;
import io.ge.redis.test.Wide;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

import org.springframework.boot.test.context.runner.WebApplicationContextRunner;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.http.HttpStatus;
import org.springframework.test.web.servlet.assertj.MockMvcTester;
import org.springframework.test.web.servlet.assertj.MvcTestResult;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Caches over HTTP, as an operator sees them.
 */
class CachesResourceIntegrationTests {

	private static final String CACHES = "/actuator/geredis/caches";

	private static final String NAMES = CACHES + "/names";

	private static final String TAGGED = CACHES + "/tagged";

	private final WebApplicationContextRunner reading = OperatorApplication.withDatabase(CacheAutoConfiguration.class)
		.withUserConfiguration(Application.class)
		.withPropertyValues(SharedRedis.standalone().properties())
		.withPropertyValues("ge.redis.outage.command-timeout=5s", "ge.redis.cache.caches.names.ttl=7m",
				"spring.datasource.url=jdbc:h2:mem:caches");

	private final WebApplicationContextRunner writing = this.reading
		.withPropertyValues("management.endpoint.geredis.access=UNRESTRICTED");

	@BeforeEach
	void emptyRedis() {
		SharedRedis.standalone().flushAll();
	}

	@Test
	void tellsSettingsWithTheirOriginAndWhatWasCounted() {
		run(this.reading, (desk, mvc) -> {
			desk.name("secret-1");
			desk.name("secret-1");
			desk.name("secret-1");
			desk.name("secret-2");
			MvcTestResult result = mvc.get().uri(NAMES).exchange();
			assertThat(result).hasStatusOk();
			assertThat(result).bodyJson().extractingPath("$.settings.ttl.value").isEqualTo("PT7M");
			assertThat(result).bodyJson().extractingPath("$.settings.ttl.origin").isEqualTo("PROPERTIES");
			assertThat(result).bodyJson().extractingPath("$.settings.negativeTtl.origin").isEqualTo("ANNOTATION");
			assertThat(result).bodyJson().extractingPath("$.settings.leaseTime.origin").isEqualTo("DEFAULT");
			assertThat(result).bodyJson().extractingPath("$.hitRatio").isEqualTo(0.5);
			assertThat(result).bodyJson().extractingPath("$.loads").isEqualTo(2);
			assertThat(result).bodyJson().extractingPath("$.staleServes").isEqualTo(0);
			assertThat(result).bodyJson().extractingPath("$.figures.hit").isEqualTo(2);
			assertThat(body(result)).doesNotContain("secret");
			assertThat(mvc.get().uri(CACHES + "/none")).hasStatus(HttpStatus.NOT_FOUND);
			assertThat(mvc.get().uri(NAMES + "?key=1")).hasStatus(HttpStatus.BAD_REQUEST);
		});
	}

	@Test
	void addsUpWhatAllInstancesHaveCounted() {
		run(this.reading, (desk, mvc) -> run(this.reading, (other, theirMvc) -> {
			desk.name("1");
			other.name("1");
			other.name("1");
			other.caches().get("in-code", "1", String.class, () -> "1");
			Awaitility.await().untilAsserted(() -> {
				MvcTestResult result = mvc.get().uri(CACHES).exchange();
				assertThat(result).bodyJson().extractingPath("$.instances.length()").isEqualTo(2);
				assertThat(result).bodyJson().extractingPath("$.silent").asArray().isEmpty();
				assertThat(result).bodyJson()
					.extractingPath("$.caches[*].name")
					.asArray()
					.containsExactly("in-code", "names", "tagged");
				assertThat(result).bodyJson().extractingPath("$.caches[1].figures.hit").isEqualTo(2);
				assertThat(result).bodyJson().extractingPath("$.caches[1].figures.miss").isEqualTo(1);
				assertThat(result).bodyJson().extractingPath("$.caches[0].loads").isEqualTo(1);
				assertThat(result).bodyJson().extractingPath("$.instances[*].journal").asArray().containsOnly(0);
			});
		}));
	}

	@Test
	void removesAnEntry() {
		run(this.writing, (desk, mvc) -> {
			desk.name("1");
			desk.name("2");
			desk.caches().get("in-code", List.of("a", "b"), String.class, () -> "1");
			assertThat(mvc.delete().uri(NAMES + "?key=1")).hasStatusOk()
				.bodyJson()
				.extractingPath("$.outcome")
				.isEqualTo("invalidated");
			assertThat(desk.loads()).isEqualTo(2);
			desk.name("1");
			desk.name("2");
			assertThat(desk.loads()).isEqualTo(3);
			assertThat(mvc.delete().uri(CACHES + "/in-code?key=a&key=b")).hasStatusOk();
			assertThat(desk.caches().get("in-code", List.of("a", "b"), String.class, () -> "2")).isEqualTo("2");
			assertThat(mvc.delete().uri(NAMES)).hasStatus(HttpStatus.BAD_REQUEST);
			assertThat(mvc.delete().uri(CACHES + "?key=1")).hasStatus(HttpStatus.NOT_FOUND);
		});
	}

	@Test
	@Wide
	void invalidatesTagsAndClears() {
		run(this.writing, (desk, mvc) -> run(this.reading, (other, theirMvc) -> {
			desk.tagged("a1");
			desk.tagged("b1");
			desk.name("1");
			other.tagged("a1");
			assertThat(mvc.delete().uri(TAGGED + "?tag=a&tag=none")).hasStatusOk()
				.bodyJson()
				.extractingPath("$.outcome")
				.isEqualTo("invalidated");
			desk.tagged("a1");
			desk.tagged("b1");
			desk.name("1");
			assertThat(desk.loads()).as("a1 alone is loaded again").isEqualTo(4);
			assertThat(mvc.delete().uri(TAGGED + "?all=true")).hasStatusOk();
			desk.tagged("a1");
			desk.tagged("b1");
			desk.name("1");
			assertThat(desk.loads()).isEqualTo(6);
			assertThat(other.loads()).isZero();
			assertThat(mvc.delete().uri(TAGGED + "?all=true")).hasStatusOk();
			Awaitility.await().until(() -> {
				other.tagged("a1");
				return other.loads() > 0;
			});
		}));
	}

	@Test
	@Wide
	void tellsHowManyValuesAreInMemory() {
		run(this.reading.withPropertyValues("ge.redis.cache.caches.names.near.enabled=true"), (desk, mvc) -> {
			Awaitility.await().untilAsserted(() -> {
				desk.name("1");
				desk.name("2");
				MvcTestResult result = mvc.get().uri(CACHES).exchange();
				assertThat(result).bodyJson().extractingPath("$.caches[0].nearEntries").isEqualTo(2);
				assertThat(result).bodyJson()
					.extractingPath("$.caches[0].settings.near.origin")
					.isEqualTo("PROPERTIES");
				assertThat(result).bodyJson().extractingPath("$.caches[0].settings.nearTtl.value").isEqualTo("PT1M");
				assertThat(result).bodyJson().doesNotHavePath("$.caches[0].figures.near_entries");
				assertThat(result).bodyJson().doesNotHavePath("$.caches[1].nearEntries");
			});
		});
	}

	@Test
	@Wide
	void saysWhatIsToBeRemoved() {
		run(this.writing, (desk, mvc) -> {
			desk.name("1");
			for (String parameters : List.of("", "?all=false", "?key=1&tag=a", "?key=1&all=true", "?tag=a&all=true",
					"?tag=", "?tags=a")) {
				assertThat(mvc.delete().uri(NAMES + parameters)).as(parameters).hasStatus(HttpStatus.BAD_REQUEST);
			}
			assertThat(mvc.delete().uri(CACHES + "?all=true")).hasStatus(HttpStatus.NOT_FOUND);
			desk.name("1");
			assertThat(desk.loads()).isEqualTo(1);
		});
	}

	@Test
	@Wide
	void removesNothingWithoutWriteAccess() {
		run(this.reading, (desk, mvc) -> {
			desk.name("1");
			assertThat(mvc.delete().uri(NAMES + "?key=1").exchange().getResponse().getStatus()).isBetween(400, 499);
			desk.name("1");
			assertThat(desk.loads()).isEqualTo(1);
		});
	}

	@Test
	@Wide
	void tellsWhatIsKnownWhileRedisIsAwayAndNotesRemovals() {
		run(this.writing.withPropertyValues("spring.data.redis.port=1", "ge.redis.outage.command-timeout=50ms"),
				(desk, mvc) -> {
					desk.name("1");
					assertThat(mvc.delete().uri(NAMES + "?key=1")).bodyJson()
						.extractingPath("$.outcome")
						.isEqualTo("deferred");
					assertThat(mvc.delete().uri(NAMES + "?all=true")).bodyJson()
						.extractingPath("$.outcome")
						.isEqualTo("deferred");
					MvcTestResult result = mvc.get().uri(CACHES).exchange();
					assertThat(result).hasStatusOk();
					assertThat(result).bodyJson().extractingPath("$.instances[0].journal").isEqualTo(2);
					assertThat(result).bodyJson().extractingPath("$.caches[0].figures.bypass").isEqualTo(1);
				});
	}

	@Test
	@Wide
	void showsWarmUps() {
		run(this.reading.withBean("warmer", Letters.class), (desk, mvc) -> {
			MvcTestResult result = mvc.get().uri(CACHES).exchange();
			assertThat(result).bodyJson().extractingPath("$.warmUps[0].name").isEqualTo("letters of a");
			assertThat(result).bodyJson().extractingPath("$.warmUps[0].state").isEqualTo("waiting");
			assertThat(result).bodyJson().extractingPath("$.warmUps[0].read").isEqualTo(0);
			assertThat(result).bodyJson()
				.extractingPath("$.warmUps[0].instance")
				.isEqualTo(JsonPath.<String>read(body(result), "$.instance"));
		});
	}

	private static String body(MvcTestResult result) {
		return new String(result.getResponse().getContentAsByteArray(), StandardCharsets.UTF_8);
	}

	private static void run(WebApplicationContextRunner runner, BiConsumer<Desk, MockMvcTester> use) {
		runner.run((context) -> {
			assertThat(context).hasNotFailed();
			use.accept(context.getBean(Desk.class), MockMvcTester.from(context));
		});
	}

	@Configuration(proxyBeanMethods = false)
	static class Application {

		@Bean
		Desk desk(GeCaches caches) {
			return new Desk(caches);
		}

	}

	/**
	 * A warm-up that is not run, since no application is.
	 */
	static class Letters implements CacheWarmer<String> {

		@Override
		public String name() {
			return "letters of a";
		}

		@Override
		public Stream<String> keys() {
			return Stream.of("a");
		}

		@Override
		public void warm(String key) {
		}

	}

	/**
	 * The calls.
	 */
	static class Desk {

		private final GeCaches caches;

		private volatile int loads;

		Desk(GeCaches caches) {
			this.caches = caches;
		}

		GeCaches caches() {
			return this.caches;
		}

		int loads() {
			return this.loads;
		}

		@CacheAside(cache = "names", key = "#id", negativeTtl = "9s")
		public String name(String id) {
			this.loads++;
			return "name of " + id;
		}

		@CacheAside(cache = "tagged", key = "#id", tags = "#id.substring(0, 1)")
		public String tagged(String id) {
			this.loads++;
			return "name of " + id;
		}

	}

}
