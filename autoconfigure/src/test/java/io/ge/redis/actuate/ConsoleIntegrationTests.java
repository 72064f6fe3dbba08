// SPDX-License-Identifier: Apache-2.0

package io.ge.redis.actuate;

import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.util.Base64;
import java.util.stream.Stream;

import io.ge.redis.lock.DistributedLock;
import io.ge.redis.readme.ConsoleExamples;
import io.ge.redis.test.SharedRedis;
import io.ge.redis.test.Sized;
import io.ge.redis.test.Wide;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

import org.springframework.boot.SpringApplication;
import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionalOnWebApplication;
import org.springframework.boot.security.autoconfigure.actuate.web.reactive.EndpointRequest;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.annotation.Import;
import org.springframework.http.HttpHeaders;
import org.springframework.http.HttpStatus;
import org.springframework.security.config.Customizer;
import org.springframework.security.config.web.server.ServerHttpSecurity;
import org.springframework.security.web.server.SecurityWebFilterChain;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * The console on both web stacks, on the port of the application and on one of its own.
 */
class ConsoleIntegrationTests {

	private static final HttpClient CLIENT = HttpClient.newHttpClient();

	@ParameterizedTest
	@MethodSource("places")
	@Sized
	void isServedBelowTheEndpointBehindItsSecurity(String type, String port) throws Exception {
		try (ConfigurableApplicationContext application = start(type, port.contains("management"))) {
			String root = "http://127.0.0.1:" + application.getEnvironment().getProperty(port) + "/actuator/geredis";
			assertThat(status(get(root + "/console").build())).isEqualTo(HttpStatus.UNAUTHORIZED);
			HttpResponse<String> console = send(asOperator(root + "/console"));
			assertThat(console.statusCode()).isEqualTo(HttpStatus.OK.value());
			HttpRequest.Builder head = HttpRequest.newBuilder(asOperator(root + "/console"), (name, value) -> true);
			assertThat(send(head.method("HEAD", HttpRequest.BodyPublishers.noBody()).build())).satisfies((answer) -> {
				assertThat(answer.statusCode()).isEqualTo(HttpStatus.OK.value());
				assertThat(answer.body()).isEmpty();
			});
			assertThat(header(console, "Content-Type")).startsWith("text/html");
			assertThat(console.body()).startsWith("<!doctype html>").contains("data-access=\"read-only\"");
			assertThat(header(console, "Content-Security-Policy")).isEqualTo("default-src 'none'; script-src 'sha256-"
					+ hash(console.body(), "script") + "'; style-src 'sha256-" + hash(console.body(), "style")
					+ "'; connect-src 'self'; img-src data:; base-uri 'none'; form-action 'none'; "
					+ "frame-ancestors 'none'; require-trusted-types-for 'script'");
			assertThat(header(console, "X-Content-Type-Options")).isEqualTo("nosniff");
			assertThat(header(console, "X-Frame-Options")).isEqualTo("DENY");
			assertThat(header(console, "Referrer-Policy")).isEqualTo("no-referrer");
			assertThat(header(console, "Cache-Control")).contains("no-store");
			assertThat(send(asOperator(root + "?view=changed")).body())
				.contains("\"lock\":\"geredis/lock\"", "\"waitTime\"")
				.doesNotContain("\"leaseTime\"");
			assertThat(status(asOperator(root + "/lock"))).isEqualTo(HttpStatus.OK);
			assertThat(status(asOperator(root + "/lock/unheard-of?key=1"))).isEqualTo(HttpStatus.NOT_FOUND);
			HttpResponse<String> keyless = send(asOperator(root + "/lock/desk"));
			assertThat(keyless.statusCode()).isEqualTo(HttpStatus.BAD_REQUEST.value());
			assertThat(keyless.body()).contains("Lock 'desk' has a key, and key is missing. Add ?key=");
			assertThat(status(asOperator(root + "/nothing"))).isEqualTo(HttpStatus.NOT_FOUND);
			HttpRequest.Builder release = HttpRequest
				.newBuilder(asOperator(root + "/lock/desk?key=1"), (name, value) -> true)
				.DELETE();
			if (type.equals("servlet")) {
				assertThat(status(release.build())).isEqualTo(HttpStatus.FORBIDDEN);
				// As the page does
				String cookie = header(console, "Set-Cookie").split(";")[0];
				release.header("Cookie", cookie).header("X-XSRF-TOKEN", cookie.replace("XSRF-TOKEN=", ""));
			}
			assertThat(status(release.build())).isEqualTo(HttpStatus.METHOD_NOT_ALLOWED);
		}
	}

	static Stream<Arguments> places() {
		Stream<Arguments> places = Stream.of(Arguments.of("servlet", "local.server.port"),
				Arguments.of("servlet", "local.management.port"), Arguments.of("reactive", "local.server.port"),
				Arguments.of("reactive", "local.management.port"));
		return Wide.RUN ? places : places.limit(1);
	}

	private static String header(HttpResponse<String> response, String name) {
		return response.headers().firstValue(name).orElse("");
	}

	private static String hash(String page, String tag) throws Exception {
		String content = page.substring(page.indexOf('<' + tag + '>') + tag.length() + 2, page.indexOf("</" + tag));
		return Base64.getEncoder()
			.encodeToString(MessageDigest.getInstance("SHA-256").digest(content.getBytes(StandardCharsets.UTF_8)));
	}

	private static HttpStatus status(HttpRequest request) throws Exception {
		return HttpStatus.valueOf(send(request).statusCode());
	}

	private static HttpResponse<String> send(HttpRequest request) throws Exception {
		return CLIENT.send(request, HttpResponse.BodyHandlers.ofString());
	}

	private static HttpRequest.Builder get(String url) {
		return HttpRequest.newBuilder(URI.create(url));
	}

	private static HttpRequest asOperator(String url) {
		return get(url).header("Authorization", "Basic " + HttpHeaders.encodeBasicAuth("operator", "pass", null))
			.build();
	}

	private static ConfigurableApplicationContext start(String type, boolean ownPort) {
		Stream<String> properties = Stream.of("spring.main.web-application-type=" + type, "server.port=0",
				"server.address=127.0.0.1", "spring.main.banner-mode=off", "ge.redis.outage.command-timeout=5s",
				"ge.redis.lock.locks.desk.wait-time=1s", "ge.redis.console.enabled=true",
				"management.endpoints.web.exposure.include=geredis",
				ownPort ? "management.server.port=0" : "management.server.base-path=",
				"spring.security.user.name=operator", "spring.security.user.password={noop}pass",
				"spring.security.user.roles=OPERATOR",
				// There are two servers on the class path
				"spring.autoconfigure.exclude=org.springframework.boot.jdbc.autoconfigure.DataSourceAutoConfiguration,"
						+ "org.springframework.boot.tomcat.autoconfigure.actuate.web.server."
						+ "TomcatReactiveManagementContextAutoConfiguration");
		return new SpringApplication(Application.class)
			.run(Stream.concat(Stream.of(SharedRedis.standalone().properties()), properties)
				.map((property) -> "--" + property)
				.toArray(String[]::new));
	}

	@Configuration(proxyBeanMethods = false)
	@EnableAutoConfiguration
	@Import({ Servlets.class, WebFlux.class, Desk.class })
	static class Application {

	}

	@Configuration(proxyBeanMethods = false)
	@ConditionalOnWebApplication(type = ConditionalOnWebApplication.Type.SERVLET)
	@Import(ConsoleExamples.class)
	static class Servlets {

	}

	@Configuration(proxyBeanMethods = false)
	@ConditionalOnWebApplication(type = ConditionalOnWebApplication.Type.REACTIVE)
	static class WebFlux {

		@Bean
		SecurityWebFilterChain endpoints(ServerHttpSecurity http) {
			return http.securityMatcher(EndpointRequest.to("geredis"))
				.authorizeExchange((exchanges) -> exchanges.anyExchange().authenticated())
				.csrf(ServerHttpSecurity.CsrfSpec::disable)
				.httpBasic(Customizer.withDefaults())
				.build();
		}

	}

	static class Desk {

		@DistributedLock(name = "desk", key = "#order")
		public void sell(String order) {
		}

	}

}
