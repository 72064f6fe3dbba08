/*
 * Copyright 2026 the GE Redis authors
 * SPDX-License-Identifier: Apache-2.0
 */

package io.ge.redis.blacklist;

import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.function.BooleanSupplier;

import io.ge.redis.core.invocation.KeyText;
import io.ge.redis.core.key.KeyPart;
import io.ge.redis.core.key.KeySpace;
import io.ge.redis.core.key.RedisKey;
import io.ge.redis.core.outage.CallBudget;
import io.ge.redis.core.outage.GuardedRedis;
import io.ge.redis.core.script.LuaScript;
import io.ge.redis.core.script.ScriptCall;
import org.jspecify.annotations.Nullable;

/**
 * What is known against tokens and subjects, one row each:
 * <ul>
 * <li>{@code prefix:blacklist:{hash of issuer and id}:t1}, a revoked token, until it has
 * expired for everybody;</li>
 * <li>{@code prefix:blacklist:{hash of issuer and subject}:n1}, the not-before of a
 * subject, for as long as an earlier token may live;</li>
 * <li>{@code prefix:blacklist:{subject}:list:b1}, a blocked subject of a list, for as
 * long as asked.</li>
 * </ul>
 * A token and its subject live in different slots, so that revoking needs no more than
 * the token says. On one server one script reads both rows; on a Cluster the same script
 * reads them in two calls under way together, and either one refuses.
 * <p>
 * A not-before must tell tokens of one second apart, while {@code iat} counts seconds of
 * the issuer's clock. A stamp from the clock that also makes not-befores, carried by the
 * token, is compared exactly. Without a stamp a token must be younger by the second and
 * by what the issuer's clock may be ahead; so none that is older passes, and a younger
 * one may have to be issued again.
 * <p>
 * Nothing here needs compensation: a revocation of unknown outcome errs on the safe side.
 */
final class RedisTokenBlacklist {

	private static final LuaScript CHECK = LuaScript.load(RedisTokenBlacklist.class, "check.lua");

	private static final LuaScript REVOKE = LuaScript.load(RedisTokenBlacklist.class, "revoke.lua")
		.runningWithoutMemory();

	private static final LuaScript REVOKE_ALL = LuaScript.load(RedisTokenBlacklist.class, "revoke-all.lua")
		.runningWithoutMemory();

	private static final LuaScript ISSUE_STAMP = LuaScript.load(RedisTokenBlacklist.class, "issue-stamp.lua");

	private static final LuaScript BLOCK = LuaScript.load(RedisTokenBlacklist.class, "block.lua")
		.runningWithoutMemory();

	private static final LuaScript UNBLOCK = LuaScript.load(RedisTokenBlacklist.class, "unblock.lua");

	private static final KeyPart TOKEN_FORMAT = KeyPart.of("t1");

	private static final KeyPart NOT_BEFORE_FORMAT = KeyPart.of("n1");

	private static final KeyPart BLOCK_FORMAT = KeyPart.of("b1");

	private static final TokenStatus[] REPLIES = { TokenStatus.CLEAR, TokenStatus.REVOKED, TokenStatus.SUBJECT_REVOKED,
			TokenStatus.EXPIRED };

	/** What a token may say and a server still counts with. */
	private static final Instant LATEST = Instant.parse("9999-12-31T23:59:59Z");

	private final GuardedRedis redis;

	private final KeySpace keys;

	private final BooleanSupplier clustered;

	private final Clocks clocks;

	RedisTokenBlacklist(GuardedRedis redis, KeySpace keys, BooleanSupplier clustered, Clocks clocks) {
		this.redis = redis;
		this.keys = keys;
		this.clustered = clustered;
		this.clocks = clocks;
	}

	/**
	 * Looks for a token's own row and for the not-before of its subject.
	 */
	CompletableFuture<TokenStatus> check(TokenIdentity token) {
		List<Row> rows = new ArrayList<>(2);
		if (token.id() != null) {
			rows.add(new Row(token(token.issuer(), token.id()), "row"));
		}
		if (token.subject() != null) {
			rows.add(new Row(notBefore(token.issuer(), token.subject()), "not-before"));
		}
		CallBudget budget = this.redis.newBudget();
		if (rows.size() < 2 || !this.clustered.getAsBoolean()) {
			return check(token, rows, budget);
		}
		CompletableFuture<TokenStatus> first = check(token, rows.subList(0, 1), budget);
		CompletableFuture<TokenStatus> second = check(token, rows.subList(1, 2), budget);
		return either(first, second);
	}

	/**
	 * One answer that refuses is enough, also where the other slot does not answer.
	 */
	private static CompletableFuture<TokenStatus> either(CompletableFuture<TokenStatus> first,
			CompletableFuture<TokenStatus> second) {
		return first
			.handle((one, failure) -> (failure == null && one != TokenStatus.CLEAR) ? first
					: second.thenCompose((other) -> (other != TokenStatus.CLEAR) ? second : first))
			.thenCompose((decided) -> decided);
	}

	private CompletableFuture<TokenStatus> check(TokenIdentity token, List<Row> rows, CallBudget budget) {
		return check(rows, budget, millis(token.expiresAt()), millis(token.issuedAt()),
				(token.issueStamp() != null) ? token.issueStamp() : "");
	}

	CompletableFuture<TokenStatus> checkSubject(String name, List<String> subject) {
		return check(List.of(new Row(block(name, subject), "row")), this.redis.newBudget(), "", "", "");
	}

	private CompletableFuture<TokenStatus> check(List<Row> rows, CallBudget budget, Object expiresAt, Object issuedAt,
			Object stamp) {
		List<RedisKey> names = new ArrayList<>(rows.size());
		List<Object> arguments = new ArrayList<>(
				List.of(expiresAt, issuedAt, stamp, this.clocks.maxTokenLifetime().toMillis(),
						this.clocks.skew().toMillis(), this.clocks.issuerSkew().toMillis()));
		for (Row row : rows) {
			names.add(row.key());
			arguments.add(row.kind());
		}
		return this.redis.run(ScriptCall.of(CHECK, names, arguments.toArray()), budget)
			.thenApply((reply) -> REPLIES[(int) reply.number(0)]);
	}

	CompletableFuture<Duration> revoke(@Nullable String issuer, String id, Instant expiresAt) {
		return run(ScriptCall.of(REVOKE, token(issuer, id), epochMilli(expiresAt), this.clocks.skew().toMillis()))
			.thenApply(Duration::ofMillis);
	}

	CompletableFuture<Duration> revokeAll(@Nullable String issuer, String subject) {
		Duration needed = this.clocks.maxTokenLifetime().plus(this.clocks.skew()).plus(this.clocks.issuerSkew());
		return run(ScriptCall.of(REVOKE_ALL, notBefore(issuer, subject), needed.toMillis()))
			.thenApply((notBefore) -> needed);
	}

	CompletableFuture<Long> issueStamp(@Nullable String issuer, String subject) {
		return run(ScriptCall.of(ISSUE_STAMP, notBefore(issuer, subject)));
	}

	CompletableFuture<Duration> block(String name, List<String> subject, Duration duration) {
		return run(ScriptCall.of(BLOCK, block(name, subject), duration.toMillis())).thenApply(Duration::ofMillis);
	}

	CompletableFuture<Boolean> unblock(String name, List<String> subject) {
		return run(ScriptCall.of(UNBLOCK, block(name, subject))).thenApply((removed) -> removed > 0);
	}

	private CompletableFuture<Long> run(ScriptCall call) {
		return this.redis.run(call, this.redis.newBudget()).thenApply((reply) -> reply.number(0));
	}

	private RedisKey token(@Nullable String issuer, String id) {
		return this.keys.entity(secret(issuer, id)).with(TOKEN_FORMAT);
	}

	private RedisKey notBefore(@Nullable String issuer, String subject) {
		return this.keys.entity(secret(issuer, subject)).with(NOT_BEFORE_FORMAT);
	}

	private RedisKey block(String name, List<String> subject) {
		return this.keys.entity(KeyText.parts(subject)).with(KeyPart.of(name), BLOCK_FORMAT);
	}

	// The length keeps two texts that meet at another point apart
	private static KeyPart secret(@Nullable String issuer, String text) {
		return KeyPart.secret((issuer != null) ? issuer.length() + ":" + issuer + ":" + text : "-:" + text);
	}

	private static Object millis(@Nullable Instant instant) {
		return (instant != null) ? epochMilli(instant) : "";
	}

	private static long epochMilli(Instant instant) {
		return instant.isAfter(LATEST) ? LATEST.toEpochMilli() : instant.toEpochMilli();
	}

	/**
	 * A row to look at.
	 *
	 * @param key its key
	 * @param kind what it is, in the words of the script
	 */
	private record Row(RedisKey key, String kind) {
	}

	/**
	 * How far clocks may disagree, and how long tokens live.
	 *
	 * @param maxTokenLifetime longest life of any token
	 * @param skew how long after its expiry a token may be accepted
	 * @param issuerSkew how far an issuer's clock may be ahead of the server's
	 */
	record Clocks(Duration maxTokenLifetime, Duration skew, Duration issuerSkew) {
	}

}
