// SPDX-License-Identifier: Apache-2.0

package io.ge.redis.security;

import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.time.Duration;
import java.time.Instant;
import java.util.HashMap;
import java.util.Map;
import java.util.stream.Stream;

import io.ge.redis.GuardConfigurationException;
import io.ge.redis.autoconfigure.BlacklistAutoConfiguration;
import io.ge.redis.autoconfigure.BlacklistSecurityAutoConfiguration;
import io.ge.redis.autoconfigure.GeRedisAutoConfiguration;
import io.ge.redis.blacklist.BlacklistCheck;
import io.ge.redis.blacklist.TokenBlacklist;
import io.ge.redis.blacklist.internal.BlacklistPattern;
import io.ge.redis.test.RedisServers;
import io.ge.redis.test.SharedRedis;
import io.ge.redis.test.StandaloneRedis;
import io.ge.redis.test.Wide;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

import org.springframework.boot.SpringApplication;
import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.boot.data.redis.autoconfigure.DataRedisAutoConfiguration;
import org.springframework.boot.security.autoconfigure.SecurityAutoConfiguration;
import org.springframework.boot.security.autoconfigure.web.servlet.ServletWebSecurityAutoConfiguration;
import org.springframework.boot.test.context.FilteredClassLoader;
import org.springframework.boot.test.context.runner.WebApplicationContextRunner;
import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.annotation.Import;
import org.springframework.security.config.Customizer;
import org.springframework.security.config.annotation.web.builders.HttpSecurity;
import org.springframework.security.core.Authentication;
import org.springframework.security.core.authority.AuthorityUtils;
import org.springframework.security.oauth2.core.DefaultOAuth2AuthenticatedPrincipal;
import org.springframework.security.oauth2.server.resource.introspection.BadOpaqueTokenException;
import org.springframework.security.oauth2.server.resource.introspection.OpaqueTokenIntrospector;
import org.springframework.security.web.SecurityFilterChain;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.RestController;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.awaitility.Awaitility.await;

/**
 * Opaque tokens in a web application with a {@code SecurityFilterChain} of its own. The
 * authorization server that is asked finds every token of the form {@code user-n} active.
 */
@ExtendWith(OutputCaptureExtension.class)
class BlacklistOpaqueTokenIntegrationTests {

	private static final Duration PATIENCE = Duration.ofSeconds(10);

	private static final String ISSUER = "https://issuer.example";

	/** Of all tokens, so that what is revoked later is of before that. */
	private static final Instant ISSUED = Instant.now();

	private static StandaloneRedis redis;

	private static ConfigurableApplicationContext application;

	private final HttpClient client = HttpClient.newHttpClient();

	private final WebApplicationContextRunner runner = new WebApplicationContextRunner()
		.withConfiguration(AutoConfigurations.of(DataRedisAutoConfiguration.class, GeRedisAutoConfiguration.class,
				BlacklistAutoConfiguration.class, BlacklistSecurityAutoConfiguration.class,
				SecurityAutoConfiguration.class, ServletWebSecurityAutoConfiguration.class))
		.withPropertyValues(SharedRedis.properties());

	@BeforeAll
	static void start() {
		redis = RedisServers.standalone();
		String[] arguments = Stream.of(redis.properties(), new String[] { "server.port=0", "server.address=127.0.0.1",
				"spring.main.banner-mode=off", "ge.redis.outage.command-timeout=2500ms",
				"spring.autoconfigure.exclude=org.springframework.boot.jdbc.autoconfigure.DataSourceAutoConfiguration" })
			.flatMap(Stream::of)
			.map((property) -> "--" + property)
			.toArray(String[]::new);
		application = new SpringApplication(Application.class).run(arguments);
	}

	@AfterAll
	static void stop() {
		application.close();
		redis.close();
	}

	@Test
	void revokedTokenIsRefusedWithReasonAndProblem() throws Exception {
		awaitAnswer("carl-1");
		HttpResponse<String> identity = get("/identity", "anna-1");
		assertThat(identity.body()).isEqualTo("anna");
		OpaqueTokenIntrospector introspector = application.getBean(OpaqueTokenIntrospector.class);
		assertThat(introspector.getClass().getName()).startsWith(TokenChecks.class.getName());
		blacklist()
			.revoke(application.getBean(OpaqueTokens.class).identity("anna-1", introspector.introspect("anna-1")));
		HttpResponse<String> refused = get("/identity", "anna-1");
		assertThat(refused.statusCode()).isEqualTo(401);
		assertThat(refused.headers().firstValue("WWW-Authenticate").orElseThrow()).startsWith("Bearer")
			.contains("error=\"invalid_token\"", "The token was revoked");
		assertThat(refused.headers().firstValue("Content-Type")).contains("application/problem+json");
		assertThat(refused.body()).contains("\"type\":\"urn:ge-redis:problem:token-revoked\"");
		assertThat(get("/identity", "anna-2").statusCode()).isEqualTo(200);
		HttpResponse<String> inactive = get("/identity", "nonsense");
		assertThat(inactive.statusCode()).isEqualTo(401);
		assertThat(inactive.body()).isEmpty();
	}

	@Test
	@Wide
	void endedSessionAndSubjectAreRefusedToo() throws Exception {
		awaitAnswer("carl-1");
		blacklist().revokeSession(ISSUER, "session-of-boris-1");
		assertThat(get("/identity", "boris-1").statusCode()).isEqualTo(401);
		assertThat(get("/identity", "boris-2").statusCode()).isEqualTo(200);
		blacklist().revokeAll(ISSUER, "boris");
		assertThat(get("/identity", "boris-2").statusCode()).isEqualTo(401);
	}

	/**
	 * The introspections of most servers name no issuer, and revocations do.
	 */
	@Test
	void issuerOfTokensThatNameNoneIsConfigured() {
		SharedRedis.standalone().flushAll();
		this.runner.withBean(OpaqueTokenIntrospector.class, () -> newIntrospector(Map.of()))
			.withPropertyValues("ge.redis.blacklist.opaque-token-issuer=" + ISSUER)
			.run((context) -> {
				OpaqueTokenIntrospector introspector = context.getBean(OpaqueTokenIntrospector.class);
				TokenBlacklist blacklist = context.getBean(TokenBlacklist.class);
				assertThat(introspector.introspect("emil-1")).isNotNull();
				blacklist.revokeAll(ISSUER, "emil");
				assertThatExceptionOfType(BadOpaqueTokenException.class)
					.isThrownBy(() -> introspector.introspect("emil-1"));
			});
	}

	@Test
	void annotatedMethodKnowsTheTokenOfTheCaller() throws Exception {
		awaitAnswer("carl-1");
		assertThat(get("/checked", "dora-1").body()).isEqualTo("checked");
	}

	@Test
	@Wide
	void hangingRedisIsUnavailableAndNeverUnauthorized() throws Exception {
		awaitAnswer("carl-1");
		redis.primary().pause();
		try {
			BlacklistPattern guard = application.getBean(BlacklistPattern.class);
			while (guard.isFresh()) {
				assertThat(get("/identity", "carl-1").statusCode()).isIn(200, 503);
			}
			HttpResponse<String> response = get("/identity", "carl-1");
			assertThat(response.statusCode()).isEqualTo(503);
			assertThat(response.headers().firstValue("Retry-After")).contains("1");
			assertThat(response.headers().firstValue("Content-Type")).contains("application/problem+json");
			assertThat(get("/identity", "nonsense").statusCode()).isEqualTo(401);
		}
		finally {
			redis.primary().resume();
		}
		awaitAnswer("carl-1");
	}

	@Test
	void introspectorThatIsNoBeanFailsTheStartWithTheRemedy() {
		this.runner.withUserConfiguration(Bypassing.class)
			.withPropertyValues("ge.redis.blacklist.enabled=true")
			.run((context) -> assertThat(context.getStartupFailure()).isInstanceOf(GuardConfigurationException.class)
				.hasMessageContaining("may accept tokens that were revoked")
				.hasMessageContaining("OpaqueTokenIntrospector is a bean"));
	}

	@Test
	void introspectorThatIsNoBeanIsWarnedOfIfConfigured(CapturedOutput output) {
		this.runner.withUserConfiguration(Bypassing.class)
			.withPropertyValues("ge.redis.blacklist.unchecked-decoder=warn")
			.run((context) -> assertThat(context).hasNotFailed());
		assertThat(output).contains("may accept tokens that were revoked");
	}

	@Test
	void nothingIsWrappedWhereNothingIsToBeChecked(CapturedOutput output) {
		this.runner.withUserConfiguration(Bypassing.class, Introspecting.class)
			.withPropertyValues("ge.redis.blacklist.validate-opaque-tokens=false")
			.run((context) -> {
				assertThat(context).hasNotFailed();
				assertThat(context.getBean(OpaqueTokenIntrospector.class).getClass().getName())
					.doesNotStartWith(TokenChecks.class.getName());
			});
		assertThat(output).doesNotContain("may accept tokens that were revoked");
	}

	@Test
	void nothingIsSaidWhereTheBlacklistIsNotUsed(CapturedOutput output) {
		this.runner.withUserConfiguration(Bypassing.class).run((context) -> assertThat(context).hasNotFailed());
		assertThat(output).doesNotContain("may accept tokens that were revoked");
	}

	@Test
	@Wide
	void isNotThereWithoutResourceServer() {
		this.runner.withClassLoader(new FilteredClassLoader("org.springframework.security.oauth2.server.resource"))
			.run((context) -> assertThat(context).hasNotFailed()
				.doesNotHaveBean(OpaqueTokens.class)
				.doesNotHaveBean("geRedisBlacklistOpaqueTokenIntrospectors"));
	}

	private static TokenBlacklist blacklist() {
		return application.getBean(TokenBlacklist.class);
	}

	private void awaitAnswer(String token) {
		await().atMost(PATIENCE).until(() -> get("/identity", token).statusCode() == 200);
	}

	private HttpResponse<String> get(String path, String token) throws IOException, InterruptedException {
		URI uri = URI
			.create("http://localhost:" + application.getEnvironment().getProperty("local.server.port") + path);
		return this.client.send(HttpRequest.newBuilder(uri).header("Authorization", "Bearer " + token).build(),
				HttpResponse.BodyHandlers.ofString());
	}

	private static OpaqueTokenIntrospector newIntrospector() {
		return newIntrospector(Map.of("iss", ISSUER));
	}

	private static OpaqueTokenIntrospector newIntrospector(Map<String, Object> more) {
		return (token) -> {
			if (!token.matches("[a-z]+-[0-9]")) {
				throw new BadOpaqueTokenException("Not active");
			}
			String user = token.substring(0, token.indexOf('-'));
			Map<String, Object> claims = new HashMap<>(more);
			claims.putAll(Map.of("sub", user, "iat", ISSUED, "exp", Instant.now().plusSeconds(300), "sid",
					"session-of-" + token));
			return new DefaultOAuth2AuthenticatedPrincipal(user, claims, AuthorityUtils.NO_AUTHORITIES);
		};
	}

	@Configuration(proxyBeanMethods = false)
	@EnableAutoConfiguration
	@Import({ Controller.class, Introspecting.class })
	static class Application {

		@Bean
		SecurityFilterChain security(HttpSecurity http) throws Exception {
			return http.authorizeHttpRequests((requests) -> requests.anyRequest().authenticated())
				.oauth2ResourceServer((server) -> server.opaqueToken(Customizer.withDefaults()))
				.build();
		}

	}

	@Configuration(proxyBeanMethods = false)
	static class Introspecting {

		@Bean
		OpaqueTokenIntrospector introspector() {
			return newIntrospector();
		}

	}

	@Configuration(proxyBeanMethods = false)
	static class Bypassing {

		@Bean
		SecurityFilterChain security(HttpSecurity http) throws Exception {
			return http
				.oauth2ResourceServer((server) -> server.opaqueToken((token) -> token.introspector(newIntrospector())))
				.build();
		}

	}

	@RestController
	static class Controller {

		@GetMapping("/identity")
		String identity(Authentication caller) {
			return caller.getName();
		}

		@GetMapping("/checked")
		@BlacklistCheck
		public String checked() {
			return "checked";
		}

	}

}
