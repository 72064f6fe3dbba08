/*
 * Copyright 2026 the GE Redis authors
 * SPDX-License-Identifier: Apache-2.0
 */

package io.ge.redis.blacklist.refresh;

import java.security.SecureRandom;
import java.time.Duration;
import java.util.function.Supplier;
import java.util.random.RandomGenerator;

import io.ge.redis.blacklist.TokenBlacklist;
import io.ge.redis.blacklist.TokenIdentity;
import io.ge.redis.blacklist.refresh.RedisRefreshTokens.Login;
import io.ge.redis.blacklist.refresh.RedisRefreshTokens.Presented;
import io.ge.redis.blacklist.refresh.RedisRefreshTokens.State;
import io.ge.redis.blacklist.refresh.RefreshTokenEvent.Outcome;
import io.ge.redis.core.event.GuardEvents;
import io.ge.redis.core.outage.RedisUnavailableException;
import io.ge.redis.core.outage.Waiting;
import org.jspecify.annotations.Nullable;

import org.springframework.util.Assert;

/**
 * Waits for Redis on the thread of the caller, and keeps sessions and blacklist in step.
 * <p>
 * They live in different slots, so no script can change both. A session ends first, and
 * the blacklist hears of it then: if that fails nobody gets new tokens any more, the call
 * fails, and the next one with any token of the session makes up for it. Where the
 * blacklist knows, calls write nothing: who presents a token of a session that has ended
 * in a loop must not keep all instances busy with it.
 */
final class DefaultRefreshTokens implements RefreshTokens {

	/** Why the access tokens of a session are revoked, for those who look after them. */
	private static final String REUSED = "refresh token used again";

	private final RandomGenerator random = new SecureRandom();

	private final Supplier<RedisRefreshTokens> redis;

	private final Supplier<TokenBlacklist> blacklist;

	private final GuardEvents events;

	DefaultRefreshTokens(Supplier<RedisRefreshTokens> redis, Supplier<TokenBlacklist> blacklist, GuardEvents events) {
		this.redis = redis;
		this.blacklist = blacklist;
		this.events = events;
	}

	@Override
	public RefreshToken issue(@Nullable String issuer, String subject, @Nullable String clientId) {
		Assert.hasText(subject, "The subject must not be blank");
		Login login = new Login(issuer, subject, clientId, this.blacklist.get().issueStamp(issuer, subject));
		TokenText first = TokenText.first(this.random);
		Duration timeToLive = Waiting.await(this.redis.get().issue(first, login));
		return token(first, login, timeToLive);
	}

	@Override
	public Rotation rotate(String presented) {
		try {
			Rotation rotation = rotated(TokenText.parse(presented));
			this.events.publish(new RefreshTokenEvent(outcome(rotation)));
			return rotation;
		}
		catch (RedisUnavailableException ex) {
			this.events.publish(new RefreshTokenEvent(Outcome.ERROR));
			throw ex;
		}
	}

	private Rotation rotated(@Nullable TokenText token) {
		if (token == null) {
			return new Rotation.Unknown();
		}
		Presented presented = Waiting.await(this.redis.get().rotate(token, TokenText.nonce(this.random)));
		Login login = presented.login();
		return switch (presented.state()) {
			case ROTATED -> isRefused(token, presented) ? new Rotation.Revoked()
					: new Rotation.Rotated(successor(token, presented));
			case REPEATED -> isRefused(token, presented) ? new Rotation.Revoked()
					: new Rotation.Repeated(successor(token, presented));
			case REUSED -> new Rotation.Reused(token.sessionId(), login.issuer(), login.subject(),
					revokeAccess(token, presented, this.blacklist.get().withReason(REUSED)));
			case REVOKED -> {
				revokeAccess(token, presented, this.blacklist.get());
				yield new Rotation.Revoked();
			}
			case UNKNOWN -> new Rotation.Unknown();
		};
	}

	/**
	 * Looked for after the token was replaced, since only then the login is known: what
	 * was replaced in vain harms nobody. If the blacklist does not answer the client
	 * keeps its token, which must be good when it comes again.
	 */
	private boolean isRefused(TokenText token, Presented presented) {
		Login login = presented.login();
		try {
			return this.blacklist.get()
				.isRevoked(new TokenIdentity(login.issuer(), token.sessionId(), login.subject(), null, null,
						login.stamp(), token.sessionId(), login.clientId()));
		}
		catch (RuntimeException ex) {
			this.redis.get().forgive(token, presented.nonces().get(0));
			throw ex;
		}
	}

	/**
	 * Tells the blacklist of a session that has ended, unless it knows.
	 * @return whether it had to be told
	 */
	private static boolean revokeAccess(TokenText token, Presented presented, TokenBlacklist blacklist) {
		String issuer = presented.login().issuer();
		String session = token.sessionId();
		if (!presented.endedNow()
				&& blacklist.isRevoked(new TokenIdentity(issuer, session, null, null, null, null, session, null))) {
			return false;
		}
		blacklist.revokeSession(issuer, session);
		return true;
	}

	private static RefreshToken successor(TokenText token, Presented presented) {
		TokenText latest = token;
		for (String nonce : presented.nonces()) {
			latest = latest.successor(nonce);
		}
		return token(latest, presented.login(), presented.timeToLive());
	}

	private static RefreshToken token(TokenText token, Login login, Duration timeToLive) {
		return new RefreshToken(token.value(), token.sessionId(), login.issuer(), login.subject(), login.clientId(),
				login.stamp(), timeToLive);
	}

	@Override
	public boolean revoke(String presented) {
		TokenText token = TokenText.parse(presented);
		if (token == null) {
			return false;
		}
		Presented ended = Waiting.await(this.redis.get().end(token));
		if (ended.state() == State.UNKNOWN) {
			return false;
		}
		revokeAccess(token, ended, this.blacklist.get());
		return true;
	}

	private static Outcome outcome(Rotation rotation) {
		if (rotation instanceof Rotation.Rotated) {
			return Outcome.ROTATED;
		}
		if (rotation instanceof Rotation.Repeated) {
			return Outcome.REPEATED;
		}
		if (rotation instanceof Rotation.Reused) {
			return Outcome.REUSED;
		}
		return (rotation instanceof Rotation.Revoked) ? Outcome.REVOKED : Outcome.UNKNOWN;
	}

}
