// SPDX-License-Identifier: Apache-2.0

package io.ge.redis.autoconfigure;

import java.time.Instant;
import java.util.Map;
import java.util.stream.Stream;

import ch.qos.logback.classic.Level;
import ch.qos.logback.classic.Logger;
import io.ge.redis.blacklist.BlacklistCheck;
import io.ge.redis.blacklist.TokenBlacklist;
import io.ge.redis.blacklist.TokenStatus;
import io.ge.redis.blacklist.refresh.RefreshTokens;
import io.ge.redis.core.RedisBackends;
import io.ge.redis.security.BackChannelLogoutHandler;
import io.ge.redis.security.BlacklistTokenValidator;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;
import org.slf4j.LoggerFactory;
import reactor.core.publisher.Mono;

import org.springframework.beans.factory.ObjectProvider;
import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.data.redis.autoconfigure.DataRedisAutoConfiguration;
import org.springframework.boot.test.context.runner.ReactiveWebApplicationContextRunner;
import org.springframework.boot.test.context.runner.WebApplicationContextRunner;
import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;
import org.springframework.context.ApplicationContext;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Lazy;
import org.springframework.security.core.authority.AuthorityUtils;
import org.springframework.security.oauth2.core.DefaultOAuth2AuthenticatedPrincipal;
import org.springframework.security.oauth2.core.OAuth2AuthenticatedPrincipal;
import org.springframework.security.oauth2.core.OAuth2TokenValidator;
import org.springframework.security.oauth2.jwt.Jwt;
import org.springframework.security.oauth2.jwt.ReactiveJwtDecoder;
import org.springframework.security.oauth2.server.resource.introspection.OpaqueTokenIntrospector;
import org.springframework.security.oauth2.server.resource.introspection.ReactiveOpaqueTokenIntrospector;

import static org.assertj.core.api.Assertions.assertThat;
import static org.mockito.ArgumentMatchers.any;
import static org.mockito.BDDMockito.given;
import static org.mockito.Mockito.mock;

/**
 * Tests for {@link BlacklistUse}. There is no Redis.
 */
@ExtendWith(OutputCaptureExtension.class)
class BlacklistUseTests {

	private static final Logger LOGGER = (Logger) LoggerFactory.getLogger(BlacklistUse.class);

	private static final String CHECKED = "Tokens are checked against the blacklist";

	private static final Class<?>[] AUTO_CONFIGURED = { DataRedisAutoConfiguration.class,
			GeRedisAutoConfiguration.class, BlacklistAutoConfiguration.class, BlacklistSecurityAutoConfiguration.class,
			RefreshTokenAutoConfiguration.class };

	/** Neither with an id, nor with a time of issue that the blacklist would accept. */
	private static final Jwt TOKEN = Jwt.withTokenValue("value")
		.header("alg", "none")
		.subject("anna")
		.issuedAt(Instant.EPOCH)
		.expiresAt(Instant.now().plusSeconds(300))
		.build();

	private static final OAuth2AuthenticatedPrincipal PRINCIPAL = new DefaultOAuth2AuthenticatedPrincipal("anna",
			Map.of("sub", "anna", "iat", Instant.EPOCH), AuthorityUtils.NO_AUTHORITIES);

	private final WebApplicationContextRunner unused = new WebApplicationContextRunner()
		.withConfiguration(AutoConfigurations.of(AUTO_CONFIGURED));

	private final WebApplicationContextRunner runner = this.unused.withBean(TokenBlacklist.class,
			BlacklistUseTests::everythingIsRevoked, (definition) -> definition.setLazyInit(true));

	@BeforeEach
	void logInfo() {
		LOGGER.setLevel(Level.INFO);
	}

	@AfterEach
	void logAsBefore() {
		LOGGER.setLevel(null);
	}

	@Test
	void nothingIsCheckedAndNothingSaidWithoutUse(CapturedOutput output) {
		this.unused.withBean(CollectedByBoot.class)
			.withBean(OpaqueTokenIntrospector.class, () -> (token) -> PRINCIPAL)
			.run((context) -> {
				assertThat(isAccepted(context)).isTrue();
				assertThat(context.getBean(OpaqueTokenIntrospector.class).introspect("token")).isSameAs(PRINCIPAL);
				assertNothingExists(context);
			});
		new ReactiveWebApplicationContextRunner().withConfiguration(AutoConfigurations.of(AUTO_CONFIGURED))
			.withBean(ReactiveJwtDecoder.class, () -> (token) -> Mono.just(TOKEN))
			.withBean(ReactiveOpaqueTokenIntrospector.class, () -> (token) -> Mono.just(PRINCIPAL))
			.run((context) -> {
				assertThat(context.getBean(ReactiveJwtDecoder.class).decode("token").block()).isSameAs(TOKEN);
				assertThat(context.getBean(ReactiveOpaqueTokenIntrospector.class).introspect("token").block())
					.isSameAs(PRINCIPAL);
				assertNothingExists(context);
			});
		assertThat(output).doesNotContain(CHECKED);
	}

	@ParameterizedTest
	@MethodSource("uses")
	void tokensAreCheckedByWhoUsesTheBlacklist(Class<?> application, String reason, CapturedOutput output) {
		this.runner.withBean("application", application).run((context) -> assertThat(isAccepted(context)).isFalse());
		assertThat(output).containsOnlyOnce(CHECKED).containsPattern("INFO .*" + CHECKED + ", because .*" + reason);
	}

	static Stream<Arguments> uses() {
		return Stream.of(Arguments.of(Annotated.class, "Annotated.go\\(String\\) is annotated with @BlacklistCheck"),
				Arguments.of(LazilyAnnotated.class, "Annotated.go\\(String\\) is annotated with @BlacklistCheck"),
				Arguments.of(Injected.class, "is injected into 'application'"),
				Arguments.of(Validating.class, "'geRedisBlacklistTokenValidator' is injected into 'application'"),
				Arguments.of(Refreshing.class, "'geRedisRefreshTokens' is injected into 'application'"), Arguments
					.of(LoggingOut.class, "'geRedisBlacklistBackChannelLogoutHandler' is injected into 'application'"));
	}

	@Test
	void tokensAreCheckedWithAnyProperty(CapturedOutput output) {
		this.runner.withPropertyValues("ge.redis.blacklist.lists.tokens.on-outage=allow")
			.run((context) -> assertThat(isAccepted(context)).isFalse());
		assertThat(output).contains(CHECKED + ", because ge.redis.blacklist.lists.tokens.on-outage is set");
	}

	@Test
	void tokensAreCheckedAsSoonAsALazyBeanUsesTheBlacklist(CapturedOutput output) {
		this.runner.withUserConfiguration(LazilyInjected.class).run((context) -> {
			assertThat(isAccepted(context)).isTrue();
			context.getBean(Injected.class);
			assertThat(isAccepted(context)).isFalse();
			assertThat(isAccepted(context)).isFalse();
		});
		assertThat(output).containsOnlyOnce(CHECKED)
			.containsPattern("WARN .*" + CHECKED + " from now on only")
			.contains("Set ge.redis.blacklist.enabled=true");
	}

	private static void assertNothingExists(ApplicationContext context) {
		assertThat(context.containsBean("geRedisTokenBlacklist")).isTrue();
		assertThat(context.getBean(BlacklistUse.class).blacklist()).isNull();
		assertThat(context.getBean(RedisBackends.class).all()).as("connections").isEmpty();
	}

	private static boolean isAccepted(ApplicationContext context) {
		return !context.getBean(BlacklistTokenValidator.class).validate(TOKEN).hasErrors();
	}

	private static TokenBlacklist everythingIsRevoked() {
		TokenBlacklist blacklist = mock(TokenBlacklist.class);
		given(blacklist.check(any())).willReturn(TokenStatus.REVOKED);
		return blacklist;
	}

	static class CollectedByBoot {

		CollectedByBoot(ObjectProvider<OAuth2TokenValidator<Jwt>> validators) {
			assertThat(validators.orderedStream()).hasSize(1);
		}

	}

	static class Annotated {

		@BlacklistCheck(subject = "#account")
		public void go(String account) {
		}

	}

	static class LazilyAnnotated {

		@Bean
		@Lazy
		Annotated annotated() {
			return new Annotated();
		}

	}

	record Injected(TokenBlacklist blacklist) {
	}

	static class LazilyInjected {

		@Bean
		@Lazy
		Injected injected(TokenBlacklist blacklist) {
			return new Injected(blacklist);
		}

	}

	record Validating(BlacklistTokenValidator validator) {
	}

	record Refreshing(RefreshTokens tokens) {
	}

	record LoggingOut(BackChannelLogoutHandler handler) {
	}

}
