// SPDX-License-Identifier: Apache-2.0

package io.ge.redis.blacklist.refresh;

import java.security.SecureRandom;
import java.time.Duration;
import java.util.Map;
import java.util.Queue;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentLinkedQueue;

import io.ge.redis.blacklist.TokenBlacklist;
import io.ge.redis.core.ProcessClock;
import io.ge.redis.core.StandIn;
import io.ge.redis.core.structure.BlockingCalls;
import org.jspecify.annotations.Nullable;

import org.springframework.util.Assert;

/**
 * Refresh tokens that are replaced with every use, over all instances. A login begins a
 * session with a first token; presenting a token returns its successor. Every token has
 * one successor. Callers that present the token at the same time get the same successor,
 * or the token that has replaced it meanwhile. So do callers that repeat the call within
 * {@code ge.redis.refresh-tokens.grace} (10 s) since its first use. A later use means a
 * stolen copy, and the session ends for all: its refresh tokens are refused, and its
 * access tokens are revoked in {@link TokenBlacklist}.
 * <p>
 * A session lasts {@code ge.redis.refresh-tokens.lifetime} (30 days, or {@code
 * ge.redis.blacklist.max-token-lifetime} if that is shorter) from the login on, however
 * often its tokens are replaced. Access tokens made of it carry
 * {@link RefreshToken#sessionId()} and {@link RefreshToken#issueStamp()}; then
 * {@link TokenBlacklist#revokeAll}, {@link TokenBlacklist#revokeSession} and
 * {@link TokenBlacklist#revokeClient} end refresh tokens and access tokens alike.
 * <p>
 * Redis holds no token, only hashes, and reading all of them is not enough to forge one.
 * A successor is made of its predecessor, which only the client has, and of a random
 * number, which only Redis has.
 * <p>
 * Redis cost: {@link #issue} two script calls, every other method one. The blacklist adds
 * one where its memory is not up to date, or where a session is ended. Each waits at most
 * {@code ge.redis.outage.command-timeout}. One key for each session, some 900 bytes,
 * until the session is too old. Tokens are replaced also when the server's memory limit
 * is reached.
 * <p>
 * Methods named {@code ...Async} do the same without blocking; the blocking ones fail on
 * an event loop. The returned stage completes on a thread of the application, with the
 * same result or exception.
 * <p>
 * On {@link io.ge.redis.RedisUnavailableException} a client keeps its token and presents
 * it again: if it was replaced nevertheless, the repetition returns the same successor.
 * That holds until the successor is used, also beyond the grace. The instance notes this
 * when Redis answers again. Sessions are lost with the data of Redis: after a flush all
 * are {@link Rotation.Unknown}. After a failover to a replica that lagged behind, the
 * successors that it had not received are unknown, while their predecessors are valid
 * again.
 */
public interface RefreshTokens {

	/**
	 * Begins a session.
	 * @param issuer the {@code iss} claim of the access tokens, or {@code null} if they
	 * have none
	 * @param subject the {@code sub} claim of the access tokens; kept in Redis as text
	 * @return the first token
	 * @throws io.ge.redis.RedisUnavailableException if Redis did not take it
	 */
	default RefreshToken issue(@Nullable String issuer, String subject) {
		return issue(issuer, subject, null);
	}

	/**
	 * Begins a session.
	 * @param issuer the {@code iss} claim of the access tokens, or {@code null} if they
	 * have none
	 * @param subject the {@code sub} claim of the access tokens; kept in Redis as text
	 * @param clientId the {@code client_id} claim of the access tokens, or {@code null}
	 * if they have none
	 * @return the first token
	 * @throws IllegalArgumentException if the subject is blank
	 * @throws io.ge.redis.RedisUnavailableException if Redis did not take it
	 */
	default RefreshToken issue(@Nullable String issuer, String subject, @Nullable String clientId) {
		return BlockingCalls.await("RefreshTokens.issue",
				() -> issueAsync(issuer, subject, clientId).toCompletableFuture());
	}

	/** Begins a session without blocking, as {@link #issue(String, String)}. */
	default CompletionStage<RefreshToken> issueAsync(@Nullable String issuer, String subject) {
		return issueAsync(issuer, subject, null);
	}

	/** Begins a session without blocking, as {@link #issue(String, String, String)}. */
	CompletionStage<RefreshToken> issueAsync(@Nullable String issuer, String subject, @Nullable String clientId);

	/**
	 * Replaces a token by its successor. Compare {@link RefreshToken#clientId()} with the
	 * authenticated client before the successor is given out, if there are several
	 * clients: a token is not bound to its client.
	 * @param presented what the client presents, any text
	 * @return its successor, or why there is none
	 * @throws io.ge.redis.RedisUnavailableException if Redis is unavailable: the token
	 * may have been replaced, and the call may be repeated
	 */
	default Rotation rotate(String presented) {
		return BlockingCalls.await("RefreshTokens.rotate", () -> rotateAsync(presented).toCompletableFuture());
	}

	/** Replaces a token without blocking, as {@link #rotate}. */
	CompletionStage<Rotation> rotateAsync(String presented);

	/**
	 * Ends the session of a token, as at a logout: its refresh tokens are refused, and
	 * its access tokens are revoked. Any token of the session will do.
	 * @param presented what the client presents, any text
	 * @return whether there was such a session
	 * @throws io.ge.redis.RedisUnavailableException if Redis is unavailable: it may have
	 * ended, and the call may be repeated
	 */
	default boolean revoke(String presented) {
		return BlockingCalls.await("RefreshTokens.revoke", () -> revokeAsync(presented).toCompletableFuture());
	}

	/** Ends a session without blocking, as {@link #revoke}. */
	CompletionStage<Boolean> revokeAsync(String presented);

	/**
	 * Returns refresh tokens that need no Redis, as they are injected where they or
	 * blacklists are switched off, and for unit tests. Sessions live in this process, at
	 * most 10,000 of them; beyond, the oldest are forgotten. Every token of a session is
	 * good until that is revoked, also one that was replaced, and no access token is
	 * revoked.
	 * @return the refresh tokens
	 */
	static RefreshTokens unguarded() {
		SecureRandom random = new SecureRandom();
		Map<String, RefreshToken> sessions = new ConcurrentHashMap<>();
		Queue<String> oldestFirst = new ConcurrentLinkedQueue<>();
		return StandIn.of(RefreshTokens.class, Map.of("issue", (call) -> {
			Assert.hasText((String) call[1], "The subject must not be blank");
			String subject = String.valueOf(call[1]);
			TokenText token = TokenText.first(random);
			RefreshToken first = new RefreshToken(token.value(), token.sessionId(), (String) call[0], subject,
					(call.length > 2) ? (String) call[2] : null, ProcessClock.next(), Duration.ofDays(30));
			sessions.put(token.family(), first);
			oldestFirst.add(token.family());
			if (sessions.size() > 10_000) {
				sessions.remove(oldestFirst.remove());
			}
			return first;
		}, "rotate", (call) -> {
			TokenText token = TokenText.parse(String.valueOf(call[0]));
			RefreshToken first = (token != null) ? sessions.get(token.family()) : null;
			return (token == null || first == null) ? new Rotation.Unknown()
					: new Rotation.Rotated(first.next(token.successor(TokenText.nonce(random)).value()));
		}, "revoke", (call) -> {
			TokenText token = TokenText.parse(String.valueOf(call[0]));
			return token != null && sessions.remove(token.family()) != null && oldestFirst.remove(token.family());
		}));
	}

}
