// SPDX-License-Identifier: Apache-2.0

package io.ge.redis.web.session;

import java.io.IOException;
import java.util.HashMap;
import java.util.Map;
import java.util.Objects;

import io.ge.redis.core.outage.Waiting;
import io.ge.redis.session.internal.RedisSessions;
import jakarta.servlet.FilterChain;
import jakarta.servlet.ServletException;
import jakarta.servlet.ServletRequest;
import jakarta.servlet.ServletResponse;
import org.jspecify.annotations.Nullable;

import org.springframework.session.FindByIndexNameSessionRepository;
import org.springframework.session.Session;

/**
 * The repository of servlet applications. It remembers the sessions of a request, since
 * Spring Session asks again when the response is committed.
 */
public record ServletSessions(RedisSessions sessions) implements FindByIndexNameSessionRepository<Session> {

	private static final ThreadLocal<@Nullable Map<String, Session>> OF_REQUEST = new ThreadLocal<>();

	/** Passes a request on, in front of the filter of Spring Session. */
	public void doFilter(ServletRequest request, ServletResponse response, FilterChain chain)
			throws IOException, ServletException {
		Map<String, Session> outer = OF_REQUEST.get();
		OF_REQUEST.set(known());
		try {
			chain.doFilter(request, response);
		}
		finally {
			OF_REQUEST.set(outer);
		}
	}

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
		Map<String, Session> known = known();
		Session session = known.get(id);
		if (session == null) {
			session = Waiting.await(this.sessions.load(id));
			if (session != null) {
				known.put(id, session);
			}
		}
		return session;
	}

	@Override
	public void deleteById(String id) {
		known().values().removeIf((session) -> session.getId().equals(id));
		Waiting.await(this.sessions.endAsync(id));
	}

	private static Map<String, Session> known() {
		return Objects.requireNonNullElseGet(OF_REQUEST.get(), HashMap::new);
	}

	@Override
	public Map<String, Session> findByIndexNameAndIndexValue(String indexName, String indexValue) {
		return PRINCIPAL_NAME_INDEX_NAME.equals(indexName) ? Waiting.await(this.sessions.find(indexValue)) : Map.of();
	}

}
