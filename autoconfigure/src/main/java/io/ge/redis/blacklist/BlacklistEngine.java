/*
 * Copyright 2026 the GE Redis authors
 * SPDX-License-Identifier: Apache-2.0
 */

package io.ge.redis.blacklist;

import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;

import io.ge.redis.blacklist.BlacklistEvent.Source;
import io.ge.redis.core.outage.OutagePolicy;
import io.ge.redis.core.outage.RedisUnavailableException;
import io.ge.redis.core.outage.Waiting;

/**
 * Decides about tokens and subjects, asynchronously and without blocking.
 */
final class BlacklistEngine {

	private final RedisTokenBlacklist redis;

	private final boolean requireId;

	BlacklistEngine(RedisTokenBlacklist redis, boolean requireId) {
		this.redis = redis;
		this.requireId = requireId;
	}

	CompletionStage<Verdict> check(Blacklist list, TokenIdentity token) {
		if (token.id() == null && this.requireId) {
			return decided(list, TokenStatus.UNIDENTIFIED);
		}
		if (token.id() == null && token.subject() == null) {
			return decided(list, TokenStatus.CLEAR);
		}
		return decide(list, this.redis.check(token));
	}

	CompletionStage<Verdict> checkSubject(Blacklist list, List<String> subject) {
		return decide(list, this.redis.checkSubject(list.name(), subject));
	}

	private static CompletionStage<Verdict> decided(Blacklist list, TokenStatus status) {
		return CompletableFuture.completedFuture(Verdict.of(list, status, Source.LOCAL));
	}

	private static CompletionStage<Verdict> decide(Blacklist list, CompletableFuture<TokenStatus> asked) {
		return asked.handle((status, failure) -> {
			if (failure == null) {
				return Verdict.of(list, status, Source.REDIS);
			}
			if (Waiting.cause(failure) instanceof RedisUnavailableException unavailable) {
				return Verdict.undecided(list, (list.onOutage() == OutagePolicy.ALLOW) ? null : unavailable);
			}
			throw new IllegalStateException("The check failed", Waiting.cause(failure));
		});
	}

}
