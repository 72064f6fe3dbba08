// SPDX-License-Identifier: Apache-2.0

package io.ge.redis.security;

import java.lang.reflect.Method;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.time.Duration;
import java.time.Instant;
import java.util.Base64;
import java.util.Date;
import java.util.Map;
import java.util.UUID;

import javax.crypto.SecretKey;
import javax.crypto.spec.SecretKeySpec;

import com.nimbusds.jose.JOSEObjectType;
import com.nimbusds.jose.JWSAlgorithm;
import com.nimbusds.jose.JWSHeader;
import com.nimbusds.jose.crypto.ECDSASigner;
import com.nimbusds.jose.jwk.Curve;
import com.nimbusds.jose.jwk.ECKey;
import com.nimbusds.jose.jwk.gen.ECKeyGenerator;
import com.nimbusds.jwt.JWTClaimsSet;
import com.nimbusds.jwt.SignedJWT;
import io.ge.redis.autoconfigure.BlacklistAutoConfiguration;
import io.ge.redis.autoconfigure.BlacklistSecurityAutoConfiguration;
import io.ge.redis.autoconfigure.GeRedisAutoConfiguration;
import io.ge.redis.autoconfigure.GeRedisWebAutoConfiguration;
import io.ge.redis.blacklist.UsedIds;
import io.ge.redis.blacklist.internal.RedisUsedIds;
import io.ge.redis.test.RedisServers;
import io.ge.redis.test.SharedRedis;
import io.ge.redis.test.StandaloneRedis;
import io.ge.redis.test.TestBackend;
import io.ge.redis.test.TestCalls;
import io.ge.redis.test.Wide;
import jakarta.servlet.Filter;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;

import org.springframework.beans.factory.ObjectProvider;
import org.springframework.boot.LazyInitializationBeanFactoryPostProcessor;
import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.data.redis.autoconfigure.DataRedisAutoConfiguration;
import org.springframework.boot.test.context.FilteredClassLoader;
import org.springframework.boot.test.context.assertj.AssertableWebApplicationContext;
import org.springframework.boot.test.context.runner.WebApplicationContextRunner;
import org.springframework.boot.web.servlet.FilterRegistrationBean;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.annotation.Import;
import org.springframework.mock.web.MockHttpServletResponse;
import org.springframework.security.config.Customizer;
import org.springframework.security.config.ObjectPostProcessor;
import org.springframework.security.config.annotation.web.builders.HttpSecurity;
import org.springframework.security.config.annotation.web.configuration.EnableWebSecurity;
import org.springframework.security.config.annotation.web.configurers.oauth2.server.resource.OAuth2ResourceServerConfigurer;
import org.springframework.security.core.Authentication;
import org.springframework.security.oauth2.jose.jws.MacAlgorithm;
import org.springframework.security.oauth2.jwt.JwtClaimsSet;
import org.springframework.security.oauth2.jwt.JwtDecoder;
import org.springframework.security.oauth2.jwt.JwtEncoderParameters;
import org.springframework.security.oauth2.jwt.JwtException;
import org.springframework.security.oauth2.jwt.NimbusJwtDecoder;
import org.springframework.security.oauth2.jwt.NimbusJwtEncoder;
import org.springframework.security.oauth2.server.resource.authentication.DPoPAuthenticationProvider;
import org.springframework.security.web.SecurityFilterChain;
import org.springframework.test.web.servlet.MockMvc;
import org.springframework.test.web.servlet.request.MockMvcRequestBuilders;
import org.springframework.test.web.servlet.setup.MockMvcBuilders;
import org.springframework.util.ClassUtils;
import org.springframework.util.ReflectionUtils;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.RestController;
import org.springframework.web.servlet.config.annotation.EnableWebMvc;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assumptions.assumeThat;
import static org.awaitility.Awaitility.await;

/**
 * DPoP proofs in a web application with a {@code SecurityFilterChain} of its own. What
 * the application remembers by itself is shared by all instances of one JVM, so the other
 * instance here is one that knows Redis only.
 */
class DPoPReplayIntegrationTests {

	private static final Duration PATIENCE = Duration.ofSeconds(10);

	private static final SecretKey KEY = new SecretKeySpec(
			"a key that is long enough for HS256".getBytes(StandardCharsets.UTF_8), "HmacSHA256");

	private static final String USED = "ge.redis.blacklist.validate-jwt=false";

	private static StandaloneRedis redis;

	private static ECKey proofKey;

	private final WebApplicationContextRunner runner = new WebApplicationContextRunner()
		.withConfiguration(AutoConfigurations.of(DataRedisAutoConfiguration.class, GeRedisAutoConfiguration.class,
				BlacklistAutoConfiguration.class, BlacklistSecurityAutoConfiguration.class,
				GeRedisWebAutoConfiguration.class))
		.withUserConfiguration(Application.class)
		.withPropertyValues("ge.redis.outage.command-timeout=2500ms");

	@BeforeAll
	static void start() throws Exception {
		// A class of Spring Security 7.1
		assumeThat(ClassUtils.isPresent(OAuth2ResourceServerConfigurer.class.getName() + "$DPoPConfigurer", null))
			.isTrue();
		redis = RedisServers.standalone();
		proofKey = new ECKeyGenerator(Curve.P_256).generate();
	}

	@AfterAll
	static void stop() {
		if (redis != null) {
			redis.close();
		}
	}

	@Test
	void proofIsAcceptedOnceOnWhateverInstance() {
		this.runner.withPropertyValues(redis.properties()).withPropertyValues(USED).run((context) -> {
			MockMvc mvc = mvc(context);
			await().atMost(PATIENCE).until(() -> call(mvc, proof("first-" + UUID.randomUUID())).getStatus() == 200);
			String replayed = proof("replayed");
			assertThat(call(mvc, replayed).getContentAsString()).isEqualTo("anna");
			assertRefused(call(mvc, replayed));
			try (TestBackend other = TestBackend.on(redis, "other")) {
				assertThat(use(other, "replayed", PATIENCE)).isFalse();
				assertThat(use(other, "used elsewhere", PATIENCE)).isTrue();
				UsedIds elsewhere = new RedisUsedIds(other::get, TestCalls.plain());
				assertThat(elsewhere.use("dpop", "another key.used with another key", PATIENCE)).isTrue();
				assertThat(elsewhere.use("dpop", "used with another key", PATIENCE)).isTrue();
			}
			assertRefused(call(mvc, proof("used elsewhere")));
			assertThat(call(mvc, proof("used with another key")).getStatus()).isEqualTo(200);
			assertThat(redis.keysWithoutTtl()).isEmpty();
		});
	}

	@Test
	@Wide
	void hangingRedisIsUnavailableAndNeverUnauthorized() {
		this.runner.withPropertyValues(redis.properties()).withPropertyValues(USED).run((context) -> {
			MockMvc mvc = mvc(context);
			await().atMost(PATIENCE).until(() -> call(mvc, proof("before-" + UUID.randomUUID())).getStatus() == 200);
			redis.primary().pause();
			try {
				MockHttpServletResponse response = call(mvc, proof("meanwhile"));
				assertThat(response.getStatus()).isEqualTo(503);
				assertThat(response.getHeader("Retry-After")).isEqualTo("1");
				assertThat(response.getHeader("WWW-Authenticate")).isNull();
				assertThat(response.getContentType()).isEqualTo("application/problem+json");
				assertThat(call(mvc, "nonsense").getStatus()).isEqualTo(401);
			}
			finally {
				redis.primary().resume();
			}
			await().atMost(PATIENCE).until(() -> call(mvc, proof("after-" + UUID.randomUUID())).getStatus() == 200);
		});
	}

	/**
	 * The chain, and its manager with it, is made when somebody asks for it.
	 */
	@Test
	@Wide
	void proofIsAcceptedOnceWhereBeansAreLazy() {
		this.runner.withPropertyValues(redis.properties())
			.withPropertyValues(USED)
			.withInitializer(
					(context) -> context.addBeanFactoryPostProcessor(new LazyInitializationBeanFactoryPostProcessor()))
			.run((context) -> {
				assertThat(context.getSourceApplicationContext().getBeanFactory().getSingleton("security")).isNull();
				MockMvc mvc = mvc(context);
				await().atMost(PATIENCE).until(() -> call(mvc, proof("lazy-" + UUID.randomUUID())).getStatus() == 200);
				try (TestBackend other = TestBackend.on(redis, "other")) {
					use(other, "lazily", PATIENCE);
				}
				assertRefused(call(mvc, proof("lazily")));
			});
	}

	@Test
	@Wide
	void decoderFactoryOfTheApplicationTakesPrecedence() {
		this.runner.withPropertyValues(redis.properties())
			.withPropertyValues(USED)
			.withBean(OwnProofs.class)
			.run((context) -> {
				assertRefused(call(mvc(context), proof("own")));
				assertThat(context.getBean(OwnProofs.class).asked).isTrue();
			});
	}

	@Test
	@Wide
	void nothingIsRememberedIfConfigured() {
		this.runner.withPropertyValues(redis.properties())
			.withPropertyValues("ge.redis.blacklist.remember-dpop-proofs=false", USED)
			.run((context) -> {
				assertThat(context).doesNotHaveBean("geRedisBlacklistDPoPProofs");
				try (TestBackend other = TestBackend.on(redis, "other")) {
					use(other, "unasked", PATIENCE);
				}
				assertThat(call(mvc(context), proof("unasked")).getStatus()).isEqualTo(200);
			});
	}

	@Test
	@Wide
	void nothingIsRememberedWhereTheBlacklistIsNotUsed() {
		this.runner.withPropertyValues(redis.properties()).run((context) -> {
			assertThat(call(mvc(context), proof("unused")).getStatus()).isEqualTo(200);
			try (TestBackend other = TestBackend.on(redis, "other")) {
				assertThat(use(other, "unused", PATIENCE)).isTrue();
			}
		});
	}

	@Test
	@Wide
	void isNotThereWithoutWhatItAdapts() {
		WebApplicationContextRunner bare = new WebApplicationContextRunner()
			.withConfiguration(AutoConfigurations.of(DataRedisAutoConfiguration.class, GeRedisAutoConfiguration.class,
					BlacklistAutoConfiguration.class, BlacklistSecurityAutoConfiguration.class))
			.withPropertyValues(SharedRedis.properties());
		bare.run((context) -> assertThat(context).hasBean("geRedisBlacklistDPoPProofs")
			.hasSingleBean(BackChannelLogoutHandler.class));
		bare.withClassLoader(new FilteredClassLoader("org.springframework.security.oauth2.server.resource"))
			.run((context) -> assertThat(context).hasNotFailed()
				.doesNotHaveBean("geRedisBlacklistDPoPProofs")
				.hasSingleBean(BackChannelLogoutHandler.class));
		bare.withClassLoader(new FilteredClassLoader("org.springframework.security.web"))
			.run((context) -> assertThat(context).hasNotFailed().doesNotHaveBean(BackChannelLogoutHandler.class));
	}

	private static boolean use(TestBackend instance, String id, Duration remembered) throws Exception {
		return new RedisUsedIds(instance::get, TestCalls.plain()).use("dpop", proofKey.computeThumbprint() + "." + id,
				remembered);
	}

	private static void assertRefused(MockHttpServletResponse response) {
		assertThat(response.getStatus()).isEqualTo(401);
		assertThat(response.getHeader("WWW-Authenticate")).startsWith("DPoP").contains("invalid_dpop_proof");
	}

	private static MockMvc mvc(AssertableWebApplicationContext context) {
		assertThat(context).hasNotFailed();
		Filter outage = context.getBean("geRedisRefusalFilter", FilterRegistrationBean.class).getFilter();
		return MockMvcBuilders.webAppContextSetup(context)
			.addFilters(outage, context.getBean("springSecurityFilterChain", Filter.class))
			.build();
	}

	private static MockHttpServletResponse call(MockMvc mvc, String proof) throws Exception {
		return mvc
			.perform(MockMvcRequestBuilders.get("http://localhost/me")
				.header("Authorization", "DPoP " + accessToken())
				.header("DPoP", proof))
			.andReturn()
			.getResponse();
	}

	private static String accessToken() throws Exception {
		JwtClaimsSet claims = JwtClaimsSet.builder()
			.subject("anna")
			.id("id")
			.issuedAt(Instant.EPOCH)
			.expiresAt(Instant.parse("9999-01-01T00:00:00Z"))
			.claim("cnf", Map.of("jkt", proofKey.computeThumbprint().toString()))
			.build();
		return NimbusJwtEncoder.withSecretKey(KEY)
			.algorithm(MacAlgorithm.HS256)
			.build()
			.encode(JwtEncoderParameters.from(claims))
			.getTokenValue();
	}

	private static String proof(String id) throws Exception {
		byte[] hash = MessageDigest.getInstance("SHA-256").digest(accessToken().getBytes(StandardCharsets.US_ASCII));
		SignedJWT proof = new SignedJWT(
				new JWSHeader.Builder(JWSAlgorithm.ES256).type(new JOSEObjectType("dpop+jwt"))
					.jwk(proofKey.toPublicJWK())
					.build(),
				new JWTClaimsSet.Builder().jwtID(id)
					.issueTime(new Date())
					.claim("htm", "GET")
					.claim("htu", "http://localhost/me")
					.claim("ath", Base64.getUrlEncoder().withoutPadding().encodeToString(hash))
					.build());
		proof.sign(new ECDSASigner(proofKey));
		return proof.serialize();
	}

	@Configuration(proxyBeanMethods = false)
	@EnableWebMvc
	@EnableWebSecurity
	@Import(Controller.class)
	static class Application {

		@Bean
		SecurityFilterChain security(HttpSecurity http, ObjectProvider<OwnProofs> own) throws Exception {
			return http.authorizeHttpRequests((requests) -> requests.anyRequest().authenticated())
				.oauth2ResourceServer((server) -> {
					own.ifAvailable(server::addObjectPostProcessor);
					server.jwt(Customizer.withDefaults());
					// From 7.1 on; before, it is always on
					Method dPoP = ReflectionUtils.findMethod(server.getClass(), "dPoP", Customizer.class);
					if (dPoP != null) {
						ReflectionUtils.invokeMethod(dPoP, server, Customizer.withDefaults());
					}
				})
				.build();
		}

		@Bean
		JwtDecoder jwtDecoder() {
			return NimbusJwtDecoder.withSecretKey(KEY).macAlgorithm(MacAlgorithm.HS256).build();
		}

	}

	static class OwnProofs implements ObjectPostProcessor<DPoPAuthenticationProvider> {

		volatile boolean asked;

		@Override
		public <O extends DPoPAuthenticationProvider> O postProcess(O provider) {
			provider.setDPoPProofVerifierFactory((context) -> (token) -> {
				this.asked = true;
				throw new JwtException("not decoded");
			});
			return provider;
		}

	}

	@RestController
	static class Controller {

		@GetMapping("/me")
		String me(Authentication caller) {
			return caller.getName();
		}

	}

}
