/*
 * Copyright 2026 the GE Redis authors
 * SPDX-License-Identifier: Apache-2.0
 */

package io.ge.redis.blacklist;

import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletionStage;

import io.ge.redis.core.event.GuardEvents;
import io.ge.redis.core.invocation.KeyText;
import io.ge.redis.core.outage.Waiting;
import org.jspecify.annotations.Nullable;

import org.springframework.util.Assert;

/**
 * The synchronous flavour: waits for Redis and tells of checks on the thread of the
 * caller.
 */
final class DefaultTokenBlacklist implements TokenBlacklist {

	private final Blacklists lists;

	private final BlacklistEngine engine;

	private final RedisTokenBlacklist redis;

	private final GuardEvents events;

	DefaultTokenBlacklist(Blacklists lists, BlacklistEngine engine, RedisTokenBlacklist redis, GuardEvents events) {
		this.lists = lists;
		this.engine = engine;
		this.redis = redis;
		this.events = events;
	}

	@Override
	public Revocation revoke(TokenIdentity token) {
		Assert.notNull(token.id(), "A token without id cannot be revoked: revoke all of its subject");
		Assert.notNull(token.expiresAt(), "A token without expiry cannot be revoked, it would have to be for ever");
		return stored(this.redis.revoke(token.issuer(), token.id(), token.expiresAt()));
	}

	@Override
	public Revocation revokeAll(@Nullable String issuer, String subject) {
		Assert.hasText(subject, "The subject must not be blank");
		return stored(this.redis.revokeAll(issuer, subject));
	}

	@Override
	public long issueStamp(@Nullable String issuer, String subject) {
		Assert.hasText(subject, "The subject must not be blank");
		return Waiting.await(this.redis.issueStamp(issuer, subject));
	}

	@Override
	public TokenStatus check(TokenIdentity token) {
		return check(this.lists.get(TOKENS), token);
	}

	TokenStatus check(Blacklist list, TokenIdentity token) {
		return decision(this.engine.check(list, token));
	}

	@Override
	public Revocation block(String name, Object subject, Duration duration) {
		Assert.isTrue(duration.toMillis() > 0, () -> "A block lasts at least a millisecond, not " + duration);
		return stored(this.redis.block(name, subject(name, subject), duration));
	}

	@Override
	public boolean unblock(String name, Object subject) {
		return Waiting.await(this.redis.unblock(name, subject(name, subject)));
	}

	@Override
	public boolean isBlocked(String name, Object subject) {
		return isBlocked(this.lists.get(name), subject(name, subject));
	}

	boolean isBlocked(Blacklist list, List<String> subject) {
		return decision(this.engine.checkSubject(list, subject)) != TokenStatus.CLEAR;
	}

	private TokenStatus decision(CompletionStage<Verdict> stage) {
		Verdict verdict = Waiting.await(stage);
		this.events.publish(verdict.event());
		return verdict.orRefuse();
	}

	private static List<String> subject(String name, Object subject) {
		return KeyText.of(subject, "The subject of blacklist '" + name + "'");
	}

	private static Revocation stored(CompletionStage<Duration> stage) {
		return new Stored(Waiting.await(stage));
	}

	private record Stored(Duration timeToLive) implements Revocation {
	}

}
