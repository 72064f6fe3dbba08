// SPDX-License-Identifier: Apache-2.0

package io.ge.redis.blacklist.internal;

import java.nio.ByteBuffer;
import java.time.Duration;
import java.time.Instant;
import java.util.HexFormat;
import java.util.List;
import java.util.Set;

import io.ge.redis.RedisUnavailableException;
import io.ge.redis.blacklist.TokenBlacklist;
import io.ge.redis.core.outage.Waiting;
import org.jspecify.annotations.Nullable;

/**
 * View of the blacklist for operators, and their actions, while the application runs.
 * <p>
 * Tokens, sessions, subjects, clients and blocked subjects are named by their values, or
 * by the hash that inspecting them returns: 32 hexadecimal digits that do not reveal the
 * value. Methods that ask Redis throw {@link RedisUnavailableException} while it is
 * unavailable.
 */
public final class BlacklistControl {

	private static final int HASH_LENGTH = 2 * (RowName.MEMBER_BYTES - 1);

	private final String instance;

	private final DefaultTokenBlacklist blacklist;

	private final RedisTokenBlacklist redis;

	private final LocalRows memory;

	private final RowFeed feed;

	BlacklistControl(String instance, DefaultTokenBlacklist blacklist, RedisTokenBlacklist redis, LocalRows memory,
			RowFeed feed) {
		this.instance = instance;
		this.blacklist = blacklist;
		this.redis = redis;
		this.memory = memory;
		this.feed = feed;
	}

	/**
	 * Returns the state of this instance and of Redis: one script call.
	 * @return the state; while Redis is unavailable, of this instance only
	 */
	public Overview overview() {
		long now = System.nanoTime();
		String position = this.feed.position();
		Local local = new Local(this.instance, this.feed.isFresh(now), position,
				(position != null) ? this.feed.age(now) : null, this.memory.size());
		try {
			return new Overview(local, Waiting.await(this.redis.overview()));
		}
		catch (RedisUnavailableException ex) {
			return new Overview(local, null);
		}
	}

	/** Returns issuers of tokens that this instance has checked, at most a few. */
	public Set<String> issuers() {
		return this.blacklist.engine().issuers();
	}

	/**
	 * Returns the hash of what a row is about.
	 */
	public String hash(RowKind kind, @Nullable String issuer, List<String> value) {
		return hash(name(kind, issuer, value).member());
	}

	private static String hash(byte[] member) {
		return HexFormat.of().formatHex(member, 1, member.length);
	}

	/**
	 * Looks for one row by its value: one script call.
	 * @param issuer the {@code iss} claim, or the name of the list of a block;
	 * {@code null} if the tokens have no issuer
	 * @param value the {@code jti}, {@code sid}, {@code sub} or {@code client_id} claim;
	 * of a block the subject, which may have several parts
	 */
	public Look look(RowKind kind, @Nullable String issuer, List<String> value) {
		return lookAt(kind, name(kind, issuer, value).member());
	}

	/**
	 * Looks for one row by its hash: one script call.
	 * @throws IllegalArgumentException if it is no hash
	 */
	public Look look(RowKind kind, String hash) {
		return lookAt(kind, member(kind, hash));
	}

	private Look lookAt(RowKind kind, byte[] member) {
		RedisTokenBlacklist.Look look = Waiting.await(this.redis.look(member));
		boolean remembered = this.memory.holds(Row.of(member, 0, 0, null));
		boolean stands = !look.remaining().isZero();
		return new Look(kind, hash(member), stands, stands ? look.remaining() : null,
				(look.notBefore() != 0) ? instant(look.notBefore()) : null, look.reason(), remembered);
	}

	private static Instant instant(long micros) {
		return Instant.ofEpochSecond(micros / 1_000_000, micros % 1_000_000 * 1000);
	}

	/**
	 * Returns the blacklist, for actions.
	 * @param reason why, as in {@link TokenBlacklist#withReason}, or {@code null}
	 */
	public TokenBlacklist blacklist(@Nullable String reason) {
		return (reason != null) ? this.blacklist.withReason(reason) : this.blacklist;
	}

	/**
	 * Ends a block: one script call.
	 * @throws IllegalArgumentException if it is no hash
	 */
	public boolean unblock(String hash) {
		return Waiting.await(this.blacklist.remove(member(RowKind.BLOCK, hash)));
	}

	private static RowName name(RowKind kind, @Nullable String issuer, List<String> value) {
		if (kind == RowKind.BLOCK) {
			return DefaultTokenBlacklist.row((issuer != null) ? issuer : "", value);
		}
		return new RowName(kind, issuer, value.get(0));
	}

	private static byte[] member(RowKind kind, String hash) {
		if (hash.length() != HASH_LENGTH) {
			throw new IllegalArgumentException("A hash has " + HASH_LENGTH + " hexadecimal digits");
		}
		ByteBuffer id = ByteBuffer.wrap(HexFormat.of().parseHex(hash));
		return RowName.member(kind, id.getLong(), id.getLong());
	}

	/**
	 * The state of the blacklist.
	 *
	 * @param stored what Redis has, or {@code null} while it is unavailable
	 */
	public record Overview(Local local, RedisTokenBlacklist.@Nullable Totals stored) {
	}

	/**
	 * The view of an instance.
	 *
	 * @param fresh whether it answers from memory at present
	 * @param position the id of the last change that it knows, or {@code null} if it has
	 * not read the rows
	 * @param age the time since it last confirmed that it knows all changes, or
	 * {@code null} if it has not read the rows
	 * @param ids revoked tokens and sessions that it remembers, some that have ended
	 * included
	 * @param exact whether it remembers all of them
	 * @param notBefores subjects and clients whose earlier tokens are revoked
	 * @param bytes the memory of the ids
	 */
	public record Local(String instance, boolean fresh, @Nullable String position, @Nullable Duration age, long ids,
			boolean exact, int notBefores, int blocks, int reasons, long bytes) {

		Local(String instance, boolean fresh, @Nullable String position, @Nullable Duration age, LocalRows.Size size) {
			this(instance, fresh, position, age, size.ids(), size.exact(), size.notBefores(), size.blocks(),
					size.reasons(), size.bytes());
		}

	}

	/**
	 * The state of a row.
	 *
	 * @param remaining for how long it exists, {@code null} if it does not
	 * @param notBefore tokens from before then are refused; {@code null} where it does
	 * not go by that
	 * @param reason why, or {@code null} if no reason was given
	 * @param remembered whether this instance remembers it
	 */
	public record Look(RowKind kind, String hash, boolean stands, @Nullable Duration remaining,
			@Nullable Instant notBefore, @Nullable String reason, boolean remembered) {
	}

}
