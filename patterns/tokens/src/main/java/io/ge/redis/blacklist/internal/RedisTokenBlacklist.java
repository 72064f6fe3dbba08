// SPDX-License-Identifier: Apache-2.0

package io.ge.redis.blacklist.internal;

import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.function.Supplier;

import io.ge.redis.blacklist.TokenBlacklist;
import io.ge.redis.blacklist.TokenIdentity;
import io.ge.redis.blacklist.TokenStatus;
import io.ge.redis.core.invocation.Times;
import io.ge.redis.core.key.KeyPart;
import io.ge.redis.core.key.KeySpace;
import io.ge.redis.core.key.RedisKey;
import io.ge.redis.core.outage.GuardedRedis;
import io.ge.redis.core.script.LuaScript;
import io.ge.redis.core.script.ScriptCall;
import io.ge.redis.core.script.ScriptReply;
import org.jspecify.annotations.Nullable;

/**
 * The revocations and blocks, in five keys of one slot:
 * <ul>
 * <li>{@code prefix:blacklist:{all}:rows1}, a sorted set of rows by their end: a revoked
 * token until it has expired for all instances; a session, the not-before of a subject or
 * of a client, a blocked subject of a list;</li>
 * <li>{@code prefix:blacklist:{all}:details1}, a hash of the not-befores;</li>
 * <li>{@code prefix:blacklist:{all}:changes1}, a stream of the latest changes, which
 * instances read;</li>
 * <li>{@code prefix:blacklist:{all}:readers1}, a hash of the instances that may answer
 * from memory;</li>
 * <li>{@code prefix:blacklist:{all}:reasons1}, a hash of the reasons of rows that have
 * one.</li>
 * </ul>
 * In one slot, so that a row and its change are written together: no change escapes the
 * instances. All checks but the first are answered from memory, so the slot carries
 * revocations, not requests.
 * <p>
 * A not-before must distinguish tokens of one second, while {@code iat} counts seconds of
 * the issuer's clock. A stamp from the clock that also makes not-befores, carried by the
 * token, is compared exactly. Without a stamp a token must be younger by a second and by
 * the allowed lead of the issuer's clock. So no older token passes, and a younger one may
 * have to be issued again.
 * <p>
 * Nothing here needs compensation: a revocation of unknown outcome errs on the safe side.
 */
final class RedisTokenBlacklist {

	private static final LuaScript CHECK = LuaScript.load(TokenBlacklist.class, "check.lua");

	private static final LuaScript CHANGE = LuaScript.load(TokenBlacklist.class, "change.lua").runningWithoutMemory();

	private static final LuaScript ISSUE_STAMP = LuaScript.load(TokenBlacklist.class, "issue-stamp.lua");

	private static final LuaScript FOLLOW = LuaScript.load(TokenBlacklist.class, "follow.lua").runningWithoutMemory();

	private static final LuaScript UNAWARE = LuaScript.load(TokenBlacklist.class, "unaware.lua").runningWithoutMemory();

	private static final LuaScript LAST_CHANGE = LuaScript.load(TokenBlacklist.class, "last-change.lua")
		.runningWithoutMemory();

	private static final LuaScript ROWS = LuaScript.load(TokenBlacklist.class, "rows.lua");

	private static final LuaScript LOOK = LuaScript.load(TokenBlacklist.class, "look.lua");

	private static final LuaScript OVERVIEW = LuaScript.load(TokenBlacklist.class, "overview.lua");

	private static final TokenStatus[] REPLIES = { TokenStatus.CLEAR, TokenStatus.REVOKED, TokenStatus.SUBJECT_REVOKED,
			TokenStatus.EXPIRED, TokenStatus.SESSION_REVOKED, TokenStatus.CLIENT_REVOKED };

	private static final int ROW_ELEMENTS = 4;

	private static final String NONE = "";

	private final GuardedRedis redis;

	private final RedisKey rows;

	private final RedisKey details;

	private final RedisKey changes;

	private final RedisKey readers;

	private final RedisKey reasons;

	private final String channel;

	private final Clocks clocks;

	private final int changesKept;

	public RedisTokenBlacklist(GuardedRedis redis, KeySpace keys, String channel, Clocks clocks, int changesKept) {
		this.redis = redis;
		RedisKey all = keys.entity(KeyPart.of("all"));
		this.rows = all.with(KeyPart.of("rows1"));
		this.details = all.with(KeyPart.of("details1"));
		this.changes = all.with(KeyPart.of("changes1"));
		this.readers = all.with(KeyPart.of("readers1"));
		this.reasons = all.with(KeyPart.of("reasons1"));
		this.channel = channel;
		this.clocks = clocks;
		this.changesKept = changesKept;
	}

	GuardedRedis guarded() {
		return this.redis;
	}

	CompletableFuture<Found> check(TokenIdentity token) {
		List<RowName> names = new ArrayList<>(4);
		add(names, RowKind.TOKEN, token.issuer(), token.id());
		add(names, RowKind.SESSION, token.issuer(), token.sessionId());
		add(names, RowKind.SUBJECT, token.issuer(), token.subject());
		add(names, RowKind.CLIENT, token.issuer(), token.clientId());
		Object expiresAt = (token.expiresAt() != null) ? Times.epochMilli(token.expiresAt()) : NONE;
		Object issuedAt = (token.issuedAt() != null) ? Times.epochMilli(token.issuedAt()) : NONE;
		Object stamp = (token.issueStamp() != null) ? token.issueStamp() : NONE;
		return check(names, expiresAt, issuedAt, stamp);
	}

	private static void add(List<RowName> names, RowKind kind, @Nullable String issuer, @Nullable String text) {
		if (text != null) {
			names.add(new RowName(kind, issuer, text));
		}
	}

	CompletableFuture<Found> check(RowName block) {
		return check(List.of(block), NONE, NONE, NONE);
	}

	private CompletableFuture<Found> check(List<RowName> names, Object expiresAt, Object issuedAt, Object stamp) {
		List<Object> arguments = new ArrayList<>(List.of(expiresAt, issuedAt, stamp, this.clocks.maxTokenLifetime(),
				this.clocks.skew(), this.clocks.issuerSkew()));
		for (RowName name : names) {
			arguments.add(name.member());
		}
		return run(ScriptCall.of(CHECK, List.of(this.rows, this.details, this.reasons), arguments.toArray()))
			.thenApply((reply) -> new Found(REPLIES[(int) reply.number(0)], textOrNull(reply, 1)));
	}

	CompletableFuture<Change> write(RowName name, long untilMillis, @Nullable String reason) {
		return change(name.member(), "until", untilMillis, reason);
	}

	CompletableFuture<Change> write(RowName name, Duration duration, @Nullable String reason) {
		return change(name.member(), name.kind().isNotBefore() ? "not-before" : "for", duration.toMillis(), reason);
	}

	CompletableFuture<Change> remove(byte[] member) {
		return change(member, "remove", 0, null);
	}

	private CompletableFuture<Change> change(byte[] member, String operation, long millis, @Nullable String reason) {
		int primary = this.redis.newPrimaries();
		return run(changeCall(member, operation, millis, reason, NONE)).thenApply((reply) -> {
			Change change = new Change(Duration.ofMillis(reply.number(0)), reply.text(1));
			// A block can be removed, also by another instance
			if (RowKind.of(member[0]) != RowKind.BLOCK && !change.timeToLive().isZero()) {
				this.redis.repeatOnNewPrimary(changeCall(member, operation, millis, reason, reply.number(2)), primary);
			}
			return change;
		});
	}

	private ScriptCall changeCall(byte[] member, String operation, long millis, @Nullable String reason,
			Object notBefore) {
		return ScriptCall.of(CHANGE, List.of(this.rows, this.details, this.changes, this.reasons), member, operation,
				millis, this.changesKept, this.channel, (reason != null) ? reason : NONE, notBefore);
	}

	public CompletableFuture<Look> look(byte[] member) {
		return run(ScriptCall.of(LOOK, List.of(this.rows, this.details, this.reasons), member))
			.thenApply((reply) -> new Look(Duration.ofMillis(reply.number(0)), reply.number(1), textOrNull(reply, 2)));
	}

	public CompletableFuture<Totals> overview() {
		return run(ScriptCall.of(OVERVIEW, List.of(this.rows, this.changes, this.readers))).thenApply(
				(reply) -> new Totals(reply.number(0), reply.number(1), textOrNull(reply, 2), (int) reply.number(3)));
	}

	public CompletableFuture<Long> issueStamp() {
		return run(ScriptCall.of(ISSUE_STAMP, this.details)).thenApply((reply) -> reply.number(0));
	}

	/**
	 * Asks for the changes after a position.
	 */
	CompletableFuture<Changes> follow(String instance, Position position, int most, Duration lease) {
		return run(ScriptCall.of(FOLLOW, List.of(this.changes, this.readers), instance, position.id(),
				position.change(), most, lease.toMillis()))
			.thenApply((reply) -> Changes.of(reply, position, most));
	}

	/**
	 * Returns how many instances may answer from memory without knowing a change.
	 */
	CompletableFuture<Long> unaware(String change, Duration lease) {
		return run(ScriptCall.of(UNAWARE, this.readers, change, lease.toMillis()))
			.thenApply((reply) -> reply.number(0));
	}

	CompletableFuture<Tail> lastChange() {
		return run(ScriptCall.of(LAST_CHANGE, List.of(this.changes, this.rows, this.readers))).thenApply(
				(reply) -> new Tail(reply.number(0), reply.number(1), new Position(reply.text(2), bytes(reply, 3))));
	}

	/**
	 * Reads a page of the rows, the first one if there is none before. Rows that this
	 * release cannot read are left out: none of its checks needs them.
	 */
	CompletableFuture<Page> rows(@Nullable PageEnd last, int most) {
		Object until = (last != null) ? last.until() : 0;
		Object member = (last != null) ? last.member() : NONE;
		ScriptCall call = ScriptCall.of(ROWS, List.of(this.rows, this.details, this.reasons), until, member, most);
		return run(call).thenApply((reply) -> {
			List<Row> rows = new ArrayList<>(reply.size() / ROW_ELEMENTS);
			for (int i = 0; i < reply.size(); i += ROW_ELEMENTS) {
				int first = i;
				addReadable(rows, () -> row(reply, first));
			}
			int end = reply.size() - ROW_ELEMENTS;
			boolean full = reply.size() / ROW_ELEMENTS >= most;
			return new Page(rows, full ? new PageEnd(reply.text(end + 1), bytes(reply, end)) : null);
		});
	}

	private static Row row(ScriptReply reply, int first) {
		long notBefore = reply.has(first + 2) ? reply.number(first + 2) : Row.LOST;
		return Row.of(bytes(reply, first), reply.number(first + 1), notBefore, textOrNull(reply, first + 3));
	}

	private static boolean addReadable(List<Row> rows, Supplier<Row> reading) {
		try {
			return rows.add(reading.get());
		}
		catch (RuntimeException ex) {
			return false;
		}
	}

	private CompletableFuture<ScriptReply> run(ScriptCall call) {
		return this.redis.run(call, this.redis.newBudget());
	}

	private static @Nullable String textOrNull(ScriptReply reply, int index) {
		String text = reply.text(index);
		return text.isEmpty() ? null : text;
	}

	private static byte[] bytes(ScriptReply reply, int index) {
		byte[] bytes = reply.bytes(index);
		if (bytes == null) {
			throw new IllegalStateException("The script replied nothing at position " + index);
		}
		return bytes;
	}

	record Found(TokenStatus status, @Nullable String reason) {
	}

	/**
	 * One row.
	 *
	 * @param remaining how long it stands, zero if it does not
	 * @param notBefore its not-before in microseconds, or 0
	 * @param reason why it was written, or {@code null}
	 */
	public record Look(Duration remaining, long notBefore, @Nullable String reason) {
	}

	record Tail(long micros, long rows, Position position) {
	}

	/**
	 * Some rows, the last ones if {@code end} is {@code null}.
	 */
	record Page(List<Row> rows, @Nullable PageEnd end) {
	}

	record PageEnd(String until, byte[] member) {
	}

	/**
	 * The result of a write.
	 *
	 * @param timeToLive how long the row exists, zero if it does not
	 * @param id the id of the change, empty if there was none
	 */
	public record Change(Duration timeToLive, String id) {
	}

	/**
	 * The last change that an instance knows.
	 *
	 * @param change the change itself, which distinguishes it from one of the same id on
	 * another server
	 */
	record Position(String id, byte[] change) {
	}

	record Changes(long micros, List<Row> rows, Position position, boolean complete, boolean readable) {

		private static final int FIRST = 2;

		private static final byte[] START = "start".getBytes(StandardCharsets.US_ASCII);

		static @Nullable Changes of(ScriptReply reply, Position from, int most) {
			if (reply.number(0) != 0) {
				return null;
			}
			Position position = from;
			boolean readable = true;
			List<Row> rows = new ArrayList<>(reply.size() / 2);
			for (int i = FIRST; i < reply.size(); i += 2) {
				byte[] change = bytes(reply, i + 1);
				position = new Position(reply.text(i), change);
				if (change.length > START.length) {
					readable &= addReadable(rows, () -> Row.of(change));
				}
			}
			return new Changes(reply.number(1), rows, position, (reply.size() - FIRST) / 2 < most, readable);
		}

		boolean isEmpty(Position from) {
			return this.position == from;
		}

	}

	public record Totals(long rows, long changes, @Nullable String lastChange, int following) {
	}

}
