// SPDX-License-Identifier: Apache-2.0

package io.ge.redis.blacklist.internal;

import java.time.Duration;
import java.time.Instant;

import io.ge.redis.blacklist.BlacklistProperties;
import io.ge.redis.blacklist.TokenIdentity;
import io.ge.redis.core.invocation.Times;

/**
 * The allowed differences of clocks, and the longest life of tokens, in milliseconds.
 *
 * @param maxTokenLifetime longest life of any token
 * @param skew how long after its expiry a token may be accepted
 * @param issuerSkew how far an issuer's clock may be ahead of the server's
 */
record Clocks(long maxTokenLifetime, long skew, long issuerSkew) {

	public static Clocks of(BlacklistProperties properties) {
		return new Clocks(properties.maxTokenLifetime().toMillis(), properties.clockSkew().toMillis(),
				properties.issuerClockSkew().toMillis());
	}

	Duration longestNeed() {
		return Duration.ofMillis(this.maxTokenLifetime + this.skew + this.issuerSkew);
	}

	/**
	 * Returns whether no instance accepts a token any more, so that its revocation may be
	 * forgotten.
	 */
	boolean isOver(TokenIdentity token, long nowMicros) {
		Instant expiresAt = token.expiresAt();
		if (expiresAt != null && nowMicros >= (Times.epochMilli(expiresAt) + this.skew) * 1000) {
			return true;
		}
		long earliest = nowMicros - (this.maxTokenLifetime + this.skew) * 1000;
		if (token.issueStamp() != null) {
			return token.issueStamp() <= earliest;
		}
		Instant issuedAt = token.issuedAt();
		return issuedAt != null && Times.epochMilli(issuedAt) * 1000 <= earliest;
	}

	/**
	 * Returns whether a token proves that it was issued after an instant. One that says
	 * that it will be issued in the future proves nothing.
	 */
	boolean isYounger(TokenIdentity token, long notBeforeMicros, long nowMicros) {
		if (token.issueStamp() != null) {
			return token.issueStamp() > notBeforeMicros;
		}
		Instant issuedAt = token.issuedAt();
		return issuedAt != null && (Times.epochMilli(issuedAt) - this.issuerSkew) * 1000 > notBeforeMicros
				&& (Times.epochMilli(issuedAt) - this.issuerSkew - this.skew) * 1000 <= nowMicros;
	}

}
