// SPDX-License-Identifier: Apache-2.0

package io.ge.redis.session.internal;

import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Random;
import java.util.Set;

import io.ge.redis.core.event.GuardEvents;
import io.ge.redis.core.structure.StructureCalls;
import io.ge.redis.session.SessionProperties;
import io.ge.redis.test.RedisServers;
import io.ge.redis.test.Sized;
import io.ge.redis.test.StandaloneRedis;
import io.ge.redis.test.TestBackend;
import io.ge.redis.test.Wide;
import net.jqwik.api.Example;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.ShrinkingMode;
import net.jqwik.api.lifecycle.AfterContainer;
import net.jqwik.api.lifecycle.BeforeContainer;
import org.jspecify.annotations.Nullable;
import tools.jackson.databind.json.JsonMapper;

import org.springframework.boot.context.properties.bind.Binder;
import org.springframework.mock.env.MockEnvironment;
import org.springframework.session.FindByIndexNameSessionRepository;
import org.springframework.session.Session;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Sessions against a map, in random traces: requests that overlap set and remove
 * attributes, log in, change the id, end sessions or find that they have expired.
 */
@Sized
class RedisSessionsModelIntegrationTests {

	private static final String PRINCIPAL = FindByIndexNameSessionRepository.PRINCIPAL_NAME_INDEX_NAME;

	private static final List<String> PRINCIPALS = List.of("alice", "bob", "urn:user:1 2");

	private static final List<String> NAMES = List.of("", "s", "a b", PRINCIPAL);

	private static final int STEPS = 60;

	private static StandaloneRedis redis;

	private static TestBackend backend;

	private static RedisSessions sessions;

	@BeforeContainer
	static void start() {
		redis = RedisServers.standalone();
		backend = TestBackend.on(redis, "one");
		SessionProperties properties = Binder.get(new MockEnvironment())
			.bindOrCreate("ge.redis.session", SessionProperties.class);
		sessions = new RedisSessions(properties, Duration.ofMinutes(30), new StructureCalls("session", backend.get()),
				SessionCodec.json(JsonMapper.shared(), List.of(), null), RedisSessions::random, () -> null,
				new GuardEvents(List::of), (event) -> {
				});
	}

	@AfterContainer
	static void stop() {
		backend.close();
		redis.close();
	}

	@Example
	void aTraceIsRepeatable() {
		behavesAsTheModel(1);
	}

	@Property(tries = 30, shrinking = ShrinkingMode.OFF)
	void behavesAsTheModel(@ForAll long seed) {
		redis.flushAll();
		Trace trace = new Trace(new Random(seed));
		for (int step = 0; step < (Wide.RUN ? 4 : 1) * STEPS; step++) {
			trace.step();
		}
		trace.verify();
		assertThat(redis.keysWithoutTtl()).isEmpty();
	}

	/** A session of the model. */
	private static final class Known {

		private final Map<String, Object> attributes = new HashMap<>();

		private String owner = "";

		private @Nullable String id;

	}

	/** A request that has made or loaded a session, and what it has changed. */
	private static final class Request {

		private final Known known;

		private final Session session;

		private final boolean first;

		private final String owner;

		private final Set<String> loaded;

		private final Map<String, @Nullable Object> changes = new HashMap<>();

		private boolean newId;

		Request(Known known, Session session, boolean first) {
			this.known = known;
			this.session = session;
			this.first = first;
			this.newId = first;
			this.owner = known.owner;
			this.loaded = Set.copyOf(known.attributes.keySet());
		}

		String principal() {
			return !this.changes.containsKey(PRINCIPAL) ? this.owner
					: Objects.requireNonNullElse((String) this.changes.get(PRINCIPAL), "");
		}

	}

	private static final class Trace {

		private final Random random;

		private final List<Known> all = new ArrayList<>();

		private final List<Request> requests = new ArrayList<>();

		private final List<String> old = new ArrayList<>();

		Trace(Random random) {
			this.random = random;
		}

		private <T> T any(List<T> list) {
			return list.get(this.random.nextInt(list.size()));
		}

		void step() {
			int kind = this.random.nextInt(20);
			if (this.all.isEmpty() || kind < 3) {
				Known known = new Known();
				this.all.add(known);
				this.requests.add(new Request(known, sessions.create(), true));
			}
			else if (kind < 8) {
				load(any(this.all));
			}
			else if (kind == 8) {
				Known ended = any(this.all);
				String id = (ended.id != null) ? ended.id : "none";
				assertThat(sessions.end(id)).isEqualTo(ended.id != null);
				ended.id = null;
			}
			else if (kind == 9) {
				String principal = any(PRINCIPALS);
				List<Known> ended = of(principal);
				assertThat(sessions.endAll(principal)).isEqualTo(ended.size());
				ended.forEach((each) -> each.id = null);
			}
			else if (kind == 10) {
				Known expired = any(this.all);
				if (expired.id != null) {
					redis.primary().command("DEL", "ge:session:{" + expired.id.substring(0, 43) + "}:1");
				}
				expired.id = null;
			}
			else if (!this.requests.isEmpty()) {
				Request request = any(this.requests);
				change(request);
				if (kind > 14) {
					save(request);
				}
			}
		}

		private void load(Known known) {
			if (known.id == null) {
				return;
			}
			Session session = sessions.load(known.id).join();
			assertThat(session).isNotNull();
			assertThat(session.getAttributeNames()).isEqualTo(known.attributes.keySet());
			known.attributes.forEach((name, value) -> assertThat(session.<Object>getAttribute(name)).isEqualTo(value));
			this.requests.add(new Request(known, session, false));
		}

		private void change(Request request) {
			if (this.random.nextInt(4) == 0) {
				request.session.changeSessionId();
				request.newId = true;
			}
			String name = any(NAMES);
			Object value = (this.random.nextInt(4) == 0) ? null
					: name.equals(PRINCIPAL) ? any(PRINCIPALS) : (Object) this.random.nextInt();
			request.session.setAttribute(name, value);
			request.changes.put(name, value);
		}

		private void save(Request request) {
			Known known = request.known;
			sessions.save(request.session).join();
			this.requests.remove(request);
			if (known.id == null && !request.first) {
				assertThat(sessions.load(request.session.getId()).join()).isNull();
				return;
			}
			request.changes.forEach((name, value) -> {
				if (value != null) {
					known.attributes.put(name, value);
				}
				else if (request.loaded.contains(name)) {
					known.attributes.remove(name);
				}
			});
			known.owner = request.principal().equals(request.owner) ? known.owner : request.principal();
			if (request.newId) {
				if (known.id != null) {
					this.old.add(known.id);
				}
				known.id = request.session.getId();
			}
		}

		private List<Known> of(String principal) {
			return this.all.stream().filter((each) -> each.id != null && principal.equals(each.owner)).toList();
		}

		void verify() {
			List.copyOf(this.all).forEach(this::load);
			assertThat(this.old).allMatch((id) -> sessions.load(id).join() == null);
			for (String principal : PRINCIPALS) {
				assertThat(sessions.list(principal)).hasSize(of(principal).size());
			}
		}

	}

}
