// SPDX-License-Identifier: Apache-2.0

package io.ge.redis.security;

import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.KeyPair;
import java.security.KeyPairGenerator;
import java.security.interfaces.RSAPrivateKey;
import java.security.interfaces.RSAPublicKey;
import java.time.Duration;
import java.time.Instant;
import java.util.Base64;
import java.util.UUID;
import java.util.stream.Stream;

import javax.crypto.SecretKey;
import javax.crypto.spec.SecretKeySpec;

import io.ge.redis.blacklist.BlacklistCheck;
import io.ge.redis.blacklist.TokenBlacklist;
import io.ge.redis.blacklist.internal.BlacklistPattern;
import io.ge.redis.test.RedisServers;
import io.ge.redis.test.Sized;
import io.ge.redis.test.StandaloneRedis;
import io.ge.redis.test.Stopwatch;
import io.ge.redis.test.Wide;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import org.springframework.beans.factory.annotation.Value;
import org.springframework.boot.SpringApplication;
import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.annotation.Import;
import org.springframework.security.config.Customizer;
import org.springframework.security.config.annotation.web.builders.HttpSecurity;
import org.springframework.security.core.annotation.AuthenticationPrincipal;
import org.springframework.security.oauth2.core.DelegatingOAuth2TokenValidator;
import org.springframework.security.oauth2.jose.jws.MacAlgorithm;
import org.springframework.security.oauth2.jwt.JwsHeader;
import org.springframework.security.oauth2.jwt.Jwt;
import org.springframework.security.oauth2.jwt.JwtClaimsSet;
import org.springframework.security.oauth2.jwt.JwtDecoder;
import org.springframework.security.oauth2.jwt.JwtEncoder;
import org.springframework.security.oauth2.jwt.JwtEncoderParameters;
import org.springframework.security.oauth2.jwt.JwtValidationException;
import org.springframework.security.oauth2.jwt.JwtValidators;
import org.springframework.security.oauth2.jwt.NimbusJwtDecoder;
import org.springframework.security.oauth2.jwt.NimbusJwtEncoder;
import org.springframework.security.web.SecurityFilterChain;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.PostMapping;
import org.springframework.web.bind.annotation.RequestParam;
import org.springframework.web.bind.annotation.RestController;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.awaitility.Awaitility.await;

/**
 * The blacklist in two web applications that share a Redis, each with a
 * {@code SecurityFilterChain} and a {@code JwtDecoder} of its own.
 */
class BlacklistSecurityIntegrationTests {

	private static final Duration PATIENCE = Duration.ofSeconds(10);

	/** Still more than a busy machine needs. */
	private static final Duration TIMEOUT = Duration.ofMillis(2500);

	private static StandaloneRedis redis;

	private static Application first;

	private static Application second;

	private final HttpClient client = HttpClient.newHttpClient();

	@BeforeAll
	static void start() {
		redis = RedisServers.standalone();
		first = Application.start(redis);
		second = Application.start(redis);
	}

	@AfterAll
	static void stop() {
		second.context().close();
		first.context().close();
		redis.close();
	}

	@BeforeEach
	void awaitRedis() {
		redis.flushAll();
		await().atMost(PATIENCE).until(() -> get(first, "/account?name=anna", null).statusCode() == 200);
		await().atMost(PATIENCE).until(() -> get(second, "/account?name=anna", null).statusCode() == 200);
	}

	@Test
	void tokenIsRefusedOnTheOtherInstanceAtOnceAfterLogout() throws Exception {
		String token = login(first);
		assertThat(get(second, "/me", token).body()).isEqualTo("anna");
		assertThat(post(first, "/logout", token).statusCode()).isEqualTo(200);
		HttpResponse<String> refused = get(second, "/me", token);
		assertThat(refused.statusCode()).isEqualTo(401);
		assertThat(refused.headers().firstValue("WWW-Authenticate").orElseThrow()).startsWith("Bearer")
			.contains("error=\"invalid_token\"")
			.contains("The token was revoked");
		assertThat(refused.headers().allValues("WWW-Authenticate")).hasSize(1);
		assertThat(refused.headers().firstValue("Content-Type")).contains("application/problem+json");
		assertThat(refused.headers().firstValue("X-Content-Type-Options")).contains("nosniff");
		assertThat(refused.body()).contains("\"type\":\"urn:ge-redis:problem:token-revoked\"", "\"instance\":\"/me\"");
		HttpResponse<String> forged = get(second, "/me", "forged");
		assertThat(forged.statusCode()).isEqualTo(401);
		assertThat(forged.body()).isEmpty();
		assertThat(get(second, "/me", login(second)).statusCode()).isEqualTo(200);
		assertThat(redis.keysWithoutTtl()).isEmpty();
	}

	@Test
	@Sized
	void logoutAllRefusesEarlierTokensOfTheSameSecondAndLoginRightAfterWorks() throws Exception {
		for (int i = 0; i < (Wide.RUN ? 10 : 2); i++) {
			String one = login(first);
			String two = login(second);
			assertThat(post(first, "/logout-all", one).statusCode()).isEqualTo(200);
			String after = login(second);
			assertThat(get(first, "/me", after).statusCode()).isEqualTo(200);
			assertThat(get(second, "/me", one).statusCode()).isEqualTo(401);
			assertThat(get(second, "/me", two).statusCode()).isEqualTo(401);
		}
	}

	@Test
	@Wide
	void annotatedMethodRefusesTokenThatTheDecoderDoesNotCheck() throws Exception {
		try (Application lenient = Application.start(redis, "test.decoder-checks=false",
				"ge.redis.blacklist.unchecked-decoder=warn")) {
			String token = login(lenient);
			assertThat(get(lenient, "/checked", token).body()).isEqualTo("checked");
			post(first, "/logout", token);
			assertThat(get(lenient, "/me", token).statusCode()).isEqualTo(200);
			HttpResponse<String> refused = get(lenient, "/checked", token);
			assertThat(refused.statusCode()).isEqualTo(401);
			assertThat(refused.headers().firstValue("WWW-Authenticate").orElseThrow())
				.isEqualTo("Bearer error=\"invalid_token\", error_description=\"The token was revoked\"");
			assertThat(refused.headers().firstValue("Content-Type")).contains("application/problem+json");
			assertThat(refused.body()).contains("\"type\":\"urn:ge-redis:problem:token-revoked\"");
		}
	}

	@Test
	void bootsOwnDecoderChecksToo(@TempDir Path directory) throws Exception {
		KeyPair keys = KeyPairGenerator.getInstance("RSA").generateKeyPair();
		Path pem = Files.writeString(directory.resolve("key.pem"),
				"-----BEGIN PUBLIC KEY-----\n" + Base64.getMimeEncoder().encodeToString(keys.getPublic().getEncoded())
						+ "\n-----END PUBLIC KEY-----\n");
		try (Application application = Application.start(redis, Unconfigured.class, "ge.redis.blacklist.enabled=true",
				"spring.security.oauth2.resourceserver.jwt.public-key-location=file:" + pem)) {
			JwtEncoder encoder = NimbusJwtEncoder
				.withKeyPair((RSAPublicKey) keys.getPublic(), (RSAPrivateKey) keys.getPrivate())
				.build();
			JwtClaimsSet claims = JwtClaimsSet.builder()
				.issuer("self")
				.id("id")
				.expiresAt(Instant.now().plusSeconds(300))
				.build();
			String token = encoder.encode(JwtEncoderParameters.from(claims)).getTokenValue();
			JwtDecoder decoder = application.context().getBean(JwtDecoder.class);
			application.blacklist().revoke(JwtTokens.identity(decoder.decode(token)));
			assertThatExceptionOfType(JwtValidationException.class).isThrownBy(() -> decoder.decode(token))
				.withMessageContaining("The token was revoked");
		}
	}

	@Test
	@Wide
	void blockedSubjectIsForbidden() throws Exception {
		assertThat(first.blacklist().block("accounts", "boris", Duration.ofMinutes(1)).awaitPropagation(PATIENCE))
			.isTrue();
		HttpResponse<String> refused = get(second, "/account?name=boris", null);
		assertThat(refused.statusCode()).isEqualTo(403);
		assertThat(refused.body()).contains("\"type\":\"urn:ge-redis:problem:subject-blocked\"");
		assertThat(get(second, "/account?name=anna", null).statusCode()).isEqualTo(200);
	}

	@Test
	@Wide
	void hangingRedisIsUnavailableAndNeverUnauthorized() throws Exception {
		String token = login(first);
		redis.primary().pause();
		try {
			awaitForgetting(token);
			for (int i = 0; i < 5; i++) {
				assertUnavailableInTime("/me", token);
				assertUnavailableInTime("/account?name=anna", null);
			}
		}
		finally {
			redis.primary().resume();
		}
		await().atMost(PATIENCE).until(() -> get(first, "/me", token).statusCode() == 200);
	}

	@Test
	@Wide
	void stoppedRedisIsUnavailableAndNeverUnauthorized() throws Exception {
		String token = login(first);
		redis.primary().stop();
		try {
			awaitForgetting(token);
			assertUnavailableInTime("/me", token);
			assertUnavailableInTime("/account?name=anna", null);
		}
		finally {
			redis.primary().start();
		}
		await().atMost(PATIENCE).until(() -> get(first, "/me", token).statusCode() == 200);
	}

	// Until then memory answers, as it should
	private void awaitForgetting(String token) throws Exception {
		BlacklistPattern guard = first.context().getBean(BlacklistPattern.class);
		while (guard.isFresh()) {
			assertThat(get(first, "/me", token).statusCode()).isIn(200, 503);
		}
	}

	private void assertUnavailableInTime(String path, String token) throws Exception {
		Stopwatch watch = Stopwatch.start();
		HttpResponse<String> response = get(first, path, token);
		assertThat(watch.elapsed()).isLessThan(TIMEOUT.plusMillis(500));
		assertThat(response.statusCode()).isEqualTo(503);
		assertThat(response.headers().firstValue("Content-Type")).contains("application/problem+json");
		assertThat(response.headers().firstValue("Retry-After")).contains("1");
		assertThat(response.headers().firstValue("X-Content-Type-Options")).contains("nosniff");
		assertThat(response.body()).contains(
				"\"type\":\"https://iana.org/assignments/http-problem-types#temporary-reduced-capacity\"",
				"\"instance\":\"" + URI.create(path).getPath() + "\"");
	}

	private String login(Application application) throws Exception {
		return post(application, "/login", null).body();
	}

	private HttpResponse<String> get(Application application, String path, String token)
			throws IOException, InterruptedException {
		return send(application, path, token, HttpRequest.newBuilder().GET());
	}

	private HttpResponse<String> post(Application application, String path, String token)
			throws IOException, InterruptedException {
		return send(application, path, token, HttpRequest.newBuilder().POST(HttpRequest.BodyPublishers.noBody()));
	}

	private HttpResponse<String> send(Application application, String path, String token, HttpRequest.Builder request)
			throws IOException, InterruptedException {
		if (token != null) {
			request.header("Authorization", "Bearer " + token);
		}
		return this.client.send(request.uri(application.uri(path)).build(), HttpResponse.BodyHandlers.ofString());
	}

	record Application(ConfigurableApplicationContext context) implements AutoCloseable {

		static Application start(StandaloneRedis redis, String... properties) {
			return start(redis, Configured.class, properties);
		}

		static Application start(StandaloneRedis redis, Class<?> configuration, String... properties) {
			SpringApplication application = new SpringApplication(configuration);
			String[] arguments = Stream.of(redis.properties(), new String[] { "server.port=0",
					"server.address=127.0.0.1", "spring.main.banner-mode=off",
					"ge.redis.outage.command-timeout=" + TIMEOUT.toMillis() + "ms",
					"spring.autoconfigure.exclude=org.springframework.boot.jdbc.autoconfigure.DataSourceAutoConfiguration" },
					properties)
				.flatMap(Stream::of)
				.map((property) -> "--" + property)
				.toArray(String[]::new);
			return new Application(application.run(arguments));
		}

		TokenBlacklist blacklist() {
			return this.context.getBean(TokenBlacklist.class);
		}

		URI uri(String path) {
			return URI
				.create("http://localhost:" + this.context.getEnvironment().getProperty("local.server.port") + path);
		}

		@Override
		public void close() {
			this.context.close();
		}

	}

	@Configuration(proxyBeanMethods = false)
	@EnableAutoConfiguration
	@Import(Controller.class)
	static class Configured {

		private final SecretKey key = new SecretKeySpec(
				"a key that is long enough for HS256".getBytes(StandardCharsets.UTF_8), "HmacSHA256");

		@Bean
		SecurityFilterChain security(HttpSecurity http) throws Exception {
			return http.csrf((csrf) -> csrf.disable())
				.authorizeHttpRequests((requests) -> requests.requestMatchers("/me", "/logout", "/logout-all")
					.authenticated()
					.anyRequest()
					.permitAll())
				.logout((logout) -> logout.disable())
				.oauth2ResourceServer((server) -> server.jwt(Customizer.withDefaults()))
				.build();
		}

		@Bean
		JwtDecoder jwtDecoder(BlacklistTokenValidator blacklist,
				@Value("${test.decoder-checks:true}") boolean checked) {
			NimbusJwtDecoder decoder = NimbusJwtDecoder.withSecretKey(this.key)
				.macAlgorithm(MacAlgorithm.HS256)
				.build();
			if (checked) {
				decoder.setJwtValidator(new DelegatingOAuth2TokenValidator<>(JwtValidators.createDefault(), blacklist));
			}
			return decoder;
		}

		@Bean
		JwtEncoder jwtEncoder() {
			return NimbusJwtEncoder.withSecretKey(this.key).build();
		}

	}

	@Configuration(proxyBeanMethods = false)
	@EnableAutoConfiguration
	static class Unconfigured {

	}

	@RestController
	static class Controller {

		private final TokenBlacklist blacklist;

		private final JwtEncoder encoder;

		Controller(TokenBlacklist blacklist, JwtEncoder encoder) {
			this.blacklist = blacklist;
			this.encoder = encoder;
		}

		@PostMapping("/login")
		String login() {
			Instant now = Instant.now();
			JwtClaimsSet claims = JwtClaimsSet.builder()
				.issuer("self")
				.subject("anna")
				.id(UUID.randomUUID().toString())
				.issuedAt(now)
				.expiresAt(now.plusSeconds(300))
				.claim(TokenBlacklist.ISSUE_STAMP_CLAIM, this.blacklist.issueStamp("self", "anna"))
				.build();
			return this.encoder.encode(JwtEncoderParameters.from(JwsHeader.with(MacAlgorithm.HS256).build(), claims))
				.getTokenValue();
		}

		@PostMapping("/logout")
		void logout(@AuthenticationPrincipal Jwt jwt) {
			this.blacklist.revoke(JwtTokens.identity(jwt)).awaitPropagation(PATIENCE);
		}

		@PostMapping("/logout-all")
		void logoutAll(@AuthenticationPrincipal Jwt jwt) {
			this.blacklist.revokeAll(jwt.getClaimAsString("iss"), jwt.getSubject()).awaitPropagation(PATIENCE);
		}

		@GetMapping("/me")
		String me(@AuthenticationPrincipal Jwt jwt) {
			return jwt.getSubject();
		}

		@GetMapping("/checked")
		@BlacklistCheck
		public String checked() {
			return "checked";
		}

		@GetMapping("/account")
		@BlacklistCheck(name = "accounts", subject = "#name")
		public String account(@RequestParam("name") String name) {
			return name;
		}

	}

}
