// SPDX-License-Identifier: Apache-2.0

package io.ge.redis.benchmark;

import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.ConcurrentHashMap;

import io.ge.redis.core.outage.Waiting;
import io.ge.redis.session.internal.RedisSessions;
import org.jspecify.annotations.Nullable;

import org.springframework.data.redis.connection.RedisConnectionFactory;
import org.springframework.data.redis.core.RedisTemplate;
import org.springframework.data.redis.serializer.RedisSerializer;
import org.springframework.session.FindByIndexNameSessionRepository;
import org.springframework.session.Session;
import org.springframework.session.SessionRepository;
import org.springframework.session.data.redis.RedisSessionRepository;

/**
 * A request with a session, beside Spring Session's repository without an index.
 */
record SessionScenarios(Instance instance) {

	private static final String OWN = "Sessions";

	private static final String SPRING = "Spring Session, RedisSessionRepository";

	List<Scenario> all() {
		return List.of(scenario("session-read", "Session, a request that reads", false),
				scenario("session-write", "Session, a request that writes", true));
	}

	private Scenario scenario(String id, String title, boolean writes) {
		RedisTemplate<String, Object> template = new RedisTemplate<>();
		template.setConnectionFactory(this.instance.get(RedisConnectionFactory.class));
		template.setKeySerializer(RedisSerializer.string());
		template.setHashKeySerializer(RedisSerializer.string());
		template.afterPropertiesSet();
		Sessions<?> own = Sessions.of(new OwnSessions(this.instance.get(RedisSessions.class)), writes);
		Sessions<?> springs = Sessions.of(new RedisSessionRepository(template), writes);
		Scenario scenario = new Scenario("session", id, title,
				"Find, read an attribute, set the last access and save, as Spring Session's filter does. Each session has "
						+ "a principal and two attributes, ours as JSON and in an index.",
				List.of(Keys.MANY), List.of(Contender.ping(this.instance.raw(), SPRING),
						Contender.of(OWN, SPRING, own::request), Contender.raw(SPRING, springs::request)),
				(count) -> {
					Scenarios.forAll(count, own::create);
					Scenarios.forAll(count, springs::create);
				});
		return writes ? scenario : scenario.reaching(List.of(Goal.of(OWN, SPRING, 2.5)));
	}

	/**
	 * Sessions of a repository.
	 *
	 * @param ids by key
	 */
	private record Sessions<S extends Session>(SessionRepository<S> repository, Map<String, String> ids,
			boolean writes) {

		static <S extends Session> Sessions<S> of(SessionRepository<S> repository, boolean writes) {
			return new Sessions<>(repository, new ConcurrentHashMap<>(), writes);
		}

		Object create(String key) {
			S session = this.repository.createSession();
			session.setAttribute(FindByIndexNameSessionRepository.PRINCIPAL_NAME_INDEX_NAME, key);
			session.setAttribute("locale", "en");
			session.setAttribute("count", 1);
			this.repository.save(session);
			this.ids.put(key, session.getId());
			return session;
		}

		Object request(String key) {
			S session = Objects.requireNonNull(this.repository.findById(Objects.requireNonNull(this.ids.get(key))));
			session.setLastAccessedTime(Instant.now());
			Integer count = session.getRequiredAttribute("count");
			if (this.writes) {
				session.setAttribute("count", count + 1);
			}
			this.repository.save(session);
			return count;
		}

	}

	/** The repository of servlet applications, without servlets. */
	private record OwnSessions(RedisSessions sessions) implements SessionRepository<Session> {

		@Override
		public Session createSession() {
			return this.sessions.create();
		}

		@Override
		public void save(Session session) {
			Waiting.await(this.sessions.save(session));
		}

		@Override
		public @Nullable Session findById(String id) {
			return Waiting.await(this.sessions.load(id));
		}

		@Override
		public void deleteById(String id) {
			this.sessions.endAsync(id);
		}

	}

}
