// SPDX-License-Identifier: Apache-2.0

package io.ge.redis.blacklist.refresh;

import java.security.SecureRandom;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.function.Function;
import java.util.function.Supplier;
import java.util.random.RandomGenerator;

import io.ge.redis.GuardConfigurationException;
import io.ge.redis.RedisUnavailableException;
import io.ge.redis.blacklist.TokenBlacklist;
import io.ge.redis.blacklist.TokenIdentity;
import io.ge.redis.blacklist.refresh.RedisRefreshTokens.Login;
import io.ge.redis.blacklist.refresh.RedisRefreshTokens.Presented;
import io.ge.redis.blacklist.refresh.RefreshTokenEvent.Outcome;
import io.ge.redis.core.RedisBackend;
import io.ge.redis.core.call.GuardedCalls;
import io.ge.redis.core.event.GuardEvents;
import io.ge.redis.core.invocation.EventLoops;
import io.ge.redis.core.outage.Waiting;
import org.jspecify.annotations.Nullable;

import org.springframework.util.Assert;
import org.springframework.util.function.SingletonSupplier;

/**
 * Keeps sessions and blacklist in step.
 * <p>
 * They live in different slots, so no script can change both. A session ends first, and
 * the blacklist is notified then. If that fails, no caller gets new tokens any more and
 * the call fails. The next one with any token of the session repeats the notification.
 * Where the blacklist knows, calls write nothing: a loop with a token of an ended session
 * must not keep all instances busy.
 * <p>
 * Blocking methods publish their events on the thread of the caller, so that its
 * transaction has them. Where the blacklist must ask Redis, its event comes on another.
 */
public final class DefaultRefreshTokens implements RefreshTokens {

	/** The reason for revoked access tokens of a session, for operators. */
	private static final String REUSED = "refresh token used again";

	private static final String PATTERN = "refresh";

	private static final Duration DEFAULT_LIFETIME = Duration.ofDays(30);

	private final RandomGenerator random = new SecureRandom();

	private final Supplier<RedisRefreshTokens> redis;

	private final Supplier<TokenBlacklist> blacklist;

	private final GuardEvents events;

	private final GuardedCalls calls;

	/**
	 * Creates refresh tokens. The suppliers are first called on first use.
	 * @param longest the longest life of any token that the blacklist counts with
	 * @param blacklist notified of sessions that end, and asked for revocations
	 * @throws GuardConfigurationException if sessions are to outlive what the blacklist
	 * keeps about them
	 */
	public DefaultRefreshTokens(RefreshTokenProperties properties, Duration longest, Supplier<RedisBackend> backend,
			Supplier<TokenBlacklist> blacklist, GuardEvents events, GuardedCalls calls) {
		Duration lifetime = lifetime(properties.lifetime(), longest);
		this.redis = SingletonSupplier.of(() -> {
			RedisBackend redis = backend.get();
			return new RedisRefreshTokens(redis.redis(PATTERN), redis.keys(PATTERN), lifetime, properties.grace());
		});
		this.blacklist = SingletonSupplier.of(blacklist);
		this.events = events;
		this.calls = calls;
	}

	private static Duration lifetime(@Nullable Duration configured, Duration longest) {
		if (configured == null) {
			return (DEFAULT_LIFETIME.compareTo(longest) <= 0) ? DEFAULT_LIFETIME : longest;
		}
		if (configured.compareTo(longest) > 0) {
			throw new GuardConfigurationException("ge.redis.refresh-tokens.lifetime",
					"is longer than ge.redis.blacklist.max-token-lifetime, so that a session could be used again when "
							+ "its revocation has lapsed.",
					"Raise ge.redis.blacklist.max-token-lifetime to " + configured + " or lower the lifetime.");
		}
		return configured;
	}

	@Override
	public CompletionStage<RefreshToken> issueAsync(@Nullable String issuer, String subject,
			@Nullable String clientId) {
		Assert.hasText(subject, "The subject must not be blank");
		return this.calls.thenContinue(this.blacklist.get().issueStampAsync(issuer, subject).toCompletableFuture(),
				(stamp) -> store(new Login(issuer, subject, clientId, stamp)));
	}

	private CompletionStage<RefreshToken> store(Login login) {
		TokenText first = TokenText.first(this.random);
		return this.calls.handOver(this.redis.get().issue(first, login),
				(timeToLive) -> token(first, login, timeToLive), (unwanted) -> {
				});
	}

	@Override
	public Rotation rotate(String presented) {
		EventLoops.forbidWaiting("RefreshTokens.rotate", "rotateAsync");
		TokenText token = TokenText.parse(presented);
		Rotation rotation;
		try {
			rotation = (token != null) ? Waiting.await(rotation(token, Waiting.await(present(token))))
					: new Rotation.Unknown();
		}
		catch (RedisUnavailableException ex) {
			tell(null, ex);
			throw ex;
		}
		tell(rotation, null);
		return rotation;
	}

	@Override
	public CompletionStage<Rotation> rotateAsync(String presented) {
		TokenText token = TokenText.parse(presented);
		CompletionStage<Rotation> rotation = (token != null)
				? this.calls.thenContinue(present(token), (known) -> rotation(token, known))
				: CompletableFuture.completedFuture(new Rotation.Unknown());
		CompletableFuture<Rotation> reported = new CompletableFuture<>();
		// Two steps: callers must get an answer also if publishing the event fails
		rotation.whenComplete(this::tell).whenComplete((result, failure) -> {
			if (failure == null) {
				reported.complete(result);
			}
			else {
				reported.completeExceptionally(Waiting.cause(failure));
			}
		});
		return reported;
	}

	private CompletableFuture<Presented> present(TokenText token) {
		return this.redis.get().rotate(token, TokenText.nonce(this.random));
	}

	private CompletionStage<Rotation> rotation(TokenText token, Presented presented) {
		Login login = presented.login();
		return switch (presented.state()) {
			case ROTATED -> unlessRefused(token, presented, Rotation.Rotated::new);
			case REPEATED -> unlessRefused(token, presented, Rotation.Repeated::new);
			case REUSED -> revokeAccess(token, presented, this.blacklist.get().withReason(REUSED))
				.thenApply((now) -> new Rotation.Reused(token.sessionId(), login.issuer(), login.subject(), now));
			case REVOKED ->
				revokeAccess(token, presented, this.blacklist.get()).thenApply((now) -> new Rotation.Revoked());
			case UNKNOWN, ERROR -> CompletableFuture.completedFuture(new Rotation.Unknown());
		};
	}

	/**
	 * Checked after the token was replaced, since only then the login is known: a token
	 * replaced in vain does no harm. If the blacklist does not answer the client keeps
	 * its token, which must still be valid when it is presented again.
	 */
	private CompletionStage<Rotation> unlessRefused(TokenText token, Presented presented,
			Function<RefreshToken, Rotation> allowed) {
		return isRefused(token, presented).whenComplete((refused, failure) -> {
			if (failure != null) {
				this.redis.get().forgive(token, presented.nonces().get(0));
			}
		}).thenApply((refused) -> refused ? new Rotation.Revoked() : allowed.apply(successor(token, presented)));
	}

	private CompletionStage<Boolean> isRefused(TokenText token, Presented presented) {
		Login login = presented.login();
		try {
			return this.blacklist.get()
				.isRevokedAsync(new TokenIdentity(login.issuer(), token.sessionId(), login.subject(), null, null,
						login.stamp(), token.sessionId(), login.clientId()));
		}
		catch (RuntimeException ex) {
			return CompletableFuture.failedFuture(ex);
		}
	}

	private static CompletionStage<Boolean> revokeAccess(TokenText token, Presented presented,
			TokenBlacklist blacklist) {
		String issuer = presented.login().issuer();
		String session = token.sessionId();
		CompletionStage<Boolean> known = presented.endedNow() ? CompletableFuture.completedFuture(false)
				: blacklist.isRevokedAsync(new TokenIdentity(issuer, session, null, null, null, null, session, null));
		return known.thenCompose((knows) -> knows ? CompletableFuture.completedFuture(false)
				: blacklist.revokeSessionAsync(issuer, session).thenApply((revocation) -> true));
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
		EventLoops.forbidWaiting("RefreshTokens.revoke", "revokeAsync");
		TokenText token = TokenText.parse(presented);
		return token != null && Waiting.await(ended(token, Waiting.await(this.redis.get().end(token))));
	}

	@Override
	public CompletionStage<Boolean> revokeAsync(String presented) {
		TokenText token = TokenText.parse(presented);
		return (token != null) ? this.calls.thenContinue(this.redis.get().end(token), (known) -> ended(token, known))
				: CompletableFuture.completedFuture(false);
	}

	private CompletionStage<Boolean> ended(TokenText token, Presented presented) {
		return (presented.state() != Outcome.UNKNOWN)
				? revokeAccess(token, presented, this.blacklist.get()).thenApply((now) -> true)
				: CompletableFuture.completedFuture(false);
	}

	private void tell(@Nullable Rotation rotation, @Nullable Throwable failure) {
		if (rotation != null) {
			this.events.publish(new RefreshTokenEvent(outcome(rotation)));
		}
		else if (failure instanceof RedisUnavailableException) {
			this.events.publish(new RefreshTokenEvent(Outcome.ERROR));
		}
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
