// SPDX-License-Identifier: Apache-2.0

package io.ge.redis.actuate;

import java.util.List;
import java.util.Map;
import java.util.function.Consumer;

import io.ge.redis.autoconfigure.BroadcastAutoConfiguration;
import io.ge.redis.autoconfigure.CacheAutoConfiguration;
import io.ge.redis.autoconfigure.ConsumerAutoConfiguration;
import io.ge.redis.autoconfigure.IdempotencyAutoConfiguration;
import io.ge.redis.autoconfigure.LockAutoConfiguration;
import io.ge.redis.autoconfigure.RateLimitAutoConfiguration;
import io.ge.redis.autoconfigure.RateLimitWebAutoConfiguration;
import io.ge.redis.lock.DistributedLocks;
import io.ge.redis.lock.LockHandle;
import io.ge.redis.lock.LockOptions;
import io.ge.redis.ratelimit.RateLimited;
import io.ge.redis.test.SharedRedis;
import io.ge.redis.test.Wide;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import org.springframework.boot.actuate.autoconfigure.endpoint.jmx.JmxEndpointAutoConfiguration;
import org.springframework.boot.actuate.endpoint.InvocationContext;
import org.springframework.boot.actuate.endpoint.Operation;
import org.springframework.boot.actuate.endpoint.SecurityContext;
import org.springframework.boot.actuate.endpoint.jmx.JmxEndpointsSupplier;
import org.springframework.boot.actuate.endpoint.jmx.JmxOperation;
import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.autoconfigure.jmx.JmxAutoConfiguration;
import org.springframework.boot.test.context.runner.WebApplicationContextRunner;
import org.springframework.http.HttpStatus;
import org.springframework.http.MediaType;
import org.springframework.test.web.servlet.assertj.MockMvcTester;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * The report of the endpoint, its links, and where the console is.
 */
class GeRedisEndpointIntegrationTests {

	private static final String ROOT = "/actuator/geredis";

	private static final String CONSOLE = ROOT + "/console";

	private final WebApplicationContextRunner runner = OperatorApplication
		.withDatabase(RateLimitAutoConfiguration.class, RateLimitWebAutoConfiguration.class,
				LockAutoConfiguration.class, IdempotencyAutoConfiguration.class, CacheAutoConfiguration.class,
				ConsumerAutoConfiguration.class, BroadcastAutoConfiguration.class)
		.withBean(Desk.class)
		.withPropertyValues(SharedRedis.standalone().properties())
		.withPropertyValues("ge.redis.outage.command-timeout=5s", "ge.redis.rate-limit.limits.tasks.window=2m",
				"ge.redis.rate-limit.rules[0].name=logins", "ge.redis.rate-limit.rules[0].path=/login",
				"ge.redis.rate-limit.rules[0].methods=POST", "ge.redis.rate-limit.rules[0].key=client-address",
				"ge.redis.rate-limit.rules[0].limit=5", "ge.redis.rate-limit.rules[0].window=1m",
				"ge.redis.broadcast.channels.prices.mode=ephemeral", "spring.datasource.url=jdbc:h2:mem:report",
				"spring.datasource.generate-unique-name=false");

	private final WebApplicationContextRunner writing = this.runner
		.withPropertyValues("management.endpoint.geredis.access=UNRESTRICTED");

	@Test
	void leavesOutDefaultsIfAsked() {
		run(this.runner, (mvc) -> {
			for (String path : new String[] { "$.guards[0].settings", "$.rules[0].settings" }) {
				assertThat(mvc.get().uri(ROOT)).bodyJson()
					.extractingPath(path)
					.asMap()
					.containsKeys("limit", "algorithm");
				assertThat(mvc.get().uri(ROOT + "?view=all")).bodyJson()
					.extractingPath(path)
					.asMap()
					.containsKeys("limit", "algorithm");
				assertThat(mvc.get().uri(ROOT + "?view=changed")).bodyJson()
					.extractingPath(path)
					.asMap()
					.containsKeys("limit", "window")
					.doesNotContainKey("algorithm");
			}
			assertThat(mvc.get().uri(ROOT + "?view=brief")).hasStatus(HttpStatus.BAD_REQUEST);
		});
	}

	@Test
	void listsRulesForPaths() {
		run(this.runner, (mvc) -> {
			assertThat(mvc.get().uri(ROOT)).bodyJson()
				.extractingPath("$.rules[*].name")
				.asArray()
				.containsExactly("logins");
			assertThat(mvc.get().uri(ROOT)).bodyJson()
				.extractingPath("$.rules[0]")
				.asMap()
				.containsEntry("property", "ge.redis.rate-limit.rules[0]")
				.containsEntry("key", "client-address")
				.containsKeys("path", "methods", "figures");
			assertThat(mvc.get().uri(ROOT)).bodyJson()
				.extractingPath("$.rules[0].settings.limit")
				.isEqualTo(Map.of("value", 5, "origin", "PROPERTIES"));
		});
	}

	@Test
	void linksToEachPatternByTheNameInItsProperties() {
		run(this.runner, (mvc) -> {
			assertThat(mvc.get().uri(ROOT)).bodyJson()
				.extractingPath("$.links")
				.asMap()
				.containsOnly(Map.entry("rate-limit", "geredis/rate-limit"), Map.entry("lock", "geredis/lock"),
						Map.entry("idempotency", "geredis/idempotency"), Map.entry("cache", "geredis/cache"),
						Map.entry("consumer", "geredis/consumer"), Map.entry("broadcast", "geredis/broadcast"));
			assertThat(mvc.get().uri(ROOT)).bodyJson().extractingPath("$.guards[0].pattern").isEqualTo("rate-limit");
			for (String name : new String[] { "rate-limit", "ratelimit", "cache", "caches", "consumer", "consumers",
					"broadcast", "broadcasts", "broadcast/prices", "rate-limit/tasks" }) {
				assertThat(mvc.get().uri(ROOT + "/" + name)).as(name).hasStatusOk();
			}
		});
	}

	@Test
	@Wide
	void unknownNamesAreNotFound() {
		run(this.writing, (mvc) -> {
			for (String name : new String[] { "nothing", "rate-limit/nothing", "lock/nothing?key=1",
					"idempotency/nothing?key=1", "cache/nothing", "consumer/nothing", "broadcast/nothing" }) {
				assertThat(mvc.get().uri(ROOT + "/" + name)).as(name).hasStatus(HttpStatus.NOT_FOUND);
			}
			for (String name : new String[] { "lock/nothing?key=1", "idempotency/nothing?key=1",
					"cache/nothing?key=1" }) {
				assertThat(mvc.delete().uri(ROOT + "/" + name)).as(name).hasStatus(HttpStatus.NOT_FOUND);
			}
		});
	}

	// What a page of another site may send without asking first
	@Test
	void writesAreJson() {
		run(this.writing, (mvc) -> assertThat(
				mvc.post().uri(ROOT + "/rate-limit/tasks").contentType(MediaType.TEXT_PLAIN).content("{\"limit\": 9}"))
			.hasStatus(HttpStatus.UNSUPPORTED_MEDIA_TYPE));
	}

	@Test
	@Wide
	void lockThatOnlyCodeUsesIsFound() {
		this.runner.run((context) -> {
			MockMvcTester mvc = MockMvcTester.from(context);
			LockHandle lock = context.getBean(DistributedLocks.class).lock("in-code", "1", LockOptions.defaults());
			assertThat(mvc.get().uri(ROOT + "/lock/in-code?key=1")).bodyJson().extractingPath("$.held").isEqualTo(true);
			lock.close();
			assertThat(mvc.get().uri(ROOT + "/lock/in-code?key=1")).bodyJson()
				.extractingPath("$.held")
				.isEqualTo(false);
			assertThat(mvc.get().uri(ROOT)).bodyJson()
				.extractingPath("$.names[?(@.name == 'in-code')].figures.acquired")
				.isEqualTo(List.of(1));
		});
	}

	@Test
	@Wide
	void reportsOverJmxAndNothingElse() {
		this.runner
			.withConfiguration(AutoConfigurations.of(JmxAutoConfiguration.class, JmxEndpointAutoConfiguration.class))
			.withPropertyValues("spring.jmx.enabled=true", "management.endpoints.jmx.exposure.include=geredis")
			.run((context) -> {
				assertThat(context).hasNotFailed();
				assertThat(context.getBean(JmxEndpointsSupplier.class).getEndpoints()).singleElement()
					.satisfies((endpoint) -> {
						assertThat(endpoint.getOperations()).extracting(JmxOperation::getName)
							.containsExactly("report");
						Operation report = endpoint.getOperations().iterator().next();
						assertThat(
								report.invoke(new InvocationContext(SecurityContext.NONE, Map.of("view", "changed"))))
							.isInstanceOf(GeRedisEndpoint.GeRedisReport.class);
					});
			});
	}

	@ParameterizedTest
	@ValueSource(strings = { "ge.redis.console.enabled=false", "management.endpoint.geredis.access=NONE",
			"management.endpoints.access.max-permitted=NONE", "management.endpoints.web.exposure.exclude=geredis",
			"ge.redis.enabled=false" })
	@Wide
	void thereIsNoConsoleWhereTheEndpointIsNotExposed(String property) {
		this.runner.withPropertyValues("ge.redis.console.enabled=true", property).run((context) -> {
			assertThat(context).hasNotFailed()
				.doesNotHaveBean(ConsolePage.class)
				.doesNotHaveBean("geRedisConsoleMapping");
			assertThat(MockMvcTester.from(context).get().uri(CONSOLE)).hasStatus(HttpStatus.NOT_FOUND);
		});
	}

	@Test
	void thereIsNoConsoleByDefault() {
		run(this.runner, (mvc) -> assertThat(mvc.get().uri(CONSOLE)).hasStatus(HttpStatus.NOT_FOUND));
	}

	@Test
	@Wide
	void consoleActsOnlyWhereTheEndpointMayBeWrittenTo() {
		String[] moved = { "ge.redis.console.enabled=true", "management.endpoints.web.base-path=/ops",
				"management.endpoints.web.path-mapping.geredis=guards" };
		run(this.runner.withPropertyValues(moved), (mvc) -> {
			assertThat(mvc.get().uri("/ops/guards/console")).bodyText().contains("data-access=\"read-only\"");
			assertThat(mvc.get().uri("/ops/guards")).bodyJson().extractingPath("$.links.lock").isEqualTo("guards/lock");
			assertThat(mvc.post().uri("/ops/guards/console")).hasStatus(HttpStatus.METHOD_NOT_ALLOWED);
		});
		run(this.writing.withPropertyValues(moved),
				(mvc) -> assertThat(mvc.get().uri("/ops/guards/console")).bodyText()
					.contains("data-access=\"unrestricted\"")
					.doesNotContain("data-access=\"read-only\""));
	}

	private static void run(WebApplicationContextRunner runner, Consumer<MockMvcTester> test) {
		runner.run((context) -> {
			assertThat(context).hasNotFailed();
			test.accept(MockMvcTester.from(context));
		});
	}

	static class Desk {

		@RateLimited(name = "tasks", limit = 3)
		public void work() {
		}

	}

}
