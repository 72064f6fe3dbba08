// SPDX-License-Identifier: Apache-2.0

package io.ge.redis.web.session;

import java.util.Map;

import io.ge.redis.core.structure.ReactiveCalls;
import io.ge.redis.session.internal.RedisSessions;
import reactor.core.publisher.Mono;
import reactor.core.scheduler.Schedulers;

import org.springframework.session.ReactiveFindByIndexNameSessionRepository;
import org.springframework.session.ReactiveSessionRepository;
import org.springframework.session.Session;

/**
 * The repository of reactive applications.
 */
public record ReactiveSessions(RedisSessions sessions)
		implements
			ReactiveSessionRepository<Session>,
			ReactiveFindByIndexNameSessionRepository<Session> {

	// The random bits may come from a file
	@Override
	public Mono<Session> createSession() {
		return Mono.fromSupplier(this.sessions::create)
			.subscribeOn(Schedulers.boundedElastic())
			.publishOn(Schedulers.parallel());
	}

	@Override
	public Mono<Void> save(Session session) {
		return ReactiveCalls.mono(() -> this.sessions.save(session)).then();
	}

	@Override
	public Mono<Session> findById(String id) {
		return ReactiveCalls.mono(() -> this.sessions.load(id));
	}

	@Override
	public Mono<Void> deleteById(String id) {
		return ReactiveCalls.mono(() -> this.sessions.endAsync(id)).then();
	}

	@Override
	public Mono<Map<String, Session>> findByIndexNameAndIndexValue(String indexName, String indexValue) {
		return PRINCIPAL_NAME_INDEX_NAME.equals(indexName) ? ReactiveCalls.mono(() -> this.sessions.find(indexValue))
				: Mono.just(Map.of());
	}

}
