// SPDX-License-Identifier: Apache-2.0

package io.ge.redis.actuate;

import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.function.Function;
import java.util.function.Supplier;

import io.ge.redis.blacklist.Revocation;
import io.ge.redis.blacklist.TokenBlacklist;
import io.ge.redis.blacklist.internal.BlacklistControl;
import io.ge.redis.blacklist.internal.RowKind;
import io.ge.redis.core.endpoint.GuardRequest;
import io.ge.redis.core.endpoint.GuardRequestException;
import io.ge.redis.core.endpoint.GuardResource;
import org.jspecify.annotations.Nullable;

import org.springframework.aot.hint.annotation.RegisterReflectionForBinding;

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
@RegisterReflectionForBinding({ BlacklistControl.Overview.class, BlacklistControl.Look.class,
		BlacklistResource.ActionReport.class })
class BlacklistResource extends GuardResource {

	private static final String HASH = "hash";

	private static final String ACTION = "action";

	private static final String VALUE = "value";

	private static final String ISSUER = "issuer";

	private static final String NO_ISSUER = "none";

	private static final String LIST = "list";

	private static final String EXPIRES = "expires";

	private static final String DURATION = "duration";

	private static final String REASON = "reason";

	private final Supplier<BlacklistControl> control;

	public BlacklistResource(Supplier<BlacklistControl> control) {
		super("blacklist");
		this.control = control;
	}

	@Override
	public Object read(GuardRequest request) {
		request.allowOnly(HASH);
		if (request.path().isEmpty()) {
			request.allowOnly();
			return this.control.get().overview();
		}
		RowKind kind = kind(request);
		return valid(HASH, () -> this.control.get().look(kind, required(request, HASH)));
	}

	@Override
	public Object write(GuardRequest request) {
		RowKind kind = kind(request);
		String action = request.text(ACTION);
		if ("look".equals(action)) {
			request.allowOnly(ACTION, VALUE, (kind == RowKind.BLOCK) ? LIST : ISSUER);
			List<String> values = values(request);
			return this.control.get().look(kind, issuer(kind, request), values);
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
		Duration stands = valid(REASON,
				() -> action.apply(this.control.get().blacklist(request.text(REASON))).timeToLive());
		return new ActionReport(kind, hash(kind, request), String.valueOf(request.text(ACTION)), !stands.isZero(),
				stands.isZero() ? null : stands);
	}

	private String hash(RowKind kind, GuardRequest request) {
		return this.control.get().hash(kind, issuer(kind, request), values(request));
	}

	private ActionReport unblock(GuardRequest request) {
		request.allowOnly(ACTION, LIST, VALUE, HASH);
		String hash = request.text(HASH);
		if (hash != null && request.parameters().containsKey(VALUE)) {
			throw GuardRequestException.invalid(HASH, "hash and value are both given.", "Give one of them.");
		}
		String known = (hash != null) ? hash : hash(RowKind.BLOCK, request);
		boolean ended = valid(HASH, () -> this.control.get().unblock(known));
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
			Set<String> inUse = this.control.get().issuers();
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

	/**
	 * The result of an action.
	 */
	public record ActionReport(RowKind kind, String hash, String action, boolean done, @Nullable Duration remaining) {
	}

}
