// SPDX-License-Identifier: Apache-2.0

package io.ge.redis.idempotency.internal;

import java.time.Duration;
import java.time.temporal.ChronoUnit;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Supplier;

import io.ge.redis.core.key.KeyPart;
import io.ge.redis.core.key.KeySpace;
import io.ge.redis.core.outage.CallBudget;
import io.ge.redis.core.outage.GuardedRedis;
import io.ge.redis.core.script.LuaScript;
import io.ge.redis.core.script.ScriptCall;
import io.ge.redis.core.script.ScriptReply;
import io.ge.redis.idempotency.Idempotency;
import io.ge.redis.idempotency.IdempotencyRecord;
import io.ge.redis.idempotency.IdempotencyRecord.State;
import io.ge.redis.idempotency.IdempotencyScope;
import io.ge.redis.idempotency.IdempotencySettings;
import io.ge.redis.idempotency.internal.IdempotencyRequest.Caller;
import org.jspecify.annotations.Nullable;

/**
 * The records of idempotent calls in Redis:
 * {@code prefix:idempotency:{name:scope:key}:1}. The scope is {@code g} for keys that all
 * share, {@code a} for anonymous callers, {@code p} for a principal, {@code i} for one
 * that an issuer has named. Key and principal are secrets, so they are hashed; {@code 1}
 * is the format. The states and their transitions are in {@code claim.lua}.
 * <p>
 * Every call is an owner of its own, so its claim can be sent twice and released by its
 * owner alone. The channels of waiting instances are in a set beside it, {@code ...:1:w}.
 * Endings are sent until Redis has answered: each protects from a second effect or frees
 * a key.
 */
final class RedisIdempotency {

	private static final LuaScript CLAIM = LuaScript.load(Idempotency.class, "claim.lua");

	private static final LuaScript BEAT = LuaScript.load(Idempotency.class, "beat.lua").runningWithoutMemory();

	private static final LuaScript COMPLETE = LuaScript.load(Idempotency.class, "complete.lua").runningWithoutMemory();

	private static final LuaScript RELEASE = LuaScript.load(Idempotency.class, "release.lua").runningWithoutMemory();

	private static final LuaScript UNKNOWN = LuaScript.load(Idempotency.class, "unknown.lua").runningWithoutMemory();

	private static final LuaScript LOOK = LuaScript.load(Idempotency.class, "look.lua");

	private static final LuaScript CLEAR = LuaScript.load(Idempotency.class, "clear.lua");

	private static final KeyPart FORMAT = KeyPart.of("1");

	private static final KeyPart GLOBAL = KeyPart.of("g");

	private static final KeyPart ANONYMOUS = KeyPart.of("a");

	private static final KeyPart PRINCIPAL = KeyPart.of("p");

	private static final KeyPart ISSUED = KeyPart.of("i");

	private static final byte[] NOTHING = {};

	/**
	 * The longest time in which an owner whose lease has ended may still continue once
	 * another one asks. It is longer than noticing the end of an outage takes.
	 */
	private static final Duration LONGEST_GRACE = Duration.ofSeconds(3);

	private final GuardedRedis redis;

	private final KeySpace keys;

	private final String instanceId;

	private final String channel;

	private final AtomicLong calls = new AtomicLong();

	RedisIdempotency(GuardedRedis redis, KeySpace keys, String instanceId, String channel) {
		this.redis = redis;
		this.keys = keys;
		this.instanceId = instanceId;
		this.channel = channel;
	}

	/**
	 * Claims a key.
	 * @param patience for how long the call waits for the end of another one, of which
	 * this instance is notified
	 */
	CompletableFuture<IdempotencyDecision> claim(IdempotencyRequest request, RedisIdempotencyKey key,
			Duration patience) {
		IdempotencySettings settings = request.settings();
		CallBudget budget = this.redis.newBudget();
		String owner = this.instanceId + ":" + this.calls.incrementAndGet();
		ScriptCall claim = ScriptCall.of(CLAIM, key.all(), owner, request.fingerprint(), settings.lease().toMillis(),
				settings.ttl().toMillis(), grace(settings).toMillis(), this.channel, patience.toMillis());
		Supplier<ScriptCall> release = () -> ScriptCall.of(RELEASE, key.all(), owner, "", settings.ttl().toMillis());
		return this.redis.run(claim, budget, release, leaseWithGrace(settings))
			.thenApply((reply) -> read(reply, request, key, owner, budget));
	}

	private static Duration leaseWithGrace(IdempotencySettings settings) {
		return settings.lease().plus(grace(settings));
	}

	private static Duration grace(IdempotencySettings settings) {
		return (settings.lease().compareTo(LONGEST_GRACE) < 0) ? settings.lease() : LONGEST_GRACE;
	}

	private static IdempotencyDecision read(ScriptReply reply, IdempotencyRequest request, RedisIdempotencyKey key,
			String owner, CallBudget budget) {
		return switch ((int) reply.number(0)) {
			case 1 ->
				new IdempotencyDecision.Granted(request, key, owner, reply.number(1), reply.number(2) == 1, budget);
			case 2 -> completed(reply);
			case 3 -> new IdempotencyDecision.InFlight(Duration.of(reply.number(1), ChronoUnit.MICROS));
			case 4 -> new IdempotencyDecision.Mismatch();
			case 5 -> new IdempotencyDecision.Unknown();
			default -> throw new IllegalStateException("Unexpected reply of " + CLAIM);
		};
	}

	private static IdempotencyDecision completed(ScriptReply reply) {
		RecordKind kind = RecordKind.of(reply.text(1));
		return (kind != null) ? new IdempotencyDecision.Completed(reply.bytes(2), kind, null)
				: new IdempotencyDecision.Completed(null);
	}

	/**
	 * Prolongs a lease.
	 * @return completes with whether the claim is still valid
	 */
	CompletableFuture<Boolean> beat(IdempotencyDecision.Granted claim) {
		IdempotencySettings settings = claim.request().settings();
		ScriptCall call = ScriptCall.of(BEAT, claim.key().record(), claim.owner(), claim.fence(),
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
	 * @return completes with whether the claim was still valid
	 */
	CompletableFuture<Boolean> end(IdempotencyDecision.Granted claim, IdempotencyDecision.Ending ending) {
		return this.redis.run(call(claim, ending), claim.budget()).thenApply(RedisIdempotency::isDone);
	}

	/**
	 * Ends a claim as soon as Redis answers, for as long as that makes a difference.
	 */
	void endLater(IdempotencyDecision.Granted claim, IdempotencyDecision.Ending ending) {
		IdempotencySettings settings = claim.request().settings();
		// Freeing a key that the next call may take over changes nothing any more
		Duration useful = (ending instanceof IdempotencyDecision.Release) ? leaseWithGrace(settings) : settings.ttl();
		this.redis.compensate(call(claim, ending), useful);
	}

	private static ScriptCall call(IdempotencyDecision.Granted claim, IdempotencyDecision.Ending ending) {
		long retention = claim.request().settings().ttl().toMillis();
		if (ending instanceof IdempotencyDecision.Completed complete) {
			byte[] result = complete.result();
			return ScriptCall.of(COMPLETE, claim.key().all(), claim.owner(), claim.fence(),
					(complete.fingerprint() != null) ? complete.fingerprint() : claim.request().fingerprint(),
					(result != null) ? complete.kind().code() : RecordKind.LOST, (result != null) ? result : NOTHING,
					retention);
		}
		if (ending instanceof IdempotencyDecision.Release) {
			return ScriptCall.of(RELEASE, claim.key().all(), claim.owner(), claim.fence(), retention);
		}
		return ScriptCall.of(UNKNOWN, claim.key().all(), claim.owner(), claim.fence(), claim.request().fingerprint(),
				retention);
	}

	private static boolean isDone(ScriptReply reply) {
		return reply.number(0) == 1;
	}

	public RedisIdempotencyKey key(IdempotencyRequest request) {
		return key(request.settings(), request.caller(), request.key());
	}

	public RedisIdempotencyKey key(IdempotencySettings settings, @Nullable Caller caller, List<String> key) {
		KeyPart scope = ANONYMOUS;
		StringBuilder secret = new StringBuilder();
		if (settings.scope() == IdempotencyScope.GLOBAL) {
			scope = GLOBAL;
		}
		else if (caller != null) {
			scope = PRINCIPAL;
			if (caller.issuer() != null) {
				scope = ISSUED;
				secret.append(KeyPart.text(caller.issuer())).append(':');
			}
			secret.append(KeyPart.text(caller.name()));
		}
		// Escaped parts contain no colon, so different lists give different texts
		for (String part : key) {
			secret.append(':').append(KeyPart.text(part));
		}
		return new RedisIdempotencyKey(settings.name(),
				this.keys.entity(KeyPart.of(settings.name()), scope, KeyPart.secret(secret.toString())).with(FORMAT));
	}

	/**
	 * Returns the keys of a record that an instance has reported.
	 * @throws IllegalArgumentException if it is no record
	 */
	public RedisIdempotencyKey key(String operation, String record) {
		return new RedisIdempotencyKey(operation, this.keys.restore(record));
	}

	public CompletableFuture<IdempotencyRecord> look(RedisIdempotencyKey key) {
		return this.redis.run(ScriptCall.of(LOOK, key.record()), this.redis.newBudget())
			.thenApply((reply) -> look(key, reply));
	}

	private static IdempotencyRecord look(RedisIdempotencyKey key, ScriptReply reply) {
		State state = State.values()[(int) reply.number(0)];
		if (state == State.NONE) {
			return new IdempotencyRecord(key.operation(), key.digest(), state, null, null, null, null, null, false);
		}
		// The calls of an instance have numbers after a colon
		String owner = reply.text(2);
		int end = owner.lastIndexOf(':');
		return new IdempotencyRecord(key.operation(), key.digest(), state,
				(state != State.FREE) ? owner.substring(0, (end < 0) ? owner.length() : end) : null, reply.number(1),
				Duration.of(reply.number(3), ChronoUnit.MICROS),
				(state == State.IN_FLIGHT) ? Duration.of(reply.number(4), ChronoUnit.MICROS) : null,
				Duration.ofMillis(reply.number(5)), reply.number(6) == 1);
	}

	/**
	 * Frees a key by hand.
	 * @param fence the fence of the call in progress that may lose it, or {@code null}
	 * for none
	 */
	public CompletableFuture<IdempotencyRecord.Clearing> clear(RedisIdempotencyKey key, @Nullable Long fence) {
		ScriptCall call = ScriptCall.of(CLEAR, key.all(), (fence != null) ? fence.toString() : "");
		return this.redis.run(call, this.redis.newBudget()).thenApply((reply) -> switch ((int) reply.number(0)) {
			case 0 -> new IdempotencyRecord.Clearing(false, null);
			case 1 -> new IdempotencyRecord.Clearing(true, null);
			default -> new IdempotencyRecord.Clearing(false, reply.number(1));
		});
	}

}
