// SPDX-License-Identifier: Apache-2.0

package io.ge.redis.autoconfigure;

import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;

import io.ge.redis.GuardConfigurationException;
import io.ge.redis.InvalidKeyException;
import io.ge.redis.RedisUnavailableException;
import io.ge.redis.actuate.GeRedisEndpoint;
import io.ge.redis.actuate.GeRedisEndpointAutoConfiguration;
import io.ge.redis.actuate.GeRedisMetricsAutoConfiguration;
import io.ge.redis.blacklist.BlacklistCheck;
import io.ge.redis.blacklist.BlacklistEvent;
import io.ge.redis.blacklist.CurrentToken;
import io.ge.redis.blacklist.SubjectBlockedException;
import io.ge.redis.blacklist.TokenBlacklist;
import io.ge.redis.blacklist.TokenIdentity;
import io.ge.redis.blacklist.TokenReader;
import io.ge.redis.blacklist.TokenRevokedException;
import io.ge.redis.blacklist.TokenStatus;
import io.ge.redis.blacklist.internal.BlacklistPattern;
import io.ge.redis.core.invocation.Setting;
import io.ge.redis.core.outage.OutagePolicy;
import io.ge.redis.security.BlacklistTokenValidator;
import io.ge.redis.test.RedisServers;
import io.ge.redis.test.SharedRedis;
import io.ge.redis.test.StandaloneRedis;
import io.ge.redis.test.Wide;
import io.micrometer.core.instrument.Counter;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.Tag;
import io.micrometer.core.instrument.Timer;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.autoconfigure.aop.AopAutoConfiguration;
import org.springframework.boot.data.redis.autoconfigure.DataRedisAutoConfiguration;
import org.springframework.boot.test.context.FilteredClassLoader;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.context.event.EventListener;
import org.springframework.security.authentication.AnonymousAuthenticationToken;
import org.springframework.security.authentication.UsernamePasswordAuthenticationToken;
import org.springframework.security.core.Authentication;
import org.springframework.security.core.authority.AuthorityUtils;
import org.springframework.security.core.context.SecurityContextHolder;
import org.springframework.security.oauth2.jwt.Jwt;
import org.springframework.security.oauth2.server.resource.authentication.JwtAuthenticationToken;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatNoException;
import static org.mockito.Mockito.mock;

/**
 * Blacklists in an application, from annotation and property to Redis and meters.
 */
class BlacklistAutoConfigurationIntegrationTests {

	private final ApplicationContextRunner runner = new ApplicationContextRunner()
		.withConfiguration(AutoConfigurations.of(AopAutoConfiguration.class, DataRedisAutoConfiguration.class,
				GeRedisAutoConfiguration.class, GeRedisDisabledAutoConfiguration.class,
				BlacklistAutoConfiguration.class, BlacklistSecurityAutoConfiguration.class,
				GeRedisMetricsAutoConfiguration.class, GeRedisEndpointAutoConfiguration.class))
		.withBean(MeterRegistry.class, SimpleMeterRegistry::new)
		.withPropertyValues(SharedRedis.properties())
		.withPropertyValues("management.endpoints.web.exposure.include=geredis");

	@BeforeEach
	void emptyRedis() {
		SharedRedis.standalone().flushAll();
	}

	@AfterEach
	void everyKeyHasTtl() {
		SecurityContextHolder.clearContext();
		assertThat(SharedRedis.standalone().keysWithoutTtl()).isEmpty();
	}

	@Test
	void refusesRevokedTokenOfCurrentCaller() {
		this.runner.withUserConfiguration(Desk.class).run((context) -> {
			Desk desk = context.getBean(Desk.class);
			TokenBlacklist blacklist = context.getBean(TokenBlacklist.class);
			authenticate(new JwtAuthenticationToken(jwt("first")));
			assertThat(desk.me()).isEqualTo("me");
			blacklist.revoke("https://issuer.example", "first", Instant.now().plusSeconds(60));
			assertThatExceptionOfType(TokenRevokedException.class).isThrownBy(desk::me)
				.satisfies((ex) -> assertThat(ex.status()).isEqualTo(TokenStatus.REVOKED))
				.satisfies((ex) -> assertThat(ex.name()).isEqualTo("Desk.me"))
				.withMessageNotContaining("first");
			authenticate(new JwtAuthenticationToken(jwt("second")));
			assertThat(desk.me()).isEqualTo("me");
			blacklist.revokeAll("https://issuer.example", "anna");
			assertThatExceptionOfType(TokenRevokedException.class).isThrownBy(desk::me)
				.matches((ex) -> ex.status() == TokenStatus.SUBJECT_REVOKED);
		});
	}

	@Test
	void callerWithoutAuthenticationPresentsNoToken() {
		this.runner.withUserConfiguration(Desk.class).run((context) -> {
			Desk desk = context.getBean(Desk.class);
			assertThat(desk.me()).isEqualTo("me");
			authenticate(new AnonymousAuthenticationToken("key", "anonymous",
					AuthorityUtils.createAuthorityList("ROLE_ANONYMOUS")));
			assertThat(desk.me()).isEqualTo("me");
			assertThat(desk.events()).isEmpty();
		});
	}

	@Test
	@Wide
	void callerAuthenticatedOtherwiseIsRefusedIfConfigured() {
		Authentication other = UsernamePasswordAuthenticationToken.authenticated("anna", "demo", List.of());
		this.runner.withUserConfiguration(Desk.class).run((context) -> {
			authenticate(other);
			assertThat(context.getBean(Desk.class).me()).isEqualTo("me");
		});
		this.runner.withUserConfiguration(Desk.class)
			.withPropertyValues("ge.redis.blacklist.require-jti=true")
			.run((context) -> {
				authenticate(other);
				assertThatExceptionOfType(TokenRevokedException.class).isThrownBy(context.getBean(Desk.class)::me)
					.matches((ex) -> ex.status() == TokenStatus.UNIDENTIFIED);
			});
	}

	@Test
	@Wide
	void tokenWithoutIdIsCheckedBySubject() {
		this.runner.withUserConfiguration(Desk.class).run((context) -> {
			authenticate(new JwtAuthenticationToken(jwt(null)));
			assertThat(context.getBean(Desk.class).me()).isEqualTo("me");
			context.getBean(TokenBlacklist.class).revokeAll("https://issuer.example", "anna");
			assertThatExceptionOfType(TokenRevokedException.class).isThrownBy(context.getBean(Desk.class)::me)
				.matches((ex) -> ex.status() == TokenStatus.SUBJECT_REVOKED);
		});
	}

	@Test
	void refusesTokenGivenByExpression() {
		this.runner.withUserConfiguration(Desk.class).run((context) -> {
			Desk desk = context.getBean(Desk.class);
			TokenBlacklist blacklist = context.getBean(TokenBlacklist.class);
			Instant later = Instant.now().plusSeconds(60);
			assertThat(desk.exchange("plain")).isEqualTo("exchanged");
			assertThat(desk.exchange(jwt("signed"))).isEqualTo("exchanged");
			assertThat(desk.exchange(new JwtAuthenticationToken(jwt("signed")))).isEqualTo("exchanged");
			assertThat(desk.exchange(new Ticket("special"))).isEqualTo("exchanged");
			blacklist.revoke(null, "plain", later);
			blacklist.revoke("https://issuer.example", "signed", later);
			blacklist.revoke("tickets", "special", later);
			for (Object token : List.of("plain", jwt("signed"), new JwtAuthenticationToken(jwt("signed")),
					new Ticket("special"), TokenIdentity.of(null, "plain", later))) {
				assertThatExceptionOfType(TokenRevokedException.class).isThrownBy(() -> desk.exchange(token));
			}
			assertThatExceptionOfType(InvalidKeyException.class).isThrownBy(() -> desk.exchange(null));
			assertThatExceptionOfType(InvalidKeyException.class).isThrownBy(() -> desk.exchange(" "));
			assertThatExceptionOfType(GuardConfigurationException.class).isThrownBy(() -> desk.exchange(42L))
				.withMessageContaining("java.lang.Long")
				.withMessageContaining("TokenReader");
		});
	}

	@Test
	@Wide
	void refusesBlockedSubject() {
		this.runner.withUserConfiguration(Desk.class).run((context) -> {
			Desk desk = context.getBean(Desk.class);
			context.getBean(TokenBlacklist.class).block("accounts", "boris", Duration.ofMinutes(1));
			assertThat(desk.trade("anna")).isEqualTo("traded");
			assertThatExceptionOfType(SubjectBlockedException.class).isThrownBy(() -> desk.trade("boris"))
				.matches((ex) -> ex.name().equals("accounts"))
				.withMessageNotContaining("boris");
			assertThatExceptionOfType(InvalidKeyException.class).isThrownBy(() -> desk.trade(""));
		});
	}

	@Test
	void countsChecksAndPublishesThem() {
		this.runner.withUserConfiguration(Desk.class).run((context) -> {
			Desk desk = context.getBean(Desk.class);
			context.getBean(TokenBlacklist.class).block("accounts", "boris", Duration.ofMinutes(1));
			desk.trade("anna");
			assertThatExceptionOfType(SubjectBlockedException.class).isThrownBy(() -> desk.trade("boris"));
			MeterRegistry meters = context.getBean(MeterRegistry.class);
			// Memory may be up to date by the time of either check
			double asked = 0;
			for (String outcome : List.of("clear", "revoked")) {
				double byRedis = checks(meters, outcome, "redis");
				assertThat(byRedis + checks(meters, outcome, "local")).as(outcome).isEqualTo(1);
				asked += byRedis;
			}
			Timer calls = meters.find("ge.redis.script")
				.tags("script", "blacklist/check", "outcome", "success")
				.timer();
			assertThat((calls != null) ? calls.count() : 0).isEqualTo((long) asked);
			assertThat(desk.events()).extracting(BlacklistEvent::result).containsExactly("clear", "revoked");
			assertThat(context.getBean(GeRedisEndpoint.class).report().guards())
				.filteredOn((guard) -> guard.name().equals("accounts"))
				.singleElement()
				.satisfies((guard) -> {
					assertThat(guard.annotation()).isEqualTo("BlacklistCheck");
					assertThat(guard.figures()).isEqualTo(Map.of("clear", 1L, "revoked", 1L));
					assertThat(guard.settings())
						.containsEntry("subject", new Setting("#account", Setting.Origin.ANNOTATION))
						.containsEntry("onOutage", new Setting("DENY", Setting.Origin.DEFAULT));
				});
		});
	}

	@Test
	void reasonIsToldToTheApplicationAndNoTagOfMeters() {
		this.runner.withUserConfiguration(Desk.class).run((context) -> {
			Desk desk = context.getBean(Desk.class);
			TokenBlacklist blacklist = context.getBean(TokenBlacklist.class);
			for (String reason : List.of("first reason", "second reason")) {
				blacklist.withReason(reason).block("accounts", "boris", Duration.ofMinutes(1));
				String token = "token of the " + reason;
				blacklist.withReason(reason).revoke(null, token, Instant.now().plusSeconds(60));
				assertThatExceptionOfType(SubjectBlockedException.class).isThrownBy(() -> desk.trade("boris"))
					.withMessageNotContaining(reason)
					.satisfies((ex) -> assertThat(ex.reason()).isEqualTo(reason));
				assertThatExceptionOfType(TokenRevokedException.class).isThrownBy(() -> desk.exchange(token))
					.withMessageNotContaining(reason)
					.satisfies((ex) -> assertThat(ex.reason()).isEqualTo(reason));
			}
			assertThat(desk.events()).extracting(BlacklistEvent::reason)
				.containsExactly("first reason", "first reason", "second reason", "second reason");
			assertThat(context.getBean(MeterRegistry.class).find("ge.redis.blacklist.checks").counters())
				.allSatisfy((counter) -> assertThat(counter.getId().getTags()).extracting(Tag::getKey)
					.containsExactlyInAnyOrder("blacklist", "outcome", "source"));
		});
	}

	@Test
	@Wide
	void outagePolicyComesFromPropertiesThenAnnotationThenDefault() {
		try (StandaloneRedis redis = RedisServers.standalone()) {
			ApplicationContextRunner outage = this.runner.withUserConfiguration(Desk.class)
				.withPropertyValues(redis.properties());
			redis.primary().stop();
			outage.run((context) -> {
				Desk desk = context.getBean(Desk.class);
				assertThatExceptionOfType(RedisUnavailableException.class).isThrownBy(() -> desk.trade("anna"));
				assertThat(desk.look("10.0.0.1")).isEqualTo("looked");
				assertThat(desk.events()).extracting(BlacklistEvent::result).containsOnly("error");
			});
			outage
				.withPropertyValues("ge.redis.blacklist.lists.accounts.on-outage=allow",
						"ge.redis.blacklist.lists.addresses.on-outage=deny")
				.run((context) -> {
					Desk desk = context.getBean(Desk.class);
					assertThat(desk.trade("anna")).isEqualTo("traded");
					assertThatExceptionOfType(RedisUnavailableException.class).isThrownBy(() -> desk.look("10.0.0.1"));
				});
			outage.withPropertyValues("ge.redis.blacklist.on-outage=allow").run((context) -> {
				TokenIdentity token = TokenIdentity.of(null, "id", Instant.now().plusSeconds(60));
				assertThat(context.getBean(TokenBlacklist.class).isRevoked(token)).isFalse();
			});
		}
	}

	@Test
	void wrongUseFailsAtStartupWithTheRemedy() {
		assertFailure(NoCurrentToken.class, new FilteredClassLoader(Jwt.class), "@BlacklistCheck on ",
				"nothing knows the token of the caller", "spring-boot-starter-security-oauth2-resource-server",
				CurrentToken.class.getName());
		assertFailure(Both.class, null, "names both a token and a subject");
		assertFailure(Unknown.class, null, "#adress, which is no parameter", "#address");
		assertFailure(Contradiction.class, null, "the name 'same' is used with other settings");
	}

	private void assertFailure(Class<?> bean, @Nullable ClassLoader classLoader, String... fragments) {
		ApplicationContextRunner failing = this.runner.withUserConfiguration(bean);
		((classLoader != null) ? failing.withClassLoader(classLoader) : failing).run((context) -> {
			assertThat(context).hasFailed();
			Throwable failure = context.getStartupFailure();
			while (failure != null && !(failure instanceof GuardConfigurationException)) {
				failure = failure.getCause();
			}
			assertThat(failure).isNotNull().message().contains(fragments);
		});
	}

	@Test
	@Wide
	void durationsOutOfRangeFailAtStartup() {
		for (String property : List.of("clock-skew=-1s", "issuer-clock-skew=-1s", "max-token-lifetime=0s",
				"max-token-lifetime=36500d", "max-staleness=99ms", "max-staleness=61s", "stale-for=-1s",
				"max-exact-ids=-1", "max-exact-ids=10000001")) {
			this.runner.withPropertyValues("ge.redis.blacklist." + property).run((context) -> {
				assertThat(context).hasFailed();
				assertThat(context.getStartupFailure()).rootCause()
					.hasMessageContaining("ge.redis.blacklist." + property.split("=")[0]);
			});
		}
	}

	@Test
	@Wide
	void applicationsOwnBeansWin() {
		TokenBlacklist own = mock(TokenBlacklist.class);
		this.runner.withBean(TokenBlacklist.class, () -> own)
			.run((context) -> assertThat(context).getBean(TokenBlacklist.class).isSameAs(own));
		this.runner.withUserConfiguration(Desk.class)
			.withBean(CurrentToken.class, () -> () -> TokenIdentity.of(null, "mine", Instant.now().plusSeconds(60)))
			.run((context) -> {
				context.getBean(TokenBlacklist.class).revoke(null, "mine", Instant.now().plusSeconds(60));
				assertThatExceptionOfType(TokenRevokedException.class).isThrownBy(context.getBean(Desk.class)::me);
			});
	}

	@Test
	void worksWithoutSpringSecurity() {
		this.runner.withUserConfiguration(SubjectsOnly.class)
			.withClassLoader(new FilteredClassLoader("org.springframework.security"))
			.run((context) -> {
				assertThat(context).hasNotFailed().doesNotHaveBean(CurrentToken.class);
				context.getBean(TokenBlacklist.class).block("SubjectsOnly.look", "10.0.0.1", Duration.ofMinutes(1));
				assertThatExceptionOfType(SubjectBlockedException.class)
					.isThrownBy(() -> context.getBean(SubjectsOnly.class).look("10.0.0.1"));
			});
	}

	@Test
	@Wide
	void canBeSwitchedOff() {
		for (String off : List.of("ge.redis.enabled=false", "ge.redis.blacklist.enabled=false")) {
			this.runner.withUserConfiguration(Desk.class).withPropertyValues(off).run((context) -> {
				assertThat(context).hasNotFailed().doesNotHaveBean(BlacklistPattern.class);
				assertThatNoException().isThrownBy(() -> context.getBean(Desk.class).trade("boris"));
			});
		}
		this.runner.withPropertyValues("ge.redis.blacklist.validate-jwt=false")
			.run((context) -> assertThat(context).hasSingleBean(TokenBlacklist.class)
				.doesNotHaveBean(BlacklistTokenValidator.class));
	}

	private static void authenticate(Authentication authentication) {
		SecurityContextHolder.getContext().setAuthentication(authentication);
	}

	private static double checks(MeterRegistry meters, String outcome, String source) {
		return meters.find("ge.redis.blacklist.checks")
			.tags("blacklist", "accounts", "outcome", outcome, "source", source)
			.counters()
			.stream()
			.mapToDouble(Counter::count)
			.sum();
	}

	private static Jwt jwt(@Nullable String id) {
		Instant now = Instant.now();
		return Jwt.withTokenValue("value")
			.header("alg", "none")
			.issuer("https://issuer.example")
			.subject("anna")
			.jti(id)
			.issuedAt(now)
			.expiresAt(now.plusSeconds(60))
			.build();
	}

	record Ticket(String number) {
	}

	static class Desk implements TokenReader {

		private final List<BlacklistEvent> events = new ArrayList<>();

		@BlacklistCheck
		public String me() {
			return "me";
		}

		@BlacklistCheck(token = "#token")
		public String exchange(@Nullable Object token) {
			return "exchanged";
		}

		@BlacklistCheck(name = "accounts", subject = "#account")
		public String trade(String account) {
			return "traded";
		}

		@BlacklistCheck(name = "addresses", subject = "#address", onOutage = OutagePolicy.ALLOW)
		public String look(String address) {
			return "looked";
		}

		@Override
		public @Nullable TokenIdentity read(Object token) {
			return (token instanceof Ticket ticket)
					? TokenIdentity.of("tickets", ticket.number(), Instant.now().plusSeconds(60)) : null;
		}

		public List<BlacklistEvent> events() {
			return this.events;
		}

		@EventListener
		public void on(BlacklistEvent event) {
			this.events.add(event);
		}

	}

	public static class SubjectsOnly {

		@BlacklistCheck(subject = "#address")
		public String look(String address) {
			return "looked";
		}

	}

	public static class NoCurrentToken {

		@BlacklistCheck
		public void go() {
		}

	}

	static class Both {

		@BlacklistCheck(token = "#token", subject = "#subject")
		public void go(String token, String subject) {
		}

	}

	static class Unknown {

		@BlacklistCheck(subject = "#adress")
		public void go(String address) {
		}

	}

	static class Contradiction {

		@BlacklistCheck(name = "same", subject = "#subject")
		public void one(String subject) {
		}

		@BlacklistCheck(name = "same", subject = "#subject", onOutage = OutagePolicy.ALLOW)
		public void two(String subject) {
		}

	}

}
