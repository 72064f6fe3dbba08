// SPDX-License-Identifier: Apache-2.0

package io.ge.redis.blacklist.internal;

import java.time.Duration;
import java.util.List;
import java.util.Locale;
import java.util.concurrent.CompletableFuture;

import io.ge.redis.blacklist.TokenIdentity;
import io.ge.redis.blacklist.internal.RedisTokenBlacklist.Change;
import io.ge.redis.core.invocation.Times;
import org.jspecify.annotations.Nullable;

import org.springframework.util.Assert;
import org.springframework.util.StringUtils;

/**
 * Writes what is revoked and blocked, without waiting. Whatever the outcome: from then on
 * this instance must see it.
 */
record RowWriter(RedisTokenBlacklist redis, RowFeed feed, Clocks clocks, @Nullable String reason) {

	private static final int LONGEST_REASON = 200;

	/**
	 * Returns a writer with a reason.
	 * @throws IllegalArgumentException if the reason may not be stored and logged
	 */
	public RowWriter withReason(String reason) {
		Assert.isTrue(StringUtils.hasText(reason), "A reason must not be blank: leave it out");
		Assert.isTrue(reason.length() <= LONGEST_REASON,
				() -> "A reason has at most " + LONGEST_REASON + " characters, not " + reason.length());
		Assert.isTrue(reason.codePoints().noneMatch(RowWriter::isUnfit),
				"A reason must not contain control characters or line breaks");
		return new RowWriter(this.redis, this.feed, this.clocks, reason);
	}

	private static boolean isUnfit(int character) {
		int type = Character.getType(character);
		return type == Character.CONTROL || type == Character.SURROGATE || type == Character.LINE_SEPARATOR
				|| type == Character.PARAGRAPH_SEPARATOR;
	}

	public CompletableFuture<Change> revoke(TokenIdentity token) {
		Assert.notNull(token.id(), "A token without id cannot be revoked: revoke all of its subject");
		RowName name = new RowName(RowKind.TOKEN, token.issuer(), token.id());
		if (token.expiresAt() == null) {
			return seen(this.redis.write(name, this.clocks.longestNeed(), this.reason));
		}
		long until = Times.epochMilli(token.expiresAt()) + this.clocks.skew();
		return seen(this.redis.write(name, until, this.reason));
	}

	/**
	 * Revokes all tokens of a subject, a session or a client.
	 */
	public CompletableFuture<Change> revokeAll(RowKind kind, @Nullable String issuer, String text) {
		Assert.hasText(text, () -> "The " + ((kind != RowKind.SUBJECT) ? "id of the " : "")
				+ kind.name().toLowerCase(Locale.ROOT) + " must not be blank");
		return seen(this.redis.write(new RowName(kind, issuer, text), this.clocks.longestNeed(), this.reason));
	}

	public CompletableFuture<Change> block(String name, List<String> subject, Duration duration) {
		Times.millis("A block", duration, 1);
		return seen(this.redis.write(RowName.block(name, subject), duration, this.reason));
	}

	public CompletableFuture<Boolean> remove(byte[] member) {
		return seen(this.redis.remove(member)).thenApply((change) -> !change.id().isEmpty());
	}

	private CompletableFuture<Change> seen(CompletableFuture<Change> written) {
		return written.whenComplete((change, failure) -> {
			if (failure == null) {
				this.feed.acknowledged();
			}
			this.feed.wrote();
		});
	}

}
