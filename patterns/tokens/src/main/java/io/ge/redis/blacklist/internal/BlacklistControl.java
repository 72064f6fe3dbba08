// SPDX-License-Identifier: Apache-2.0

package io.ge.redis.blacklist.internal;

import java.nio.ByteBuffer;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HexFormat;
import java.util.List;
import java.util.Set;
import java.util.function.Function;
import java.util.function.Supplier;

import io.ge.redis.RedisUnavailableException;
import io.ge.redis.blacklist.Revocation;
import io.ge.redis.blacklist.TokenBlacklist;
import io.ge.redis.core.endpoint.GuardRequest;
import io.ge.redis.core.endpoint.GuardRequestException;
import io.ge.redis.core.endpoint.GuardResource;
import io.ge.redis.core.outage.Waiting;
import org.jspecify.annotations.Nullable;

/**
 * {@code /actuator/geredis/blacklist} counts the revocations and blocks, and reports
 * whether this instance follows them. {@code /actuator/geredis/blacklist/<kind>?hash=...}
 * shows one of them, of the kind {@code token}, {@code session}, {@code subject}, {@code
 * client} or {@code block}. A write reads one by its value, revokes, blocks, or unblocks.
 * <p>
 * A value is given in the body, since URLs get into logs: as {@code value}, with {@code
 * issuer}, or with {@code list} for a block. Only several parts of a blocked subject must
 * be given by repeating the parameter in the query. The answer names it by its hash. An
 * {@code issuer} is required, since a row is about tokens of exactly one issuer:
 * {@code none} means tokens without one.
 */
final class BlacklistControl extends GuardResource {

	private static final String HASH = "hash";

	private static final String ACTION = "action";

	private static final String VALUE = "value";

	private static final String ISSUER = "issuer";

	private static final String NO_ISSUER = "none";

	private static final String LIST = "list";

	private static final String EXPIRES = "expires";

	private static final String DURATION = "duration";

	private static final String REASON = "reason";

	private static final int HASH_LENGTH = 2 * (RowName.MEMBER_BYTES - 1);

	private final Supplier<BlacklistPattern.Parts> parts;

	BlacklistControl(Supplier<BlacklistPattern.Parts> parts) {
		super("blacklist");
		this.parts = parts;
	}

	@Override
	public Object read(GuardRequest request) {
		request.allowOnly(HASH);
		if (request.path().isEmpty()) {
			request.allowOnly();
			return overview();
		}
		RowKind kind = kind(request);
		return valid(HASH, () -> look(kind, member(kind, required(request, HASH))));
	}

	@Override
	public Object write(GuardRequest request) {
		RowKind kind = kind(request);
		String action = request.text(ACTION);
		if ("look".equals(action)) {
			request.allowOnly(ACTION, VALUE, (kind == RowKind.BLOCK) ? LIST : ISSUER);
			List<String> values = values(request);
			return look(kind, name(kind, issuer(kind, request), values).member());
		}
		if (kind == RowKind.BLOCK) {
			return switch (String.valueOf(action)) {
				case "block" -> block(request);
				case "unblock" -> unblock(request);
				default -> throw unknown(action, "block, unblock or look");
			};
		}
		if (!"revoke".equals(action)) {
			throw unknown(action, "revoke or look");
		}
		return (kind == RowKind.TOKEN) ? revokeToken(request) : revokeAll(kind, request);
	}

	private static GuardRequestException unknown(@Nullable String action, String known) {
		return GuardRequestException.invalid(ACTION,
				(action != null) ? "action is '" + action + "'." : "action is missing.", "Set it to " + known + ".");
	}

	private ActionReport revokeToken(GuardRequest request) {
		request.allowOnly(ACTION, ISSUER, VALUE, EXPIRES, REASON);
		String id = required(request, VALUE);
		Instant expires = expires(request);
		String issuer = issuer(RowKind.TOKEN, request);
		return done(RowKind.TOKEN, request, (blacklist) -> blacklist.revoke(issuer, id, expires));
	}

	private ActionReport revokeAll(RowKind kind, GuardRequest request) {
		request.allowOnly(ACTION, ISSUER, VALUE, REASON);
		String value = required(request, VALUE);
		String issuer = issuer(kind, request);
		return done(kind, request, (blacklist) -> switch (kind) {
			case SESSION -> blacklist.revokeSession(issuer, value);
			case CLIENT -> blacklist.revokeClient(issuer, value);
			default -> blacklist.revokeAll(issuer, value);
		});
	}

	private ActionReport block(GuardRequest request) {
		request.allowOnly(ACTION, LIST, VALUE, DURATION, REASON);
		String list = required(request, LIST);
		List<String> subject = values(request);
		Duration duration = request.duration(DURATION);
		if (duration == null || duration.toMillis() <= 0) {
			throw GuardRequestException.invalid(DURATION,
					(duration != null) ? "duration is " + duration + "." : "duration is missing.",
					"Set it to a time such as 10m.");
		}
		return done(RowKind.BLOCK, request, (blacklist) -> blacklist.block(list, subject, duration));
	}

	private ActionReport done(RowKind kind, GuardRequest request, Function<TokenBlacklist, Revocation> action) {
		String reason = request.text(REASON);
		DefaultTokenBlacklist blacklist = this.parts.get().blacklist();
		Duration stands = valid(REASON,
				() -> action.apply((reason != null) ? blacklist.withReason(reason) : blacklist).timeToLive());
		return new ActionReport(kind, hash(kind, request), String.valueOf(request.text(ACTION)), !stands.isZero(),
				stands.isZero() ? null : stands);
	}

	private String hash(RowKind kind, GuardRequest request) {
		return hash(name(kind, issuer(kind, request), values(request)).member());
	}

	private ActionReport unblock(GuardRequest request) {
		request.allowOnly(ACTION, LIST, VALUE, HASH);
		String hash = request.text(HASH);
		if (hash != null && request.parameters().containsKey(VALUE)) {
			throw GuardRequestException.invalid(HASH, "hash and value are both given.", "Give one of them.");
		}
		String known = (hash != null) ? hash : hash(RowKind.BLOCK, request);
		boolean ended = valid(HASH,
				() -> Waiting.await(this.parts.get().blacklist().remove(member(RowKind.BLOCK, known))));
		return new ActionReport(RowKind.BLOCK, known, "unblock", ended, null);
	}

	private static RowKind kind(GuardRequest request) {
		String name = String.join("/", request.path());
		List<String> known = new ArrayList<>();
		for (RowKind kind : RowKind.values()) {
			if (kind.text().equals(name)) {
				return kind;
			}
			known.add(kind.text());
		}
		throw GuardRequestException
			.unknown(name.isEmpty() ? "The path names nothing." : "There is no '" + name + "' here.", known);
	}

	private @Nullable String issuer(RowKind kind, GuardRequest request) {
		if (kind == RowKind.BLOCK) {
			return required(request, LIST);
		}
		String issuer = request.text(ISSUER);
		if (issuer == null) {
			Set<String> inUse = this.parts.get().blacklist().engine().issuers();
			throw GuardRequestException.invalid(ISSUER, "issuer is missing.",
					"Set it to the iss claim of the tokens"
							+ (inUse.isEmpty() ? "" : ", in use: " + String.join(", ", inUse)) + "; or to " + NO_ISSUER
							+ " if they have no issuer.");
		}
		return NO_ISSUER.equals(issuer) ? null : issuer;
	}

	private static List<String> values(GuardRequest request) {
		List<String> values = request.texts(VALUE);
		boolean several = values.size() > 1 && kind(request) == RowKind.BLOCK;
		return several ? values : List.of(required(request, VALUE));
	}

	private static String required(GuardRequest request, String parameter) {
		return request.required(parameter, parameter.equals(HASH)
				? "Add the hash, which action look returns for a value." : "Add it to the body.");
	}

	private static Instant expires(GuardRequest request) {
		Long seconds = request.number(EXPIRES);
		if (seconds == null || seconds <= 0 || seconds > Instant.MAX.getEpochSecond()) {
			throw GuardRequestException.invalid(EXPIRES,
					(seconds != null) ? "expires is " + seconds + "." : "expires is missing.",
					"Set it to the exp claim of the token, in seconds.");
		}
		return Instant.ofEpochSecond(seconds);
	}

	/**
	 * Only the parameter can be wrong: all else has been looked at before.
	 */
	private static <T> T valid(String parameter, Supplier<T> action) {
		try {
			return action.get();
		}
		catch (IllegalArgumentException ex) {
			throw GuardRequestException.invalid(parameter, ex.getMessage() + ".", "Correct it.");
		}
	}

	// One script call. While Redis is unavailable, of this instance only
	private Overview overview() {
		BlacklistPattern.Parts parts = this.parts.get();
		RowFeed feed = parts.feed();
		long now = System.nanoTime();
		String position = feed.position();
		Local local = new Local(parts.instance(), feed.isFresh(now), position,
				(position != null) ? feed.age(now) : null, parts.memory().size());
		try {
			return new Overview(local, Waiting.await(parts.redis().overview()));
		}
		catch (RedisUnavailableException ex) {
			return new Overview(local, null);
		}
	}

	private static String hash(byte[] member) {
		return HexFormat.of().formatHex(member, 1, member.length);
	}

	// One script call
	private Look look(RowKind kind, byte[] member) {
		RedisTokenBlacklist.Look look = Waiting.await(this.parts.get().redis().look(member));
		boolean remembered = this.parts.get().memory().holds(Row.of(member, 0, 0, null));
		boolean stands = !look.remaining().isZero();
		return new Look(kind, hash(member), stands, stands ? look.remaining() : null,
				(look.notBefore() != 0) ? instant(look.notBefore()) : null, look.reason(), remembered);
	}

	private static Instant instant(long micros) {
		return Instant.ofEpochSecond(micros / 1_000_000, micros % 1_000_000 * 1000);
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

	/**
	 * The result of an action.
	 */
	public record ActionReport(RowKind kind, String hash, String action, boolean done, @Nullable Duration remaining) {
	}

}
