// SPDX-License-Identifier: Apache-2.0

package io.ge.redis.blacklist.internal;

import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.function.Function;

import io.ge.redis.blacklist.Revocation;
import io.ge.redis.blacklist.TokenBlacklist;
import io.ge.redis.blacklist.TokenIdentity;
import io.ge.redis.blacklist.TokenStatus;
import io.ge.redis.blacklist.internal.RedisTokenBlacklist.Change;
import io.ge.redis.core.call.GuardedCalls;
import io.ge.redis.core.event.GuardEvents;
import io.ge.redis.core.invocation.EventLoops;
import io.ge.redis.core.invocation.KeyText;
import io.ge.redis.core.invocation.Times;
import io.ge.redis.core.outage.Waiting;
import org.jspecify.annotations.Nullable;

import org.springframework.util.Assert;
import org.springframework.util.StringUtils;

/**
 * Asks the engine and writes rows, waits where the caller does, and publishes decisions
 * on a thread of the application. Whatever the outcome of a write: from then on this
 * instance must see it.
 */
final class DefaultTokenBlacklist implements TokenBlacklist {

	private static final int LONGEST_REASON = 200;

	private final BlacklistRegistry lists;

	private final BlacklistEngine engine;

	private final RedisTokenBlacklist redis;

	private final RowFeed feed;

	private final Clocks clocks;

	private final GuardEvents events;

	private final GuardedCalls calls;

	private final @Nullable String reason;

	DefaultTokenBlacklist(BlacklistRegistry lists, BlacklistEngine engine, RedisTokenBlacklist redis, RowFeed feed,
			Clocks clocks, GuardEvents events, GuardedCalls calls, @Nullable String reason) {
		this.lists = lists;
		this.engine = engine;
		this.redis = redis;
		this.feed = feed;
		this.clocks = clocks;
		this.events = events;
		this.calls = calls;
		this.reason = reason;
	}

	@Override
	public TokenBlacklist withReason(String reason) {
		Assert.isTrue(StringUtils.hasText(reason), "A reason must not be blank: leave it out");
		Assert.isTrue(reason.length() <= LONGEST_REASON,
				() -> "A reason has at most " + LONGEST_REASON + " characters, not " + reason.length());
		Assert.isTrue(reason.codePoints().noneMatch(DefaultTokenBlacklist::isUnfit),
				"A reason must not contain control characters or line breaks");
		return new DefaultTokenBlacklist(this.lists, this.engine, this.redis, this.feed, this.clocks, this.events,
				this.calls, reason);
	}

	private static boolean isUnfit(int character) {
		int type = Character.getType(character);
		return type == Character.CONTROL || type == Character.SURROGATE || type == Character.LINE_SEPARATOR
				|| type == Character.PARAGRAPH_SEPARATOR;
	}

	@Override
	public CompletionStage<Revocation> revokeAsync(TokenIdentity token) {
		return handOver(write(token));
	}

	@Override
	public CompletionStage<Revocation> revokeAllAsync(@Nullable String issuer, String subject) {
		return handOver(write(RowKind.SUBJECT, issuer, subject));
	}

	@Override
	public CompletionStage<Revocation> revokeSessionAsync(@Nullable String issuer, String sessionId) {
		return handOver(write(RowKind.SESSION, issuer, sessionId));
	}

	@Override
	public CompletionStage<Revocation> revokeClientAsync(@Nullable String issuer, String clientId) {
		return handOver(write(RowKind.CLIENT, issuer, clientId));
	}

	@Override
	public CompletionStage<Revocation> blockAsync(String name, Object subject, Duration duration) {
		return handOver(write(name, subject, duration));
	}

	@Override
	public CompletionStage<Boolean> unblockAsync(String name, Object subject) {
		return handOver(remove(row(name, subject).member()));
	}

	private CompletableFuture<Revocation> write(TokenIdentity token) {
		Assert.notNull(token.id(), "A token without id cannot be revoked: revoke all of its subject");
		RowName row = new RowName(RowKind.TOKEN, token.issuer(), token.id());
		return revocation((token.expiresAt() == null) ? this.redis.write(row, this.clocks.longestNeed(), this.reason)
				: this.redis.write(row, Times.epochMilli(token.expiresAt()) + this.clocks.skew(), this.reason));
	}

	private CompletableFuture<Revocation> write(RowKind kind, @Nullable String issuer, String text) {
		Assert.hasText(text,
				() -> "The " + ((kind != RowKind.SUBJECT) ? "id of the " : "") + kind.text() + " must not be blank");
		return revocation(this.redis.write(new RowName(kind, issuer, text), this.clocks.longestNeed(), this.reason));
	}

	private CompletableFuture<Revocation> write(String name, Object subject, Duration duration) {
		RowName row = row(name, subject);
		Times.millis("A block", duration, 1);
		return revocation(this.redis.write(row, duration, this.reason));
	}

	CompletableFuture<Boolean> remove(byte[] member) {
		return seen(this.redis.remove(member)).thenApply((change) -> !change.id().isEmpty());
	}

	private CompletableFuture<Revocation> revocation(CompletableFuture<Change> written) {
		return seen(written).thenApply((change) -> new StoredRevocation(change, this.feed, this.calls));
	}

	private CompletableFuture<Change> seen(CompletableFuture<Change> written) {
		return written.whenComplete((change, failure) -> {
			if (failure == null) {
				this.feed.acknowledged();
			}
			this.feed.wrote();
		});
	}

	@Override
	public CompletionStage<Long> issueStampAsync(@Nullable String issuer, String subject) {
		return handOver(stamp(subject));
	}

	private CompletableFuture<Long> stamp(String subject) {
		Assert.hasText(subject, "The subject must not be blank");
		return this.redis.issueStamp();
	}

	@Override
	public TokenStatus check(TokenIdentity token) {
		return publish(Waiting.await(this.engine.decide(this.lists.get(TOKENS), token,
				() -> EventLoops.forbidWaiting("TokenBlacklist.check", "checkAsync"))))
			.status();
	}

	@Override
	public CompletionStage<TokenStatus> checkAsync(TokenIdentity token) {
		return handOver(this.engine.decide(this.lists.get(TOKENS), token, BlacklistEngine.WITHOUT_WAITING),
				(decision) -> publish(decision).status());
	}

	@Override
	public boolean isBlocked(String name, Object subject) {
		BlacklistDecision decision = Waiting.await(this.engine.decide(this.lists.get(name), row(name, subject),
				() -> EventLoops.forbidWaiting("TokenBlacklist.isBlocked", "isBlockedAsync")));
		return publish(decision).status() != TokenStatus.CLEAR;
	}

	@Override
	public CompletionStage<Boolean> isBlockedAsync(String name, Object subject) {
		return handOver(this.engine.decide(this.lists.get(name), row(name, subject), BlacklistEngine.WITHOUT_WAITING),
				(decision) -> publish(decision).status() != TokenStatus.CLEAR);
	}

	BlacklistEngine engine() {
		return this.engine;
	}

	/**
	 * Publishes the event of a decision, on a thread that may wait for its listeners.
	 * @throws io.ge.redis.RedisUnavailableException if nothing was decided
	 */
	BlacklistDecision publish(BlacklistDecision decision) {
		this.events.publish(decision.event());
		return decision.orRefuse();
	}

	static RowName row(String name, Object subject) {
		return RowName.block(name, KeyText.of(subject, "The subject of blacklist '" + name + "'"));
	}

	private <T> CompletionStage<T> handOver(CompletableFuture<T> asked) {
		return handOver(asked, Function.identity());
	}

	private <A, T> CompletionStage<T> handOver(CompletableFuture<A> asked, Function<A, T> result) {
		return this.calls.handOver(asked, result, (unwanted) -> {
		});
	}

}
