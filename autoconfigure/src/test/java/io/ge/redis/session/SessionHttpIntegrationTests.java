// SPDX-License-Identifier: Apache-2.0

package io.ge.redis.session;

import java.io.IOException;
import java.net.CookieManager;
import java.net.HttpCookie;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.stream.IntStream;
import java.util.stream.Stream;

import io.ge.redis.blacklist.TokenBlacklist;
import io.ge.redis.blacklist.TokenIdentity;
import io.ge.redis.test.RedisServers;
import io.ge.redis.test.StandaloneRedis;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.Timer;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpSession;
import jakarta.servlet.http.HttpSessionEvent;
import jakarta.servlet.http.HttpSessionListener;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

import org.springframework.boot.SpringApplication;
import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.annotation.Import;
import org.springframework.context.event.EventListener;
import org.springframework.security.config.Customizer;
import org.springframework.security.config.annotation.web.builders.HttpSecurity;
import org.springframework.security.core.userdetails.User;
import org.springframework.security.core.userdetails.UserDetailsService;
import org.springframework.security.provisioning.InMemoryUserDetailsManager;
import org.springframework.security.web.SecurityFilterChain;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.session.events.AbstractSessionEvent;
import org.springframework.web.bind.annotation.RestController;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

/**
 * Sessions behind Spring Security in two instances of an application.
 */
class SessionHttpIntegrationTests {

	private static final String ISSUER = "https://issuer.example";

	private static StandaloneRedis redis;

	private static ConfigurableApplicationContext first;

	private static ConfigurableApplicationContext second;

	@BeforeAll
	static void start() {
		redis = RedisServers.standalone();
		first = start("ge.redis.session.max-per-principal=3", "ge.redis.session.on-too-many=refuse");
		second = start("ge.redis.session.on-outage=anonymous");
	}

	private static ConfigurableApplicationContext start(String... properties) {
		return new SpringApplication(Application.class).run(Stream.of(redis.properties(), properties, new String[] {
				"server.port=0", "server.address=127.0.0.1", "spring.main.banner-mode=off",
				"ge.redis.session.enabled=true", "ge.redis.blacklist.enabled=true",
				"spring.security.oauth2.client.provider.own.issuer-uri=" + ISSUER,
				"ge.redis.outage.command-timeout=2500ms", "management.endpoints.web.exposure.include=*",
				"management.endpoint.geredis.access=unrestricted",
				"spring.autoconfigure.exclude=org.springframework.boot.jdbc.autoconfigure.DataSourceAutoConfiguration" })
			.flatMap(Stream::of)
			.map((property) -> "--" + property)
			.toArray(String[]::new));
	}

	@AfterAll
	static void stop() {
		second.close();
		first.close();
		redis.close();
	}

	@BeforeEach
	void empty() {
		redis.flushAll();
	}

	@Test
	void logsInUnderANewIdAndAsksRedisOnceToRead() {
		Browser alice = new Browser();
		assertThat(alice.get(first, "/write").body()).isEqualTo("1");
		String before = alice.cookie();
		alice.login(first, "alice");
		assertThat(alice.cookie()).isNotEqualTo(before);
		assertThat(alice.get(second, "/me").body()).isEqualTo("alice 1");
		Browser thief = new Browser();
		thief.use(before);
		assertThat(thief.get(second, "/me").statusCode()).isEqualTo(302);
		assertThat(calls(() -> alice.get(second, "/me"))).isOne();
		assertThat(calls(() -> alice.get(second, "/large"))).isOne();
		assertThat(calls(() -> alice.get(second, "/write"))).isEqualTo(2);
		assertThat(alice.get(first, "/me").body()).isEqualTo("alice 2");
		alice.get(first, "/logout");
		assertThat(alice.get(second, "/me").statusCode()).isEqualTo(302);
		assertThat(redis.keysWithoutTtl()).isEmpty();
	}

	private static long calls(Runnable request) {
		long before = scripts();
		request.run();
		return scripts() - before;
	}

	private static long scripts() {
		return second.getBean(MeterRegistry.class)
			.find("ge.redis.script")
			.timers()
			.stream()
			.filter((timer) -> String.valueOf(timer.getId().getTag("script")).startsWith("session/"))
			.mapToLong(Timer::count)
			.sum();
	}

	@Test
	void refusesLoginsBeyondTheMaximum() {
		List<Browser> browsers = IntStream.range(0, 4).mapToObj((i) -> new Browser()).toList();
		browsers.subList(0, 3).forEach((each) -> assertThat(each.login(first, "alice").statusCode()).isEqualTo(302));
		HttpResponse<String> refused = browsers.get(3).login(first, "alice");
		assertThat(refused.statusCode()).isEqualTo(409);
		assertThat(refused.body()).contains("urn:ge-redis:problem:too-many-sessions");
		assertThat(browsers.get(3).get(first, "/me").statusCode()).isEqualTo(302);
		assertThat(first.getBean(Sessions.class).list("alice")).hasSize(3);
	}

	@Test
	void logsOutEverywhere() {
		Browser one = new Browser();
		Browser two = new Browser();
		one.login(first, "alice");
		two.login(second, "alice");
		TokenIdentity token = new TokenIdentity(null, "id", "alice", Instant.now().minusSeconds(60),
				Instant.now().plusSeconds(60), null);
		assertThat(first.getBean(TokenBlacklist.class).isRevoked(token)).isFalse();
		assertThat(second.getBean(Sessions.class).endAll("alice")).isEqualTo(2);
		assertThat(one.get(first, "/me").statusCode()).isEqualTo(302);
		assertThat(two.get(first, "/me").statusCode()).isEqualTo(302);
		assertThat(first.getBean(TokenBlacklist.class).isRevoked(token)).isTrue();
		one.login(first, "alice");
		assertThat(one.get(second, "/me").statusCode()).isEqualTo(200);
	}

	@Test
	void followsTheBlacklist() {
		for (String issuer : new String[] { null, ISSUER }) {
			Browser browser = new Browser();
			browser.login(first, "bob");
			assertThat(browser.get(second, "/me").statusCode()).isEqualTo(200);
			assertThat(first.getBean(TokenBlacklist.class)
				.revokeAll(issuer, "bob")
				.awaitPropagation(Duration.ofSeconds(10))).isTrue();
			assertThat(browser.get(second, "/me").statusCode()).as("issuer " + issuer).isEqualTo(302);
			assertThat(second.getBean(Sessions.class).list("bob")).isEmpty();
		}
	}

	@Test
	void showsSessionsToOperators() {
		Browser alice = new Browser();
		alice.login(first, "alice");
		String springs = alice.get(first, "/actuator/sessions?username=alice").body();
		assertThat(springs).contains("\"attributeNames\":[\"SPRING_SECURITY_CONTEXT\"").doesNotContain(alice.id());
		String ours = alice.get(first, "/actuator/geredis/session/alice").body();
		assertThat(ours).contains("\"SPRING_SECURITY_CONTEXT\":").doesNotContain(alice.id());
		assertThat(alice.get(first, "/actuator/geredis/session").body()).contains("\"maxPerPrincipal\":3");
		String handle = springs.replaceAll("(?s).*\"id\":\"([^\"]+)\".*", "$1");
		assertThat(alice.send(first, "/actuator/sessions/" + handle, "DELETE", "").statusCode()).isEqualTo(204);
		assertThat(alice.get(first, "/me").statusCode()).isEqualTo(302);
		alice.login(first, "alice");
		assertThat(alice.send(first, "/actuator/geredis/session/alice", "DELETE", "").body())
			.isEqualTo("{\"ended\":1}");
		assertThat(alice.get(first, "/me").statusCode()).isEqualTo(302);
		alice.login(first, "alice");
		String other = first.getBean(Sessions.class).list("alice").get(0).id();
		HttpResponse<String> both = alice.send(first, "/actuator/geredis/session/alice?id=" + other, "DELETE", "");
		assertThat(both.statusCode()).isEqualTo(400);
		assertThat(both.body()).contains("id and a principal are both given");
		assertThat(alice.send(first, "/actuator/geredis/session?id=" + other, "DELETE", "").body())
			.isEqualTo("{\"ended\":1}");
		assertThat(alice.get(first, "/me").statusCode()).isEqualTo(302);
		assertThat(alice.get(first, "/actuator/metrics/ge.redis.session.saves?tag=outcome:too_many").statusCode())
			.isEqualTo(200);
	}

	@Test
	void publishesEventsWhereListenersMayWait() {
		Stream.of(first, second).forEach((each) -> each.getBean(Listener.class).noticed.clear());
		Browser alice = new Browser();
		alice.get(first, "/write");
		alice.login(first, "alice");
		first.getBean(Sessions.class).endAll("alice");
		await().untilAsserted(() -> assertThat(first.getBean(Listener.class).noticed).containsExactlyInAnyOrder(
				"created task", "SessionCreatedEvent task", "destroyed task", "SessionDeletedEvent task"));
		assertThat(second.getBean(Listener.class).noticed).isEmpty();
	}

	@Test
	void refusesOrIgnoresSessionsDuringAnOutage() {
		Browser alice = new Browser();
		alice.login(first, "alice");
		String cookie = alice.cookie();
		redis.primary().pause();
		try {
			HttpResponse<String> refused = alice.get(first, "/me");
			assertThat(refused.statusCode()).isEqualTo(503);
			assertThat(refused.headers().firstValue("Retry-After")).isPresent();
			assertThat(refused.headers().firstValue("Set-Cookie")).isEmpty();
			assertThat(refused.body()).contains("temporary-reduced-capacity");
			HttpResponse<String> anonymous = alice.get(second, "/public");
			assertThat(anonymous.body()).isEqualTo("hello");
			assertThat(anonymous.headers().firstValue("Set-Cookie")).isEmpty();
			assertThat(alice.get(second, "/write").statusCode()).isEqualTo(503);
		}
		finally {
			redis.primary().resume();
		}
		assertThat(alice.cookie()).isEqualTo(cookie);
		await().until(() -> alice.get(first, "/me").statusCode() == 200);
		await().until(() -> alice.get(second, "/me").statusCode() == 200);
	}

	/** A client with cookies. */
	private static final class Browser {

		private final CookieManager cookies = new CookieManager();

		private final HttpClient client = HttpClient.newBuilder().cookieHandler(this.cookies).build();

		String cookie() {
			return this.cookies.getCookieStore().getCookies().get(0).getValue();
		}

		String id() {
			return new String(java.util.Base64.getDecoder().decode(cookie()));
		}

		void use(String value) {
			HttpCookie cookie = new HttpCookie("SESSION", value);
			cookie.setPath("/");
			cookie.setVersion(0);
			this.cookies.getCookieStore().add(URI.create("http://localhost/"), cookie);
		}

		HttpResponse<String> login(ConfigurableApplicationContext application, String user) {
			return send(application, "/login", "POST", "username=" + user + "&password=secret");
		}

		HttpResponse<String> get(ConfigurableApplicationContext application, String path) {
			return send(application, path, "GET", "");
		}

		HttpResponse<String> send(ConfigurableApplicationContext application, String path, String method, String body) {
			try {
				return this.client.send(HttpRequest
					.newBuilder(URI.create(
							"http://localhost:" + application.getEnvironment().getProperty("local.server.port") + path))
					.header("Content-Type", "application/x-www-form-urlencoded")
					.header("Accept", "application/json, text/plain")
					.method(method, BodyPublishers.ofString(body))
					.build(), BodyHandlers.ofString());
			}
			catch (IOException ex) {
				throw new IllegalStateException(ex);
			}
			catch (InterruptedException ex) {
				Thread.currentThread().interrupt();
				throw new IllegalStateException(ex);
			}
		}

	}

	@Configuration(proxyBeanMethods = false)
	@EnableAutoConfiguration
	@Import({ Controller.class, Listener.class })
	static class Application {

		@Bean
		UserDetailsService users() {
			return new InMemoryUserDetailsManager(Stream.of("alice", "bob")
				.map((name) -> User.withUsername(name).password("{noop}secret").roles("USER").build())
				.toList());
		}

		@Bean
		SecurityFilterChain security(HttpSecurity http) throws Exception {
			return http.csrf((csrf) -> csrf.disable())
				.authorizeHttpRequests(
						(requests) -> requests.requestMatchers("/me").authenticated().anyRequest().permitAll())
				.requestCache((cache) -> cache.disable())
				.formLogin(Customizer.withDefaults())
				.logout((logout) -> logout.logoutRequestMatcher((request) -> "/logout".equals(request.getRequestURI())))
				.build();
		}

	}

	static class Listener implements HttpSessionListener {

		private final List<String> noticed = new CopyOnWriteArrayList<>();

		@EventListener
		void on(AbstractSessionEvent event) {
			note(event.getClass().getSimpleName());
		}

		@Override
		public void sessionCreated(HttpSessionEvent event) {
			note("created");
		}

		@Override
		public void sessionDestroyed(HttpSessionEvent event) {
			note("destroyed");
		}

		private void note(String what) {
			this.noticed.add(what + " " + Thread.currentThread().getName().split("-")[0]);
		}

	}

	@RestController
	static class Controller {

		@GetMapping("/me")
		String me(HttpServletRequest request) {
			return request.getUserPrincipal().getName() + " " + request.getSession().getAttribute("count");
		}

		@GetMapping("/large")
		String large(HttpSession session) {
			return String.valueOf(session.getAttribute("count")).repeat(100_000);
		}

		@GetMapping("/write")
		String write(HttpSession session) {
			Integer count = (Integer) session.getAttribute("count");
			session.setAttribute("count", (count != null) ? count + 1 : 1);
			return String.valueOf(session.getAttribute("count"));
		}

		@GetMapping("/public")
		String open() {
			return "hello";
		}

	}

}
