// SPDX-License-Identifier: Apache-2.0

package io.ge.redis.blacklist.refresh;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;

import io.ge.redis.blacklist.refresh.RefreshTokenEvent.Outcome;
import io.ge.redis.core.key.KeyPart;
import io.ge.redis.core.key.KeySpace;
import io.ge.redis.core.key.RedisKey;
import io.ge.redis.core.outage.GuardedRedis;
import io.ge.redis.core.script.LuaScript;
import io.ge.redis.core.script.ScriptCall;
import io.ge.redis.core.script.ScriptReply;
import org.jspecify.annotations.Nullable;

/**
 * Sessions of refresh tokens, a hash each under {@code prefix:refresh:{locator}:family1},
 * where the locator is hashed. It has the login, and the generation and the hash of the
 * latest token. Tokens that were replaced a moment ago have the time until which they may
 * be repeated, with the nonce that leads to their successor.
 * <p>
 * A script decides by the generation: the latest token is replaced; one of the future is
 * unknown (this server lacks a write that another one has acknowledged); one of the past
 * is repeated within its grace, or ends the session. A token of the past needs no further
 * proof: only holders of a token of the session know its locator.
 * <p>
 * A replaced token whose successor did not reach the caller may be repeated until that
 * successor is used, see {@code forgive.lua}. Otherwise an outage longer than the grace
 * would make all clients that refresh at its beginning look like thieves. A session of
 * unknown outcome is left to its expiry.
 */
final class RedisRefreshTokens {

	private static final LuaScript ISSUE = LuaScript.load(RedisRefreshTokens.class, "issue.lua");

	private static final LuaScript ROTATE = LuaScript.load(RedisRefreshTokens.class, "rotate.lua")
		.runningWithoutMemory();

	private static final LuaScript FORGIVE = LuaScript.load(RedisRefreshTokens.class, "forgive.lua")
		.runningWithoutMemory();

	private static final LuaScript END = LuaScript.load(RedisRefreshTokens.class, "end.lua").runningWithoutMemory();

	/**
	 * The most tokens of a session within their grace. A client that replaces tokens
	 * faster has no use for them.
	 */
	private static final int MOST_REPEATABLE = 16;

	private static final int FIRST_NONCE = 7;

	private static final String NONE = "";

	/** In the order of the numbers that scripts reply. */
	private static final Outcome[] STATES = { Outcome.UNKNOWN, Outcome.ROTATED, Outcome.REPEATED, Outcome.REUSED,
			Outcome.REVOKED };

	private final GuardedRedis redis;

	private final KeySpace keys;

	private final Duration lifetime;

	private final Duration grace;

	RedisRefreshTokens(GuardedRedis redis, KeySpace keys, Duration lifetime, Duration grace) {
		this.redis = redis;
		this.keys = keys;
		this.lifetime = lifetime;
		this.grace = grace;
	}

	CompletableFuture<Duration> issue(TokenText first, Login login) {
		ScriptCall call = ScriptCall.of(ISSUE, key(first), first.hash(), this.lifetime.toMillis(), login.stamp(),
				login.subject(), orNone(login.issuer()), orNone(login.clientId()));
		return this.redis.run(call, this.redis.newBudget()).thenApply((reply) -> Duration.ofMillis(reply.number(0)));
	}

	CompletableFuture<Presented> rotate(TokenText presented, String nonce) {
		ScriptCall call = ScriptCall.of(ROTATE, key(presented), presented.generation(), presented.hash(), nonce,
				presented.successor(nonce).hash(), this.grace.toMillis(), MOST_REPEATABLE);
		return this.redis.run(call, this.redis.newBudget(), () -> forgiveness(presented, nonce), this.lifetime)
			.thenApply(RedisRefreshTokens::presented);
	}

	void forgive(TokenText presented, String nonce) {
		this.redis.compensate(forgiveness(presented, nonce), this.lifetime);
	}

	private ScriptCall forgiveness(TokenText presented, String nonce) {
		return ScriptCall.of(FORGIVE, key(presented), presented.generation(), nonce);
	}

	CompletableFuture<Presented> end(TokenText presented) {
		return this.redis.run(ScriptCall.of(END, key(presented)), this.redis.newBudget())
			.thenApply(RedisRefreshTokens::presented);
	}

	private RedisKey key(TokenText token) {
		return this.keys.entity(KeyPart.secret(token.family())).with(KeyPart.of("family1"));
	}

	private static Presented presented(ScriptReply reply) {
		Outcome state = STATES[(int) reply.number(0)];
		if (state == Outcome.UNKNOWN) {
			return new Presented(state, false, Duration.ZERO, new Login(null, NONE, null, 0), List.of());
		}
		Login login = new Login(orNull(reply.text(5)), reply.text(4), orNull(reply.text(6)), reply.number(3));
		List<String> nonces = new ArrayList<>();
		for (int i = FIRST_NONCE; i < reply.size(); i++) {
			nonces.add(reply.text(i));
		}
		return new Presented(state, reply.number(1) == 1, Duration.ofMillis(reply.number(2)), login, nonces);
	}

	private static String orNone(@Nullable String text) {
		return (text != null) ? text : NONE;
	}

	private static @Nullable String orNull(String text) {
		return text.isEmpty() ? null : text;
	}

	record Login(@Nullable String issuer, String subject, @Nullable String clientId, long stamp) {
	}

	/**
	 * The state of a token that was presented.
	 *
	 * @param nonces lead from one successor to the next, up to the latest token; none if
	 * the token is refused
	 */
	record Presented(Outcome state, boolean endedNow, Duration timeToLive, Login login, List<String> nonces) {
	}

}
