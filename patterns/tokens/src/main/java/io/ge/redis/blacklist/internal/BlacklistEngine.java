// SPDX-License-Identifier: Apache-2.0

package io.ge.redis.blacklist.internal;

import java.time.Duration;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;

import io.ge.redis.RedisUnavailableException;
import io.ge.redis.blacklist.BlacklistEvent.Source;
import io.ge.redis.blacklist.TokenIdentity;
import io.ge.redis.blacklist.TokenStatus;
import io.ge.redis.blacklist.internal.RedisTokenBlacklist.Found;
import io.ge.redis.core.outage.OutagePolicy;
import io.ge.redis.core.outage.Waiting;
import org.jspecify.annotations.Nullable;

import static java.util.concurrent.CompletableFuture.completedFuture;

/**
 * Decides about tokens and subjects, without blocking: from memory if that can be relied
 * upon, else by asking Redis.
 */
final class BlacklistEngine {

	// Tokens may name any issuer where their signature is not checked before
	private static final int MOST_ISSUERS = 8;

	static final Runnable WITHOUT_WAITING = () -> {
	};

	private final RedisTokenBlacklist redis;

	private final LocalRows memory;

	private final RowFeed feed;

	private final boolean requireId;

	private final Duration staleFor;

	private final Set<String> issuers = ConcurrentHashMap.newKeySet();

	public BlacklistEngine(RedisTokenBlacklist redis, LocalRows memory, RowFeed feed, boolean requireId,
			Duration staleFor) {
		this.redis = redis;
		this.memory = memory;
		this.feed = feed;
		this.requireId = requireId;
		this.staleFor = staleFor;
	}

	/**
	 * Returns issuers of tokens that were checked here, at most {@value #MOST_ISSUERS}.
	 */
	public Set<String> issuers() {
		return new TreeSet<>(this.issuers);
	}

	/**
	 * Decides about a token.
	 * @param asking called before Redis is asked, may refuse that
	 */
	public CompletableFuture<BlacklistDecision> decide(BlacklistSettings list, TokenIdentity token, Runnable asking) {
		if (token.issuer() != null && this.issuers.size() < MOST_ISSUERS) {
			this.issuers.add(token.issuer());
		}
		if (token.id() == null && this.requireId) {
			return completedFuture(BlacklistDecision.of(list, TokenStatus.UNIDENTIFIED, Source.LOCAL, null));
		}
		if (token.id() == null && token.subject() == null && token.sessionId() == null && token.clientId() == null) {
			return completedFuture(list.clear());
		}
		long now = System.nanoTime();
		boolean fresh = isFresh(now);
		if (fresh && this.memory.isOver(token, now)) {
			return completedFuture(BlacklistDecision.of(list, TokenStatus.EXPIRED, Source.LOCAL, null));
		}
		BlacklistDecision remembered = remembered(list, token);
		if (remembered != null && (fresh || remembered != list.clear())) {
			return completedFuture(remembered);
		}
		asking.run();
		return decide(list, this.redis.check(token), remembered);
	}

	private @Nullable BlacklistDecision remembered(BlacklistSettings list, TokenIdentity token) {
		TokenStatus status = this.memory.status(token);
		if (status == null || status == TokenStatus.CLEAR) {
			return (status != null) ? list.clear() : null;
		}
		RowName name = RowName.of(status, token);
		return BlacklistDecision.of(list, status, Source.LOCAL, (name != null) ? this.memory.reason(name) : null);
	}

	public CompletableFuture<BlacklistDecision> decide(BlacklistSettings list, RowName block, Runnable asking) {
		long now = System.nanoTime();
		boolean fresh = isFresh(now);
		BlacklistDecision remembered = this.memory.isBlocked(block, now)
				? BlacklistDecision.of(list, TokenStatus.REVOKED, Source.LOCAL, this.memory.reason(block))
				: list.clear();
		if (fresh) {
			return completedFuture(remembered);
		}
		asking.run();
		return decide(list, this.redis.check(block), remembered);
	}

	/**
	 * To be asked before memory is read: all changes known when it is found up to date
	 * must be visible.
	 */
	private boolean isFresh(long now) {
		this.feed.used(now);
		return this.feed.isFresh(now);
	}

	/**
	 * Decides by what Redis says.
	 * @param remembered the status in memory, or {@code null} if memory is incomplete and
	 * does not know the token
	 */
	private CompletableFuture<BlacklistDecision> decide(BlacklistSettings list, CompletableFuture<Found> asked,
			@Nullable BlacklistDecision remembered) {
		return asked.handle((found, failure) -> {
			if (failure == null) {
				return BlacklistDecision.of(list, found.status(), Source.REDIS, found.reason());
			}
			if (Waiting.cause(failure) instanceof RedisUnavailableException unavailable) {
				return withoutRedis(list, remembered, unavailable);
			}
			throw new IllegalStateException("The check failed", Waiting.cause(failure));
		});
	}

	private BlacklistDecision withoutRedis(BlacklistSettings list, @Nullable BlacklistDecision remembered,
			RedisUnavailableException unavailable) {
		boolean remembers = this.feed.knowsOwn() && this.feed.age(System.nanoTime()).compareTo(this.staleFor) <= 0;
		if (list.onOutage() == OutagePolicy.LOCAL && remembers && remembered != null) {
			return remembered;
		}
		return BlacklistDecision.undecided(list, (list.onOutage() == OutagePolicy.ALLOW) ? null : unavailable);
	}

}
