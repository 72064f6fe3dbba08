// SPDX-License-Identifier: Apache-2.0

package io.ge.redis.blacklist.internal;

import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.function.Function;
import java.util.function.Supplier;

import io.ge.redis.blacklist.Revocation;
import io.ge.redis.blacklist.TokenBlacklist;
import io.ge.redis.blacklist.TokenIdentity;
import io.ge.redis.blacklist.TokenStatus;
import io.ge.redis.blacklist.internal.RedisTokenBlacklist.Change;
import io.ge.redis.core.call.GuardedCalls;
import io.ge.redis.core.event.GuardEvents;
import io.ge.redis.core.invocation.EventLoops;
import io.ge.redis.core.invocation.KeyText;
import io.ge.redis.core.outage.Waiting;
import org.jspecify.annotations.Nullable;

import org.springframework.util.Assert;

/**
 * Asks the engine, waits for it where the caller does, and publishes the decision on a
 * thread of the application.
 */
final class DefaultTokenBlacklist implements TokenBlacklist {

	private final BlacklistRegistry lists;

	private final BlacklistEngine engine;

	private final RowWriter writer;

	private final GuardEvents events;

	private final GuardedCalls calls;

	DefaultTokenBlacklist(BlacklistRegistry lists, BlacklistEngine engine, RowWriter writer, GuardEvents events,
			GuardedCalls calls) {
		this.lists = lists;
		this.engine = engine;
		this.writer = writer;
		this.events = events;
		this.calls = calls;
	}

	@Override
	public TokenBlacklist withReason(String reason) {
		return new DefaultTokenBlacklist(this.lists, this.engine, this.writer.withReason(reason), this.events,
				this.calls);
	}

	@Override
	public Revocation revoke(TokenIdentity token) {
		forbidWaiting("revoke");
		return await(this.writer.revoke(token));
	}

	@Override
	public CompletionStage<Revocation> revokeAsync(TokenIdentity token) {
		return handOver(this.writer.revoke(token));
	}

	@Override
	public Revocation revokeAll(@Nullable String issuer, String subject) {
		forbidWaiting("revokeAll");
		return await(this.writer.revokeAll(RowKind.SUBJECT, issuer, subject));
	}

	@Override
	public CompletionStage<Revocation> revokeAllAsync(@Nullable String issuer, String subject) {
		return handOver(this.writer.revokeAll(RowKind.SUBJECT, issuer, subject));
	}

	@Override
	public Revocation revokeSession(@Nullable String issuer, String sessionId) {
		forbidWaiting("revokeSession");
		return await(this.writer.revokeAll(RowKind.SESSION, issuer, sessionId));
	}

	@Override
	public CompletionStage<Revocation> revokeSessionAsync(@Nullable String issuer, String sessionId) {
		return handOver(this.writer.revokeAll(RowKind.SESSION, issuer, sessionId));
	}

	@Override
	public Revocation revokeClient(@Nullable String issuer, String clientId) {
		forbidWaiting("revokeClient");
		return await(this.writer.revokeAll(RowKind.CLIENT, issuer, clientId));
	}

	@Override
	public CompletionStage<Revocation> revokeClientAsync(@Nullable String issuer, String clientId) {
		return handOver(this.writer.revokeAll(RowKind.CLIENT, issuer, clientId));
	}

	@Override
	public long issueStamp(@Nullable String issuer, String subject) {
		forbidWaiting("issueStamp");
		return Waiting.await(stamp(subject));
	}

	@Override
	public CompletionStage<Long> issueStampAsync(@Nullable String issuer, String subject) {
		return handOver(stamp(subject), (stamp) -> stamp);
	}

	private CompletableFuture<Long> stamp(String subject) {
		Assert.hasText(subject, "The subject must not be blank");
		return this.writer.redis().issueStamp();
	}

	@Override
	public TokenStatus check(TokenIdentity token) {
		BlacklistSettings list = this.lists.get(TOKENS);
		BlacklistDecision known = this.engine.fromMemory(list, token);
		return publish((known != null) ? known : await("check", () -> this.engine.ask(list, token))).status();
	}

	@Override
	public CompletionStage<TokenStatus> checkAsync(TokenIdentity token) {
		BlacklistSettings list = this.lists.get(TOKENS);
		return handOver(this.engine.decide(list, token), (decision) -> publish(decision).status());
	}

	@Override
	public Revocation block(String name, Object subject, Duration duration) {
		forbidWaiting("block");
		return await(this.writer.block(name, subject(name, subject), duration));
	}

	@Override
	public CompletionStage<Revocation> blockAsync(String name, Object subject, Duration duration) {
		return handOver(this.writer.block(name, subject(name, subject), duration));
	}

	@Override
	public boolean unblock(String name, Object subject) {
		forbidWaiting("unblock");
		return unblock(RowName.block(name, subject(name, subject)).member());
	}

	boolean unblock(byte[] member) {
		return Waiting.await(this.writer.remove(member));
	}

	@Override
	public CompletionStage<Boolean> unblockAsync(String name, Object subject) {
		return handOver(this.writer.remove(RowName.block(name, subject(name, subject)).member()), (was) -> was);
	}

	@Override
	public boolean isBlocked(String name, Object subject) {
		BlacklistSettings list = this.lists.get(name);
		RowName block = RowName.block(name, subject(name, subject));
		BlacklistDecision known = this.engine.fromMemory(list, block);
		return isBlocked(publish((known != null) ? known : await("isBlocked", () -> this.engine.ask(list, block))));
	}

	@Override
	public CompletionStage<Boolean> isBlockedAsync(String name, Object subject) {
		BlacklistSettings list = this.lists.get(name);
		RowName block = RowName.block(name, subject(name, subject));
		return handOver(this.engine.decide(list, block), (decision) -> isBlocked(publish(decision)));
	}

	private static boolean isBlocked(BlacklistDecision decision) {
		return decision.status() != TokenStatus.CLEAR;
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

	static List<String> subject(String name, Object subject) {
		return KeyText.of(subject, "The subject of blacklist '" + name + "'");
	}

	private static BlacklistDecision await(String method, Supplier<CompletableFuture<BlacklistDecision>> question) {
		forbidWaiting(method);
		return Waiting.await(question.get());
	}

	private static void forbidWaiting(String method) {
		EventLoops.forbidWaiting("TokenBlacklist." + method, method + "Async");
	}

	private Revocation await(CompletableFuture<Change> written) {
		return revocation(Waiting.await(written));
	}

	private CompletionStage<Revocation> handOver(CompletableFuture<Change> written) {
		return handOver(written, this::revocation);
	}

	private <A, T> CompletionStage<T> handOver(CompletableFuture<A> asked, Function<A, T> result) {
		return this.calls.handOver(asked, result, (unwanted) -> {
		});
	}

	private Revocation revocation(Change change) {
		return new StoredRevocation(change, this.writer.feed(), this.calls);
	}

}
