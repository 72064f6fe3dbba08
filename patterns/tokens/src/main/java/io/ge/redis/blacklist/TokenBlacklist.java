// SPDX-License-Identifier: Apache-2.0

package io.ge.redis.blacklist;

import java.time.Duration;
import java.time.Instant;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;

import io.ge.redis.core.ProcessClock;
import io.ge.redis.core.StandIn;
import io.ge.redis.core.structure.BlockingCalls;
import org.jspecify.annotations.Nullable;

/**
 * Revokes tokens and blocks subjects, on all instances at once.
 * <p>
 * A check costs nothing: every instance keeps all revocations and blocks in memory, about
 * 115 bytes each, and follows the changes. The instance that revoked a token refuses it
 * from the moment the call returns. The others usually refuse it within milliseconds, and
 * at the latest after {@code ge.redis.blacklist.max-staleness} (2 s). An instance that
 * has not been up to date for so long does not answer from memory. It asks Redis: one
 * script call and one round trip, which waits at most {@code
 * ge.redis.outage.command-timeout}. So does the first check after the start or after half
 * a minute without any. {@link Revocation#awaitPropagation} waits until every instance
 * refuses.
 * <p>
 * Above {@code ge.redis.blacklist.max-exact-ids} (1,000,000) tokens and sessions,
 * instances remember only that number. A check of a token that is not among them then
 * costs one script call. While Redis is unavailable it is refused with
 * {@link io.ge.redis.RedisUnavailableException}, unless the policy is ALLOW.
 * <p>
 * Every other call costs one script call and one round trip. An instance that checks
 * anything asks for changes twice a second, and whenever a message announces one. All
 * rows live in one slot of a Cluster. They hold hashes of issuer, id and subject, never a
 * token. Time is the server's.
 * <p>
 * Revoking and blocking succeed also when the server's memory limit is reached. On
 * {@link io.ge.redis.RedisUnavailableException} they may or may not have happened;
 * repeating them is harmless. Revocations are lost with Redis' data: they need
 * persistence, replicas and {@code noeviction} like any other data that must not be lost.
 * <p>
 * Each method that may wait for Redis has a variant named {@code ...Async} that never
 * blocks. It completes with the same result or exception: at once where memory answers,
 * else on a thread of the application. That thread has the context of the calling one
 * where {@code io.micrometer:context-propagation} is present.
 */
public interface TokenBlacklist {

	/**
	 * Name of the claim that carries {@link #issueStamp}: {@value}.
	 */
	String ISSUE_STAMP_CLAIM = "ge_stamp";

	/**
	 * Name under which tokens are checked outside of annotations: by this API and when
	 * Spring Security decodes a JWT. {@code ge.redis.blacklist.lists.tokens.on-outage} is
	 * their outage policy, {@code tokens} their tag in meters: {@value}.
	 */
	String TOKENS = "tokens";

	/**
	 * Returns this blacklist with a reason for all revocations and blocks by the returned
	 * one: {@code blacklist.withReason("password changed").revokeAll(...)}.
	 * <p>
	 * It is stored with the row, and reported by {@link TokenRevokedException},
	 * {@link SubjectBlockedException}, {@link BlacklistEvent} and the endpoint; never to
	 * the caller over HTTP. An instance remembers the reasons of 50,000 rows, about 100
	 * bytes each; beyond those, refusals from memory have no reason. Revoking once more
	 * with another reason replaces it. This method costs no call.
	 * @param reason 1 to 200 characters, not blank and without control characters; no
	 * secret
	 * @return the blacklist
	 * @throws IllegalArgumentException if the reason is not valid
	 */
	TokenBlacklist withReason(String reason);

	/**
	 * Revokes one token for the rest of its life and the allowed clock skew. A token
	 * without an expiry is revoked for {@code ge.redis.blacklist.max-token-lifetime} and
	 * the allowances for clocks: by then its issuer must have ended it.
	 * @param token the token, with id
	 * @return the revocation; not stored if the token had expired beyond the skew
	 * @throws IllegalArgumentException if the token has no id
	 * @throws io.ge.redis.RedisUnavailableException if Redis did not take it
	 */
	default Revocation revoke(TokenIdentity token) {
		return BlockingCalls.await("TokenBlacklist.revoke", () -> revokeAsync(token).toCompletableFuture());
	}

	/** Revokes one token without blocking, as {@link #revoke(TokenIdentity)}. */
	CompletionStage<Revocation> revokeAsync(TokenIdentity token);

	/**
	 * Revokes one token.
	 * @param issuer the {@code iss} claim, or {@code null} if it has none
	 * @param id the {@code jti} claim
	 * @param expiresAt the {@code exp} claim
	 * @return as {@link #revoke(TokenIdentity)}
	 */
	default Revocation revoke(@Nullable String issuer, String id, Instant expiresAt) {
		return revoke(TokenIdentity.of(issuer, id, expiresAt));
	}

	/**
	 * Revokes every token of a subject issued until now, whatever their number.
	 * <p>
	 * Tokens that carry {@link #issueStamp} are distinguished exactly: all earlier ones
	 * are refused, and a login right after this call works, also within the same second
	 * and on another instance. Tokens without it are known only by the second of their
	 * {@code iat}. So tokens of the same second, and tokens issued up to
	 * {@code ge.redis.blacklist.issuer-clock-skew} later, are refused too. So are tokens
	 * without {@code iat}.
	 * <p>
	 * Lasts for {@code ge.redis.blacklist.max-token-lifetime} and the allowances for
	 * clocks. A Redis clock that steps back, at a failover to a server whose clock is
	 * behind, spares stamped tokens of that difference.
	 * @param issuer the {@code iss} claim of the tokens, or {@code null} if they have
	 * none
	 * @param subject the {@code sub} claim of the tokens
	 * @return the revocation
	 * @throws io.ge.redis.RedisUnavailableException if Redis did not take it
	 */
	default Revocation revokeAll(@Nullable String issuer, String subject) {
		return BlockingCalls.await("TokenBlacklist.revokeAll",
				() -> revokeAllAsync(issuer, subject).toCompletableFuture());
	}

	/** Revokes every token of a subject without blocking, as {@link #revokeAll}. */
	CompletionStage<Revocation> revokeAllAsync(@Nullable String issuer, String subject);

	/**
	 * Revokes every token of a session, also tokens that may yet be issued for it.
	 * <p>
	 * Lasts for {@code ge.redis.blacklist.max-token-lifetime} and the allowances for
	 * clocks.
	 * @param issuer the {@code iss} claim of the tokens, or {@code null} if they have
	 * none
	 * @param sessionId the {@code sid} claim of the tokens
	 * @return the revocation
	 * @throws io.ge.redis.RedisUnavailableException if Redis did not take it
	 */
	default Revocation revokeSession(@Nullable String issuer, String sessionId) {
		return BlockingCalls.await("TokenBlacklist.revokeSession",
				() -> revokeSessionAsync(issuer, sessionId).toCompletableFuture());
	}

	/** Revokes every token of a session without blocking, as {@link #revokeSession}. */
	CompletionStage<Revocation> revokeSessionAsync(@Nullable String issuer, String sessionId);

	/**
	 * Revokes every token that a client was issued until now, for whatever subject. As
	 * {@link #revokeAll} in every other respect.
	 * @param issuer the {@code iss} claim of the tokens, or {@code null} if they have
	 * none
	 * @param clientId the {@code client_id} or {@code azp} claim of the tokens
	 * @return the revocation
	 * @throws io.ge.redis.RedisUnavailableException if Redis did not take it
	 */
	default Revocation revokeClient(@Nullable String issuer, String clientId) {
		return BlockingCalls.await("TokenBlacklist.revokeClient",
				() -> revokeClientAsync(issuer, clientId).toCompletableFuture());
	}

	/** Revokes every token of a client without blocking, as {@link #revokeClient}. */
	CompletionStage<Revocation> revokeClientAsync(@Nullable String issuer, String clientId);

	/**
	 * Returns a stamp for a token that is about to be issued, to be put into its claim
	 * {@link #ISSUE_STAMP_CLAIM}: later than every {@link #revokeAll} before, not later
	 * than any after.
	 * @param issuer the {@code iss} claim of the token, or {@code null} if it has none
	 * @param subject the {@code sub} claim of the token
	 * @return the stamp, microseconds of the server's clock; below 2<sup>53</sup>, so
	 * that any JSON reader keeps it
	 * @throws io.ge.redis.RedisUnavailableException if Redis is unavailable
	 */
	default long issueStamp(@Nullable String issuer, String subject) {
		return BlockingCalls.await("TokenBlacklist.issueStamp",
				() -> issueStampAsync(issuer, subject).toCompletableFuture());
	}

	/** Returns a stamp without blocking, as {@link #issueStamp}. */
	CompletionStage<Long> issueStampAsync(@Nullable String issuer, String subject);

	/**
	 * Checks a token.
	 * @param token the token, verified
	 * @return the status; {@link TokenStatus#CLEAR} without an answer from Redis if it is
	 * unavailable and the policy of {@link #TOKENS} is to allow
	 * @throws io.ge.redis.RedisUnavailableException if memory is not up to date, Redis is
	 * unavailable and the policy is to deny
	 */
	TokenStatus check(TokenIdentity token);

	/** Checks a token without blocking, as {@link #check}. */
	default CompletionStage<TokenStatus> checkAsync(TokenIdentity token) {
		return CompletableFuture.supplyAsync(() -> check(token));
	}

	/**
	 * Returns whether a token is not accepted any more.
	 * @param token the token, verified
	 * @return whether its status is other than {@link TokenStatus#CLEAR}
	 */
	default boolean isRevoked(TokenIdentity token) {
		return check(token) != TokenStatus.CLEAR;
	}

	/** Checks a token without blocking, as {@link #isRevoked}. */
	default CompletionStage<Boolean> isRevokedAsync(TokenIdentity token) {
		return checkAsync(token).thenApply((status) -> status != TokenStatus.CLEAR);
	}

	/**
	 * Blocks a subject of any kind for a time. A longer block in force is kept.
	 * @param name the name of the list, as in {@link BlacklistCheck#name()}
	 * @param subject text, a number, or a list of those
	 * @param duration for how long, at least a millisecond
	 * @return the block
	 * @throws io.ge.redis.RedisUnavailableException if Redis did not take it
	 */
	default Revocation block(String name, Object subject, Duration duration) {
		return BlockingCalls.await("TokenBlacklist.block",
				() -> blockAsync(name, subject, duration).toCompletableFuture());
	}

	/** Blocks a subject without blocking the thread, as {@link #block}. */
	CompletionStage<Revocation> blockAsync(String name, Object subject, Duration duration);

	/**
	 * Ends the blocking of a subject.
	 * @param name the name of the list
	 * @param subject text, a number, or a list of those
	 * @return whether it was blocked
	 * @throws io.ge.redis.RedisUnavailableException if Redis did not take it
	 */
	default boolean unblock(String name, Object subject) {
		return BlockingCalls.await("TokenBlacklist.unblock", () -> unblockAsync(name, subject).toCompletableFuture());
	}

	/** Ends a blocking without blocking the thread, as {@link #unblock}. */
	CompletionStage<Boolean> unblockAsync(String name, Object subject);

	/**
	 * Returns whether a subject is blocked.
	 * @param name the name of the list
	 * @param subject text, a number, or a list of those
	 * @return whether it is blocked; {@code false} without an answer from Redis if it is
	 * unavailable and the policy of the list is to allow
	 * @throws io.ge.redis.RedisUnavailableException if Redis is unavailable and the
	 * policy is to deny
	 */
	boolean isBlocked(String name, Object subject);

	/** Checks a subject without blocking the thread, as {@link #isBlocked}. */
	default CompletionStage<Boolean> isBlockedAsync(String name, Object subject) {
		return CompletableFuture.supplyAsync(() -> isBlocked(name, subject));
	}

	/**
	 * Returns a blacklist that needs no Redis, as it is injected where blacklists are
	 * switched off, and for unit tests. It knows nothing: revoking and blocking have no
	 * effect, and every token is {@link TokenStatus#CLEAR}.
	 * @return the blacklist
	 */
	static TokenBlacklist unguarded() {
		Revocation notStored = StandIn.of(Revocation.class,
				Map.of("timeToLive", (call) -> Duration.ZERO, "awaitPropagation", (call) -> true));
		StandIn.Answer nothing = (call) -> notStored;
		return StandIn.of(TokenBlacklist.class,
				Map.of("revoke", nothing, "revokeAll", nothing, "revokeSession", nothing, "revokeClient", nothing,
						"block", nothing, "check", (call) -> TokenStatus.CLEAR, "issueStamp",
						(call) -> ProcessClock.next()));
	}

}
