// SPDX-License-Identifier: Apache-2.0

package io.ge.redis.readme;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.IntStream;

import io.ge.redis.ratelimit.RateLimitCostException;
import io.ge.redis.ratelimit.RateLimitExceededException;
import io.ge.redis.ratelimit.RateLimiter;
import io.ge.redis.test.SharedRedis;
import io.ge.redis.test.Sources;
import io.ge.redis.test.Wide;
import jakarta.servlet.Filter;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.boot.env.YamlPropertySourceLoader;
import org.springframework.boot.test.context.runner.WebApplicationContextRunner;
import org.springframework.boot.web.servlet.FilterRegistrationBean;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.annotation.Import;
import org.springframework.core.env.PropertySource;
import org.springframework.core.io.ByteArrayResource;
import org.springframework.http.HttpMethod;
import org.springframework.http.HttpStatus;
import org.springframework.http.MediaType;
import org.springframework.test.web.servlet.assertj.MockMvcTester;
import org.springframework.test.web.servlet.assertj.MvcTestResult;
import org.springframework.web.bind.annotation.PostMapping;
import org.springframework.web.bind.annotation.RestController;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

/**
 * The page on rate limits: all of its configuration works together, its commands do what
 * it says, and so does its code.
 */
class RateLimitExamplesIntegrationTests {

	private static final String PAGE = read(Sources.ROOT.resolve("docs/rate-limiting.md"))
			+ read(Sources.ROOT.resolve("docs/rate-limiting-reference.md"));

	private static final Pattern COMMAND = Pattern
		.compile("curl (?:-X (\\w+) )?(?:-H 'Content-Type: application/json' -d '([^']*)' )?"
				+ "'?http://localhost:8080([^' \n]+)'?\n");

	private final WebApplicationContextRunner runner = new WebApplicationContextRunner()
		.withInitializer(RateLimitExamplesIntegrationTests::configure)
		.withUserConfiguration(Application.class)
		.withPropertyValues(SharedRedis.properties())
		.withPropertyValues("management.endpoints.web.exposure.include=geredis",
				"management.endpoint.geredis.access=UNRESTRICTED", "ge.redis.rate-limit.limits.user.limit=10",
				"ge.redis.rate-limit.limits.tenant.limit=100",
				"spring.autoconfigure.exclude=org.springframework.boot.jdbc.autoconfigure.DataSourceAutoConfiguration");

	private static void configure(ConfigurableApplicationContext context) {
		int number = 0;
		for (String block : blocks("yaml")) {
			for (PropertySource<?> source : yaml("block " + number++, block)) {
				context.getEnvironment().getPropertySources().addLast(source);
			}
		}
		assertThat(number).isGreaterThan(4);
	}

	@BeforeEach
	void emptyRedis() {
		SharedRedis.standalone().flushAll();
	}

	@Test
	void commandsWork() {
		this.runner.run((context) -> {
			MockMvcTester mvc = MockMvcTester.from(context);
			RateLimitExamples examples = context.getBean(RateLimitExamples.class);
			examples.order("anna", new RateLimitExamples.Cart("tea"));
			List<String> done = new ArrayList<>();
			Matcher commands = COMMAND.matcher(String.join("", blocks("console")));
			while (commands.find()) {
				HttpMethod method = HttpMethod.valueOf((commands.group(1) != null) ? commands.group(1) : "GET");
				MvcTestResult result = (commands.group(2) == null)
						? mvc.method(method).uri(commands.group(3)).exchange()
						: mvc.method(method)
							.uri(commands.group(3))
							.contentType(MediaType.APPLICATION_JSON)
							.content(commands.group(2))
							.exchange();
				assertThat(result).as(commands.group()).hasStatusOk();
				done.add(commands.group());
				if (commands.group().contains("\"block\"")) {
					assertThatExceptionOfType(RateLimitExceededException.class)
						.isThrownBy(() -> examples.order("anna", new RateLimitExamples.Cart("tea")));
				}
			}
			assertThat(done).hasSize(count("\ncurl "));
			examples.order("anna", new RateLimitExamples.Cart("tea"));
		});
	}

	@Test
	@Wide
	void propertiesWinOverAnnotationAndOverridesOverThem() {
		this.runner.run((context) -> {
			RateLimiter limiter = context.getBean(RateLimiter.class);
			assertThat(admitted(limiter, "orders", "anna", 30)).isEqualTo(20);
			assertThat(admitted(limiter, "orders", "vip", 250)).isEqualTo(200);
			assertThat(admitted(limiter, "orders", List.of("acme", "anna"), 60)).isEqualTo(50);
			assertThat(admitted(limiter, "OrderController.submit", "anna", 10)).isEqualTo(5);
			// Of one second, which may pass between two calls
			assertThat(limiter.tryAcquire("search", "anna", 10).isAllowed()).isTrue();
			assertThatExceptionOfType(RateLimitCostException.class)
				.isThrownBy(() -> limiter.tryAcquire("search", "anna", 11));
			assertThat(admitted(limiter, "exports", "anna", 20)).isEqualTo(20);
			assertThat(admitted(limiter, "OrderController.submit", "large", 60)).isEqualTo(50);
		});
	}

	@Test
	void codeDoesWhatThePageSays() {
		this.runner.run((context) -> {
			RateLimitExamples examples = context.getBean(RateLimitExamples.class);
			assertThatExceptionOfType(RateLimitCostException.class)
				.isThrownBy(() -> examples.insert("acme", Collections.nCopies(1001, "row")));
			for (int i = 0; i < 3; i++) {
				assertThatExceptionOfType(IllegalStateException.class)
					.isThrownBy(() -> examples.insert("acme", Collections.nCopies(900, "broken")));
				// What was given back is there once Redis has answered
				Awaitility.await()
					.until(() -> context.getBean(RateLimiter.class)
						.tryAcquire("rows", "acme", 0)
						.quotas()
						.get(0)
						.remaining() == 1000);
			}
			assertThat(examples.insert("acme", Collections.nCopies(1000, "row"))).isEqualTo(1000);
			assertThat(examples.read("anna", "acme", 10)).isEqualTo("read");
			assertThat(examples.read("anna", "acme", 10)).startsWith("again in PT");
			assertThat(examples.ask(new RateLimitExamples.Question("why"))).isNotNull();
			assertThat(examples.find("acme", "anna", "tea")).hasSize(1);
			examples.upload("acme", new byte[1]);
			assertThat(examples.quote("anna").number()).isEqualTo(1);
		});
	}

	@Test
	@Wide
	void ruleLimitsGuessing() {
		this.runner.run((context) -> {
			MockMvcTester mvc = MockMvcTester
				.from(context,
						(builder) -> builder.addFilters(context.getBeansOfType(FilterRegistrationBean.class)
							.values()
							.stream()
							.map((registration) -> registration.getFilter())
							.filter((filter) -> filter.getClass().getSimpleName().equals("RateLimitFilter"))
							.toArray(Filter[]::new)).build());
			for (int i = 0; i < 5; i++) {
				assertThat(mvc.post().uri("/api/auth/login")).hasStatusOk();
			}
			assertThat(mvc.post().uri("/api/auth/login")).hasStatus(HttpStatus.TOO_MANY_REQUESTS)
				.hasHeader("RateLimit-Policy", "\"POST /api/auth/login\";q=5;w=60");
		});
	}

	private static long admitted(RateLimiter limiter, String name, Object key, int calls) {
		return IntStream.range(0, calls).filter((i) -> limiter.tryAcquire(name, key).isAllowed()).count();
	}

	private static int count(String text) {
		return PAGE.split(Pattern.quote(text), -1).length - 1;
	}

	private static List<String> blocks(String language) {
		List<String> blocks = new ArrayList<>();
		Matcher matcher = Pattern.compile("```" + language + "\n(.*?)```", Pattern.DOTALL).matcher(PAGE);
		while (matcher.find()) {
			blocks.add(matcher.group(1));
		}
		return blocks;
	}

	private static List<PropertySource<?>> yaml(String name, String text) {
		try {
			return new YamlPropertySourceLoader().load(name,
					new ByteArrayResource(text.getBytes(StandardCharsets.UTF_8)));
		}
		catch (IOException ex) {
			throw new UncheckedIOException(ex);
		}
	}

	private static String read(Path path) {
		try {
			return Files.readString(path);
		}
		catch (IOException ex) {
			throw new UncheckedIOException(ex);
		}
	}

	@Configuration(proxyBeanMethods = false)
	@EnableAutoConfiguration
	@Import({ RateLimitExamples.class, RateLimitExamples.Beans.class, LoginController.class })
	static class Application {

	}

	@RestController
	static class LoginController {

		@PostMapping("/api/auth/login")
		String login() {
			return "who knows";
		}

	}

}
