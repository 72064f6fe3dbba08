// SPDX-License-Identifier: Apache-2.0

package io.ge.redis.session.internal;

import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.SecureRandom;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Base64;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Objects;
import java.util.TreeMap;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.function.Supplier;
import java.util.stream.IntStream;

import io.ge.redis.RedisUnavailableException;
import io.ge.redis.core.event.GuardEvents;
import io.ge.redis.core.hash.Sha256;
import io.ge.redis.core.key.KeyPart;
import io.ge.redis.core.key.RedisKey;
import io.ge.redis.core.outage.CallBudget;
import io.ge.redis.core.outage.Waiting;
import io.ge.redis.core.script.LuaScript;
import io.ge.redis.core.script.ScriptCall;
import io.ge.redis.core.script.ScriptReply;
import io.ge.redis.core.structure.StructureCalls;
import io.ge.redis.session.SessionEvent;
import io.ge.redis.session.SessionEvent.Kind;
import io.ge.redis.session.SessionProperties;
import io.ge.redis.session.SessionProperties.OnOutage;
import io.ge.redis.session.SessionProperties.OnTooMany;
import io.ge.redis.session.Sessions;
import io.ge.redis.session.TooManySessionsException;
import org.jspecify.annotations.Nullable;

import org.springframework.session.Session;
import org.springframework.session.SessionIdGenerator;

/**
 * Sessions in Redis, and the index of each principal in another slot. A session is in the
 * index while it exists: it is entered before it is saved, and leaves after it has ended.
 * An entry that a crash has left ends by itself.
 *
 * @param timeout of new sessions
 * @param logouts asked with each call, as they may not exist yet
 */
public record RedisSessions(SessionProperties properties, Duration timeout, StructureCalls redis, SessionCodec codec,
		SessionIdGenerator ids, Supplier<@Nullable Logouts> logouts, GuardEvents events) implements Sessions {

	private static final LuaScript FORGET = LuaScript.command(Sessions.class, "forget", "ZREM");

	private static final CompletableFuture<@Nullable Object> DONE = CompletableFuture.completedFuture(null);

	/** Longer than a request that has loaded the session before. */
	private static final Duration MARKER = Duration.ofMinutes(5);

	private static final int MOVES = 3;

	/** The most that {@code list.lua} lists. */
	private static final int LISTED = 1000;

	private static final Base64.Encoder BASE64 = Base64.getUrlEncoder().withoutPadding();

	private static final String SECRET = random();

	private enum Script {

		LOAD, SAVE, MOVE, END, INDEX, LIST;

		private final LuaScript text = LuaScript.load(Sessions.class, name().toLowerCase(Locale.ROOT) + ".lua");

	}

	/** Returns a new id of 256 random bits. */
	public static String random() {
		byte[] bytes = new byte[32];
		new SecureRandom().nextBytes(bytes);
		return BASE64.encodeToString(bytes);
	}

	/** Returns the hash of an id. A forged handle has the hash of no session. */
	String hash(String id) {
		int end = id.startsWith("h:") ? id.indexOf('.') : -1;
		boolean own = end > 0
				&& MessageDigest.isEqual(ScriptCall.argument(handle(id.substring(2, end))), ScriptCall.argument(id));
		return own ? id.substring(2, end) : BASE64.encodeToString(Sha256.of(id));
	}

	// Names a session within this process, where only its hash is known
	private String handle(String hash) {
		return "h:" + hash + "." + BASE64.encodeToString(Sha256.of(SECRET + hash + SECRET));
	}

	private CompletableFuture<ScriptReply> run(LuaScript script, String hash, CallBudget budget, Object... arguments) {
		RedisKey key = this.redis.key(hash).with(KeyPart.of("1"));
		return this.redis.run(ScriptCall.of(script, key, arguments), budget, (reply) -> reply);
	}

	private CompletableFuture<ScriptReply> runIndex(LuaScript script, String principal, CallBudget budget,
			Object... arguments) {
		RedisKey key = this.redis.key("u", hash(principal)).with(KeyPart.of("1"));
		return this.redis.run(ScriptCall.of(script, key, arguments), budget, (reply) -> reply);
	}

	private void publish(Kind kind, String result) {
		this.events.publish(new SessionEvent(kind, result, 1));
	}

	/** Creates a session that Redis does not have yet. */
	public Session create() {
		return new StoredSession(this, this.ids.generate(), StoredSession.unsaved(), this.timeout);
	}

	/**
	 * Loads a session for a request, and extends its life.
	 * @return completes with {@code null} if there is none
	 */
	public CompletableFuture<@Nullable Session> load(String id) {
		CallBudget budget = this.redis.newBudget();
		return read(id, true, budget).thenCompose((stored) -> confirm(stored, budget).thenApply((live) -> {
			publish(Kind.LOADS, (live != null) ? "found" : (stored != null) ? "ended" : "none");
			return live;
		})).handle((session, failure) -> {
			if (failure != null) {
				publish(Kind.LOADS, "error");
			}
			boolean anonymous = this.properties.onOutage() == OnOutage.ANONYMOUS && failure != null
					&& Waiting.cause(failure) instanceof RedisUnavailableException;
			return (failure != null && !anonymous) ? CompletableFuture.<@Nullable Session>failedFuture(failure)
					: CompletableFuture.<@Nullable Session>completedFuture(session);
		}).thenCompose((loaded) -> loaded);
	}

	private CompletableFuture<@Nullable StoredSession> read(String id, boolean extend, CallBudget budget) {
		return run(Script.LOAD.text, hash(id), budget, extend ? 1 : 0).thenApply((reply) -> {
			Map<String, byte[]> fields = fields(reply);
			return fields.isEmpty() ? null : new StoredSession(this, id, fields, this.timeout);
		});
	}

	private static Map<String, byte[]> fields(ScriptReply reply) {
		Map<String, byte[]> fields = new HashMap<>();
		for (int i = 0; i < reply.size(); i += 2) {
			fields.put(reply.text(i), Objects.requireNonNull(reply.bytes(i + 1)));
		}
		return fields;
	}

	private CompletionStage<@Nullable StoredSession> confirm(@Nullable StoredSession session, CallBudget budget) {
		String principal = (session != null) ? session.text("p") : null;
		if (session == null || principal == null) {
			return CompletableFuture.completedFuture(session);
		}
		Logouts logouts = this.logouts.get();
		CompletionStage<Boolean> ended = (logouts != null) ? logouts.isLoggedOut(principal, session.number("g"))
				: CompletableFuture.completedFuture(false);
		return ended.thenCompose((loggedOut) -> {
			if (loggedOut) {
				return end(session.hash, principal, "all", budget).thenApply((done) -> null);
			}
			// A failure leaves the entry as it is
			return (session.number("due") > 0) ? renew(session, principal, budget).handle((done, failure) -> session)
					: CompletableFuture.completedFuture(session);
		});
	}

	// A failover may lose an entry and keep its session
	private CompletableFuture<?> renew(StoredSession session, String principal, CallBudget budget) {
		return enter(session, principal, 1, budget).thenCompose((reply) -> reply.text(0).equals("absent")
				? enterAgain(session, principal, budget) : evict(reply, principal, budget));
	}

	private CompletableFuture<@Nullable Object> enterAgain(StoredSession session, String principal, CallBudget budget) {
		return enter(session, principal, 0, budget).thenCompose((reply) -> {
			if (reply.text(0).equals("refused")) {
				return over(end(session.hash, principal, "limit", budget));
			}
			return evict(reply, principal, budget).thenCompose((done) -> read(handle(session.hash), false, budget))
				.thenCompose((found) -> (found != null) ? DONE : forget(principal, budget, session.hash));
		});
	}

	private CompletableFuture<@Nullable Object> evict(ScriptReply entered, String principal, CallBudget budget) {
		return over(all(IntStream.range(1, entered.size())
			.mapToObj((i) -> end(entered.text(i), principal, "limit", budget))
			.toList()));
	}

	private static CompletableFuture<@Nullable Object> over(CompletableFuture<?> call) {
		return call.thenApply((result) -> null);
	}

	private CompletableFuture<ScriptReply> enter(StoredSession session, String principal, int renew,
			CallBudget budget) {
		Integer most = this.properties.maxPerPrincipal();
		Duration longest = this.properties.maxLifetime();
		long life = session.getMaxInactiveInterval().toMillis();
		return runIndex(Script.INDEX.text, principal, budget, session.hash,
				(longest != null) ? Math.min(life, longest.toMillis()) : life, renew,
				Objects.requireNonNullElse(session.replaced, ""), (most != null) ? most : 0,
				(this.properties.onTooMany() == OnTooMany.REFUSE) ? "refuse" : "end");
	}

	private CompletableFuture<@Nullable Object> forget(@Nullable String principal, CallBudget budget,
			String... hashes) {
		return (principal == null || hashes.length == 0) ? DONE
				: runIndex(FORGET, principal, budget, (Object[]) hashes).thenApply((reply) -> reply);
	}

	/** Saves what has changed of a session, unless it has ended. */
	public CompletableFuture<?> save(Session saved) {
		StoredSession session = (StoredSession) saved;
		Map<String, byte @Nullable []> changes = session.changes();
		if (changes == null) {
			publish(Kind.SAVES, "unchanged");
			return DONE;
		}
		return save(session, changes, MOVES, this.redis.newBudget()).whenComplete((result, failure) -> {
			boolean refused = failure != null && Waiting.cause(failure) instanceof TooManySessionsException;
			publish(Kind.SAVES, (failure == null) ? result : refused ? "too_many" : "error");
			if (refused) {
				session.reset();
			}
		});
	}

	private CompletableFuture<String> save(StoredSession session, Map<String, byte @Nullable []> changes, int moves,
			CallBudget budget) {
		String before = session.text("p");
		String principal = session.principal();
		boolean login = principal != null && !principal.equals(before);
		String old = session.replaced;
		String entered = (login || old != null || session.hasNewTimeout()) ? principal : null;
		return ((entered != null) ? admit(session, entered, budget) : DONE)
			.thenCompose((admitted) -> write(session, changes, principal, entered, login, budget))
			.thenCompose((reply) -> switch (reply.text(0)) {
				case "saved" -> moved(session, changes, budget).thenCompose((result) -> {
					session.saved(changes);
					List<String> left = new ArrayList<>((old != null) ? List.of(old) : List.of());
					if (login || principal == null) {
						left.add(session.hash);
					}
					return forget(before, budget, left.toArray(String[]::new)).thenApply((done) -> result);
				});
				case "moved" -> {
					CompletableFuture<?> left = forget(entered, budget, session.hash);
					session.hash = reply.text(1);
					yield left.thenCompose((done) -> (moves > 0) ? save(session, changes, moves - 1, budget)
							: CompletableFuture.completedFuture("gone"));
				}
				// Whoever has ended the new one did not know of the old one
				default -> forget(entered, budget, session.hash)
					.thenCompose((done) -> (old != null) ? over(end(old, "", "", budget)) : DONE)
					.thenApply((done) -> "gone");
			});
	}

	private CompletableFuture<?> admit(StoredSession session, String principal, CallBudget budget) {
		return enter(session, principal, 0, budget)
			// Entries that crashes have left must not refuse a login
			.thenCompose((reply) -> !reply.text(0).equals("refused") ? CompletableFuture.completedFuture(reply)
					: find(principal, budget).thenCompose((found) -> enter(session, principal, 0, budget)))
			.thenCompose((reply) -> {
				if (reply.text(0).equals("refused")) {
					throw new TooManySessionsException(Objects.requireNonNull(this.properties.maxPerPrincipal()));
				}
				return evict(reply, principal, budget);
			});
	}

	private CompletableFuture<ScriptReply> write(StoredSession session, Map<String, byte @Nullable []> changes,
			@Nullable String principal, @Nullable String entered, boolean login, CallBudget budget) {
		Map<String, byte[]> set = new HashMap<>();
		List<String> removed = new ArrayList<>();
		if (session.replaced != null) {
			set.putAll(session.fields);
			set.keySet().removeIf((field) -> !field.startsWith("a:") && !List.of("c", "e", "g").contains(field));
		}
		changes.forEach((field, value) -> {
			if (value != null) {
				set.put(field, value);
			}
			else if (set.remove(field) == null) {
				removed.add(field);
			}
		});
		if (principal == null && session.text("p") != null) {
			removed.addAll(List.of("p", "g", "x"));
		}
		Duration longest = this.properties.maxLifetime();
		List<Object> arguments = new ArrayList<>(
				List.of(Objects.requireNonNull(session.fields.get("n")), session.isNew() ? 1 : 0,
						session.getMaxInactiveInterval().toMillis(), (longest != null) ? longest.toMillis() : 0,
						Objects.requireNonNullElse(entered, ""), login ? 1 : 0, set.size()));
		set.forEach((field, value) -> arguments.addAll(List.of(field, value)));
		arguments.addAll(removed);
		return run(Script.SAVE.text, session.hash, budget, arguments.toArray()).thenApply((reply) -> {
			if (reply.text(0).equals("saved")) {
				changes.put("c", reply.bytes(1));
				changes.put("g", reply.bytes(2));
				changes.put("p", (principal != null) ? principal.getBytes(StandardCharsets.UTF_8) : null);
				changes.put("i", ScriptCall.argument(session.getMaxInactiveInterval().toMillis()));
			}
			return reply;
		});
	}

	// What other requests have saved by the old id meanwhile is copied
	private CompletableFuture<String> moved(StoredSession session, Map<String, byte @Nullable []> changes,
			CallBudget budget) {
		String old = session.replaced;
		if (old == null) {
			return CompletableFuture.completedFuture("saved");
		}
		String nonce = Objects.requireNonNull(session.text("n"));
		return run(Script.MOVE.text, old, budget, nonce, session.hash, MARKER.toMillis()).thenCompose((reply) -> {
			Map<String, byte @Nullable []> others = new HashMap<>(fields(reply));
			if (others.isEmpty()) {
				return end(session.hash, "", "", budget).thenApply((ended) -> "gone");
			}
			session.fields.keySet().forEach((field) -> others.putIfAbsent(field, null));
			others.entrySet()
				.removeIf((other) -> !other.getKey().startsWith("a:") || changes.containsKey(other.getKey())
						|| Arrays.equals(other.getValue(), session.fields.get(other.getKey())));
			session.saved(changes);
			return others.isEmpty() ? CompletableFuture.completedFuture("saved")
					: write(session, others, session.text("p"), null, false, budget).thenApply((written) -> "saved");
		});
	}

	/**
	 * Ends a session that a request has loaded, also by an id that it has just changed.
	 */
	public CompletableFuture<?> end(Session ended) {
		String old = ((StoredSession) ended).replaced;
		return endAsync(ended.getId())
			.thenCompose((done) -> (old != null) ? over(end(old, "", "logout", this.redis.newBudget())) : DONE);
	}

	@Override
	public CompletableFuture<Boolean> endAsync(String id) {
		return end(hash(id), "", "logout", this.redis.newBudget());
	}

	/**
	 * Ends a session.
	 * @param principal the one that the index is of, or empty if that is not known
	 * @param by the reason, or empty if it is not counted
	 */
	private CompletableFuture<Boolean> end(String hash, String principal, String by, CallBudget budget) {
		long marker = principal.isEmpty() ? 0 : MARKER.toMillis();
		return run(Script.END.text, hash, budget, principal, marker).thenCompose((reply) -> {
			if (reply.size() == 0) {
				return CompletableFuture.completedFuture(false);
			}
			if (!reply.text(1).isEmpty()) {
				return end(reply.text(1), principal, by, budget);
			}
			if (!by.isEmpty()) {
				publish(Kind.ENDS, by);
			}
			return forget(reply.text(0).isEmpty() ? null : reply.text(0), budget, hash).thenApply((done) -> true);
		});
	}

	@Override
	public CompletableFuture<Integer> endAllAsync(String principal) {
		Logouts logouts = this.logouts.get();
		CompletionStage<?> loggedOut = (logouts != null) ? logouts.logOut(principal) : DONE;
		return loggedOut.thenCompose((done) -> endListed(principal, 0)).toCompletableFuture();
	}

	private CompletableFuture<Integer> endListed(String principal, int before) {
		CallBudget budget = this.redis.newBudget();
		return list(principal, budget).thenCompose((listed) -> {
			List<String> hashes = hashes(listed);
			return all(hashes.stream().map((hash) -> end(hash, principal, "all", budget)).toList())
				.thenCompose((ended) -> forget(principal, budget, hashes.toArray(String[]::new)).thenCompose((done) -> {
					int count = before + (int) ended.stream().filter(Boolean::booleanValue).count();
					return (hashes.size() < LISTED) ? CompletableFuture.completedFuture(count)
							: endListed(principal, count);
				}));
		});
	}

	private CompletableFuture<ScriptReply> list(String principal, CallBudget budget) {
		Duration longest = this.properties.maxLifetime();
		long life = this.timeout.toMillis();
		return runIndex(Script.LIST.text, principal, budget,
				(longest != null) ? Math.min(life, longest.toMillis()) : life);
	}

	private static List<String> hashes(ScriptReply listed) {
		return IntStream.range(0, listed.size() / 2).mapToObj((i) -> listed.text(2 * i)).toList();
	}

	/** Finds the sessions of a principal, by names that stand for their ids. */
	public CompletableFuture<Map<String, Session>> find(String principal) {
		return find(principal, this.redis.newBudget()).thenApply((found) -> {
			Map<String, Session> byId = new LinkedHashMap<>();
			found.forEach((session) -> byId.put(session.getId(), session));
			return byId;
		});
	}

	private CompletableFuture<List<StoredSession>> find(String principal, CallBudget budget) {
		return list(principal, budget).thenCompose((listed) -> {
			List<String> old = new ArrayList<>();
			List<String> hashes = hashes(listed);
			return all(hashes.stream().map((hash) -> read(handle(hash), false, budget).thenApply((session) -> {
				boolean live = session != null && principal.equals(session.text("p"));
				if (!live && listed.number(2 * hashes.indexOf(hash) + 1) > 0) {
					old.add(hash);
				}
				return live ? List.of(Objects.requireNonNull(session)) : List.<StoredSession>of();
			})).toList()).thenCompose((found) -> forget(principal, budget, old.toArray(String[]::new))
				.thenApply((done) -> found.stream().flatMap(List::stream).toList()));
		});
	}

	@Override
	public CompletableFuture<List<Info>> listAsync(String principal) {
		return find(principal, this.redis.newBudget()).thenApply((found) -> found.stream().map((session) -> {
			Map<String, Integer> sizes = new TreeMap<>();
			session.fields.forEach((field, value) -> {
				if (field.startsWith("a:")) {
					sizes.put(field.substring(2), value.length);
				}
			});
			return new Info(session.getId(), session.getCreationTime(), session.getLastAccessedTime(),
					session.getMaxInactiveInterval(), sizes);
		}).toList());
	}

	private static <T extends @Nullable Object> CompletableFuture<List<T>> all(List<CompletableFuture<T>> calls) {
		return CompletableFuture.allOf(calls.toArray(CompletableFuture[]::new))
			.thenApply((done) -> calls.stream().map(CompletableFuture::join).toList());
	}

	/**
	 * Logouts of a principal that are not limited to sessions.
	 */
	public interface Logouts {

		/**
		 * Returns whether a principal was logged out after a login, given in microseconds
		 * of the clock of Redis.
		 */
		CompletionStage<Boolean> isLoggedOut(String principal, long loginMicros);

		/** Logs a principal out. */
		CompletionStage<?> logOut(String principal);

	}

}
