// SPDX-License-Identifier: Apache-2.0

package io.ge.redis.session.internal;

import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.IntStream;

import io.ge.redis.RedisUnavailableException;
import io.ge.redis.core.event.GuardEvents;
import io.ge.redis.core.outage.Waiting;
import io.ge.redis.core.structure.StructureCalls;
import io.ge.redis.session.SessionEvent;
import io.ge.redis.session.SessionProperties;
import io.ge.redis.session.Sessions;
import io.ge.redis.session.TooManySessionsException;
import io.ge.redis.test.RedisEndpoint;
import io.ge.redis.test.RedisErrorReplyException;
import io.ge.redis.test.RedisFixture;
import io.ge.redis.test.TestBackend;
import org.awaitility.Awaitility;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import tools.jackson.databind.json.JsonMapper;

import org.springframework.boot.context.properties.bind.Binder;
import org.springframework.boot.context.properties.source.MapConfigurationPropertySource;
import org.springframework.session.FindByIndexNameSessionRepository;
import org.springframework.session.Session;
import org.springframework.session.events.AbstractSessionEvent;
import org.springframework.session.events.SessionCreatedEvent;
import org.springframework.session.events.SessionDeletedEvent;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

/**
 * What sessions promise.
 */
abstract class RedisSessionsContract {

	private static final String PRINCIPAL = FindByIndexNameSessionRepository.PRINCIPAL_NAME_INDEX_NAME;

	private final List<SessionEvent> events = new CopyOnWriteArrayList<>();

	private final List<AbstractSessionEvent> published = new CopyOnWriteArrayList<>();

	private final Map<String, AtomicInteger> scripts = new ConcurrentHashMap<>();

	private final ExecutorService threads = Executors.newFixedThreadPool(16);

	private RedisFixture redis;

	private TestBackend backend;

	private TestBackend other;

	private Repository sessions;

	@BeforeEach
	void connect(RedisFixture redis) {
		this.redis = redis;
		this.backend = TestBackend.on(redis.connectionFactory(), "one",
				(script, nanos, failure) -> this.scripts.computeIfAbsent(script.name(), (name) -> new AtomicInteger())
					.incrementAndGet());
		this.other = TestBackend.on(redis, "two");
		this.sessions = sessions();
	}

	@AfterEach
	void disconnect() {
		this.threads.shutdownNow();
		this.backend.close();
		this.other.close();
	}

	private RedisSessions instance(TestBackend backend, RedisSessions.@Nullable Logouts logouts, String... properties) {
		SessionProperties bound = bound(properties);
		Duration timeout = (bound.timeout() != null) ? bound.timeout() : Duration.ofMinutes(30);
		return new RedisSessions(bound, timeout, new StructureCalls("session", backend.get()),
				SessionCodec.json(JsonMapper.shared(), bound.allowedTypes(), null), RedisSessions::random,
				() -> logouts, new GuardEvents(() -> List.of((event) -> this.events.add((SessionEvent) event))),
				this.published::add);
	}

	private static SessionProperties bound(String... properties) {
		Map<String, String> values = new HashMap<>();
		for (int i = 0; i < properties.length; i += 2) {
			values.put("ge.redis.session." + properties[i], properties[i + 1]);
		}
		return new Binder(new MapConfigurationPropertySource(values)).bindOrCreate("ge.redis.session",
				SessionProperties.class);
	}

	private Repository sessions(String... properties) {
		return new Repository(instance(this.backend, null, properties));
	}

	private Repository elsewhere(String... properties) {
		return new Repository(instance(this.other, null, properties));
	}

	private static Session login(Repository sessions, String principal) {
		Session session = sessions.createSession();
		session.setAttribute(PRINCIPAL, principal);
		sessions.save(session);
		return session;
	}

	private Set<String> keys() {
		Set<String> keys = new TreeSet<>();
		this.redis.endpoints().stream().filter(RedisEndpoint::isPrimary).forEach((endpoint) -> {
			List<?> found = (List<?>) endpoint.command("KEYS", "ge:session:*");
			found.forEach((key) -> keys.add(String.valueOf(key)));
		});
		return keys;
	}

	/** Returns the number of races, of which the same server has many in the wide run. */
	protected int races() {
		return 1_000;
	}

	private int calls() {
		return this.scripts.values().stream().mapToInt(AtomicInteger::get).sum();
	}

	private long counted(SessionEvent.Kind kind, String result) {
		return this.events.stream().filter(new SessionEvent(kind, result, 1)::equals).count();
	}

	private void atOnce(List<Runnable> actions) {
		CompletableFuture
			.allOf(actions.stream()
				.map((action) -> CompletableFuture.runAsync(action, this.threads))
				.toArray(CompletableFuture[]::new))
			.join();
	}

	@Test
	void keepsAttributesForAllInstances() {
		Session session = this.sessions.createSession();
		Map<String, Object> values = Map.of("text", "a", "long", 5L, "list", new ArrayList<>(List.of("a", 1)), "map",
				Map.of("a", Duration.ofDays(1)));
		values.forEach(session::setAttribute);
		this.sessions.save(session);
		Session found = elsewhere().findById(session.getId());
		assertThat(found.getAttributeNames()).isEqualTo(values.keySet());
		values.forEach((name, value) -> assertThat(found.<Object>getAttribute(name)).isEqualTo(value));
		found.removeAttribute("text");
		found.setAttribute("long", 6L);
		elsewhere().save(found);
		Session again = this.sessions.findById(session.getId());
		assertThat(again.getAttributeNames()).containsExactlyInAnyOrder("long", "list", "map");
		assertThat(again.<Long>getAttribute("long")).isEqualTo(6L);
		assertThat(again.getCreationTime()).isEqualTo(found.getCreationTime());
	}

	@Test
	void asksRedisOnceToReadAndOnceToWrite() {
		Session session = login(this.sessions, "alice");
		this.scripts.clear();
		Session read = this.sessions.findById(session.getId());
		assertThat(read.<String>getAttribute(PRINCIPAL)).isEqualTo("alice");
		this.sessions.save(read);
		assertThat(calls()).isOne();
		read.setAttribute("a", 1);
		this.sessions.save(read);
		assertThat(calls()).isEqualTo(2);
		this.sessions.save(read);
		assertThat(calls()).isEqualTo(2);
		assertThat(counted(SessionEvent.Kind.SAVES, "unchanged")).isEqualTo(2);
	}

	@Test
	void hasNoIdInRedis() {
		Session session = login(this.sessions, "alice");
		assertThat(keys()).hasSize(2)
			.allMatch((key) -> key.matches("ge:session:\\{(u:)?[\\w-]{43}\\}:1"))
			.noneMatch((key) -> key.contains(session.getId()) || key.contains("alice"));
	}

	@Test
	void livesForTheTimeoutAfterTheLastAccess() {
		Repository shortly = sessions("timeout", "1s");
		Session session = login(shortly, "alice");
		for (int i = 0; i < 2; i++) {
			ageAll();
			assertThat(shortly.findById(session.getId())).isNotNull();
		}
		Awaitility.await().until(() -> keys().isEmpty());
		assertThat(shortly.findById(session.getId())).isNull();
	}

	private void ageAll() {
		this.redis.endpoints().stream().filter(RedisEndpoint::isPrimary).forEach((endpoint) -> {
			List<?> found = (List<?>) endpoint.command("KEYS", "ge:session:*");
			found.forEach((key) -> endpoint.command("PEXPIRE", String.valueOf(key), "900"));
		});
	}

	@Test
	void livesNoLongerThanTheLongestLifetime() {
		Repository shortly = sessions("max-lifetime", "1s");
		Session session = login(shortly, "alice");
		shortly.findById(session.getId()).changeSessionId();
		Session loaded = shortly.findById(session.getId());
		loaded.changeSessionId();
		shortly.save(loaded);
		Awaitility.await().until(() -> shortly.findById(loaded.getId()) == null);
		assertThat(this.sessions.findByPrincipalName("alice")).isEmpty();
	}

	@Test
	void refusesSessionsWithoutTimeout() {
		Session session = this.sessions.createSession();
		assertThatIllegalArgumentException().isThrownBy(() -> session.setMaxInactiveInterval(Duration.ZERO))
			.withMessageContaining("at least 1ms");
		session.setMaxInactiveInterval(Duration.ofMinutes(2));
		this.sessions.save(session);
		assertThat(this.sessions.findById(session.getId()).getMaxInactiveInterval()).isEqualTo(Duration.ofMinutes(2));
	}

	@Test
	void neverBringsAnEndedSessionBack() {
		Repository elsewhere = elsewhere();
		AtomicInteger gone = new AtomicInteger();
		for (int i = 0; i < races(); i++) {
			Session session = this.sessions.createSession();
			this.sessions.save(session);
			Session late = this.sessions.findById(session.getId());
			late.setAttribute(PRINCIPAL, "alice");
			atOnce(List.of(() -> this.sessions.save(late), () -> elsewhere.deleteById(session.getId())));
			gone.addAndGet((this.sessions.findById(session.getId()) == null) ? 1 : 0);
		}
		assertThat(gone).hasValue(races());
		assertThat(keys()).isEmpty();
	}

	@Test
	void keepsDifferentAttributesOfRequestsAtOnce() {
		Repository elsewhere = elsewhere();
		for (int round = 0; round < races() / 50; round++) {
			Session session = login(this.sessions, "alice");
			atOnce(IntStream.range(0, 50).<Runnable>mapToObj((i) -> () -> {
				Repository mine = (i % 2 == 0) ? this.sessions : elsewhere;
				Session request = mine.findById(session.getId());
				request.setAttribute("a" + i, i);
				mine.save(request);
			}).toList());
			assertThat(this.sessions.findById(session.getId()).getAttributeNames()).hasSize(51);
		}
	}

	@Test
	void followsASessionWhoseIdChangesMeanwhile() {
		Repository elsewhere = elsewhere();
		for (int i = 0; i < races() / 10; i++) {
			Session session = this.sessions.createSession();
			this.sessions.save(session);
			Session login = this.sessions.findById(session.getId());
			login.changeSessionId();
			login.setAttribute(PRINCIPAL, "alice" + i);
			Session image = elsewhere.findById(session.getId());
			image.setAttribute("image", i);
			atOnce(List.of(() -> this.sessions.save(login), () -> elsewhere.save(image)));
			assertThat(this.sessions.findById(session.getId())).isNull();
			Session after = this.sessions.findById(login.getId());
			assertThat(after.<Integer>getAttribute("image")).isEqualTo(i);
			assertThat(this.sessions.findByPrincipalName("alice" + i)).hasSize(1);
		}
	}

	@Test
	void endsASessionWhoseIdChangesMeanwhile() {
		for (int i = 0; i < races() / 10; i++) {
			Session session = login(this.sessions, "alice");
			Session login = this.sessions.findById(session.getId());
			login.changeSessionId();
			atOnce(List.of(() -> this.sessions.save(login), () -> elsewhere().deleteById(session.getId())));
			assertThat(this.sessions.findById(session.getId())).isNull();
			assertThat(this.sessions.findById(login.getId())).isNull();
			assertThat(this.sessions.findByPrincipalName("alice")).isEmpty();
		}
	}

	@Test
	void keepsAttributesWithShortNamesWhenTheIdChanges() {
		Session session = this.sessions.createSession();
		session.setAttribute("", "none");
		session.setAttribute("x", "one");
		this.sessions.save(session);
		Session loaded = this.sessions.findById(session.getId());
		String id = loaded.changeSessionId();
		loaded.setAttribute(PRINCIPAL, "anna");
		this.sessions.save(loaded);
		Session moved = elsewhere().findById(id);
		assertThat(moved.<String>getAttribute("x")).isEqualTo("one");
		assertThat(moved.<String>getAttribute("")).isEqualTo("none");
	}

	@Test
	void endsASessionByAnIdThatIsNotSavedYet() {
		Session session = login(this.sessions, "anna");
		Session loaded = this.sessions.findById(session.getId());
		loaded.changeSessionId();
		this.sessions.deleteById(loaded.getId());
		assertThat(this.sessions.findById(session.getId())).isNull();
	}

	@Test
	void endsTheOldestSessionBeyondTheMaximum() {
		Repository limited = sessions("max-per-principal", "3");
		List<Session> logins = new CopyOnWriteArrayList<>();
		for (int round = 0; round < races() / 100; round++) {
			String principal = "alice" + round;
			logins.clear();
			atOnce(IntStream.range(0, 16)
				.<Runnable>mapToObj((i) -> () -> logins.add(login(limited, principal)))
				.toList());
			assertThat(limited.findByPrincipalName(principal)).hasSize(3);
			assertThat(logins.stream().filter((each) -> limited.findById(each.getId()) != null)).hasSize(3);
		}
		assertThat(counted(SessionEvent.Kind.ENDS, "limit")).isPositive();
	}

	@Test
	void refusesLoginsBeyondTheMaximum() {
		Repository limited = sessions("max-per-principal", "3", "on-too-many", "refuse");
		AtomicInteger refused = new AtomicInteger();
		List<Session> logins = new CopyOnWriteArrayList<>();
		atOnce(IntStream.range(0, 16).<Runnable>mapToObj((i) -> () -> {
			try {
				logins.add(login(limited, "alice"));
			}
			catch (TooManySessionsException ex) {
				refused.incrementAndGet();
			}
		}).toList());
		assertThat(refused).hasValue(13);
		assertThat(limited.findByPrincipalName("alice")).hasSize(3);
		limited.deleteById(logins.get(0).getId());
		Session anonymous = limited.createSession();
		limited.save(anonymous);
		anonymous.changeSessionId();
		anonymous.setAttribute(PRINCIPAL, "alice");
		limited.save(anonymous);
		assertThat(limited.findByPrincipalName("alice")).hasSize(3);
		// The same session may log in again
		anonymous.changeSessionId();
		limited.save(anonymous);
		Session last = limited.createSession();
		last.setAttribute(PRINCIPAL, "alice");
		assertThatExceptionOfType(TooManySessionsException.class).isThrownBy(() -> limited.save(last))
			.withMessageContaining("ge.redis.session.on-too-many");
		limited.save(last);
		assertThat(limited.findById(last.getId()).getAttributeNames()).isEmpty();
	}

	@Test
	void endsAllSessionsOfAPrincipal() {
		List<Session> all = IntStream.range(0, 5).mapToObj((i) -> login(this.sessions, "alice")).toList();
		Session another = login(this.sessions, "bob");
		Session late = this.sessions.findById(all.get(0).getId());
		late.setAttribute("a", 1);
		Sessions api = instance(this.other, null);
		assertThat(api.list("alice")).hasSize(5)
			.allMatch((info) -> info.attributes().keySet().equals(Set.of(PRINCIPAL)));
		this.scripts.clear();
		assertThat(instance(this.backend, null).endAll("alice")).isEqualTo(5);
		assertThat(calls()).isLessThanOrEqualTo(12);
		this.sessions.save(late);
		assertThat(all).allMatch((each) -> this.sessions.findById(each.getId()) == null);
		assertThat(api.list("alice")).isEmpty();
		assertThat(this.sessions.findById(another.getId())).isNotNull();
		assertThat(keys()).hasSize(2);
		assertThat(api.endAll("alice")).isZero();
	}

	@Test
	void endsLoginsThatAreNotYetSaved() {
		Sessions api = instance(this.other, null);
		for (int i = 0; i < races() / 10; i++) {
			Session session = this.sessions.createSession();
			session.setAttribute(PRINCIPAL, "alice");
			atOnce(List.of(() -> this.sessions.save(session), () -> api.endAll("alice")));
			boolean alive = this.sessions.findById(session.getId()) != null;
			assertThat(api.list("alice")).hasSize(alive ? 1 : 0);
			assertThat(api.endAll("alice")).isEqualTo(alive ? 1 : 0);
			assertThat(this.sessions.findById(session.getId())).isNull();
		}
	}

	@Test
	void endsSessionsOfEarlierLogins() {
		Map<String, Long> loggedOut = new ConcurrentHashMap<>();
		RedisSessions following = instance(this.backend, new RedisSessions.Logouts(
				(principal, login) -> CompletableFuture.completedFuture(login <= loggedOut.getOrDefault(principal, 0L)),
				(principal) -> {
					loggedOut.put(principal, Long.MAX_VALUE);
					return CompletableFuture.completedFuture(null);
				}));
		Repository followed = new Repository(following);
		Session early = followed.createSession();
		followed.save(early);
		Session login = login(followed, "alice");
		loggedOut.put("alice", ((StoredSession) followed.findById(login.getId())).login());
		assertThat(followed.findById(login.getId())).isNull();
		assertThat(counted(SessionEvent.Kind.LOADS, "ended")).isOne();
		assertThat(counted(SessionEvent.Kind.LOADS, "none")).isZero();
		// Created before, logged in after
		early.setAttribute(PRINCIPAL, "alice");
		followed.save(early);
		assertThat(followed.findById(early.getId())).isNotNull();
		following.endAll("alice");
		assertThat(loggedOut).containsEntry("alice", Long.MAX_VALUE);
	}

	@Test
	void changesThePrincipal() {
		Session session = login(this.sessions, "urn:user:1");
		session.setAttribute(PRINCIPAL, "urn:user:2");
		this.sessions.save(session);
		assertThat(this.sessions.findByPrincipalName("urn:user:1")).isEmpty();
		assertThat(this.sessions.findByPrincipalName("urn:user:2")).hasSize(1);
		session.removeAttribute(PRINCIPAL);
		this.sessions.save(session);
		assertThat(this.sessions.findByPrincipalName("urn:user:2")).isEmpty();
		assertThat(keys()).hasSize(1);
	}

	@Test
	void repairsAnIndexThatWasLost() {
		Session session = login(sessions("timeout", "2s"), "alice");
		this.redis.endpoints().stream().filter(RedisEndpoint::isPrimary).forEach((endpoint) -> {
			List<?> found = (List<?>) endpoint.command("KEYS", "ge:session:{u:*");
			found.forEach((key) -> endpoint.command("DEL", String.valueOf(key)));
		});
		Awaitility.await().until(() -> {
			this.sessions.findById(session.getId());
			return this.sessions.findByPrincipalName("alice").size() == 1;
		});
	}

	@Test
	void renewsAnEntryWhoseRenewalHasFailed() {
		Session session = login(this.sessions, "alice");
		String key = "ge:session:{" + session.getId().substring(0, 43) + "}:1";
		String index = keys().stream().filter((each) -> each.contains("{u:")).findFirst().orElseThrow();
		String[] state = String.valueOf(command("HGET", key, "s")).split(" ", 8);
		state[3] = "1";
		command("HSET", key, "s", String.join(" ", state));
		command("SET", index, "not an index", "EX", "60");
		assertThat(this.sessions.findById(session.getId())).isNotNull();
		command("DEL", index);
		assertThat(this.sessions.findById(session.getId())).isNotNull();
		assertThat(this.sessions.findByPrincipalName("alice")).hasSize(1);
		this.scripts.clear();
		assertThat(this.sessions.findById(session.getId())).isNotNull();
		assertThat(calls()).isOne();
	}

	private Object command(String... command) {
		return this.redis.endpoints().stream().filter(RedisEndpoint::isPrimary).map((endpoint) -> {
			try {
				return endpoint.command(command);
			}
			catch (RedisErrorReplyException ex) {
				return ex;
			}
		}).filter((reply) -> !String.valueOf(reply).contains("MOVED")).findFirst().orElse("");
	}

	@Test
	void keepsEntriesOfSessionsWithAShortTimeoutThatAreAboutToBeSaved() {
		for (int i = 0; i < races() / 20; i++) {
			String principal = "alice" + i;
			atOnce(List.of(() -> {
				Session session = this.sessions.createSession();
				session.setAttribute(PRINCIPAL, principal);
				session.setMaxInactiveInterval(Duration.ofSeconds(30));
				this.sessions.save(session);
			}, () -> this.sessions.findByPrincipalName(principal), () -> elsewhere().findByPrincipalName(principal)));
			assertThat(this.sessions.findByPrincipalName(principal)).hasSize(1);
		}
	}

	@Test
	void refusesNoLoginForAnEntryThatACrashHasLeft() {
		Repository limited = sessions("max-per-principal", "1", "on-too-many", "refuse");
		Session session = login(limited, "alice");
		limited.deleteById(session.getId());
		assertThat(keys()).isEmpty();
		Session next = login(limited, "alice");
		String key = "ge:session:{" + next.getId().substring(0, 43) + "}:1";
		String index = keys().stream().filter((each) -> each.contains("{u:")).findFirst().orElseThrow();
		command("DEL", key);
		assertThatExceptionOfType(TooManySessionsException.class).isThrownBy(() -> login(limited, "alice"));
		// Two minutes later
		double end = Double.parseDouble(String.valueOf(command("ZSCORE", index, next.getId().substring(0, 43))));
		double entered = (end % 1 * 1024 + 1024 - 15) % 1024 / 1024;
		command("ZADD", index, String.valueOf(Math.floor(end) + entered), next.getId().substring(0, 43));
		assertThat(login(limited, "alice")).isNotNull();
		assertThat(limited.findByPrincipalName("alice")).hasSize(1);
	}

	@Test
	void publishesCreationsAndEnds() {
		Session session = login(this.sessions, "alice");
		assertThat(this.published).singleElement().isInstanceOf(SessionCreatedEvent.class);
		Session request = this.sessions.findById(session.getId());
		String id = request.changeSessionId();
		this.sessions.save(request);
		assertThat(this.published).hasSize(1);
		elsewhere().deleteById(id);
		elsewhere().deleteById(id);
		assertThat(this.published).hasSize(2);
		assertThat(this.published.get(1)).isInstanceOfSatisfying(SessionDeletedEvent.class, (event) -> {
			assertThat(event.getSessionId()).isEqualTo(id);
			assertThat(event.<Session>getSession().<String>getAttribute(PRINCIPAL)).isEqualTo("alice");
		});
		login(this.sessions, "bob");
		this.sessions.sessions().endAll("bob");
		assertThat(this.published).hasSize(4).last().isInstanceOf(SessionDeletedEvent.class);
		assertThat(this.events).contains(new SessionEvent(SessionEvent.Kind.BYTES, "saved", 7),
				new SessionEvent(SessionEvent.Kind.BYTES, "loaded", 7));
	}

	@Test
	void findsSessionsByNamesThatOnlyThisInstanceKnows() {
		Session session = login(this.sessions, "alice");
		Map<String, Session> found = this.sessions.findByPrincipalName("alice");
		String handle = found.keySet().iterator().next();
		assertThat(handle).doesNotContain(session.getId());
		assertThat(this.sessions.findById(handle).<String>getAttribute(PRINCIPAL)).isEqualTo("alice");
		String forged = handle.substring(0, handle.length() - 4) + "AAAA";
		String key = handle.substring(0, 43);
		for (String id : List.of(forged, key, key + ".", "h:", ".", "", "{", "}", "\0", "x".repeat(10_000))) {
			assertThat(this.sessions.findById(id)).isNull();
		}
		// As by another instance
		assertThat(this.sessions.sessions().end(forged)).isTrue();
		assertThat(keys()).isEmpty();
	}

	@Test
	void detectsWhatWasChangedInPlace() {
		Session session = this.sessions.createSession();
		session.setAttribute("cart", new ArrayList<>(List.of("a")));
		session.setAttribute("set", new HashSet<>(Set.of("a")));
		this.sessions.save(session);
		Session request = this.sessions.findById(session.getId());
		request.<List<String>>getAttribute("cart").add("b");
		request.getAttribute("set");
		this.sessions.save(request);
		assertThat(this.sessions.findById(session.getId()).<List<String>>getAttribute("cart")).containsExactly("a",
				"b");
		Repository without = sessions("detect-changes", "false");
		request = without.findById(session.getId());
		request.<List<String>>getAttribute("cart").add("c");
		without.save(request);
		assertThat(this.sessions.findById(session.getId()).<List<String>>getAttribute("cart")).hasSize(2);
	}

	@Test
	void refusesATypeThatIsNotAllowed() {
		Session session = this.sessions.createSession();
		assertThatIllegalArgumentException().isThrownBy(() -> session.setAttribute("cart", new Cart(List.of("a"))))
			.withMessageContaining("'cart'")
			.withMessageContaining("Cart is not allowed")
			.withMessageContaining("ge.redis.session.allowed-types")
			.withMessageContaining("io.ge.redis.session.internal.*");
		assertThatIllegalArgumentException()
			.isThrownBy(() -> session.setAttribute("carts", new ArrayList<>(List.of(new Cart(List.of())))))
			.withMessageContaining("allowed-types");
		assertThatIllegalArgumentException().isThrownBy(() -> session.setAttribute("thread", Thread.currentThread()))
			.withMessageContaining("'thread' cannot be stored");
		assertThat(session.getAttributeNames()).isEmpty();
		Repository allowing = sessions("allowed-types[0]", "io.ge.redis.session.internal.*");
		Session allowed = allowing.createSession();
		allowed.setAttribute("cart", new Cart(List.of("a")));
		allowing.save(allowed);
		assertThat(allowing.findById(allowed.getId()).<Cart>getAttribute("cart")).isEqualTo(new Cart(List.of("a")));
		// As after an upgrade: missing, and the rest of the session works
		Session unreadable = this.sessions.findById(allowed.getId());
		assertThat(unreadable.<Object>getAttribute("cart")).isNull();
		unreadable.setAttribute("a", 1);
		this.sessions.save(unreadable);
		assertThat(allowing.findById(allowed.getId()).<Cart>getAttribute("cart")).isNotNull();
	}

	@Test
	void readsAndEndsSessionsWhenMemoryIsFull() {
		Session session = login(this.sessions, "alice");
		onPrimaries("CONFIG", "SET", "maxmemory", "1");
		try {
			ageAll();
			Session read = this.sessions.findById(session.getId());
			assertThat(read).isNotNull();
			this.redis.endpoints().stream().filter(RedisEndpoint::isPrimary).forEach((endpoint) -> {
				List<?> found = (List<?>) endpoint.command("KEYS", "ge:session:{*");
				found.stream()
					.filter((key) -> !String.valueOf(key).contains("{u:"))
					.forEach((key) -> assertThat((Long) endpoint.command("PTTL", String.valueOf(key)))
						.isGreaterThan(60_000));
			});
			read.setAttribute("a", 1);
			assertThatExceptionOfType(RedisUnavailableException.class).isThrownBy(() -> this.sessions.save(read));
			assertThat(this.sessions.sessions().end(session.getId())).isTrue();
		}
		finally {
			onPrimaries("CONFIG", "SET", "maxmemory", "0");
		}
		assertThat(keys()).isEmpty();
	}

	private void onPrimaries(String... command) {
		this.redis.endpoints()
			.stream()
			.filter(RedisEndpoint::isPrimary)
			.forEach((endpoint) -> endpoint.command(command));
	}

	@Test
	void survivesAFlush() {
		Session session = login(this.sessions, "alice");
		Session request = this.sessions.findById(session.getId());
		request.setAttribute("a", 1);
		this.redis.flushAll();
		this.sessions.save(request);
		assertThat(this.sessions.findById(session.getId())).isNull();
		assertThat(keys()).isEmpty();
		assertThat(counted(SessionEvent.Kind.SAVES, "gone")).isOne();
		assertThat(counted(SessionEvent.Kind.LOADS, "none")).isOne();
	}

	record Cart(List<String> items) {
	}

	/** Sessions as a servlet application uses them. */
	record Repository(RedisSessions sessions) {

		Session createSession() {
			return this.sessions.create();
		}

		void save(Session session) {
			Waiting.await(this.sessions.save(session));
		}

		@Nullable Session findById(String id) {
			return Waiting.await(this.sessions.load(id));
		}

		void deleteById(String id) {
			Waiting.await(this.sessions.endAsync(id));
		}

		Map<String, Session> findByPrincipalName(String principal) {
			return Waiting.await(this.sessions.find(principal));
		}

	}

}
