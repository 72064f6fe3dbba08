// SPDX-License-Identifier: Apache-2.0

package io.ge.redis.test.scenario;

import java.time.Duration;
import java.time.Instant;
import java.util.Objects;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import java.util.function.Supplier;

import io.ge.redis.RedisUnavailableException;
import io.ge.redis.autoconfigure.BlacklistAutoConfiguration;
import io.ge.redis.autoconfigure.GeRedisAutoConfiguration;
import io.ge.redis.blacklist.BlacklistCheck;
import io.ge.redis.blacklist.Revocation;
import io.ge.redis.blacklist.TokenBlacklist;
import io.ge.redis.blacklist.TokenIdentity;
import io.ge.redis.blacklist.TokenRevokedException;
import io.ge.redis.test.instance.Operation;
import reactor.core.publisher.Mono;
import reactor.core.scheduler.Schedulers;

import org.springframework.beans.factory.annotation.Value;
import org.springframework.boot.SpringBootConfiguration;
import org.springframework.boot.autoconfigure.ImportAutoConfiguration;
import org.springframework.boot.data.redis.autoconfigure.DataRedisAutoConfiguration;
import org.springframework.context.annotation.Bean;

/**
 * A door that lets tokens in until they are revoked. Its operations {@code revoke} and
 * {@code enter} are what {@link BlacklistScenario} asks for.
 */
@SpringBootConfiguration(proxyBeanMethods = false)
@ImportAutoConfiguration({ DataRedisAutoConfiguration.class, GeRedisAutoConfiguration.class,
		BlacklistAutoConfiguration.class })
public class BlacklistApplication {

	/** Somewhat longer than any instance answers from memory. */
	private static final Duration PATIENCE = Duration.ofSeconds(3);

	private static final long BETWEEN_TWO_CHECKS = TimeUnit.MILLISECONDS.toNanos(1);

	@Bean
	Door door() {
		return new Door();
	}

	/**
	 * Revokes a token: as a publisher with {@code test.reactive}, and without a thread
	 * that waits for the others.
	 */
	@Bean
	Operation revoke(TokenBlacklist blacklist, @Value("${test.reactive:false}") boolean reactive) {
		return (arguments) -> {
			TokenIdentity token = token(arguments);
			Revocation revocation = reactive ? later(() -> blacklist.revokeAsync(token)) : blacklist.revoke(token);
			if (!(reactive ? later(() -> revocation.awaitPropagationAsync(PATIENCE))
					: revocation.awaitPropagation(PATIENCE))) {
				throw new IllegalStateException("Not every instance is certain to refuse");
			}
			return String.valueOf(revocation.isStored());
		};
	}

	/**
	 * Presents a token: to a publisher with {@code test.reactive}, subscribed to on a
	 * thread that must not wait.
	 */
	@Bean
	Operation enter(Door door, @Value("${test.reactive:false}") boolean reactive) {
		return (arguments) -> {
			try {
				TokenIdentity token = token(arguments);
				return reactive ? published(door.enterLater(token)) : door.enter(token);
			}
			catch (TokenRevokedException ex) {
				return "refused";
			}
		};
	}

	private static <T> T later(Supplier<CompletionStage<T>> call) {
		return published(Mono.fromCompletionStage(call));
	}

	private static <T> T published(Mono<T> result) {
		return Objects.requireNonNull(result.subscribeOn(Schedulers.parallel()).block());
	}

	/**
	 * Asks until the token is refused, and answers when that was, and when the last check
	 * was begun that let it in.
	 */
	@Bean
	Operation refusedAt(TokenBlacklist blacklist) {
		return (arguments) -> {
			long letIn = 0;
			while (true) {
				long begun = System.nanoTime();
				try {
					if (blacklist.isRevoked(token(arguments))) {
						return System.nanoTime() + " " + letIn;
					}
					letIn = begun;
				}
				catch (RedisUnavailableException ex) {
					// asked again
				}
				LockSupport.parkNanos(BETWEEN_TWO_CHECKS);
			}
		};
	}

	/**
	 * Revokes a token without waiting for others, and answers when that was.
	 */
	@Bean
	Operation revokedAt(TokenBlacklist blacklist) {
		return (arguments) -> {
			blacklist.revoke(token(arguments));
			return String.valueOf(System.nanoTime());
		};
	}

	private static TokenIdentity token(String... arguments) {
		Instant expiry = Instant.ofEpochMilli(Long.parseLong(arguments[1]));
		return new TokenIdentity("issuer", arguments[0], "subject", null, expiry, null);
	}

	/**
	 * The guarded service.
	 */
	public static class Door {

		@BlacklistCheck(name = "door", token = "#token")
		public String enter(TokenIdentity token) {
			return "entered";
		}

		@BlacklistCheck(name = "door", token = "#token")
		public Mono<String> enterLater(TokenIdentity token) {
			return Mono.just("entered");
		}

	}

}
