/*
 * Copyright 2026 the GE Redis authors
 * SPDX-License-Identifier: Apache-2.0
 */

package io.ge.redis.idempotency;

import java.time.Duration;
import java.time.temporal.ChronoUnit;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Supplier;

import io.ge.redis.core.key.KeyPart;
import io.ge.redis.core.key.KeySpace;
import io.ge.redis.core.key.RedisKey;
import io.ge.redis.core.outage.CallBudget;
import io.ge.redis.core.outage.GuardedRedis;
import io.ge.redis.core.script.LuaScript;
import io.ge.redis.core.script.ScriptCall;
import io.ge.redis.core.script.ScriptReply;

/**
 * The records of idempotent calls in Redis:
 * {@code prefix:idempotency:{name:scope:key}:1}, where the scope is {@code g} for keys
 * that all share, {@code a} for those of anonymous callers and {@code p} for those of a
 * principal. The key is a secret and stands there hashed, together with the principal;
 * {@code 1} is the format. The states and their transitions are in {@code claim.lua}.
 * <p>
 * Every call is an owner of its own, so its claim can be sent twice and is taken back by
 * its owner alone when nobody learnt its outcome. The endings are sent until Redis has
 * answered, since each of them protects from a second effect or frees a key.
 */
final class RedisIdempotency {

	private static final LuaScript CLAIM = LuaScript.load(RedisIdempotency.class, "claim.lua");

	private static final LuaScript BEAT = LuaScript.load(RedisIdempotency.class, "beat.lua").runningWithoutMemory();

	private static final LuaScript COMPLETE = LuaScript.load(RedisIdempotency.class, "complete.lua")
		.runningWithoutMemory();

	private static final LuaScript RELEASE = LuaScript.load(RedisIdempotency.class, "release.lua")
		.runningWithoutMemory();

	private static final LuaScript UNKNOWN = LuaScript.load(RedisIdempotency.class, "unknown.lua")
		.runningWithoutMemory();

	private static final KeyPart FORMAT = KeyPart.of("1");

	private static final KeyPart GLOBAL = KeyPart.of("g");

	private static final KeyPart ANONYMOUS = KeyPart.of("a");

	private static final KeyPart PRINCIPAL = KeyPart.of("p");

	private static final String VALUE = "v";

	private static final String LOST = "l";

	private static final byte[] NOTHING = {};

	/**
	 * How long an owner whose lease has ended may still come back once another one asks:
	 * longer than it takes to notice that Redis is there again.
	 */
	private static final Duration LONGEST_GRACE = Duration.ofSeconds(3);

	private final GuardedRedis redis;

	private final KeySpace keys;

	private final String instanceId;

	private final AtomicLong calls = new AtomicLong();

	RedisIdempotency(GuardedRedis redis, KeySpace keys, String instanceId) {
		this.redis = redis;
		this.keys = keys;
		this.instanceId = instanceId;
	}

	CompletableFuture<Claim> claim(IdempotencyRequest request) {
		IdempotencySettings settings = request.settings();
		CallBudget budget = this.redis.newBudget();
		RedisKey key = key(request);
		String owner = this.instanceId + ":" + this.calls.incrementAndGet();
		ScriptCall claim = ScriptCall.of(CLAIM, key, owner, request.fingerprint(), settings.lease().toMillis(),
				settings.ttl().toMillis(), grace(settings).toMillis());
		Supplier<ScriptCall> takeBack = () -> ScriptCall.of(RELEASE, key, owner, "", settings.ttl().toMillis());
		return this.redis.run(claim, budget, takeBack, leaseWithGrace(settings))
			.thenApply((reply) -> read(reply, request, key, owner, budget));
	}

	private static Duration leaseWithGrace(IdempotencySettings settings) {
		return settings.lease().plus(grace(settings));
	}

	private static Duration grace(IdempotencySettings settings) {
		return (settings.lease().compareTo(LONGEST_GRACE) < 0) ? settings.lease() : LONGEST_GRACE;
	}

	private static Claim read(ScriptReply reply, IdempotencyRequest request, RedisKey key, String owner,
			CallBudget budget) {
		return switch ((int) reply.number(0)) {
			case 1 -> new Claim.Granted(request, new Handle(key, owner, reply.number(1)), budget);
			case 2 -> new Claim.Completed(reply.text(1).equals(VALUE) ? reply.bytes(2) : null);
			case 3 -> new Claim.InFlight(Duration.of(reply.number(1), ChronoUnit.MICROS));
			case 4 -> new Claim.Mismatch();
			case 5 -> new Claim.Unknown();
			default -> throw new IllegalStateException("Unexpected reply of " + CLAIM);
		};
	}

	/**
	 * Prolongs a lease, now or as soon as Redis answers.
	 * @return completes with whether the claim still stands, or with the failure of Redis
	 */
	CompletableFuture<Boolean> beat(Claim.Granted claim) {
		IdempotencySettings settings = claim.request().settings();
		ScriptCall call = ScriptCall.of(BEAT, claim.handle().key(), claim.handle().owner(), claim.handle().fence(),
				settings.lease().toMillis(), settings.ttl().toMillis());
		return this.redis.run(call, this.redis.newBudget()).whenComplete((reply, failure) -> {
			// By then the next beat has been sent
			if (failure != null) {
				this.redis.compensate(call, settings.lease().multipliedBy(2).dividedBy(3));
			}
		}).thenApply(RedisIdempotency::isDone);
	}

	/**
	 * Ends a claim.
	 * @return completes with whether the claim still stood, or with the failure of Redis
	 */
	CompletableFuture<Boolean> end(Claim.Granted claim, Ending ending) {
		return this.redis.run(call(claim, ending), claim.budget()).thenApply(RedisIdempotency::isDone);
	}

	/**
	 * Ends a claim as soon as Redis answers, for as long as that makes a difference.
	 */
	void endLater(Claim.Granted claim, Ending ending) {
		IdempotencySettings settings = claim.request().settings();
		// Freeing a key that whoever asks may take over changes nothing any more
		Duration useful = (ending instanceof Ending.Release) ? leaseWithGrace(settings) : settings.ttl();
		this.redis.compensate(call(claim, ending), useful);
	}

	private static ScriptCall call(Claim.Granted claim, Ending ending) {
		long retention = claim.request().settings().ttl().toMillis();
		if (ending instanceof Ending.Complete complete) {
			byte[] result = complete.result();
			return ScriptCall.of(COMPLETE, claim.handle().key(), claim.handle().owner(), claim.handle().fence(),
					claim.request().fingerprint(), (result != null) ? VALUE : LOST, (result != null) ? result : NOTHING,
					retention);
		}
		if (ending instanceof Ending.Release) {
			return ScriptCall.of(RELEASE, claim.handle().key(), claim.handle().owner(), claim.handle().fence(),
					retention);
		}
		return ScriptCall.of(UNKNOWN, claim.handle().key(), claim.handle().owner(), claim.handle().fence(),
				claim.request().fingerprint(), retention);
	}

	private static boolean isDone(ScriptReply reply) {
		return reply.number(0) == 1;
	}

	private RedisKey key(IdempotencyRequest request) {
		IdempotencySettings settings = request.settings();
		KeyPart scope = ANONYMOUS;
		StringBuilder secret = new StringBuilder();
		if (settings.scope() == IdempotencyScope.GLOBAL) {
			scope = GLOBAL;
		}
		else if (request.principal() != null) {
			scope = PRINCIPAL;
			secret.append(KeyPart.of(request.principal()));
		}
		// Escaped parts contain no colon, so different lists give different texts
		for (String part : request.key()) {
			secret.append(':').append(KeyPart.of(part));
		}
		return this.keys.entity(KeyPart.of(settings.name()), scope, KeyPart.secret(secret.toString())).with(FORMAT);
	}

	/**
	 * A claim as Redis knows it.
	 *
	 * @param key where its record is
	 * @param owner unique to the call
	 * @param fence higher than that of every claim of the key before
	 */
	record Handle(RedisKey key, String owner, long fence) {
	}

}
