// SPDX-License-Identifier: Apache-2.0

package io.ge.redis.security;

import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicReference;

import javax.crypto.SecretKey;
import javax.crypto.spec.SecretKeySpec;

import io.ge.redis.GeRedisException;
import io.ge.redis.GuardConfigurationException;
import io.ge.redis.RedisUnavailableException;
import io.ge.redis.autoconfigure.BlacklistAutoConfiguration;
import io.ge.redis.autoconfigure.BlacklistSecurityAutoConfiguration;
import io.ge.redis.autoconfigure.GeRedisAutoConfiguration;
import io.ge.redis.autoconfigure.GeRedisPrincipalAutoConfiguration;
import io.ge.redis.autoconfigure.GeRedisWebAutoConfiguration;
import io.ge.redis.blacklist.BlacklistCheck;
import io.ge.redis.blacklist.BlacklistEvent;
import io.ge.redis.blacklist.CurrentToken;
import io.ge.redis.blacklist.Revocation;
import io.ge.redis.blacklist.SubjectBlockedException;
import io.ge.redis.blacklist.TokenBlacklist;
import io.ge.redis.blacklist.TokenIdentity;
import io.ge.redis.blacklist.TokenRevokedException;
import io.ge.redis.blacklist.TokenStatus;
import io.ge.redis.blacklist.internal.BlacklistPattern;
import io.ge.redis.core.event.GuardEvent;
import io.ge.redis.core.event.GuardListener;
import io.ge.redis.test.RedisServers;
import io.ge.redis.test.SharedRedis;
import io.ge.redis.test.StandaloneRedis;
import io.ge.redis.test.Wide;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import reactor.core.publisher.Mono;
import reactor.core.scheduler.Scheduler;
import reactor.core.scheduler.Schedulers;
import reactor.util.context.Context;

import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.data.redis.autoconfigure.DataRedisAutoConfiguration;
import org.springframework.boot.test.context.FilteredClassLoader;
import org.springframework.boot.test.context.runner.ReactiveWebApplicationContextRunner;
import org.springframework.boot.test.context.runner.WebApplicationContextRunner;
import org.springframework.boot.test.util.TestPropertyValues;
import org.springframework.boot.web.context.reactive.AnnotationConfigReactiveWebApplicationContext;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.annotation.Import;
import org.springframework.http.HttpStatus;
import org.springframework.http.MediaType;
import org.springframework.mock.http.server.reactive.MockServerHttpRequest;
import org.springframework.mock.web.server.MockServerWebExchange;
import org.springframework.security.config.Customizer;
import org.springframework.security.config.annotation.web.reactive.EnableWebFluxSecurity;
import org.springframework.security.config.web.server.ServerHttpSecurity;
import org.springframework.security.core.Authentication;
import org.springframework.security.core.authority.AuthorityUtils;
import org.springframework.security.core.context.ReactiveSecurityContextHolder;
import org.springframework.security.oauth2.core.DefaultOAuth2AuthenticatedPrincipal;
import org.springframework.security.oauth2.jose.jws.MacAlgorithm;
import org.springframework.security.oauth2.jwt.Jwt;
import org.springframework.security.oauth2.jwt.JwtClaimsSet;
import org.springframework.security.oauth2.jwt.JwtEncoderParameters;
import org.springframework.security.oauth2.jwt.JwtException;
import org.springframework.security.oauth2.jwt.NimbusJwtEncoder;
import org.springframework.security.oauth2.jwt.NimbusReactiveJwtDecoder;
import org.springframework.security.oauth2.jwt.ReactiveJwtDecoder;
import org.springframework.security.oauth2.server.resource.authentication.JwtAuthenticationToken;
import org.springframework.security.oauth2.server.resource.introspection.ReactiveOpaqueTokenIntrospector;
import org.springframework.security.web.server.SecurityWebFilterChain;
import org.springframework.security.web.server.util.matcher.PathPatternParserServerWebExchangeMatcher;
import org.springframework.test.web.reactive.server.WebTestClient;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.PathVariable;
import org.springframework.web.bind.annotation.RestController;
import org.springframework.web.reactive.config.EnableWebFlux;
import org.springframework.web.server.WebFilter;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.awaitility.Awaitility.await;

/**
 * The blacklist in a reactive web application with security chains of its own: one for
 * JWTs, and one for opaque tokens below {@code /opaque}.
 */
class BlacklistReactiveSecurityIntegrationTests {

	private static final Duration PATIENCE = Duration.ofSeconds(10);

	private static final String ISSUER = "https://issuer.example";

	private static final SecretKey KEY = new SecretKeySpec(
			"a key that is long enough for HS256".getBytes(StandardCharsets.UTF_8), "HmacSHA256");

	private static final Class<?>[] AUTO_CONFIGURED = { DataRedisAutoConfiguration.class,
			GeRedisAutoConfiguration.class, GeRedisPrincipalAutoConfiguration.class, BlacklistAutoConfiguration.class,
			BlacklistSecurityAutoConfiguration.class, GeRedisWebAutoConfiguration.class };

	private static StandaloneRedis redis;

	private static AnnotationConfigReactiveWebApplicationContext application;

	private static WebTestClient client;

	private final ReactiveWebApplicationContextRunner runner = new ReactiveWebApplicationContextRunner()
		.withConfiguration(AutoConfigurations.of(AUTO_CONFIGURED))
		.withPropertyValues(SharedRedis.properties());

	@BeforeAll
	static void start() {
		redis = RedisServers.standalone();
		application = new AnnotationConfigReactiveWebApplicationContext();
		TestPropertyValues.of(redis.properties())
			.and("ge.redis.outage.command-timeout=2500ms", "ge.redis.outage.failure-threshold=1000000",
					"ge.redis.blacklist.max-staleness=500ms")
			.applyTo(application);
		application.register(Application.class);
		application.register(AUTO_CONFIGURED);
		application.refresh();
		client = WebTestClient.bindToApplicationContext(application)
			.configureClient()
			.responseTimeout(PATIENCE)
			.build();
	}

	@AfterAll
	static void stop() {
		application.close();
		redis.close();
	}

	@Test
	void revokedJwtIsRefusedWithReasonAndProblem() {
		awaitAnswer();
		String token = jwt("anna");
		get("/me", token).expectStatus().isOk().expectBody(String.class).isEqualTo("anna");
		blacklist().revoke(JwtTokens.identity(decoder().decode(token).block()));
		assertRefused(get("/me", token), "/me");
		get("/me", jwt("anna")).expectStatus().isOk();
		get("/me", "forged").expectStatus().isUnauthorized().expectBody().isEmpty();
	}

	@Test
	void endedSessionAndSubjectAreRefusedToo() {
		awaitAnswer();
		String token = jwt("boris");
		String other = jwt("carl");
		blacklist().revokeSession(ISSUER, "session-of-boris");
		blacklist().revokeAll(ISSUER, "carl");
		assertRefused(get("/me", token), "/me");
		assertRefused(get("/me", other), "/me");
	}

	@Test
	void revokedOpaqueTokenIsRefusedWithReasonAndProblem() {
		awaitAnswer();
		get("/opaque/me", "dora-1").expectStatus().isOk().expectBody(String.class).isEqualTo("dora");
		ReactiveOpaqueTokenIntrospector introspector = application.getBean(ReactiveOpaqueTokenIntrospector.class);
		blacklist().revoke(
				application.getBean(OpaqueTokens.class).identity("dora-1", introspector.introspect("dora-1").block()));
		assertRefused(get("/opaque/me", "dora-1"), "/opaque/me");
		get("/opaque/me", "dora-2").expectStatus().isOk();
	}

	@Test
	@Wide
	void hangingRedisIsUnavailableAndNeverUnauthorized() {
		awaitAnswer();
		String token = jwt("anna");
		redis.primary().pause();
		try {
			awaitForgetting();
			for (String[] call : new String[][] { { "/me", token }, { "/opaque/me", "emil-1" } }) {
				get(call[0], call[1]).expectStatus()
					.isEqualTo(HttpStatus.SERVICE_UNAVAILABLE)
					.expectHeader()
					.contentType(MediaType.APPLICATION_PROBLEM_JSON)
					.expectHeader()
					.valueEquals("Retry-After", "1")
					.expectBody()
					.jsonPath("$.instance")
					.isEqualTo(call[0])
					.jsonPath("$.type")
					.isEqualTo("https://iana.org/assignments/http-problem-types#temporary-reduced-capacity");
			}
			get("/me", "forged").expectStatus().isUnauthorized();
		}
		finally {
			redis.primary().resume();
		}
		awaitAnswer();
	}

	@Test
	void refusalsOfControllersHaveTheirProblems() {
		awaitAnswer();
		blacklist().block("addresses", "10.0.0.1", Duration.ofMinutes(1));
		get("/addresses/10.0.0.2", jwt("anna")).expectStatus().isOk();
		for (String path : new String[] { "/addresses/10.0.0.1", "/wrapped/10.0.0.1" }) {
			get(path, jwt("anna")).expectStatus()
				.isForbidden()
				.expectHeader()
				.contentType(MediaType.APPLICATION_PROBLEM_JSON)
				.expectBody()
				.jsonPath("$.type")
				.isEqualTo("urn:ge-redis:problem:subject-blocked")
				.jsonPath("$.instance")
				.isEqualTo(path);
		}
		get("/revoked", jwt("anna")).expectStatus()
			.isUnauthorized()
			.expectHeader()
			.valueMatches("WWW-Authenticate", "Bearer error=\"invalid_token\", error_description=\".+\"")
			.expectBody()
			.jsonPath("$.type")
			.isEqualTo("urn:ge-redis:problem:token-revoked");
	}

	@Test
	void whatNoMappingKnowsIsLeftToOthers() {
		GeRedisException unknown = new GeRedisException("no mapping knows it") {
		};
		Mono<Void> answer = application.getBean("geRedisRefusalWebFilter", WebFilter.class)
			.filter(MockServerWebExchange.from(MockServerHttpRequest.get("/")), (exchange) -> Mono.error(unknown));
		assertThatExceptionOfType(GeRedisException.class).isThrownBy(answer::block).isSameAs(unknown);
	}

	/**
	 * The one thread of an event loop serves others while Redis is asked, and no thread
	 * of the driver is left to the application.
	 */
	@Test
	void eventLoopDoesNotWaitForRedis() throws Exception {
		awaitAnswer();
		String token = jwt("anna");
		Scheduler loop = Schedulers.newSingle("loop");
		redis.primary().pause();
		try {
			awaitForgetting();
			CompletableFuture<CompletableFuture<Jwt>> begun = new CompletableFuture<>();
			CompletableFuture<Boolean> decidedBefore = new CompletableFuture<>();
			// At once, so that nothing but its own wait comes between
			loop.schedule(() -> {
				CompletableFuture<Jwt> asked = decoder().decode(token).toFuture();
				decidedBefore.complete(asked.isDone());
				begun.complete(asked);
			});
			assertThat(decidedBefore.get(PATIENCE.toSeconds(), TimeUnit.SECONDS)).isFalse();
			assertThat(begun.join()).failsWithin(PATIENCE)
				.withThrowableThat()
				.havingCause()
				.isInstanceOf(JwtException.class)
				.withCauseInstanceOf(RedisUnavailableException.class);
		}
		finally {
			redis.primary().resume();
			loop.dispose();
		}
	}

	/**
	 * It serves all guards, and the application may block what it is given.
	 */
	@Test
	@Wide
	void whatFollowsTheAnswerOfRedisRunsOnNoThreadOfTheDriver() {
		awaitAnswer();
		BlacklistPattern guard = application.getBean(BlacklistPattern.class);
		// Asks Redis each time
		guard.pause();
		try {
			await().atMost(PATIENCE).until(() -> !guard.isFresh());
			for (int i = 0; i < 20; i++) {
				String thread = decoder().decode(jwt("anna")).map((jwt) -> Thread.currentThread().getName()).block();
				assertThat(thread).doesNotContain("lettuce");
			}
		}
		finally {
			guard.resume();
		}
	}

	/**
	 * On the thread of the driver it would wait for an answer that this thread is to
	 * read.
	 */
	@Test
	@Wide
	void listenerMayWaitForRedisWhileItIsToldOfAnAnswer() {
		awaitAnswer();
		BlacklistPattern guard = application.getBean(BlacklistPattern.class);
		AskingListener listener = application.getBean(AskingListener.class);
		TokenIdentity token = TokenIdentity.of(ISSUER, UUID.randomUUID().toString(), Instant.now().plusSeconds(60));
		// Asks Redis each time
		guard.pause();
		try {
			await().atMost(PATIENCE).until(() -> !guard.isFresh());
			CompletableFuture<Revocation> asked = listener.askOnce(blacklist());
			assertThat(blacklist().checkAsync(token)).succeedsWithin(PATIENCE).isEqualTo(TokenStatus.CLEAR);
			assertThat(asked).succeedsWithin(PATIENCE);
		}
		finally {
			guard.resume();
		}
	}

	@Test
	void decodersAndIntrospectorsAreWrappedUnlessDisabled() {
		this.runner.withUserConfiguration(Tokens.class).run((context) -> {
			assertThat(List.of(context.getBean(ReactiveJwtDecoder.class),
					context.getBean(ReactiveOpaqueTokenIntrospector.class)))
				.allMatch((wrapped) -> wrapped.getClass().getName().startsWith(TokenChecks.class.getName()));
		});
		this.runner.withUserConfiguration(Tokens.class)
			.withPropertyValues("ge.redis.blacklist.validate-jwt=false",
					"ge.redis.blacklist.validate-opaque-tokens=false")
			.run((context) -> {
				assertThat(context.getBean(ReactiveJwtDecoder.class)).isInstanceOf(NimbusReactiveJwtDecoder.class);
				assertThat(context.getBean(ReactiveOpaqueTokenIntrospector.class).getClass().getName())
					.doesNotStartWith(TokenChecks.class.getName());
			});
	}

	/**
	 * Spring Boot would give it to the decoder, where it waits on the event loop.
	 */
	@Test
	void thereIsNoValidatorInReactiveApplications() {
		this.runner.run((context) -> assertThat(context).hasNotFailed()
			.doesNotHaveBean(BlacklistTokenValidator.class)
			.doesNotHaveBean("geRedisBlacklistJwtDecoderChecks"));
		new WebApplicationContextRunner().withConfiguration(AutoConfigurations.of(AUTO_CONFIGURED))
			.withPropertyValues(SharedRedis.properties())
			.run((context) -> assertThat(context).hasSingleBean(BlacklistTokenValidator.class)
				.doesNotHaveBean("geRedisBlacklistReactiveJwtDecoders"));
	}

	@Test
	void tokenOfTheSubscriberIsChecked() {
		this.runner.withBean(CheckedSubscriber.class).run((context) -> {
			Mono<String> call = context.getBean(CheckedSubscriber.class).call();
			Instant now = Instant.now();
			Jwt token = Jwt.withTokenValue("token")
				.header("alg", "none")
				.issuer(ISSUER)
				.subject("anna")
				.jti(UUID.randomUUID().toString())
				.issuedAt(now)
				.expiresAt(now.plusSeconds(300))
				.build();
			Context subscriber = ReactiveSecurityContextHolder.withAuthentication(new JwtAuthenticationToken(token));
			assertThat(call.contextWrite(subscriber).block(PATIENCE)).isEqualTo("called");
			context.getBean(TokenBlacklist.class).revoke(JwtTokens.identity(token));
			assertThatExceptionOfType(TokenRevokedException.class)
				.isThrownBy(() -> call.contextWrite(subscriber).block(PATIENCE));
			assertThat(call.block(PATIENCE)).as("whoever is nobody").isEqualTo("called");
		});
	}

	/**
	 * Nothing knows the caller by the thread, so that a check of his token would check
	 * nothing.
	 */
	@Test
	void checkOfTheCallersTokenFailsTheStartWithoutSubscriberUnlessTheApplicationKnowsTheCaller() {
		this.runner.withBean(CheckedCaller.class).run((context) -> {
			assertThat(context).hasFailed();
			assertThat(context.getStartupFailure()).rootCause()
				.isInstanceOf(GuardConfigurationException.class)
				.hasMessageContaining("nothing knows the token of the caller");
		});
		this.runner.withBean(CheckedCaller.class)
			.withBean(CurrentToken.class, () -> () -> null)
			.run((context) -> assertThat(context).hasNotFailed());
	}

	@Test
	@Wide
	void isNotThereWithoutWhatItAdapts() {
		this.runner.withClassLoader(new FilteredClassLoader("org.springframework.security.oauth2"))
			.run((context) -> assertThat(context).hasNotFailed()
				.doesNotHaveBean("geRedisBlacklistReactiveJwtDecoders")
				.doesNotHaveBean("geRedisBlacklistReactiveOpaqueTokenIntrospectors"));
		this.runner.withClassLoader(new FilteredClassLoader("org.springframework.security.oauth2.server.resource"))
			.run((context) -> assertThat(context).hasNotFailed()
				.hasBean("geRedisBlacklistReactiveJwtDecoders")
				.doesNotHaveBean("geRedisBlacklistReactiveOpaqueTokenIntrospectors"));
	}

	private static void assertRefused(WebTestClient.ResponseSpec response, String path) {
		response.expectStatus()
			.isUnauthorized()
			.expectHeader()
			.valueMatches("WWW-Authenticate", "Bearer error=\"invalid_token\", error_description=\".+\".*")
			.expectHeader()
			.contentType(MediaType.APPLICATION_PROBLEM_JSON)
			.expectHeader()
			.valueEquals("X-Content-Type-Options", "nosniff")
			.expectBody()
			.jsonPath("$.type")
			.isEqualTo("urn:ge-redis:problem:token-revoked")
			.jsonPath("$.instance")
			.isEqualTo(path);
	}

	private static WebTestClient.ResponseSpec get(String path, String token) {
		return client.get().uri(path).header("Authorization", "Bearer " + token).exchange();
	}

	private static void awaitAnswer() {
		await().atMost(PATIENCE).untilAsserted(() -> get("/me", jwt("someone")).expectStatus().isOk());
	}

	// Until then memory answers, as it should
	private static void awaitForgetting() {
		await().atMost(PATIENCE).until(() -> !application.getBean(BlacklistPattern.class).isFresh());
	}

	private static TokenBlacklist blacklist() {
		return application.getBean(TokenBlacklist.class);
	}

	private static ReactiveJwtDecoder decoder() {
		return application.getBean(ReactiveJwtDecoder.class);
	}

	private static String jwt(String user) {
		Instant now = Instant.now();
		JwtClaimsSet claims = JwtClaimsSet.builder()
			.issuer(ISSUER)
			.subject(user)
			.id(UUID.randomUUID().toString())
			.issuedAt(now)
			.expiresAt(now.plusSeconds(300))
			.claim("sid", "session-of-" + user)
			.build();
		return NimbusJwtEncoder.withSecretKey(KEY)
			.algorithm(MacAlgorithm.HS256)
			.build()
			.encode(JwtEncoderParameters.from(claims))
			.getTokenValue();
	}

	@Configuration(proxyBeanMethods = false)
	@EnableWebFlux
	@EnableWebFluxSecurity
	@Import({ Controller.class, Tokens.class, AskingListener.class })
	static class Application {

		@Bean
		SecurityWebFilterChain opaque(ServerHttpSecurity http) {
			return http.securityMatcher(new PathPatternParserServerWebExchangeMatcher("/opaque/**"))
				.authorizeExchange((exchanges) -> exchanges.anyExchange().authenticated())
				.oauth2ResourceServer((server) -> server.opaqueToken(Customizer.withDefaults()))
				.build();
		}

		@Bean
		SecurityWebFilterChain jwt(ServerHttpSecurity http) {
			return http.authorizeExchange((exchanges) -> exchanges.anyExchange().authenticated())
				.oauth2ResourceServer((server) -> server.jwt(Customizer.withDefaults()))
				.build();
		}

	}

	@Configuration(proxyBeanMethods = false)
	static class Tokens {

		@Bean
		NimbusReactiveJwtDecoder decoder() {
			return NimbusReactiveJwtDecoder.withSecretKey(KEY).macAlgorithm(MacAlgorithm.HS256).build();
		}

		@Bean
		ReactiveOpaqueTokenIntrospector introspector() {
			return (token) -> {
				String user = token.substring(0, token.indexOf('-'));
				return Mono.just(new DefaultOAuth2AuthenticatedPrincipal(user,
						Map.of("iss", ISSUER, "sub", user, "exp", Instant.now().plusSeconds(300)),
						AuthorityUtils.NO_AUTHORITIES));
			};
		}

	}

	/**
	 * Writes to Redis when it is told of a check that was answered by it.
	 */
	static class AskingListener implements GuardListener {

		private final AtomicReference<CompletableFuture<Revocation>> wanted = new AtomicReference<>();

		private volatile TokenBlacklist blacklist;

		CompletableFuture<Revocation> askOnce(TokenBlacklist blacklist) {
			this.blacklist = blacklist;
			CompletableFuture<Revocation> asked = new CompletableFuture<>();
			this.wanted.set(asked);
			return asked;
		}

		@Override
		public void onEvent(GuardEvent event) {
			if (event instanceof BlacklistEvent check && check.source() == BlacklistEvent.Source.REDIS) {
				CompletableFuture<Revocation> asked = this.wanted.getAndSet(null);
				if (asked != null) {
					asked.complete(this.blacklist.block("listened", "anyone", Duration.ofSeconds(1)));
				}
			}
		}

	}

	static class CheckedSubscriber {

		@BlacklistCheck
		Mono<String> call() {
			return Mono.just("called");
		}

	}

	static class CheckedCaller {

		@BlacklistCheck
		void call() {
		}

	}

	@RestController
	static class Controller {

		@GetMapping({ "/me", "/opaque/me" })
		Mono<String> me(Authentication caller) {
			return Mono.just(caller.getName());
		}

		@GetMapping("/addresses/{address}")
		@BlacklistCheck(name = "addresses", subject = "#address")
		Mono<String> address(@PathVariable String address) {
			return Mono.just(address);
		}

		@GetMapping("/wrapped/{address}")
		Mono<String> wrapped(@PathVariable String address) {
			return Mono.error(new IllegalStateException(new SubjectBlockedException("addresses")));
		}

		@GetMapping("/revoked")
		Mono<String> revoked() {
			return Mono.error(new TokenRevokedException(TokenBlacklist.TOKENS, TokenStatus.REVOKED));
		}

	}

}
