/*
 * Copyright 2026 the GE Redis authors
 * SPDX-License-Identifier: Apache-2.0
 */

package io.ge.redis.blacklist;

import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;

import io.ge.redis.blacklist.BlacklistEvent.Source;
import io.ge.redis.blacklist.RedisTokenBlacklist.Change;
import io.ge.redis.core.event.GuardEvents;
import io.ge.redis.core.invocation.KeyText;
import io.ge.redis.core.outage.RedisUnavailableException;
import io.ge.redis.core.outage.Waiting;
import org.jspecify.annotations.Nullable;

import org.springframework.util.Assert;

/**
 * Waits for Redis on the thread of the caller, where it may, and tells of checks.
 */
final class DefaultTokenBlacklist implements TokenBlacklist {

	private final Blacklists lists;

	private final BlacklistEngine engine;

	private final RedisTokenBlacklist redis;

	private final RowFeed feed;

	private final Clocks clocks;

	private final GuardEvents events;

	private final @Nullable String reason;

	DefaultTokenBlacklist(Blacklists lists, BlacklistEngine engine, RedisTokenBlacklist redis, RowFeed feed,
			Clocks clocks, GuardEvents events) {
		this(lists, engine, redis, feed, clocks, events, null);
	}

	private DefaultTokenBlacklist(Blacklists lists, BlacklistEngine engine, RedisTokenBlacklist redis, RowFeed feed,
			Clocks clocks, GuardEvents events, @Nullable String reason) {
		this.lists = lists;
		this.engine = engine;
		this.redis = redis;
		this.feed = feed;
		this.clocks = clocks;
		this.events = events;
		this.reason = reason;
	}

	@Override
	public TokenBlacklist withReason(String reason) {
		return new DefaultTokenBlacklist(this.lists, this.engine, this.redis, this.feed, this.clocks, this.events,
				Reasons.valid(reason));
	}

	@Override
	public Revocation revoke(TokenIdentity token) {
		Assert.notNull(token.id(), "A token without id cannot be revoked: revoke all of its subject");
		RowName name = new RowName(RowKind.TOKEN, token.issuer(), token.id());
		if (token.expiresAt() == null) {
			return new Written(written(this.redis.write(name, this.clocks.longestNeed(), this.reason)));
		}
		long until = Clocks.epochMilli(token.expiresAt()) + this.clocks.skew();
		return new Written(written(this.redis.write(name, until, this.reason)));
	}

	@Override
	public Revocation revokeAll(@Nullable String issuer, String subject) {
		Assert.hasText(subject, "The subject must not be blank");
		return revokeAll(new RowName(RowKind.SUBJECT, issuer, subject));
	}

	@Override
	public Revocation revokeSession(@Nullable String issuer, String sessionId) {
		Assert.hasText(sessionId, "The id of the session must not be blank");
		return revokeAll(new RowName(RowKind.SESSION, issuer, sessionId));
	}

	@Override
	public Revocation revokeClient(@Nullable String issuer, String clientId) {
		Assert.hasText(clientId, "The id of the client must not be blank");
		return revokeAll(new RowName(RowKind.CLIENT, issuer, clientId));
	}

	private Revocation revokeAll(RowName name) {
		return new Written(written(this.redis.write(name, this.clocks.longestNeed(), this.reason)));
	}

	@Override
	public long issueStamp(@Nullable String issuer, String subject) {
		Assert.hasText(subject, "The subject must not be blank");
		return Waiting.await(this.redis.issueStamp());
	}

	@Override
	public TokenStatus check(TokenIdentity token) {
		return decide(this.lists.get(TOKENS), token).status();
	}

	Verdict decide(Blacklist list, TokenIdentity token) {
		Verdict known = this.engine.fromMemory(list, token);
		return told((known != null) ? known : Waiting.await(this.engine.ask(list, token)));
	}

	@Override
	public CompletionStage<TokenStatus> checkAsync(TokenIdentity token) {
		Blacklist list = this.lists.get(TOKENS);
		Verdict known = this.engine.fromMemory(list, token);
		if (known != null) {
			return CompletableFuture.completedFuture(known).thenApply((verdict) -> told(verdict).status());
		}
		// Listeners and whatever the caller adds may block, which the driver's thread
		// must
		// not: it serves all guards
		return this.engine.ask(list, token).thenApplyAsync((verdict) -> told(verdict).status());
	}

	@Override
	public Revocation block(String name, Object subject, Duration duration) {
		Assert.isTrue(duration.toMillis() > 0, () -> "A block lasts at least a millisecond, not " + duration);
		RowName row = block(name, subject(name, subject));
		return new Written(written(this.redis.write(row, duration, this.reason)));
	}

	@Override
	public boolean unblock(String name, Object subject) {
		return unblock(block(name, subject(name, subject)).member());
	}

	boolean unblock(byte[] member) {
		return !written(this.redis.remove(member)).id().isEmpty();
	}

	@Override
	public boolean isBlocked(String name, Object subject) {
		return decide(this.lists.get(name), subject(name, subject)).status() != TokenStatus.CLEAR;
	}

	Verdict decide(Blacklist list, List<String> subject) {
		RowName name = block(list.name(), subject);
		Verdict known = this.engine.fromMemory(list, name);
		return told((known != null) ? known : Waiting.await(this.engine.ask(list, name)));
	}

	private Verdict told(Verdict verdict) {
		this.events.publish(verdict.event());
		return verdict.orRefuse();
	}

	static List<String> subject(String name, Object subject) {
		return KeyText.of(subject, "The subject of blacklist '" + name + "'");
	}

	static RowName block(String list, List<String> subject) {
		if (subject.size() == 1) {
			return new RowName(RowKind.BLOCK, list, subject.get(0));
		}
		StringBuilder all = new StringBuilder();
		for (String part : subject) {
			all.append(part.length()).append(':').append(part);
		}
		return new RowName(RowKind.BLOCK, list, all.toString(), subject.size());
	}

	/**
	 * Whatever came of it: from now on this instance must see it.
	 */
	private Change written(CompletableFuture<Change> stage) {
		try {
			Change change = Waiting.await(stage);
			this.feed.acknowledged();
			return change;
		}
		finally {
			this.feed.wrote();
		}
	}

	private final class Written implements Revocation {

		private static final long FIRST_PAUSE = TimeUnit.MILLISECONDS.toNanos(2);

		private static final long LONGEST_PAUSE = TimeUnit.MILLISECONDS.toNanos(50);

		private final Change change;

		Written(Change change) {
			this.change = change;
		}

		@Override
		public Duration timeToLive() {
			return this.change.timeToLive();
		}

		@Override
		public boolean awaitPropagation(Duration timeout) {
			if (this.change.id().isEmpty()) {
				return true;
			}
			long started = System.nanoTime();
			long pause = FIRST_PAUSE;
			while (!isKnown()) {
				long left = timeout.toNanos() - (System.nanoTime() - started);
				if (left <= 0 || Thread.currentThread().isInterrupted()) {
					return false;
				}
				LockSupport.parkNanos(Math.min(pause, left));
				pause = Math.min(2 * pause, LONGEST_PAUSE);
			}
			return true;
		}

		private boolean isKnown() {
			try {
				return Waiting.await(DefaultTokenBlacklist.this.feed.unaware(this.change.id())) == 0;
			}
			catch (RedisUnavailableException ex) {
				// asked again
				return false;
			}
		}

	}

}
