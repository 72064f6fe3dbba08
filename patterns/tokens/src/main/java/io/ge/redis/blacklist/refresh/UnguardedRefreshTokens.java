// SPDX-License-Identifier: Apache-2.0

package io.ge.redis.blacklist.refresh;

import java.security.SecureRandom;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.concurrent.locks.Lock;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.BiFunction;
import java.util.random.RandomGenerator;

import io.ge.redis.core.ProcessClock;
import org.jspecify.annotations.Nullable;

import org.springframework.util.Assert;

/**
 * Keeps sessions in this process: see {@link RefreshTokens#unguarded()}.
 */
final class UnguardedRefreshTokens implements RefreshTokens {

	static final int MOST_SESSIONS = 10_000;

	private static final Duration TIME_TO_LIVE = Duration.ofDays(30);

	private final RandomGenerator random = new SecureRandom();

	private final Map<String, RefreshToken> sessions = new LinkedHashMap<>();

	private final Lock lock = new ReentrantLock();

	@Override
	public RefreshToken issue(@Nullable String issuer, String subject, @Nullable String clientId) {
		Assert.hasText(subject, "The subject must not be blank");
		TokenText first = TokenText.first(this.random);
		RefreshToken token = new RefreshToken(first.value(), first.sessionId(), issuer, subject, clientId,
				ProcessClock.next(), TIME_TO_LIVE);
		this.lock.lock();
		try {
			if (this.sessions.size() >= MOST_SESSIONS) {
				this.sessions.remove(this.sessions.keySet().iterator().next());
			}
			this.sessions.put(first.family(), token);
		}
		finally {
			this.lock.unlock();
		}
		return token;
	}

	@Override
	public Rotation rotate(String presented) {
		TokenText token = TokenText.parse(presented);
		RefreshToken session = session(token, Map::get);
		if (token == null || session == null) {
			return new Rotation.Unknown();
		}
		return new Rotation.Rotated(new RefreshToken(token.successor(TokenText.nonce(this.random)).value(),
				session.sessionId(), session.issuer(), session.subject(), session.clientId(), session.issueStamp(),
				session.timeToLive()));
	}

	@Override
	public boolean revoke(String presented) {
		return session(TokenText.parse(presented), Map::remove) != null;
	}

	private @Nullable RefreshToken session(@Nullable TokenText token,
			BiFunction<Map<String, RefreshToken>, String, @Nullable RefreshToken> access) {
		if (token == null) {
			return null;
		}
		this.lock.lock();
		try {
			return access.apply(this.sessions, token.family());
		}
		finally {
			this.lock.unlock();
		}
	}

}
