/*
 * Copyright 2026 the GE Redis authors
 * SPDX-License-Identifier: Apache-2.0
 */

package io.ge.redis.blacklist;

import java.time.Duration;

import io.ge.redis.core.ProcessClock;
import org.jspecify.annotations.Nullable;

/**
 * Knows nothing: see {@link TokenBlacklist#unguarded()}.
 */
final class UnguardedTokenBlacklist implements TokenBlacklist {

	@Override
	public TokenBlacklist withReason(String reason) {
		return this;
	}

	@Override
	public Revocation revoke(TokenIdentity token) {
		return new NotStored();
	}

	@Override
	public Revocation revokeAll(@Nullable String issuer, String subject) {
		return new NotStored();
	}

	@Override
	public Revocation revokeSession(@Nullable String issuer, String sessionId) {
		return new NotStored();
	}

	@Override
	public Revocation revokeClient(@Nullable String issuer, String clientId) {
		return new NotStored();
	}

	@Override
	public long issueStamp(@Nullable String issuer, String subject) {
		return ProcessClock.next();
	}

	@Override
	public TokenStatus check(TokenIdentity token) {
		return TokenStatus.CLEAR;
	}

	@Override
	public Revocation block(String name, Object subject, Duration duration) {
		return new NotStored();
	}

	@Override
	public boolean unblock(String name, Object subject) {
		return false;
	}

	@Override
	public boolean isBlocked(String name, Object subject) {
		return false;
	}

	private record NotStored() implements Revocation {

		@Override
		public Duration timeToLive() {
			return Duration.ZERO;
		}

		@Override
		public boolean awaitPropagation(Duration timeout) {
			return true;
		}

	}

}
