/*
 * Copyright 2026 the GE Redis authors
 * SPDX-License-Identifier: Apache-2.0
 */

package io.ge.redis.blacklist;

import java.time.Duration;
import java.time.Instant;

import org.jspecify.annotations.Nullable;

/**
 * Revokes tokens and blocks subjects, on all instances at once.
 * <p>
 * Each call costs one script call and one round trip, and waits for Redis at most
 * {@code ge.redis.outage.command-timeout}; checking a token of a known subject on a
 * Cluster costs one script call in each of two slots, sent together. Keys hold hashes of
 * issuer, id and subject, never a token. Time is the server's.
 * <p>
 * Revoking and blocking succeed also when the server's memory limit is reached. On
 * {@link io.ge.redis.core.outage.RedisUnavailableException} they may or may not have
 * happened; repeating them is harmless. What was revoked is lost with Redis' data: it
 * needs persistence, replicas and {@code noeviction} as much as any other data that must
 * not be lost.
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
	 * Revokes one token for the rest of its life and the allowed clock skew.
	 * @param token the token, with id and expiry
	 * @return the revocation; not stored if the token had expired beyond the skew
	 * @throws IllegalArgumentException if the token has no id or no expiry
	 * @throws io.ge.redis.core.outage.RedisUnavailableException if Redis did not take it
	 */
	Revocation revoke(TokenIdentity token);

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
	 * Tokens that carry {@link #issueStamp} are told apart exactly: all earlier ones are
	 * refused, and a login right after this call works, also within the same second and
	 * on another instance. Of tokens without it only the second of their {@code iat} is
	 * known: those of the same second, and those issued up to
	 * {@code ge.redis.blacklist.issuer-clock-skew} later, are refused too, as are those
	 * without {@code iat}.
	 * <p>
	 * Stands for {@code ge.redis.blacklist.max-token-lifetime} and the allowances for
	 * clocks. A Redis clock that steps back, at a failover to a server whose clock stands
	 * behind, spares stamped tokens of that difference.
	 * @param issuer the {@code iss} claim of the tokens, or {@code null} if they have
	 * none
	 * @param subject the {@code sub} claim of the tokens
	 * @return the revocation
	 * @throws io.ge.redis.core.outage.RedisUnavailableException if Redis did not take it
	 */
	Revocation revokeAll(@Nullable String issuer, String subject);

	/**
	 * Returns a stamp for a token that is about to be issued, to be put into its claim
	 * {@link #ISSUE_STAMP_CLAIM}: later than every {@link #revokeAll} before, not later
	 * than any after.
	 * @param issuer the {@code iss} claim of the token, or {@code null} if it has none
	 * @param subject the {@code sub} claim of the token
	 * @return the stamp, microseconds of the server's clock; below 2<sup>53</sup>, so
	 * that any JSON reader keeps it
	 * @throws io.ge.redis.core.outage.RedisUnavailableException if Redis is away
	 */
	long issueStamp(@Nullable String issuer, String subject);

	/**
	 * Checks a token.
	 * @param token the token, verified
	 * @return the status; {@link TokenStatus#CLEAR} without an answer from Redis if it is
	 * away and the policy of {@link #TOKENS} is to allow
	 * @throws io.ge.redis.core.outage.RedisUnavailableException if Redis is away and the
	 * policy is to deny
	 */
	TokenStatus check(TokenIdentity token);

	/**
	 * Returns whether a token is not accepted any more.
	 * @param token the token, verified
	 * @return whether its status is other than {@link TokenStatus#CLEAR}
	 */
	default boolean isRevoked(TokenIdentity token) {
		return check(token) != TokenStatus.CLEAR;
	}

	/**
	 * Blocks a subject of any kind for a time. A longer block in force is kept.
	 * @param name the name of the list, as in {@link BlacklistCheck#name()}
	 * @param subject text, a number, or a list of those
	 * @param duration for how long, at least a millisecond
	 * @return the block
	 * @throws io.ge.redis.core.outage.RedisUnavailableException if Redis did not take it
	 */
	Revocation block(String name, Object subject, Duration duration);

	/**
	 * Ends the blocking of a subject.
	 * @param name the name of the list
	 * @param subject text, a number, or a list of those
	 * @return whether it was blocked
	 * @throws io.ge.redis.core.outage.RedisUnavailableException if Redis did not take it
	 */
	boolean unblock(String name, Object subject);

	/**
	 * Returns whether a subject is blocked.
	 * @param name the name of the list
	 * @param subject text, a number, or a list of those
	 * @return whether it is blocked; {@code false} without an answer from Redis if it is
	 * away and the policy of the list is to allow
	 * @throws io.ge.redis.core.outage.RedisUnavailableException if Redis is away and the
	 * policy is to deny
	 */
	boolean isBlocked(String name, Object subject);

}
