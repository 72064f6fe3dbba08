// SPDX-License-Identifier: Apache-2.0

package io.ge.redis.session.internal;

import java.security.MessageDigest;
import java.security.SecureRandom;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Base64;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.function.BiFunction;
import java.util.function.Consumer;
import java.util.function.Function;
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
import org.springframework.session.events.AbstractSessionEvent;
import org.springframework.session.events.SessionCreatedEvent;
import org.springframework.session.events.SessionDeletedEvent;

/**
 * Sessions in Redis, and the index of each principal in another slot.
 * <p>
 * An id begins with the key of its session, which stays when the id changes. The rest is
 * the secret of which Redis has the hash. So a request that has loaded a session saves
 * and ends it also after its id has changed. No request loads it by an old id.
 * <p>
 * A session is in the index while it exists: it is entered before it is saved, and leaves
 * after it has ended. An entry that a crash has left ends by itself.
 *
 * @param timeout of new sessions
 * @param logouts asked with each call, as they may not exist yet
 * @param listeners get the events of Spring Session
 */
public record RedisSessions(SessionProperties properties, Duration timeout, StructureCalls redis, SessionCodec codec,
		SessionIdGenerator ids, Supplier<@Nullable Logouts> logouts, GuardEvents events,
		Consumer<AbstractSessionEvent> listeners) implements Sessions {

	/** Longer than a request that is about to save a new session. */
	private static final Duration MARKER = Duration.ofMinutes(5);

	/** The most that {@code list.lua} lists. */
	private static final int LISTED = 1000;

	private static final SecureRandom RANDOM = new SecureRandom();

	private static final Base64.Encoder BASE64 = Base64.getUrlEncoder().withoutPadding();

	private static final String SECRET = random();

	private static final LuaScript LOAD = LuaScript.load(Sessions.class, "load.lua");

	private static final LuaScript SAVE = LuaScript.load(Sessions.class, "save.lua");

	private static final LuaScript END = LuaScript.load(Sessions.class, "end.lua");

	private static final LuaScript INDEX = LuaScript.load(Sessions.class, "index.lua");

	private static final LuaScript LIST = LuaScript.load(Sessions.class, "list.lua");

	private static final LuaScript FORGET = LuaScript.command(Sessions.class, "forget", "ZREM");

	private static final Set<LuaScript> OF_PRINCIPAL = Set.of(INDEX, LIST, FORGET);

	/** Returns 256 random bits. */
	public static String random() {
		byte[] bytes = new byte[32];
		RANDOM.nextBytes(bytes);
		return BASE64.encodeToString(bytes);
	}

	private static String hash(String text) {
		return BASE64.encodeToString(Sha256.of(text));
	}

	private static String key(String id) {
		return id.substring(0, Math.min(id.length(), SECRET.length()));
	}

	// Replaces the id within this process, where only the key is known
	private static String handle(String key) {
		return key + "." + hash(SECRET + key + SECRET);
	}

	private static boolean isHandle(String id) {
		String key = key(id);
		return id.startsWith(".", key.length())
				&& MessageDigest.isEqual(ScriptCall.argument(handle(key)), ScriptCall.argument(id));
	}

	/** Returns another id of the same session. */
	String changed(String id) {
		return key(id) + this.ids.generate();
	}

	/** Runs a script on a session by its key, or on the index of a principal. */
	private CompletableFuture<ScriptReply> run(LuaScript script, String name, CallBudget budget, Object... arguments) {
		RedisKey key = OF_PRINCIPAL.contains(script) ? this.redis.key("u", hash(name)) : this.redis.key(name);
		return this.redis.run(ScriptCall.of(script, key.with(KeyPart.of("1")), arguments), budget, (reply) -> reply);
	}

	private void publish(Kind kind, String result, long amount) {
		this.events.publish(new SessionEvent(kind, result, amount));
	}

	/** Creates a session that Redis does not have yet. */
	public Session create() {
		return new StoredSession(this, changed(random()), this.timeout);
	}

	/**
	 * Loads a session for a request, and extends its life.
	 * @return completes with {@code null} if there is none
	 */
	public CompletableFuture<@Nullable Session> load(String id) {
		CallBudget budget = this.redis.newBudget();
		return run(LOAD, key(id), budget, isHandle(id) ? "" : hash(id), 1)
			.<@Nullable Session>thenCompose((reply) -> confirm(id, reply, budget))
			.exceptionallyCompose((failure) -> {
				publish(Kind.LOADS, "error", 1);
				boolean anonymous = this.properties.onOutage() == OnOutage.ANONYMOUS
						&& Waiting.cause(failure) instanceof RedisUnavailableException;
				return anonymous ? nothing() : CompletableFuture.<@Nullable Session>failedFuture(failure);
			});
	}

	private static <T> CompletableFuture<@Nullable T> nothing() {
		return CompletableFuture.completedFuture(null);
	}

	private StoredSession session(String id, ScriptReply reply) {
		String state = "";
		Map<String, byte[]> attributes = new HashMap<>();
		for (int i = 0; i + 1 < reply.size(); i += 2) {
			String field = reply.text(i);
			if (field.equals("s")) {
				state = reply.text(i + 1);
			}
			else {
				attributes.put(field.substring(2), Objects.requireNonNull(reply.bytes(i + 1)));
			}
		}
		return new StoredSession(this, id, this.timeout).loaded(state, attributes);
	}

	private CompletionStage<@Nullable Session> confirm(String id, ScriptReply reply, CallBudget budget) {
		StoredSession session = session(id, reply);
		String principal = session.owner();
		Logouts logouts = principal.isEmpty() ? null : this.logouts.get();
		if (logouts == null) {
			return found(session, reply, budget);
		}
		return logouts.isLoggedOut.apply(principal, session.login()).thenCompose((loggedOut) -> {
			if (loggedOut) {
				publish(Kind.LOADS, "ended", 1);
				return end(id, principal, "all", budget).thenCompose((done) -> nothing());
			}
			return found(session, reply, budget);
		});
	}

	private CompletionStage<@Nullable Session> found(StoredSession session, ScriptReply reply, CallBudget budget) {
		publish(Kind.LOADS, session.isNew() ? "none" : "found", 1);
		if (session.isNew()) {
			return nothing();
		}
		publish(Kind.BYTES, "loaded", bytes(session.stored));
		boolean due = reply.size() % 2 > 0;
		// A failure leaves the entry as it is, and the next request repeats this
		return !due ? CompletableFuture.<@Nullable Session>completedFuture(session)
				: store(session, new HashMap<>(), true, budget)
					.exceptionallyCompose((failure) -> (Waiting.cause(failure) instanceof TooManySessionsException)
							? end(session.getId(), session.owner(), "limit", budget).thenApply((done) -> "gone")
							: CompletableFuture.failedFuture(failure))
					.handle((done, failure) -> session);
	}

	/** Saves what has changed of a session, unless it has ended. */
	public CompletableFuture<?> save(Session saved) {
		StoredSession session = (StoredSession) saved;
		Map<String, byte @Nullable []> changes = session.changes();
		if (changes == null) {
			publish(Kind.SAVES, "unchanged", 1);
			return nothing();
		}
		return store(session, changes, false, this.redis.newBudget()).whenComplete((result, failure) -> {
			boolean refused = failure != null && Waiting.cause(failure) instanceof TooManySessionsException;
			publish(Kind.SAVES, (failure == null) ? result : refused ? "too_many" : "error", 1);
			if (refused) {
				session.reset();
			}
			else if ("saved".equals(result)) {
				publish(Kind.BYTES, "saved", bytes(changes));
			}
		});
	}

	private static long bytes(Map<String, ?> attributes) {
		return attributes.values()
			.stream()
			.mapToLong((value) -> (value instanceof byte[] json) ? json.length : 0)
			.sum();
	}

	private CompletableFuture<String> store(StoredSession session, Map<String, byte @Nullable []> changes,
			boolean renew, CallBudget budget) {
		String id = session.getId();
		boolean created = session.isNew();
		String principal = session.principal();
		boolean login = !principal.equals(session.owner());
		boolean enter = !principal.isEmpty() && (login || renew || session.hasNewTimeout());
		String mode = !login ? (enter ? "enter" : "keep") : enter ? "login" : "logout";
		return (enter ? admit(session, principal, budget) : nothing())
			.thenCompose((admitted) -> run(SAVE, key(id), budget, arguments(session, changes, principal, mode)))
			.thenCompose((reply) -> {
				boolean saved = reply.size() > 0;
				// Another request may have changed the principal meanwhile
				String before = saved ? reply.text(1) : "";
				if (saved) {
					session.saved(changes, id, reply.text(0));
				}
				if (saved && created) {
					this.listeners.accept(new SessionCreatedEvent(this, session));
				}
				String left = before.equals(principal) ? "" : (login && saved) ? before : enter ? principal : "";
				return forget(left, budget, key(id)).thenApply((done) -> saved ? "saved" : "gone");
			});
	}

	private Object[] arguments(StoredSession session, Map<String, byte @Nullable []> changes, String principal,
			String mode) {
		Duration longest = this.properties.maxLifetime();
		List<Object> set = new ArrayList<>();
		List<Object> removed = new ArrayList<>();
		changes.forEach((name, value) -> {
			if (value != null) {
				set.addAll(List.of("a:" + name, value));
			}
			else {
				removed.add("a:" + name);
			}
		});
		List<Object> all = new ArrayList<>(List.of(session.hasNewId() ? hash(session.getId()) : "",
				session.isNew() ? 1 : 0, session.getMaxInactiveInterval().toMillis(),
				(longest != null) ? longest.toMillis() : 0, principal, mode, set.size() / 2));
		all.addAll(set);
		all.addAll(removed);
		return all.toArray();
	}

	private CompletableFuture<?> admit(StoredSession session, String principal, CallBudget budget) {
		return enter(session, principal, budget)
			// Entries that crashes have left must not refuse a login
			.thenCompose((reply) -> (reply.size() > 0) ? CompletableFuture.completedFuture(reply)
					: find(principal, budget).thenCompose((found) -> enter(session, principal, budget)))
			.thenCompose((reply) -> {
				if (reply.size() == 0) {
					throw new TooManySessionsException(Objects.requireNonNull(this.properties.maxPerPrincipal()));
				}
				return all(IntStream.range(1, reply.size())
					.mapToObj((i) -> end(handle(reply.text(i)), principal, "limit", budget))
					.toList());
			});
	}

	private CompletableFuture<ScriptReply> enter(StoredSession session, String principal, CallBudget budget) {
		Integer most = this.properties.maxPerPrincipal();
		Duration longest = this.properties.maxLifetime();
		long life = session.getMaxInactiveInterval().toMillis();
		return run(INDEX, principal, budget, key(session.getId()),
				(longest != null) ? Math.min(life, longest.toMillis()) : life, (most != null) ? most : 0,
				(this.properties.onTooMany() == OnTooMany.REFUSE) ? "refuse" : "end");
	}

	private CompletableFuture<@Nullable Object> forget(String principal, CallBudget budget, String... keys) {
		return (principal.isEmpty() || keys.length == 0) ? nothing()
				: run(FORGET, principal, budget, (Object[]) keys).thenApply((reply) -> reply);
	}

	/** Ends a session by an id that it has, has had, or is about to have. */
	@Override
	public CompletableFuture<Boolean> endAsync(String id) {
		return end(id, "", "logout", this.redis.newBudget());
	}

	/**
	 * Ends a session.
	 * @param principal the one that the index is of, or empty if that is not known
	 */
	private CompletableFuture<Boolean> end(String id, String principal, String by, CallBudget budget) {
		long marker = principal.isEmpty() ? 0 : MARKER.toMillis();
		return run(END, key(id), budget, principal, marker).thenCompose((reply) -> {
			StoredSession session = session(id, reply);
			if (session.isNew()) {
				return CompletableFuture.completedFuture(false);
			}
			publish(Kind.ENDS, by, 1);
			this.listeners.accept(new SessionDeletedEvent(this, session));
			return forget(session.owner(), budget, key(id)).thenApply((done) -> true);
		});
	}

	@Override
	public CompletableFuture<Integer> endAllAsync(String principal) {
		Logouts logouts = this.logouts.get();
		CompletionStage<?> loggedOut = (logouts != null) ? logouts.logOut.apply(principal) : nothing();
		return loggedOut.thenCompose((done) -> endListed(principal, 0)).toCompletableFuture();
	}

	private CompletableFuture<Integer> endListed(String principal, int before) {
		CallBudget budget = this.redis.newBudget();
		return list(principal, budget).thenCompose((listed) -> {
			List<String> keys = List.copyOf(listed.keySet());
			return all(keys.stream().map((key) -> end(handle(key), principal, "all", budget)).toList())
				.thenCompose((ended) -> forget(principal, budget, keys.toArray(String[]::new)).thenCompose((done) -> {
					int count = before + (int) ended.stream().filter(Boolean::booleanValue).count();
					return (keys.size() < LISTED) ? CompletableFuture.completedFuture(count)
							: endListed(principal, count);
				}));
		});
	}

	/** Lists keys of sessions, and whether an entry is old enough to have a session. */
	private CompletableFuture<Map<String, Boolean>> list(String principal, CallBudget budget) {
		return run(LIST, principal, budget).thenApply((reply) -> {
			Map<String, Boolean> listed = new LinkedHashMap<>();
			for (int i = 0; i < reply.size(); i += 2) {
				listed.put(reply.text(i), reply.number(i + 1) > 0);
			}
			return listed;
		});
	}

	/** Finds the sessions of a principal, by names instead of their ids. */
	public CompletableFuture<Map<String, Session>> find(String principal) {
		return find(principal, this.redis.newBudget());
	}

	private CompletableFuture<Map<String, Session>> find(String principal, CallBudget budget) {
		return list(principal, budget).thenCompose((listed) -> {
			List<String> keys = List.copyOf(listed.keySet());
			return all(keys.stream().map((key) -> run(LOAD, key, budget, "", 0)).toList()).thenCompose((replies) -> {
				Map<String, Session> found = new LinkedHashMap<>();
				List<String> old = new ArrayList<>();
				for (int i = 0; i < keys.size(); i++) {
					String handle = handle(keys.get(i));
					StoredSession session = session(handle, replies.get(i));
					if (principal.equals(session.owner())) {
						found.put(handle, session);
					}
					else if (Boolean.TRUE.equals(listed.get(keys.get(i)))) {
						old.add(keys.get(i));
					}
				}
				return forget(principal, budget, old.toArray(String[]::new)).thenApply((done) -> found);
			});
		});
	}

	@Override
	public CompletableFuture<List<Info>> listAsync(String principal) {
		return find(principal)
			.thenApply((found) -> found.values().stream().map((session) -> ((StoredSession) session).info()).toList());
	}

	private static <T extends @Nullable Object> CompletableFuture<List<T>> all(List<CompletableFuture<T>> calls) {
		return CompletableFuture.allOf(calls.toArray(CompletableFuture[]::new))
			.thenApply((done) -> calls.stream().map(CompletableFuture::join).toList());
	}

	/**
	 * Logouts of a principal that are not limited to sessions. Made by the
	 * auto-configuration, which asks the blacklist.
	 *
	 * @param isLoggedOut whether a principal was logged out after a login, given in
	 * microseconds of the clock of Redis
	 */
	public record Logouts(BiFunction<String, Long, CompletionStage<Boolean>> isLoggedOut,
			Function<String, CompletionStage<?>> logOut) {
	}

}
