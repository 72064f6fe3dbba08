// SPDX-License-Identifier: Apache-2.0

package io.ge.redis.autoconfigure;

import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.atomic.AtomicInteger;

import io.ge.redis.RedisUnavailableException;
import io.ge.redis.blacklist.BlacklistCheck;
import io.ge.redis.blacklist.Revocation;
import io.ge.redis.blacklist.SubjectBlockedException;
import io.ge.redis.blacklist.TokenBlacklist;
import io.ge.redis.blacklist.TokenIdentity;
import io.ge.redis.blacklist.TokenRevokedException;
import io.ge.redis.blacklist.TokenStatus;
import io.ge.redis.test.RedisServers;
import io.ge.redis.test.SharedRedis;
import io.ge.redis.test.StandaloneRedis;
import io.ge.redis.test.Wide;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;
import reactor.util.context.ContextView;

import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.autoconfigure.aop.AopAutoConfiguration;
import org.springframework.boot.data.redis.autoconfigure.DataRedisAutoConfiguration;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.security.core.context.ReactiveSecurityContextHolder;
import org.springframework.security.core.context.SecurityContextHolder;
import org.springframework.security.oauth2.jwt.Jwt;
import org.springframework.security.oauth2.server.resource.authentication.JwtAuthenticationToken;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

/**
 * Blacklists before methods whose results come later.
 */
class BlacklistFormsIntegrationTests {

	private static final Duration LONG = Duration.ofSeconds(30);

	private static final String ISSUER = "https://issuer.example";

	private final ApplicationContextRunner runner = new ApplicationContextRunner()
		.withConfiguration(AutoConfigurations.of(AopAutoConfiguration.class, DataRedisAutoConfiguration.class,
				GeRedisAutoConfiguration.class, GeRedisPrincipalAutoConfiguration.class,
				BlacklistAutoConfiguration.class, BlacklistSecurityAutoConfiguration.class))
		.withPropertyValues(SharedRedis.properties())
		// A busy machine is no outage
		.withPropertyValues("ge.redis.outage.command-timeout=5s");

	@BeforeEach
	void emptyRedis() {
		SharedRedis.standalone().flushAll();
	}

	@Test
	void subjectsAreCheckedInEachForm() {
		this.runner.withBean(Desk.class).run((context) -> {
			Desk desk = context.getBean(Desk.class);
			TokenBlacklist blacklist = context.getBean(TokenBlacklist.class);
			Mono<String> mono = desk.mono("anna");
			assertThat(mono.block(LONG)).isEqualTo("done");
			assertThat(desk.flux("anna").collectList().block(LONG)).containsExactly("one", "two");
			assertThat(desk.future("anna")).succeedsWithin(LONG).isEqualTo("done");
			blacklist.block("accounts", "anna", Duration.ofMinutes(1));
			int runs = desk.runs();
			assertThatExceptionOfType(SubjectBlockedException.class).isThrownBy(() -> mono.block(LONG));
			assertThatExceptionOfType(SubjectBlockedException.class)
				.isThrownBy(() -> desk.flux("anna").blockLast(LONG));
			assertThat(desk.future("anna")).failsWithin(LONG)
				.withThrowableOfType(ExecutionException.class)
				.withCauseInstanceOf(SubjectBlockedException.class);
			assertThat(desk.runs()).isEqualTo(runs);
			assertThat(desk.mono("boris").block(LONG)).isEqualTo("done");
		});
	}

	@Test
	@Wide
	void tokenIsThatOfTheSubscriber() {
		this.runner.withBean(Desk.class).run((context) -> {
			Desk desk = context.getBean(Desk.class);
			context.getBean(TokenBlacklist.class).revoke(ISSUER, "first", Instant.now().plusSeconds(60));
			Mono<String> mine = desk.mine();
			assertThat(mine.block(LONG)).isEqualTo("done");
			assertThat(mine.contextWrite(authenticated("second")).block(LONG)).isEqualTo("done");
			assertThatExceptionOfType(TokenRevokedException.class)
				.isThrownBy(() -> mine.contextWrite(authenticated("first")).block(LONG))
				.matches((ex) -> ex.status() == TokenStatus.REVOKED);
			assertThat(SecurityContextHolder.getContext().getAuthentication()).isNull();
		});
	}

	private static ContextView authenticated(String id) {
		Jwt jwt = Jwt.withTokenValue("secret")
			.header("alg", "none")
			.issuer(ISSUER)
			.subject("anna")
			.jti(id)
			.issuedAt(Instant.now().minusSeconds(5))
			.expiresAt(Instant.now().plusSeconds(60))
			.build();
		return ReactiveSecurityContextHolder.withAuthentication(new JwtAuthenticationToken(jwt));
	}

	@Test
	@Wide
	void apiHasTwinsThatDoNotBlock() {
		this.runner.withBean(Desk.class).run((context) -> {
			TokenBlacklist blacklist = context.getBean(TokenBlacklist.class);
			TokenIdentity token = TokenIdentity.of(ISSUER, "third", Instant.now().plusSeconds(60));
			assertThat(blacklist.isRevokedAsync(token).toCompletableFuture()).succeedsWithin(LONG).isEqualTo(false);
			Revocation revocation = blacklist.revokeAsync(token).toCompletableFuture().get();
			assertThat(revocation.isStored()).isTrue();
			assertThat(revocation.awaitPropagationAsync(LONG).toCompletableFuture()).succeedsWithin(LONG)
				.isEqualTo(true);
			assertThat(blacklist.checkAsync(token).toCompletableFuture()).succeedsWithin(LONG)
				.isEqualTo(TokenStatus.REVOKED);
			blacklist.revokeAllAsync(ISSUER, "anna").toCompletableFuture().get();
			blacklist.revokeSessionAsync(ISSUER, "session").toCompletableFuture().get();
			blacklist.revokeClientAsync(ISSUER, "client").toCompletableFuture().get();
			assertThat(blacklist.issueStampAsync(ISSUER, "anna").toCompletableFuture()).succeedsWithin(LONG)
				.satisfies((stamp) -> assertThat(stamp).isPositive());
			blacklist.blockAsync("accounts", "anna", Duration.ofMinutes(1)).toCompletableFuture().get();
			assertThat(blacklist.isBlockedAsync("accounts", "anna").toCompletableFuture()).succeedsWithin(LONG)
				.isEqualTo(true);
			assertThat(blacklist.unblockAsync("accounts", "anna").toCompletableFuture()).succeedsWithin(LONG)
				.isEqualTo(true);
			assertThat(blacklist.isBlocked("accounts", "anna")).isFalse();
		});
	}

	@Test
	@Wide
	void redisAwayIsTheResult() {
		try (StandaloneRedis redis = RedisServers.standalone()) {
			redis.primary().kill();
			this.runner.withBean(Desk.class).withPropertyValues(redis.properties()).run((context) -> {
				Desk desk = context.getBean(Desk.class);
				assertThatExceptionOfType(RedisUnavailableException.class)
					.isThrownBy(() -> desk.mono("anna").block(LONG));
				assertThat(desk.future("anna")).failsWithin(LONG)
					.withThrowableOfType(ExecutionException.class)
					.withCauseInstanceOf(RedisUnavailableException.class);
				assertThat(desk.runs()).isZero();
			});
		}
	}

	static class Desk {

		private final AtomicInteger runs = new AtomicInteger();

		public int runs() {
			return this.runs.get();
		}

		@BlacklistCheck(name = "accounts", subject = "#account")
		public Mono<String> mono(String account) {
			this.runs.incrementAndGet();
			return Mono.just("done");
		}

		@BlacklistCheck(name = "accounts", subject = "#account")
		public Flux<String> flux(String account) {
			this.runs.incrementAndGet();
			return Flux.just("one", "two");
		}

		@BlacklistCheck(name = "accounts", subject = "#account")
		public CompletableFuture<String> future(String account) {
			this.runs.incrementAndGet();
			return CompletableFuture.completedFuture("done");
		}

		@BlacklistCheck
		public Mono<String> mine() {
			return Mono.just("done");
		}

	}

}
